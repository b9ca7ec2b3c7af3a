import { describe, expect, test } from 'vitest';
import { disposalOfDoubt, disposalOfRequest, type WorkerSituation } from '../../src/delivery/dispose.ts';
import type { Submitted } from '../../src/delivery/submit.ts';
import { SrqError } from '../../src/request/errors.ts';
import type { TakenRequest } from '../../src/request/request-queue.ts';
import type { LoggedState, Status } from '../../src/request/status.ts';

const taken = (mayTryAgain = true): TakenRequest => ({
  ...{
    key: 'k',
    row: 1,
    lane: 'requests',
    mayTryAgain,
    hasExpired: false,
    isUnreadable: false,
    passedBy: [],
    isPassedOn: false,
  },
  request: { params: {}, audio: null, ref: null },
});
const ended = (status: Status, more: Partial<Submitted> = {}): Submitted => {
  const result = { row: 1, status, ref: null, key: 'k', ids: {}, http: null, message: null, reason: null };
  const usual = { unrecorded: false, wasClear: false, unreadable: false, unproven: null, hasRemark: false, stop: null };
  return { result, ...usual, isFromLog: false, ...more };
};
const CALM: WorkerSituation = {
  ...{ isEnding: false, settles: true, waitMs: 60_000 },
  ...{ isUnderWay: false, state: 'unknown' },
};
const STOP = new SrqError('service.unreachable', 'gone');

describe('A request that was delivered', () => {
  test.each(['created', 'duplicate', 'repeated', 'rejected'] as const)('leaves the queue when it is %s', (status) => {
    expect(disposalOfRequest(taken(), ended(status), CALM)).toEqual({ is: 'done' });
  });

  test('is tried again later when it failed, until that was too often', () => {
    expect(disposalOfRequest(taken(), ended('failed'), CALM)).toEqual({ is: 'later' });
    expect(disposalOfRequest(taken(false), ended('failed'), CALM)).toEqual({ is: 'done' });
  });

  test('that has expired is not tried again', () => {
    const expired = { ...taken(), hasExpired: true };
    expect(disposalOfRequest(expired, ended('failed'), CALM)).toEqual({ is: 'done' });
    expect(disposalOfRequest(expired, ended('failed'), { ...CALM, isEnding: true })).toEqual({ is: 'done' });
    expect(disposalOfRequest(expired, ended('unknown'), CALM)).toMatchObject({ is: 'moved', lane: 'doubts' });
    expect(disposalOfRequest(expired, ended('failed', { unrecorded: true }), CALM)).toEqual({ is: 'back' });
  });

  test('is given back as it was when the worker is what failed', () => {
    const back = { is: 'back' };
    expect(disposalOfRequest(taken(false), ended('failed'), { ...CALM, isEnding: true })).toEqual(back);
    expect(disposalOfRequest(taken(false), ended('failed', { stop: STOP }), CALM)).toEqual(back);
    expect(disposalOfRequest(taken(), ended('created', { unrecorded: true, stop: STOP }), CALM)).toEqual(back);
  });

  test('comes back later when srq is what failed, so that it is not the first that the next worker takes', () => {
    const stop = new SrqError('srq.fault', 'an error in srq');
    const ending = { ...CALM, isEnding: true };
    expect(disposalOfRequest(taken(), ended('failed', { stop }), ending)).toEqual({ is: 'later' });
    expect(disposalOfRequest(taken(false), ended('failed', { stop }), ending)).toEqual({ is: 'done' });
  });

  test('goes on to be settled when it is in doubt, or is left to a person', () => {
    expect(disposalOfRequest(taken(), ended('unknown'), CALM)).toEqual({ is: 'moved', lane: 'doubts', inMs: 60_000 });
    expect(disposalOfRequest(taken(), ended('unknown'), { ...CALM, settles: false })).toEqual({ is: 'done' });
    // Also when the worker is ending: another one settles it.
    expect(disposalOfRequest(taken(), ended('unknown'), { ...CALM, isEnding: true })).toMatchObject({ is: 'moved' });
  });
});

