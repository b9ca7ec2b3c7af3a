import { expect, test } from 'vitest';
import { judgeFor } from '../../src/request/contract/body-check.ts';
import { dataUrlPrefix } from '../../src/request/contract/codes.ts';

test('the beginning of a data URL names the media type, or that it is unknown', () => {
  expect(dataUrlPrefix('audio/ogg')).toBe('data:audio/ogg;base64,');
  expect(dataUrlPrefix(null)).toBe('data:application/octet-stream;base64,');
});

test('a text in a header or query is a number if it is written as one', () => {
  const numbers = { type: 'object', properties: { n: { type: 'integer' } } };
  const judge = judgeFor({ as: 'application/json', schema: { properties: { header: numbers, query: numbers } } });
  const judged = (n: string) =>
    judge({ body: {}, header: { n }, query: { n } }).map(({ place, code }) => [place, code]);
  expect(['7', '0', '-12', '007'].map(judged)).toEqual([[], [], [], []]);
  for (const n of ['1.5', '1.50.2', 'many', ''])
    expect(judged(n)).toEqual([
      ['header n', 'contract.type'],
      ['query n', 'contract.type'],
    ]);
});
