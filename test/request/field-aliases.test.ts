import { expect, test } from 'vitest';
import { headerForm } from '../../src/request/lead/field-aliases.ts';

test.each([
  [' Straße / Nr. ', 'strasse_nr'],
  ['(Telefone)', 'telefone'],
  ['Имя', 'имя'],
  ['#', '#'],
  ['--', '--'],
])('the column name %j has the form %j', (header, form) => {
  expect(headerForm(header)).toBe(form);
});
