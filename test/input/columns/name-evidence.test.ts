import { expect, test } from 'vitest';
import { headerWords } from '../../../src/input/columns/header-words.ts';
import { nameEvidence } from '../../../src/input/columns/name-evidence.ts';

test.each([
  ['c p', 'cp'],
  ['C. P. (cliente)', 'cp cliente'],
  ['e mail', 'email'],
  ['e-mail do cliente', 'email do cliente'],
  ['n telefone', 'n° telefone'],
  ['n', '#'],
  ['telefone n', 'telefone #'],
  ['p code', 'pcode'],
  ['e mail c p', 'email cp'],
])('letters that stand alone in %j are read as %j', (spaced, joined) => {
  expect(nameEvidence(spaced)).toEqual(nameEvidence(joined));
  expect(nameEvidence(spaced)).not.toEqual(nameEvidence('xyz'));
});

test('letters that were joined to a word are not used again', () => {
  expect(headerWords('e mail c p', false)).toEqual(['email', 'cp']);
  expect(headerWords('e mail cliente', false)).toEqual(['email', 'cliente']);
});

test.each(['Phone ext.', 'Remark (telephone)', 'Notas telefone'])('%j means a telephone only in part', (name) => {
  expect(nameEvidence(name).meanings).toMatchObject([{ meaning: 'phone', strength: 'part' }]);
});

test('a telephone is meant for certain by its name alone, and not by one for remarks', () => {
  expect(nameEvidence('Telephone').meanings).toMatchObject([{ meaning: 'phone', strength: 'plain' }]);
  expect(nameEvidence('Remarks').meanings).not.toMatchObject([{ meaning: 'phone' }]);
});

test('letters that other words part are no word', () => {
  expect(nameEvidence('c cliente p')).not.toEqual(nameEvidence('cliente cp'));
});