describe('A request that another worker was sending', () => {
  const left = { ...CALM, settles: false };

  test('stays in the queue until that one has ended, and is sent if it was not taken', () => {
    const moved = (inMs: number) => ({ is: 'moved', lane: 'requests', inMs });
    const unknown = ended('unknown');
    expect(disposalOfRequest(taken(), unknown, { ...left, isUnderWay: true, state: 'sending' })).toEqual(moved(10_000));
    for (const state of ['none', 'failed', 'rejected', 'licensed'] as const) {
      expect(disposalOfRequest(taken(), unknown, { ...left, state })).toEqual(moved(1_000));
    }
    for (const state of ['created', 'duplicate', 'parked', 'sending', 'unknown'] as const) {
      expect(disposalOfRequest(taken(), unknown, { ...left, state })).toEqual({ is: 'done' });
    }
  });
});

describe('A doubt that was looked into', () => {
  const known = (state: LoggedState, isHopeful = true, ageMs = Number.POSITIVE_INFINITY) => ({
    ...{ state, isHopeful, ageMs },
    ...{ isPassedOn: false, isUnderWay: false },
  });
  const unknown = ended('unknown');

  test.each(['created', 'duplicate', 'rejected'] as const)('leaves the queue when it is %s', (status) => {
    expect(disposalOfDoubt(taken(), ended(status), known('created'), false)).toEqual({ is: 'done' });
  });

  test.each(['licensed', 'failed', 'rejected', 'none'] as const)('is sent when it turns out to be %s', (state) => {
    const moved = { is: 'moved', lane: 'requests', inMs: expect.any(Number) };
    expect(disposalOfDoubt(taken(), unknown, known(state), false)).toEqual(moved);
  });

  test('that another has settled meanwhile, or that only a person can settle, leaves the queue', () => {
    for (const state of ['created', 'duplicate', 'parked'] as const) {
      expect(disposalOfDoubt(taken(), unknown, known(state), false)).toEqual({ is: 'done' });
    }
  });

  test('that cannot be settled yet is looked into later, as long as there is hope', () => {
    expect(disposalOfDoubt(taken(), unknown, known('sending'), false)).toEqual({ is: 'later' });
    expect(disposalOfDoubt(taken(), unknown, known('unknown'), false)).toEqual({ is: 'later' });
    expect(disposalOfDoubt(taken(false), unknown, known('unknown'), false)).toEqual({ is: 'done' });
    expect(disposalOfDoubt(taken(), unknown, known('unknown', false), false)).toEqual({ is: 'done' });
  });

  test('that is young is looked into again soon, for another worker may know requests of its time', () => {
    const inMs = (minutes: number, isHopeful = true) =>
      disposalOfDoubt(taken(false), unknown, known('sending', isHopeful, minutes * 60_000), false);
    expect(inMs(0)).toEqual({ is: 'moved', lane: 'doubts', inMs: 10_000, isPassedOn: false });
    expect(inMs(4)).toMatchObject({ is: 'moved', lane: 'doubts', inMs: 60_000 });
    expect(inMs(14)).toMatchObject({ is: 'moved', lane: 'doubts' });
    expect(inMs(15)).toEqual({ is: 'done' });
    expect(inMs(4, false)).toEqual({ is: 'done' });
  });

  test('that this worker will never settle says so to the next one', () => {
    const passed = { ...known('sending', true, 180_000), isPassedOn: true };
    const moved = { is: 'moved', lane: 'doubts', inMs: 10_000, isPassedOn: true };
    expect(disposalOfDoubt(taken(), unknown, passed, false)).toEqual(moved);
    expect(disposalOfDoubt(taken(), unknown, { ...passed, isHopeful: false }, false)).toEqual({ is: 'done' });
  });

  test('that is under way elsewhere never leaves the queue', () => {
    const underWay = { ...known('sending', false), isUnderWay: true };
    const again = { is: 'moved', lane: 'doubts', inMs: 10_000 };
    expect(disposalOfDoubt(taken(false), unknown, underWay, false)).toEqual(again);
  });

  test('is given back by a worker that is ending', () => {
    expect(disposalOfDoubt(taken(), unknown, known('unknown'), true)).toEqual({ is: 'back' });
  });
});
