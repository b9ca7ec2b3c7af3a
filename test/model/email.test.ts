import { expect, it } from 'vitest';
import { parseEmail } from '../../src/model/email.ts';

it.each([
  ['zoe@example.com', 'zoe@example.com'],
  [' <mailto:zoe@example.com> ', 'zoe@example.com'],
  ['Zoé C. <zoe@example.com>', 'zoe@example.com'],
  ['mailto:zoe@example.com', 'zoe@example.com'],
  ['\u200bzoe@example.com\u00a0', 'zoe@example.com'],
  ['Zoe+tag@EXAMPLE.com', 'Zoe+tag@example.com'],
  ['zoe@exämple.com', 'zoe@xn--exmple-cua.com'],
  ['ｚｏｅ@example.com', 'zoe@example.com'],
])('%j is %s', (text, email) => {
  expect(parseEmail(text)).toEqual({ email, error: null, warning: null });
});

it.each([
  '',
  'zoe',
  'zoe@',
  '@example.com',
  'zoe@localhost',
  'a b@example.com',
  'a@b@example.com',
  'a@example.com;b@example.com',
  'a@example.com, b@example.com',
  `${'x'.repeat(65)}@example.com`,
  `a@${'x.'.repeat(130)}com`,
  '@'.repeat(100_000),
])('%.40j is refused', (text) => {
  const { email, error } = parseEmail(text);
  expect(email).toBeNull();
  expect(error).toBeTruthy();
});

it('an address that many services do not take passes with a warning', () => {
  expect(parseEmail('zoé@example.com')).toMatchObject({ email: 'zoé@example.com', warning: expect.any(String) });
  expect(parseEmail('zoe.@example.com')).toMatchObject({ email: 'zoe.@example.com', warning: expect.any(String) });
});
