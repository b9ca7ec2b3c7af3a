import { expect, test } from 'vitest';
import { controlsFor, RecentCreations } from '../../src/delivery/controls.ts';
import { requestKind } from '../../src/delivery/visibility-prober.ts';
import { submissionOf } from './leads.ts';

const markets = ['PT', 'ES', 'FR', 'IT', 'DE', 'AT'];
const creation = (market: string, row: number) => {
  const { request, key } = submissionOf(`Need ${row}`, row);
  return { row, key, request: { ...request, params: { ...request.params, country: market } } };
};
const MINUTE_MS = 60_000;

test('a worker remembers its last creations of each kind, and no more of all than it has room for', () => {
  const recent = new RecentCreations();
  const of = (market: string) => recent.of(requestKind(creation(market, 0).request)).map(({ row }) => row);
  recent.add(creation('PT', 1), 0);
  for (let row = 2; row <= 500; row++) recent.add(creation('ES', row), 0);
  // What is rare is not pushed out by what is frequent. Of one minute 24 are kept besides the last 64.
  expect([of('PT'), of('ES').length, of('ES').at(-1)]).toEqual([[1], 88, 500]);
  expect(of('ES').slice(0, 24)).toEqual(Array.from({ length: 24 }, (_, at) => at + 2));
  for (const market of markets.slice(1)) {
    for (let row = 1; row <= 2_000; row++) recent.add(creation(market, row), row * (MINUTE_MS / 10));
  }
  const all = markets.map((market) => of(market).length);
  expect(all.reduce((sum, count) => sum + count)).toBe(1_504);
  expect(of('PT')).toEqual([1]);
  expect(Math.min(...all.slice(1))).toBeGreaterThan(200);
  expect(of('FR').concat(of('JP'))).not.toContain(1);
});

test('a worker has controls for a doubt of any minute of the last hour, however much it created since', () => {
  const recent = new RecentCreations();
  const perMinute = 600;
  const minutes = 60;
  const sentAtMs = new Map<string, number>();
  for (let row = 0; row < minutes * perMinute; row++) {
    const atMs = (row * MINUTE_MS) / perMinute;
    const each = creation('PT', row);
    recent.add(each, atMs);
    sentAtMs.set(each.key, atMs);
  }
  const nowMs = minutes * MINUTE_MS;
  const doubt = creation('PT', 0).request;
  const known = recent.of(requestKind(doubt)).map((each) => ({ ...each, sentAtMs: sentAtMs.get(each.key) ?? 0 }));
  expect(known.length).toBeLessThanOrEqual(1_504);
  for (let minute = 1; minute < minutes; minute++) {
    for (const seconds of [0, 29, 59]) {
      const doubtedMs = minute * MINUTE_MS + seconds * 1_000;
      const doubted = { request: doubt, firstTryMs: doubtedMs, sentAtMs: doubtedMs };
      expect({ minute, seconds, all: controlsFor(doubted, known, nowMs)?.all.length }).toMatchObject({ all: 24 });
    }
  }
});
