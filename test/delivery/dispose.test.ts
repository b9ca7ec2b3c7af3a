import { describe, expect, test } from 'vitest';
import { disposalOf, type WorkerSituation } from '../../src/delivery/dispose.ts';
import type { Sent } from '../../src/delivery/submit.ts';
import type { TakenRequest } from '../../src/request/log/request-queue.ts';
import type { Status } from '../../src/request/log/status.ts';
import { SrqError } from '../../src/request/words/errors.ts';

const taken = (mayTryAgain = true): TakenRequest => ({
  ...{ key: 'k', row: 1, mayTryAgain, hasExpired: false, isUnreadable: false },
  request: { params: {}, audio: null, ref: null },
});
const ended = (status: Status, more: Partial<Sent> = {}): Sent => {
  const result = { row: 1, status, ref: null, key: 'k', ids: {}, http: null, message: null, reason: null };
  const usual = { unrecorded: false, unreadable: false, unproven: null, alsoUnknown: null, stop: null };
  return { ...result, ...usual, isFromLog: false, ...more };
};
const CALM: WorkerSituation = { isEnding: false, isUnderWay: false, state: 'unknown' };
const STOP = new SrqError('service.unreachable', 'gone');

describe('A request that was delivered', () => {
  test.each(['created', 'duplicate', 'repeated', 'rejected'] as const)('leaves the queue when it is %s', (status) => {
    expect(disposalOf(taken(), ended(status), CALM)).toEqual({ is: 'done' });
  });

  test('is tried again later when it failed, until that was too often', () => {
    expect(disposalOf(taken(), ended('failed'), CALM)).toEqual({ is: 'later' });
    expect(disposalOf(taken(false), ended('failed'), CALM)).toEqual({ is: 'done' });
  });

  test('that has expired is not tried again', () => {
    const expired = { ...taken(), hasExpired: true };
    expect(disposalOf(expired, ended('failed'), CALM)).toEqual({ is: 'done' });
    expect(disposalOf(expired, ended('failed'), { ...CALM, isEnding: true })).toEqual({ is: 'done' });
    expect(disposalOf(expired, ended('unknown'), CALM)).toEqual({ is: 'done' });
    expect(disposalOf(expired, ended('failed', { unrecorded: true }), CALM)).toEqual({ is: 'back' });
  });

  test('is given back as it was when the worker is what failed', () => {
    const back = { is: 'back' };
    expect(disposalOf(taken(false), ended('failed'), { ...CALM, isEnding: true })).toEqual(back);
    expect(disposalOf(taken(false), ended('failed', { stop: STOP }), CALM)).toEqual(back);
    expect(disposalOf(taken(), ended('created', { unrecorded: true, stop: STOP }), CALM)).toEqual(back);
  });

  test('comes back later when srq is what failed, so that it is not the first that the next worker takes', () => {
    const stop = new SrqError('srq.fault', 'an error in srq');
    const ending = { ...CALM, isEnding: true };
    expect(disposalOf(taken(), ended('failed', { stop }), ending)).toEqual({ is: 'later' });
    expect(disposalOf(taken(false), ended('failed', { stop }), ending)).toEqual({ is: 'done' });
  });

  test('leaves the queue when it is unknown: no worker settles it', () => {
    for (const isEnding of [false, true])
      expect(disposalOf(taken(), ended('unknown'), { ...CALM, isEnding })).toEqual({ is: 'done' });
  });
});

describe('A request that another worker was sending', () => {
  test('stays in the queue until that one has ended, and is sent if it was not taken', () => {
    const moved = (inMs: number) => ({ is: 'moved', inMs });
    const unknown = ended('unknown');
    expect(disposalOf(taken(), unknown, { ...CALM, isUnderWay: true, state: 'sending' })).toEqual(moved(10_000));
    for (const state of ['none', 'failed', 'rejected', 'licensed'] as const) {
      expect(disposalOf(taken(), unknown, { ...CALM, state })).toEqual(moved(1_000));
    }
    for (const state of ['created', 'duplicate', 'parked', 'sending', 'unknown'] as const) {
      expect(disposalOf(taken(), unknown, { ...CALM, state })).toEqual({ is: 'done' });
    }
  });
});
