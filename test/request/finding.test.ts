import { expect, test } from 'vitest';
import { finding } from '../../src/request/words/finding.ts';

test('a quoted value is one line of at most forty letters', () => {
  const shown = (text: string) => finding('email.invalid', 'email', {}, text).value;
  expect(shown(' a\r\n b ')).toBe('a b');
  expect(shown('x'.repeat(40))).toBe('x'.repeat(40));
  expect(shown('x'.repeat(41))).toBe(`${'x'.repeat(39)}…`);
  expect(shown(`${'x'.repeat(38)}😀😀`)?.isWellFormed()).toBe(true);
  expect(finding('email.invalid', 'email', {}).value).toBeNull();
});
