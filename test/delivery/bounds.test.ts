import { describe, expect, test } from 'vitest';
import { contractRefusal } from '../../src/delivery/refuse-queued.ts';
import { requireClear, settleByWord, unknownRecords } from '../../src/delivery/settle-by-word.ts';
import type { Sent } from '../../src/delivery/submit.ts';
import { recoverFromBreak, Supervisor } from '../../src/delivery/supervise.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import type { Status } from '../../src/request/log/status.ts';
import type { LogRecord, MarketplaceApi } from '../../src/request/ports.ts';
import type { SrqError } from '../../src/request/words/errors.ts';
import { MemoryLog } from '../doors/memory-log.ts';
import { validated } from '../helpers/fake-api.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';
import { PREPARATION, submissionOf } from './leads.ts';

const ended = (
  status: Status,
  more: Partial<Sent> & { readonly message?: string; readonly http?: number } = {},
): Sent => {
  const { message = null, http = null, ...rest } = more;
  const result = { row: 7, status, ref: null, key: 'k', ids: {}, http, message, reason: null };
  const usual = { unrecorded: false, unreadable: false, unproven: null, alsoUnknown: null, stop: null };
  return { ...result, ...usual, isFromLog: false, ...rest };
};
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

describe('The supervisor of a run', () => {
  test('A run pauses for two seconds, then for six, and stops at the third break', () => {
    const supervisor = new Supervisor(null, 0);
    const advice = times(9, () => supervisor.observe(ended('unknown')));
    expect(advice.map(({ pauseMs }) => pauseMs)).toEqual([0, 0, 2_000, 0, 0, 6_000, 0, 0, 0]);
    expect(advice[8]?.stop).toMatchObject({ reason: 'rows.too-many-doubts' });
  });

  test.each([
    [999, 0],
    [1_000, 2_000],
  ])('After the second break, %d outcomes before a third make its pause %d ms', (known, pauseMs) => {
    const supervisor = new Supervisor(null, 0);
    times(6, () => supervisor.observe(ended('unknown')));
    times(known, () => supervisor.observe(ended('created')));
    const advice = times(3, () => supervisor.observe(ended('unknown')));
    expect([advice[2]?.pauseMs, advice[2]?.stop === null]).toEqual([pauseMs, pauseMs > 0]);
  });

  test.each([
    // The first of five is the 200th result before the last one, and one more.
    [200, true],
    [201, false],
  ])('Five unknown rows within %d results are too many: %s', (results, isTooMany) => {
    const supervisor = new Supervisor(null, 0);
    const doubts = new Set([0, 50, 100, 150, results - 1]);
    const advice = times(results, (at) => supervisor.observe(ended(doubts.has(at) ? 'unknown' : 'created')));
    expect(advice.at(-1)?.pauseMs).toBe(isTooMany ? 2_000 : 0);
  });

  test('A file that repeats what others sent is not taken for one whose answers cannot be read', () => {
    const supervisor = new Supervisor(null, 0);
    for (const status of ['repeated', 'duplicate', 'unknown'] as const)
      supervisor.observe(ended(status, { isFromLog: true }));
    expect(supervisor.limit(16)).toBe(1);
    supervisor.observe(ended('repeated', { isFromLog: true }));
    expect(supervisor.limit(16)).toBe(16);
    expect(supervisor.limit(0)).toBe(0);
  });

  test('Ten unreadable answers stop a run only if nothing else came between them', () => {
    const supervisor = new Supervisor(null, 0);
    const unreadable = ended('failed', { unreadable: true });
    const stops = times(20, (at) => supervisor.observe(at === 9 ? ended('failed') : unreadable).stop?.reason);
    expect(stops.map((reason) => reason ?? '').indexOf('answer.unreadable')).toBe(19);
  });

  test('Only the first 25 rows stop a run by the same refusal', () => {
    const refused = ended('rejected', { message: 'No.', http: 422 });
    const stopsAt = (before: number) => {
      const supervisor = new Supervisor(null, 0);
      for (const _ of times(before, () => 0)) supervisor.observe(ended('created'));
      return times(30, () => supervisor.observe(refused).stop !== null).indexOf(true) + 1;
    };
    expect([stopsAt(0), stopsAt(5), stopsAt(6)]).toEqual([20, 20, 0]);
  });
});

describe('After a break', () => {
  const recovering = async (isStopped: boolean, validate: MarketplaceApi['validate']) => {
    const clock = new VirtualClock();
    const told: string[] = [];
    const api = {
      validate: (request: Parameters<MarketplaceApi['validate']>[0]) => {
        told.push(`asked at ${clock.nowMs()}`);
        return validate(request);
      },
      slowDown: (share: number) => void told.push(`slower: ${share}`),
    } as unknown as MarketplaceApi;
    const stop = new AbortController();
    if (isStopped) stop.abort();
    await clock.until(recoverFromBreak(submissionOf('a').request, 2_000, { api, clock, stopping: stop.signal }));
    return told;
  };
  const answer = validated('clear');

  test('After a break validate is asked once the pause is over, and all goes on at half the rate', async () => {
    for (const validate of [async () => answer, () => Promise.reject(new Error('away'))])
      expect(await recovering(false, validate)).toEqual(['asked at 2000', 'slower: 0.5']);
  });

  test('After a break nothing is asked in a run that is stopped', async () => {
    expect(await recovering(true, async () => answer)).toEqual(['slower: 0.5']);
  });
});

