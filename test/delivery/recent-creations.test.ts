import { expect, test } from 'vitest';
import { RecentCreations } from '../../src/delivery/controls.ts';
import { requestKind } from '../../src/delivery/visibility-prober.ts';
import { submissionOf } from './leads.ts';

const markets = ['PT', 'ES', 'FR', 'IT', 'DE', 'AT'];
const creation = (market: string, row: number) => {
  const { request, key } = submissionOf(`Need ${row}`, row);
  return { row, key, request: { ...request, params: { ...request.params, country: market } } };
};

test('a worker remembers its last creations of each kind, and no more of all than it has room for', () => {
  const recent = new RecentCreations();
  const of = (market: string) => recent.of(requestKind(creation(market, 0).request)).map(({ row }) => row);
  recent.add(creation('PT', 1));
  for (let row = 2; row <= 500; row++) recent.add(creation('ES', row));
  // What is rare is not pushed out by what is frequent.
  expect([of('PT'), of('ES').length, of('ES').at(-1)]).toEqual([[1], 64, 500]);
  for (const market of markets.slice(2)) for (let row = 1; row <= 100; row++) recent.add(creation(market, row));
  const all = markets.map((market) => of(market).length);
  expect(all.reduce((sum, count) => sum + count)).toBe(256);
  expect(of('PT')).toEqual([1]);
  expect(Math.min(...all.slice(1))).toBeGreaterThan(40);
  expect(of('FR').concat(of('JP'))).not.toContain(1);
});
