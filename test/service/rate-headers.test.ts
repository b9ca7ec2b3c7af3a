import { describe, expect, it } from 'vitest';
import { readRateHeaders } from '../../src/service/pacing/rate-headers.ts';

const WALL_MS = Date.UTC(2026, 10, 21, 3, 39, 0);
const at = (ms: number) => new Date(ms).toUTCString();
const pause = (value: string, more: Record<string, string> = {}) =>
  readRateHeaders({ 'retry-after': value, ...more }, WALL_MS).pauseMs;
const headroom = (headers: Record<string, string>) => readRateHeaders(headers, WALL_MS).headroom;

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['1.5', 1_500],
    [at(WALL_MS + 30_000), 30_000],
    [at(WALL_MS - 30_000), 0],
    ['7200', 7_200_000],
  ])('Retry-After, %s, is read', (value, expected) => expect(pause(value)).toBe(expected));

  it.each([
    '',
    'soon',
    '-5',
    '1e3',
    '0x10',
    '12 s',
    'NaN',
    'Infinity',
    'Mon',
    '5, 5',
    '1795228740',
    '9'.repeat(400),
    '2026-11-21',
    'Sat, 99 Foo 2026 03:39:00 GMT',
  ])('Retry-After, %j, is ignored', (value) => expect(pause(value)).toBeNull());

  it('Retry-After counts a date from the answer’s own Date, whatever the clock here', () => {
    const theirs = WALL_MS - 3_600_000;
    expect(pause(at(theirs + 10_000), { date: at(theirs) })).toBe(10_000);
    expect(pause(at(WALL_MS + 10_000), { date: 'yesterday' })).toBe(10_000);
  });
});

describe('RateLimit', () => {
  it.each([
    ['draft 6', { 'ratelimit-limit': '10', 'ratelimit-remaining': '3', 'ratelimit-reset': '5' }],
    ['draft 7', { ratelimit: 'limit=10, remaining=3, reset=5' }],
    ['draft 8, token', { ratelimit: 'default;r=3;t=5' }],
    ['draft 11, text', { ratelimit: '"default";r=3;t=5', 'ratelimit-policy': '"default";q=10;w=60' }],
    ['names with separators', { ratelimit: '"a;r=0,b";r=3;t=5' }],
    ['lines of their own', { ratelimit: '"day";r=900;t=80000, "default"; r=3; t=5' }],
  ])('RateLimit is read: %s', (_, headers) => expect(headroom(headers)).toEqual({ remaining: 3, resetMs: 5_000 }));

  it.each([
    { ratelimit: '' },
    { ratelimit: '"default"' },
    { ratelimit: '"default";r=3' },
    { ratelimit: '"default";r=-1;t=5' },
    { ratelimit: '"default";r=x;t=5' },
    { ratelimit: 'remaining=0' },
    { ratelimit: '"default;r=0;t=' },
    { 'ratelimit-remaining': '0' },
    { 'ratelimit-remaining': 'none', 'ratelimit-reset': '5' },
    { 'ratelimit-remaining': '0', 'ratelimit-reset': 'tomorrow' },
  ])('RateLimit is ignored: %j', (headers) => expect(headroom(headers)).toBeNull());

  it('of several RateLimit counts, the one that runs out first counts', () => {
    expect(headroom({ ratelimit: '"day";r=500;t=80000, "burst";r=0;t=1' })).toEqual({ remaining: 0, resetMs: 1_000 });
    expect(headroom({ ratelimit: '"day";r=0;t=80000, "burst";r=0;t=1' })).toEqual({
      remaining: 0,
      resetMs: 80_000_000,
    });
  });
});

describe('X-RateLimit', () => {
  it.each([
    ['seconds from now', '30'],
    ['epoch in seconds', String((WALL_MS + 30_000) / 1000)],
    ['epoch in milliseconds', String(WALL_MS + 30_000)],
  ])('X-RateLimit-Reset is read: %s', (_, reset) =>
    expect(headroom({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset })).toEqual({
      remaining: 0,
      resetMs: 30_000,
    }),
  );

  it('X-RateLimit-Reset as an epoch counts from the answer’s own Date', () => {
    const theirs = WALL_MS + 3_600_000;
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(theirs / 1000 + 9), date: at(theirs) };
    expect(headroom(headers)).toEqual({ remaining: 0, resetMs: 9_000 });
  });

  it('X-RateLimit-Reset as a past epoch leaves nothing to wait for', () => {
    const past = String((WALL_MS - 9_000) / 1000);
    expect(headroom({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': past })?.resetMs).toBe(0);
  });
});
