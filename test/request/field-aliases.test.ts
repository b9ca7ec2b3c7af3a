import { expect, test } from 'vitest';
import { aliasOf, countKnownFields, headerForm } from '../../src/request/lead/field-aliases.ts';

test('a column name that two languages have counts by its best place', () => {
  expect(aliasOf('Message')).toEqual({ meaning: 'request_text', rank: 1 });
  expect(aliasOf('fullname')).toEqual({ meaning: 'fullname', rank: 0 });
  expect(aliasOf('Nombre')).toEqual({ meaning: 'fullname', rank: 2 });
});

test.each([
  [' Straße / Nr. ', 'strasse_nr'],
  ['(Telefone)', 'telefone'],
  ['Имя', 'имя'],
  ['#', '#'],
  ['--', '--'],
])('the column name %j has the form %j', (header, form) => {
  expect(headerForm(header)).toBe(form);
});

test('known column names are counted, and others are not', () => {
  expect([countKnownFields(['Name', 'Telefon', 'xyz']), countKnownFields([]), countKnownFields(['?'])]).toEqual([
    2, 0, 0,
  ]);
});
