import { expect, test } from 'vitest';
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

test('letters that other words part are no word', () => {
  expect(nameEvidence('c cliente p')).not.toEqual(nameEvidence('cliente cp'));
});
