import { describe, expect, test } from 'vitest';
import { type Control, ControlRounds, controlsFor } from '../../src/delivery/controls.ts';
import type { ServiceRequest } from '../../src/request/service-request.ts';
import { MAX_CONTROLS } from '../../src/request/visibility.ts';
import { submissionOf } from './leads.ts';

const NOW_MS = Date.UTC(2026, 10, 21);
const MINUTE_MS = 60_000;
const SENT_MS = NOW_MS - 5 * MINUTE_MS;

const control = (need: string, offsetMs = 0): Control => {
  const { key, request } = submissionOf(need);
  return { key, request, sentAtMs: SENT_MS + offsetMs };
};
const controls = (count: number, offsetMs = 0) =>
  Array.from({ length: count }, (_, at) => control(`Need ${10 + at} of ${offsetMs}`, offsetMs));
const doubtOf = (need: string, sentAtMs = SENT_MS, firstTryMs = sentAtMs) => {
  const { request } = submissionOf(need);
  return { request, firstTryMs, sentAtMs };
};
const needs = (all: readonly { readonly request: ServiceRequest }[]) =>
  all.map(({ request }) => request.params['request_text']);

describe('Controls for a doubt', () => {
  const doubt = doubtOf('Need');
  const chosen = (known: readonly Control[], doubted = doubt) => controlsFor(doubted, known, NOW_MS);

  test('are at least three', () => {
    expect(chosen(controls(2))).toBeNull();
    expect(chosen(controls(3))?.all).toHaveLength(3);
  });

  test('are of its kind', () => {
    const long = 'x'.repeat(300);
    expect(chosen([...controls(2), control(`Need ${long}`)])).toBeNull();
  });

  test('are as old, within a minute or a tenth of its age', () => {
    expect(chosen(controls(3, -MINUTE_MS))).toMatchObject({ olderMs: MINUTE_MS, youngerMs: 0 });
    expect(chosen(controls(3, -MINUTE_MS - 1))).toBeNull();
    const old = doubtOf('Need', NOW_MS - 20 * MINUTE_MS);
    const hence = (offsetMs: number) => controls(3).map((each) => ({ ...each, sentAtMs: old.sentAtMs + offsetMs }));
    expect(chosen(hence(-2 * MINUTE_MS), old)).toMatchObject({ olderMs: 2 * MINUTE_MS });
    expect(chosen(hence(-2 * MINUTE_MS - 1), old)).toBeNull();
  });

  test('are not all younger by more than a minute: what forgets the doubt may remember them', () => {
    const old = doubtOf('Need', NOW_MS - 1_000 * MINUTE_MS);
    const hence = (offsetMs: number) => ({ ...control(`Need ${offsetMs}`), sentAtMs: old.sentAtMs + offsetMs });
    const younger = [2, 3, 4].map((minutes) => hence(minutes * MINUTE_MS));
    expect(chosen(younger, old)).toBeNull();
    expect(chosen([...younger, hence(MINUTE_MS)], old)).toMatchObject({ youngerMs: MINUTE_MS });
  });

  test('of a doubt that was tried for long are of all that time, younger than its first try by a minute at most', () => {
    const long = doubtOf('Need', SENT_MS, SENT_MS - 10 * MINUTE_MS);
    // A lag counts from the last moment at which it may have been sent, and a memory from the first.
    expect(chosen(controls(3, -9 * MINUTE_MS), long)).toMatchObject({ olderMs: 9 * MINUTE_MS, youngerMs: MINUTE_MS });
    expect(chosen(controls(3, -11 * MINUTE_MS), long)).toMatchObject({ olderMs: 11 * MINUTE_MS, youngerMs: 0 });
    expect(chosen(controls(3, -11 * MINUTE_MS - 1), long)).toBeNull();
    expect(chosen(controls(3, -9 * MINUTE_MS + 1), long)).toBeNull();
    expect(chosen(controls(3), long)).toBeNull();
  });

  test('are the nearest in time', () => {
    const near = controls(MAX_CONTROLS, 1_000);
    const all = chosen([...controls(9, -2_000), ...near, ...controls(9, 3_000)])?.all ?? [];
    expect(new Set(needs(all))).toEqual(new Set(needs(near)));
  });

  test('are not all shorter than it: a validate that ignores long texts would see them all the same', () => {
    const short = controls(30);
    expect(chosen(short, doubtOf('A longer need than theirs'))).toBeNull();
    const long = control('A need that is longer than theirs', -4 * 60 * MINUTE_MS);
    const all = chosen([...short, long], doubtOf('A longer need than theirs'));
    expect(all?.all).toContain(long);
    // How long ago it was sent has nothing to do with that, and is not waited for.
    expect(all).toMatchObject({ olderMs: 0 });
  });
});

describe('Rounds of controls', () => {
  /** Answers when told to; a control is seen unless its need is `blind`. */
  function heldService() {
    const asked: string[] = [];
    const held: (() => void)[] = [];
    const validate = async ({ params }: ServiceRequest) => {
      const need = params['request_text'] ?? '';
      asked.push(need);
      await new Promise<void>((resolve) => held.push(resolve));
      if (need === 'broken') throw new Error('broken');
      const verdict = need === 'blind' ? ('clear' as const) : ('duplicate' as const);
      return { verdict, ids: {}, http: 200, message: null, refused: null, raw: null };
    };
    const answer = async () => {
      for (let turn = 0; turn < 20; turn++) {
        for (const release of held.splice(0)) release();
        await new Promise(setImmediate);
      }
    };
    return { api: { validate }, asked, answer };
  }
  const settle = () => new Promise(setImmediate);

  test('are shared by all who wait for the next one, and asked about each control once', async () => {
    const { api, asked, answer } = heldService();
    const rounds = new ControlRounds(api, new AbortController().signal);
    const [a, b, c, d] = [control('a'), control('b'), control('c'), control('blind')];
    const first = [rounds.next([a, b]), rounds.next([b, c])];
    await settle();
    // These come while a round is under way, and wait for the one that begins after it.
    const second = [rounds.next([a]), rounds.next([d])];
    await answer();
    expect(await Promise.all(first)).toEqual(Array(2).fill({ asked: 3, seen: 3 }));
    expect(await Promise.all(second)).toEqual(Array(2).fill({ asked: 2, seen: 1 }));
    expect(asked).toEqual(['a', 'b', 'c', 'a', 'blind']);
  });

  test('ask about eight controls at once', async () => {
    const { api, asked, answer } = heldService();
    const rounds = new ControlRounds(api, new AbortController().signal);
    const round = rounds.next(Array.from({ length: 20 }, (_, at) => control(`Need ${at}`)));
    await settle();
    expect(asked).toHaveLength(8);
    await answer();
    expect([await round, asked.length]).toEqual([{ asked: 20, seen: 20 }, 20]);
  });

  test('that are stopped have seen nothing', async () => {
    const { api, asked } = heldService();
    const stop = new AbortController();
    stop.abort();
    expect(await new ControlRounds(api, stop.signal).next([control('a')])).toEqual({ asked: 1, seen: 0 });
    expect(asked).toEqual([]);
  });

  test('that fail fail for all in them, and for no others', async () => {
    const { api, answer } = heldService();
    const rounds = new ControlRounds(api, new AbortController().signal);
    const failing = [rounds.next([control('broken')]), rounds.next([control('a')])].map((each) => each.catch(String));
    await settle();
    const next = rounds.next([control('b')]);
    await answer();
    expect(await Promise.all(failing)).toEqual(['Error: broken', 'Error: broken']);
    expect(await next).toEqual({ asked: 1, seen: 1 });
  });
});
