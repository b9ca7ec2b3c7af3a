import { describe, expect, test } from 'vitest';
import { isAtLeastAsLong, requestKind } from '../../src/delivery/visibility-prober.ts';
import { contractFingerprint, DOCUMENTED_CONTRACT, documentedContract } from '../../src/request/contract.ts';
import type { ServiceRequest } from '../../src/request/service-request.ts';
import {
  FEW_CONTROLS_WAIT_MS,
  isTrusted,
  licenceWaitMs,
  MAX_CONTROLS,
  mergeVisibilityHistories,
  type ProbeResult,
  recordAgeMs,
  type SettleCircumstances,
  settleWaitMs,
  type VisibilityProbe,
  visibilityStats,
} from '../../src/request/visibility.ts';

const NOW_MS = Date.UTC(2026, 10, 21);
const DAY_MS = 24 * 60 * 60_000;
const KIND = 'PT/0/text';
const OWN: SettleCircumstances = { settleMs: null, isReset: true };

let looks = 0;
const look = (end: ProbeResult, { ageMs = 60_000, afterMs = 1_000, kind = KIND } = {}): VisibilityProbe => {
  looks += 1;
  return { key: String(looks).padStart(32, '0'), kind, createdAtMs: NOW_MS - ageMs, end, afterMs };
};
const three = (more: Parameters<typeof look>[1] = {}) => [look('seen', more), look('seen', more), look('seen', more)];
const trusts = (...given: VisibilityProbe[]) => isTrusted(visibilityStats({ looks: given }, KIND, NOW_MS));

describe('Validate is trusted', () => {
  test('when it saw all of at least three creations of that kind', () => {
    expect(trusts(...three())).toBe(true);
    expect(trusts(...three().slice(1))).toBe(false);
    expect(trusts(...three({ kind: 'PT/1/text' }))).toBe(false);
    expect(trusts(...three(), look('unseen'))).toBe(false);
    expect(trusts(...three(), look('unseen', { kind: 'ES/0/text' }))).toBe(true);
  });

  test('for thirty days', () => {
    expect(trusts(...three({ ageMs: 30 * DAY_MS }))).toBe(true);
    expect(trusts(...three({ ageMs: 30 * DAY_MS + 1 }))).toBe(false);
    expect(trusts(...three(), look('unseen', { ageMs: 30 * DAY_MS }))).toBe(false);
    expect(trusts(...three(), look('unseen', { ageMs: 30 * DAY_MS + 1 }))).toBe(true);
  });

  test('not when a look was given up: nobody went on with it for a day', () => {
    expect(trusts(...three(), look('open', { ageMs: DAY_MS }))).toBe(true);
    expect(trusts(...three(), look('open', { ageMs: DAY_MS + 1 }))).toBe(false);
  });

  test('not by what was quick before it was seen late, nobody knows how late', () => {
    const late = look('late', { ageMs: 2 * DAY_MS });
    expect(trusts(...three({ ageMs: 3 * DAY_MS }), late)).toBe(false);
    expect(trusts(...three({ ageMs: DAY_MS }), late)).toBe(true);
  });

  test('not by looks from the future', () => {
    expect(trusts(...three({ ageMs: -DAY_MS }))).toBe(false);
  });
});

describe('A doubt waits', () => {
  const waitMs = (given: readonly VisibilityProbe[], waiting = OWN) =>
    settleWaitMs(visibilityStats({ looks: given }, KIND, NOW_MS), waiting);

  test('three times the slowest look, which may be one that is still open', () => {
    expect(waitMs(three({ afterMs: 19_000 }))).toBe(60_000);
    expect(waitMs(three({ afterMs: 21_000 }))).toBe(63_000);
    expect(waitMs([...three(), look('open', { afterMs: 40_000 })])).toBe(120_000);
  });

  test('a minute at least where its socket was reset, else four; or as long as was chosen', () => {
    expect(waitMs(three(), { ...OWN, isReset: false })).toBe(240_000);
    expect(waitMs(three(), { settleMs: 5_000, isReset: false })).toBe(5_000);
  });

  test('for a licence on the strength of few controls until no lag counts', () => {
    const sight = visibilityStats({ looks: three() }, KIND, NOW_MS);
    expect(licenceWaitMs(sight, OWN, MAX_CONTROLS)).toBe(60_000);
    expect(licenceWaitMs(sight, OWN, MAX_CONTROLS - 1)).toBe(FEW_CONTROLS_WAIT_MS);
    expect(licenceWaitMs(sight, { ...OWN, settleMs: 1_000 }, 3)).toBe(1_000);
  });
});

