import { describe, expect, test } from 'vitest';
import { KNOWN, learnParts } from './describe-request.ts';

const described = (description: string, more: object = {}) => ({ 429: { description, ...more } });
const notesOf = (createAnswers: object, rest: object = {}) => learnParts({ createAnswers, rest }).notes;

describe('A limit of the service', () => {
  test('is noted with the sentence that names it', () => {
    const notes = notesOf(described('Too many. At most 10 requests per second are taken. Wait then.'));
    expect(notes).toContain(
      'The document speaks of a limit: "At most 10 requests per second are taken". srq finds the right pace itself; --rate sets one.',
    );
  });

  test('is noted with up to 150 letters before and behind its beginning', () => {
    const note = notesOf(described(`${'a'.repeat(200)} 10 requests per second ${'b'.repeat(200)}`)).join();
    const [, sentence = ''] = /limit: "([^"]*)"/.exec(note) ?? [];
    const [before = '', after = ''] = [/^a*/.exec(sentence)?.[0], /b*$/.exec(sentence)?.[0]];
    expect(before.length + after.length).toBeLessThan(300);
    expect([before.length > 100, after.length > 100]).toEqual([true, true]);
    expect(sentence.length).toBeLessThanOrEqual(300);
  });

  test('is noted with the headers that tell it, and not without', () => {
    const headers = { 'X-RateLimit-Remaining': {}, 'X-Other': {} };
    const told = (more: object) => notesOf(described('', more)).filter((note) => note.includes('tells its limits in'));
    expect(told({ headers })).toEqual(['The service tells its limits in X-RateLimit-Remaining, which srq respects.']);
    expect([told({}), told({ headers: { 'X-Other': {} } })]).toEqual([[], []]);
  });
});

test.each<[string, string, object, boolean]>([
  ['markets', 'country', { enum: ['XX', 'YY'] }, true],
  ['markets', 'country', { enum: ['XX', 'PT'] }, false],
  ['markets', 'country', { minLength: 3 }, true],
  ['markets', 'country', { minLength: 2, maxLength: 2 }, false],
  ['languages', 'lang', { pattern: '^[A-Z]{3}$' }, true],
  ['languages', 'lang', { pattern: '^[a-z]{2}$' }, false],
  ['numbers', 'phone', { pattern: '^\\d{9}$' }, true],
  ['numbers', 'phone', { type: 'string' }, false],
  ['numbers', 'phone', { pattern: '^\\+\\d+$' }, false],
  ['anything', 'fullname', { pattern: '^$' }, false],
])('that none of the %s fits into %s with %j is told: %s', (what, field, schema, isTold) => {
  const { notes } = learnParts({
    schema: { properties: { ...KNOWN, [field]: { type: 'string', ...schema } } },
    options: { operations: { create: 'POST /requests', validate: 'none' } },
  });
  const told = notes.filter((note) => note.startsWith(`${field}: none of srq's ${what}`));
  expect(told).toEqual(isTold ? [expect.stringContaining(`so no request with a ${field} would be sent.`)] : []);
});

test.each<[string, object, boolean]>([
  ['nothing was done', { headers: { 'Retry-After': {} }, description: 'The request was not processed.' }, true],
  ['nothing', { headers: { 'retry-after': {} }, description: 'Busy.' }, false],
  ['that nothing was done, but not when to come again', { description: 'The request was not processed.' }, false],
])('where 503 says %s, it counts so', (_, answer, isNotActed) => {
  const { contract } = learnParts({ createAnswers: { 503: { description: '', ...answer } } });
  expect(contract.unavailableIsNotActed).toBe(isNotActed);
  const told = contract.findings.filter(({ setting }) => setting === 'create.unavailable').map(({ value }) => value);
  expect(told).toEqual('headers' in answer ? [isNotActed ? 'not acted on' : 'unknown'] : []);
});
