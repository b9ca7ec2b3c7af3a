import { expect, test } from 'vitest';
import { absenceMessage, finding, quotedMessage } from '../../src/request/words/finding.ts';

test('a finding quotes a value behind what it is, and never in the message itself', () => {
  const short = finding('phone.too-short', 'phone', { country: 'DE' }, '0151 1000000');
  expect(short.message).toBe('The phone number is too short for DE; digits are missing.');
  expect(quotedMessage(short)).toContain('"0151 1000000" is too short for DE');
  const type = finding('contract.type', 'budget', { type: 'integer' }, 'much');
  expect(quotedMessage(type)).toMatch(/^budget "much" has the wrong type: the API description requires integer/);
  const damaged = finding('text.too-long', 'fullname', { letters: 300, most: 200 }, 'Ana');
  expect(quotedMessage(damaged)).toBe(damaged.message);
});

test('a quoted value is one line of at most forty letters', () => {
  const shown = (text: string) => finding('email.invalid', 'email', {}, text).value;
  expect(shown(' a\r\n b ')).toBe('a b');
  expect(shown('x'.repeat(40))).toBe('x'.repeat(40));
  expect(shown('x'.repeat(41))).toBe(`${'x'.repeat(39)}…`);
  expect(shown(`${'x'.repeat(38)}😀😀`)?.isWellFormed()).toBe(true);
  expect(finding('email.invalid', 'email', {}).value).toBeNull();
});

test('a finding about a field that no column gives names the field', () => {
  const consent = finding('contract.missing', 'consent', { what: 'consent', hint: '' });
  expect(absenceMessage(consent)).toMatch(/^No column gives consent, which/);
});
