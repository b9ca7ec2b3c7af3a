import { expect, it } from 'vitest';
import { parseEmail } from '../doors/read.ts';
import fc from '../helpers/fast-check.ts';

it('an e-mail address that is too long is refused at once', () => {
  for (const text of [`${'x'.repeat(65)}@example.com`, `a@${'x.'.repeat(130)}com`, '@'.repeat(100_000)])
    expect(parseEmail(text)).toMatchObject({ email: null, error: expect.any(String) });
});

it('an accepted e-mail address keeps the domain that was written, except its case', () => {
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

it('an e-mail address alone and one in angle brackets are read the same', () => {
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
