import { expect, test } from 'vitest';
import { isCheapPattern } from '../../src/contract/schema/pattern-cost.ts';
import { MAX_PATTERN_TEXT_LENGTH } from '../../src/contract/version-1/contract-rules.ts';
import fc from '../helpers/fast-check.ts';

/** Generous: a cheap pattern takes a second at worst, one that runs away takes years. */
const BOUND_MS = 180_000;

test.each([
  ['a repetition repeated', '^(a+)+$'],
  ['a choice between the same, repeated', '(a|a)*b'],
  ['a choice of what begins alike, repeated', '^(a|b|ab)*c'],
  ['what may be nothing, repeated', '(a|a?)+$'],
  ['blanks that may be left out, repeated', '^(\\w+\\s?)*$'],
  ['twelve repetitions of the same', `^${'\\d*'.repeat(12)}x`],
  ['three, anywhere', '.*.*.*x'],
  ['three through nothing in between', '^\\d*\\b\\d*a?\\d*x'],
  ['large bounds anywhere', '.{0,100000}.{0,100000}x'],
  ['bounds within bounds', '((a{1,1000}){1,1000}){1,1000}'],
  ['a lazy repetition, repeated', '(?:.*?,){20}P'],
  ['a far look at every place', '^(?:a(?=.*x)b?)*(?=.*y)\\d*(?=.*z)c'],
  ['a reference back', '^(?!.*(.+)\\1)'],
  ['a named reference back', '(?<n>a)\\k<n>'],
  ['a look behind', '(?<=a)b'],
  ['a property without u', '^\\p{3}'],
  ['no pattern', '('],
  ['2,000 characters', 'a'.repeat(2000)],
])('%s is left to the service', (_, pattern) => {
  expect(isCheapPattern(pattern)).toBe(false);
});

const LONG_TEXTS = ['1', 'a', 'a-', '.'].map((unit) => `${unit.repeat(MAX_PATTERN_TEXT_LENGTH / unit.length - 1)}!`);

test.each([
  '\\d+x',
  '.*x',
  '^.*.*x',
  '^\\d*\\d*x',
  '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
  '^(?:[a-z]+-)*[a-z]+$',
  '^(?:\\w+[ -])*\\w+$',
  '^(?!\\s)(?!.*\\s$).+$',
  '(?:[a-z]|[0-9])+x',
  '(?:[^a])?[^a](?:-)*(?:\\w)*?!',
  '^(?:a{0,20}-?){0,3}$',
])('no text makes the cheap pattern %s run away', { timeout: BOUND_MS }, (pattern) => {
  expect(isCheapPattern(pattern)).toBe(true);
  const compiled = new RegExp(pattern, 'u');
  for (const text of LONG_TEXTS) compiled.test(text);
});

const atom = fc.constantFrom('a', 'b', '.', '\\d', '\\w', '[ab]', '[^a]', 'x', '1', '-', '\\b', '\\s', '(?=a)', '$');
const { pattern: anyPattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    atom,
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '*?', '{2,5}', '{0,100}')).map(([a, s]) => `(?:${a})${s}`),
  ),
}));

test('whatever the pattern, the judgement ends, and what it calls cheap does not run away', {
  timeout: BOUND_MS,
}, () => {
  const texts = LONG_TEXTS.map((text) => text.slice(-2000));
  fc.assert(
    fc.property(anyPattern, fc.constantFrom('', '^'), fc.constantFrom('', '$', 'x'), (inner, start, end) => {
      const pattern = start + inner + end;
      if (!isCheapPattern(pattern)) return;
      const compiled = new RegExp(pattern, 'u');
      for (const text of texts) compiled.test(text);
    }),
    { numRuns: 300 },
  );
});
