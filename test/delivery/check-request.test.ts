import { expect, it } from 'vitest';
import { checkRequest, likelyRequest } from '../../src/delivery/check/check-request.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import type { Mapping } from '../../src/request/lead/table.ts';
import { NO_MAPPING } from './leads.ts';

// What is said of a cell, and of a row, is in the tables of test/doors/read.

const GOOD = {
  country: 'Portugal',
  location: '1200-109 Lisboa',
  fullname: ' Zoé Conceição ',
  email: 'Zoe@example.com',
  phone: '912 345 678',
  request_text: 'Canalizador',
};

it('a request has its extra fields, whatever they are called, and no reference', () => {
  const fields = { ...GOOD, ref: 'A-1', ...JSON.parse('{"__proto__":"x","constructor":"y","budget":" "}') };
  const { request, problems } = checkRequest({ row: 1, fields }, null);
  expect([problems, request?.ref]).toEqual([[], 'A-1']);
  expect(Object.keys(request?.params ?? {}).sort()).toEqual([
    ...['__proto__', 'constructor', 'country', 'email', 'fullname', 'lang', 'location', 'phone', 'request_text'],
  ]);
});

it('a request has the recording in place of the text where a row has both, with a warning', () => {
  const { request_text, ...others } = GOOD;
  for (const recording of [{ audio_file: 'a.wav' }, { audio: 'UklGRg==' }]) {
    const { request, problems } = checkRequest({ row: 1, fields: { ...GOOD, ...recording } }, null);
    expect(request?.params).not.toHaveProperty('request_text');
    expect(problems.map(({ code }) => code)).toEqual(['request_text.left-out']);
    expect(checkRequest({ row: 1, fields: { ...others, ...recording } }, null).problems).toEqual([]);
  }
});

it('a field that srq does not know has at most 1,000 letters without a warning', () => {
  const codes = (letters: number) =>
    checkRequest({ row: 1, fields: { ...GOOD, anything_else: 'x'.repeat(letters) } }, null).problems.map(
      ({ code }) => code,
    );
  expect([codes(1_000), codes(1_001)]).toEqual([[], ['text.too-long']]);
});

it('a request is probably good if its checks say so, and never with a recording', () => {
  const likely = (fields: Record<string, string>) => likelyRequest({ row: 1, fields }, DOCUMENTED_CONTRACT);
  expect(likely(GOOD)).toEqual(checkRequest({ row: 1, fields: GOOD }, null).request);
  expect(likely({ ...GOOD, audio_file: 'a.wav' })).toBeNull();
  expect(likely({ ...GOOD, country: 'Atlantis' })).toBeNull();
  // Both are sent, and the recording takes the place of the text.
  expect(likely({ ...GOOD, audio: 'UklGRg==' })?.params).not.toHaveProperty('request_text');
  expect(likely({ ...GOOD, email: 'nobody' })).toBeNull();
  const { phone: __, ...phoneless } = GOOD;
  expect(likely(phoneless)?.params).not.toHaveProperty('phone');
});

it('a problem names the columns of all sources of its field, each once', () => {
  const source = (field: string, columns: number[]) =>
    ({ field, columns, how: 'first', template: null, prefix: null, because: '', level: 'certain' }) as const;
  const mapping: Mapping = {
    ...NO_MAPPING,
    columns: ['A', 'B', 'C'],
    sources: [source('phone', [0, 1]), source('phone', [1, 2]), source('country', []), source('lang', [2])],
  };
  const columnOf = (changes: Record<string, string>) =>
    checkRequest({ row: 1, fields: { ...GOOD, ...changes } }, mapping).problems.map(({ column }) => column);
  expect(columnOf({ phone: '1' })).toEqual(['A / B / C']);
  expect(columnOf({ country: 'Atlantis' })[0]).toBeNull();
  expect(columnOf({ lang: 'xx' })).toEqual(['C']);
});
