import { describe, expect, test } from 'vitest';
import { requireClear, settleByWord, unknownRecords } from '../../src/delivery/settle-by-word.ts';
import { recoverFromBreak } from '../../src/delivery/supervise.ts';
import type { LogStore } from '../../src/request/log/log-store.ts';
import type { LogRecord, MarketplaceApi } from '../../src/request/ports.ts';
import type { SrqError } from '../../src/request/words/errors.ts';
import { knownRun } from '../../src/run/known-runs.ts';
import { MemoryLog } from '../doors/memory-log.ts';
import { validated } from '../helpers/fake-api.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { submissionOf } from './leads.ts';

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

describe("A person's word", () => {
  async function said(word: Parameters<typeof settleByWord>[2], changes: object = {}) {
    const memory = new MemoryLog(() => Date.UTC(2026, 10, 21));
    const log = { ...memory.openAs('r'), ...changes };
    const keys = ['k1', 'k2'];
    for (const key of keys) await memory.openAs('before').sending({ key, row: 1, ref: null }, 'none');
    const recorded = () => Promise.all(keys.map(async (key) => (await log.read(key)) as LogRecord));
    const error = await settleByWord(log, await recorded(), word).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return {
      error,
      states: keys.map((key) => memory.state(key)),
      records: await recorded(),
    };
  }

  test('A beginning of a key that several unknown requests have, or fewer than six letters of one, settles nothing', async () => {
    const records = ['abcdef01', 'abcdef02', 'abcdef9'].map((key) => ({ key, event: 'unknown' }) as LogRecord);
    const store = {
      latest: async function* () {
        yield* records;
      },
      records: async function* () {},
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

  test('A run is named by the beginning of its id, unless several runs begin so', async () => {
    const log = {
      name: 'the log',
      notes: async function* () {
        yield* ['abcd1', 'abce1'].map((run) => ({ event: 'begin', run }));
      },
      records: async function* () {
        yield* ['abcd1', 'abce1', 'abce1', 'abce2'].map((run) => ({ record: { run } }));
      },
    } as unknown as LogStore;
    expect(await knownRun(log, 'abcd', 'srq log')).toBe('abcd1');
    expect(await knownRun(log, 'abce2', 'srq log')).toBe('abce2');
    const several = { reason: 'arguments.invalid', message: 'Several runs have an id that begins with "abc".' };
    await expect(knownRun(log, 'abc', 'srq log')).rejects.toMatchObject(several);
    await expect(knownRun(log, 'abce', 'srq log')).rejects.toMatchObject({ reason: 'arguments.invalid' });
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