describe('A worker', () => {
  test('A worker does not send what has changed since it was queued, or what its description refuses', () => {
    const { destination } = PREPARATION;
    const queued = submissionOf('Pintar');
    const refusal = (changes: Partial<typeof queued>, contract = DOCUMENTED_CONTRACT) =>
      contractRefusal({ ...queued, ...changes }, contract, ['create'], destination);
    const changed = expect.stringContaining('not what was queued');
    expect(refusal({})).toBeNull();
    expect(refusal({ key: '0'.repeat(32) })).toEqual(changed);
    const params = { ...queued.request.params, request_text: 'Limpar' };
    expect(refusal({ request: { ...queued.request, params } })).toEqual(changed);
    const audio = { path: 'a', sizeBytes: 1, sha256: '', mediaType: null };
    expect(refusal({ request: { ...queued.request, audio } })).toEqual(changed);
    const fields = ['country', 'phone', 'request_text', 'lang'];
    const parameters = fields.map((field) => parameter(field, { required: false }));
    const strict = (...more: ReturnType<typeof parameter>[]) =>
      contractWith({ create: { parameters: [...parameters, ...more] } });
    expect(refusal({}, strict())).toBeNull();
    expect(refusal({}, strict(parameter('consent')))).toBe('The API description of this worker refuses it: consent.');
    // Whether srq has filled in the language cannot be seen: it is left out where it is not taken.
    const english = { required: false, values: [{ value: 'en', label: null }] };
    const others = parameters.filter(({ field }) => field !== 'lang');
    expect(refusal({}, contractWith({ create: { parameters: [...others, parameter('lang', english)] } }))).toBeNull();
    expect(
      refusal(
        {},
        contractWith({ create: { parameters: [...others, parameter('lang', { ...english, required: true })] } }),
      ),
    ).toBe('The API description of this worker refuses it: lang.');
  });
});

test('A denied first row stops a run at a service that has taken nothing yet, and is about the row at any other', () => {
  const denied = ended('rejected', { http: 403 });
  const stops = [false, true].map((isFamiliar) => new Supervisor(null, 0, { isFamiliar }).observe(denied).stop);
  expect(stops.map((stop) => stop?.reason ?? null)).toEqual(['auth.denied', null]);
});

describe('Answers that say that there is nothing', () => {
  test('Five in a row stop the run, as the service may have moved; fewer are about their rows', () => {
    const none = (http: number) => ended('rejected', { http, message: 'nothing there' });
    const supervisor = new Supervisor(null, 0, { isFamiliar: true });
    const first = [none(404), none(410), none(404), none(404), ended('created', { http: 201 })];
    expect(first.map((each) => supervisor.observe(each).stop)).toEqual([null, null, null, null, null]);
    const then = times(5, () => supervisor.observe(none(404)).stop);
    expect(then.map((stop) => stop?.reason ?? null)).toEqual([null, null, null, null, 'service.wrong-address']);
  });
});

describe("A person's word", () => {
  async function said(word: Parameters<typeof settleByWord>[2], changes: object = {}) {
    const memory = new MemoryLog(() => Date.UTC(2026, 10, 21));
    const log = { ...memory.openAs('r'), ...changes };
    const keys = ['k1', 'k2'];
    for (const key of keys) await memory.openAs('before').sending({ key, row: 1, ref: null }, 'none');
    const doubtful = keys.map((key) => memory.openAs('r').read(key) as LogRecord);
    const error = await settleByWord(log, doubtful, word).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return {
      error,
      states: keys.map((key) => memory.state(key)),
      records: keys.map((key) => log.read(key) as LogRecord),
    };
  }

  test('A beginning of a key that several unknown requests have, or fewer than six letters of one, settles nothing', async () => {
    const records = ['abcdef01', 'abcdef02', 'abcdef9'].map((key) => ({ key, event: 'unknown' }) as LogRecord);
    const store = {
      latest: async function* () {
        yield* records;
      },
    };
    const told = async (...keys: string[]) => {
      const doubtful = await unknownRecords(store, keys);
      try {
        requireClear(doubtful, keys, 'not-created');
        return doubtful.map(({ key }) => key);
      } catch (error) {
        return (error as SrqError).reason;
      }
    };
    expect(await told('abcdef')).toBe('doubt.several');
    expect(await told('abcdef0', 'abcdef9')).toBe('doubt.several');
    expect(await told('abcde')).toBe('doubt.unknown');
    expect(await told('abcdef02', 'abcdef9')).toEqual(['abcdef02', 'abcdef9']);
  });

  test("A person's word on requests that may be under way is recorded for none of them", async () => {
    const told = await said('not-created', { mayBeUnderWay: async (key: string) => key === 'k2' });
    expect(told).toMatchObject({
      error: { reason: 'log.under-way', hint: expect.stringMatching(/Wait.*by their keys/) },
      states: ['sending', 'sending'],
    });
  });

  test.each(['not-created', { id: null }] as const)(
    "A person's word that is too late is an error: %j",
    async (word) => {
      const told = await said(word, { licence: async () => false, outcome: async () => false });
      expect(told.error).toMatchObject({
        reason: 'log.under-way',
        message: 'Another process has just recorded something about k1.',
      });
    },
  );
});