describe('Two processes’ evidence together', () => {
  test('is the same in any order and however often it is merged, with the worse end of each look', () => {
    const shared = look('open', { afterMs: 3_000 });
    const one = { looks: [look('seen', { ageMs: 90_000 }), shared] };
    const other = { looks: [{ ...shared, end: 'unseen', afterMs: 600_001 } as const, look('late', { ageMs: 80_000 })] };
    const both = mergeVisibilityHistories(one, other);
    expect(both.looks.map(({ end }) => end)).toEqual(['seen', 'late', 'unseen']);
    expect(mergeVisibilityHistories(other, one)).toEqual(both);
    expect(mergeVisibilityHistories(both, mergeVisibilityHistories(one, both))).toEqual(both);
  });

  test('is no more than the last fifty looks of each kind', () => {
    const many = Array.from({ length: 60 }, (_, at) => look('seen', { ageMs: 60_000 - at }));
    const others = [look('seen', { kind: 'ES/0/text' })];
    const both = mergeVisibilityHistories({ looks: many }, { looks: others });
    expect(both.looks.filter(({ kind }) => kind === KIND)).toEqual(many.slice(10));
    expect(both.looks).toHaveLength(51);
    expect(mergeVisibilityHistories(both, { looks: many })).toEqual(both);
  });
});

test('the time of a record is believed where it can be true', () => {
  expect(recordAgeMs('2026-11-20T23:59:00.000Z', NOW_MS)).toBe(60_000);
  expect(recordAgeMs('2026-11-21T00:00:59.000Z', NOW_MS)).toBe(0);
  for (const at of ['2026-11-21T00:01:01.000Z', '2014-12-31T23:59:59.000Z', '1970-01-01T00:00:00.000Z', 'soon', '']) {
    expect([at, recordAgeMs(at, NOW_MS)]).toEqual([at, null]);
  }
});

describe('Requests are alike', () => {
  const request = (params: Record<string, string>, audioBytes: number | null = null): ServiceRequest => ({
    params,
    audio: audioBytes === null ? null : { path: 'a.mp3', sizeBytes: audioBytes, sha256: '', mediaType: null },
    ref: null,
  });
  const text = (letters: number, letter = 'x') => request({ country: 'PT', request_text: letter.repeat(letters) });

  test('by market, by length of the text in powers of four, and by having a recording', () => {
    expect([0, 255, 256, 1_023, 1_024, 4_096].map((letters) => requestKind(text(letters)))).toEqual(
      ['0', '0', '1', '1', '2', '3'].map((lengthClass) => `PT/${lengthClass}/text`),
    );
    expect(requestKind(text(128, 'é'))).toBe('PT/1/text');
    expect(requestKind(request({ country: 'ES' }, 5_000))).toBe('ES/3/audio');
    expect(requestKind(request({ country: 'somewhere else entirely' }))).toBe('--/0/text');
  });

  test('and one is as long as another by bytes and by letters', () => {
    expect(isAtLeastAsLong(text(5), text(5))).toBe(true);
    expect(isAtLeastAsLong(text(4), text(5))).toBe(false);
    expect(isAtLeastAsLong(text(3, 'é'), text(5))).toBe(false);
    expect(isAtLeastAsLong(text(5), text(3, 'é'))).toBe(false);
  });
});

test('a contract is known by what it says of create and validate, whoever wrote it down', () => {
  const { validate, create, ...rest } = DOCUMENTED_CONTRACT;
  const print = contractFingerprint(DOCUMENTED_CONTRACT);
  expect(print).toMatch(/^[0-9a-f]{16}$/);
  expect(contractFingerprint({ validate, create, ...rest, servers: [], findings: [] })).toBe(print);
  expect(contractFingerprint(documentedContract('json'))).not.toBe(print);
  expect(contractFingerprint({ ...DOCUMENTED_CONTRACT, hasValidate: null })).not.toBe(print);
});
