import { expect, it } from 'vitest';
import { parseEmail } from '../doors/read.ts';
import fc from '../helpers/fast-check.ts';

it.each([
  ['zoe@example.com', 'zoe@example.com'],
  [' <mailto:zoe@example.com> ', 'zoe@example.com'],
  ['Zoé C. <zoe@example.com>', 'zoe@example.com'],
  ['mailto:zoe@example.com', 'zoe@example.com'],
  ['mailto:zoe@example.com?subject=Roof%20@home', 'zoe@example.com'],
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
  'zoe@example.com\nprivate',
  'zoe@example.com\tprivate',
  'zoe@exa\nmple.com',
  'zoe@example.com/912345678',
  'zoe@example.com?subject=Roof',
  'zoe@example.com#private',
  'zoe@example.com\\private',
  'zoe@example.com:25',
  'zoe@ex%61mple.com',
  'zoe@example.com／private',
  'zoe@1.2',
  'zoe@1.2.3.4',
  'zoe@example.0x7f',
  'zoe@example.',
  'zoe@.com',
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

it.each(['zoe@example.com;', 'zoe@example.com, ', '<zoe@EXAMPLE.com>;'])(
  '%s is taken without the marks behind it',
  (text) => {
    expect(parseEmail(text)).toEqual({ email: 'zoe@example.com', error: null, warning: 'email.trailing-mark' });
  },
);

it('an address that many services do not take passes with a warning', () => {
  expect(parseEmail('zoé@example.com')).toMatchObject({ email: 'zoé@example.com', warning: expect.any(String) });
  expect(parseEmail('zoe.@example.com')).toMatchObject({ email: 'zoe.@example.com', warning: expect.any(String) });
});

it('an address that is taken has the domain that was written, but for its case', () => {
  const label = fc.constantFrom('example', 'EXAMPLE', 'com', 'a-b', '1', '0x7f', '08', '');
  const mark = fc.constantFrom(
    ...Array<string>(20).fill('.'),
    '\n',
    '\t',
    '\r',
    ' ',
    '/',
    '?',
    '#',
    '\\',
    '%',
    '%41',
    ':',
    ':25',
    '|',
    '[',
  );
  const piece = fc.tuple(mark, fc.oneof(label, fc.stringMatching(/^[!-~]{1,3}$/)));
  let taken = 0;
  fc.assert(
    fc.property(label, fc.array(piece, { minLength: 1, maxLength: 3 }), (first, more) => {
      const domain = first + more.flat().join('');
      const { email } = parseEmail(`zoe@${domain}`);
      if (email === null) return;
      taken += 1;
      const written = domain
        .trim()
        .toLowerCase()
        .replace(/[;,]+$/, '');
      expect([domain, email.toLowerCase()]).toEqual([domain, `zoe@${written}`]);
    }),
    { numRuns: 5000 },
  );
  expect(taken).toBeGreaterThan(300);
});

it('an address is the same alone, where a plain one is taken as it is, and in angle brackets', () => {
  const part = fc.constantFrom('zoe', 'Zoe', '.', '+', "'", '-', '_', 'é', 'x'.repeat(40), 'y'.repeat(100));
  const label = fc.constantFrom('example', 'Example', 'xn--', 'xn--a', 'a--b', '-a', 'a-', '1', '0x7f', '', 'ä');
  const written = fc.tuple(
    fc.array(part, { minLength: 1, maxLength: 4 }),
    fc.array(label, { maxLength: 3 }),
    fc.constantFrom('com', 'COM', 'c', 'c1', '1', 'xn--a', ''),
  );
  fc.assert(
    fc.property(written, ([parts, labels, top]) => {
      const text = `${parts.join('')}@${[...labels, top].join('.')}`;
      expect([text, parseEmail(text)]).toEqual([text, parseEmail(`<${text}>`)]);
    }),
    { numRuns: 3000 },
  );
});
