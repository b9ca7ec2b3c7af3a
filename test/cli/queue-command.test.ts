import { afterEach, describe, expect, test, vi } from 'vitest';
import { queue, queuePurge } from '../../src/commands/queue.ts';
import type { SrqError } from '../../src/request/errors.ts';
import * as account from '../../src/store/postgres/account.ts';
import * as postgresQueue from '../../src/store/postgres/postgres-queue.ts';
import * as figures from '../../src/store/postgres/queue-figures.ts';
import { contextOf, type Typed } from '../helpers/command-context.ts';

const NAME = 'postgres://leads@here/leads';
const ACCOUNT = { SRQ_BASE_URL: 'http://127.0.0.1:9', SRQ_CLIENT_ID: '4711', SRQ_CLIENT_SECRET: 'word' };
const DESTINATION = { baseUrl: ACCOUNT.SRQ_BASE_URL, clientId: ACCOUNT.SRQ_CLIENT_ID };

afterEach(() => vi.restoreAllMocks());

type Scene = Parameters<typeof contextOf>[0];
const depth = (total: number, inWork: number, ready: number | null = total - inWork) => ({
  total,
  inWork,
  ready,
  waiting: ready === null ? null : 0,
});

/** A queue that holds this many requests, of which some are in work, and forgets them in these parts. */
function sceneOf({ total = 0, inWork = 0, parts = [] as number[], counted = true }, scene: Scene = {}) {
  const of = contextOf({ env: ACCOUNT, ...scene });
  const handlers = new Map<string, () => void>();
  Object.assign(of.context.process, { on: (signal: string, handler: () => void) => handlers.set(signal, handler) });
  const done: string[] = [];
  const hook = { onPurge: () => {} };
  const left = { total };
  const requests = {
    depth: async () => depth(left.total, inWork, counted ? undefined : null),
    purge: async () => {
      const count = parts.shift() ?? 0;
      done.push(`purge ${count}`);
      left.total -= count;
      hook.onPurge();
      return count;
    },
    close: async () => void done.push('close'),
  };
  const opened = vi.spyOn(postgresQueue, 'openQueue').mockResolvedValue(requests as never);
  const migrate = async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    done.push('migrate');
  };
  const store = { name: NAME, database: 'the database', migrate };
  const required = vi.spyOn(of.context, 'requireStore').mockResolvedValue(store as never);
  const document = () => {
    const { schemaVersion: _, ...rest } = JSON.parse(of.stdout());
    return rest;
  };
  return { ...of, done, hook, opened, required, document, interrupt: () => handlers.get('SIGINT')?.() };
}

describe('srq queue purge', () => {
  test('forgets what waits, in as many parts as it takes, and leaves what is in work', async () => {
    const { context, done, opened, required, stdout } = sceneOf({ total: 1_205, inWork: 5, parts: [1_000, 200, 0, 7] });
    expect(await queuePurge(context, { yes: true })).toBe(0);
    expect(done).toEqual(['migrate', 'purge 1000', 'purge 200', 'purge 0']);
    expect(stdout()).toBe('✓ Forgot 1,200 rows; 0 wait, 5 in work.\n');
    expect(opened.mock.calls[0]?.[0]).toMatchObject({
      database: 'the database',
      destination: DESTINATION,
      worker: null,
    });
    expect(required.mock.calls).toEqual([['queue purge']]);
    await context.close();
    expect(done.at(-1)).toBe('close');
  });

  test('asks nothing where nothing waits', async () => {
    const { context, done, document } = sceneOf({ total: 5, inWork: 5 }, { options: { json: true } });
    expect(await queuePurge(context, {})).toBe(0);
    expect(done).toEqual(['migrate']);
    expect(document()).toEqual({ store: NAME, purged: 0, left: 0, inWork: 5 });
  });

  test('needs a yes', async () => {
    const { context, done } = sceneOf({ total: 2, parts: [2] }, { options: { profile: 'shop' } });
    const error: SrqError = await queuePurge(context, {}).then(
      () => Promise.reject(new Error('It was expected to be refused.')),
      (failure) => failure,
    );
    expect(error).toMatchObject({
      ...{
        reason: 'deletion.not-confirmed',
        message: 'Forget 2 rows that wait to be sent? Without a terminal nobody can say so. Nothing was deleted.',
      },
      hint: expect.stringContaining('srq queue --profile shop'),
    });
    expect(done).toEqual(['migrate']);
    const typed: Typed[] = [[/Forget 1 row that waits to be sent\? \[y\/N\] /, 'y\r']];
    const asked = sceneOf({ total: 6, inWork: 5, parts: [1] }, { typed });
    expect(await queuePurge(asked.context, {})).toBe(0);
    expect(asked.stdout()).toBe('✓ Forgot 1 row; 0 wait, 5 in work.\n');
  });

  test('that is interrupted ends with the rows at hand, and tells what is left', async () => {
    const { context, done, hook, interrupt, document, stderr } = sceneOf(
      { total: 30, parts: [10, 10, 10] },
      { options: { json: true } },
    );
    hook.onPurge = interrupt;
    expect(await queuePurge(context, { yes: true })).toBe(130);
    expect([done, document()]).toEqual([['migrate', 'purge 10'], { store: NAME, purged: 10, left: 20, inWork: 0 }]);
    expect(stderr()).toBe('! Ending with the rows at hand; press Ctrl-C again to leave now.\n');
  });
});

describe('srq queue', () => {
  function looking(
    options: object,
    { pace = null as object | null, minutes = [] as object[] | null, counted = true } = {},
  ) {
    const of = sceneOf({ total: 7, inWork: 2, counted }, { options });
    const state = {
      look: async (name: string) => {
        of.done.push(name);
        return pace;
      },
      close: async () => void of.done.push('close account'),
    };
    vi.spyOn(account, 'openAccountState').mockReturnValue(state as never);
    vi.spyOn(figures, 'workingProcesses').mockResolvedValue([]);
    vi.spyOn(figures, 'outcomesByMinute').mockResolvedValue(minutes as never);
    return of;
  }

  test('shows what waits, at what pace it is sent, and what was not counted', async () => {
    const { context, done, document, required } = looking(
      { json: true },
      { pace: { ratePerSecond: 2.5, inFlight: 3, pausedMs: 1_499.6 } },
    );
    expect(await queue(context, {})).toBe(0);
    expect(document()).toEqual({
      ...{ store: NAME, queue: depth(7, 2), workers: [], minutes: [], notCounted: [] },
      rate: { perSecond: 2.5, inFlight: 3, pausedSeconds: 1.5 },
    });
    expect([done, required.mock.calls]).toEqual([['migrate', 'pace'], [['queue']]]);
    await context.close();
    expect(done.slice(2)).toEqual(['close account', 'close']);
    const bare = looking({ json: true }, { minutes: null, counted: false });
    await queue(bare.context, {});
    expect(bare.document()).toMatchObject({ rate: null, minutes: [], notCounted: ['queue', 'minutes'] });
    const shown = looking({});
    await queue(shown.context, {});
    expect(shown.stdout()).toMatch(/^Queue\n {2}requests {2}5 ready, 2 in work, 0 later\n/);
  });

  test('with --watch shows it every two seconds until it is ended', async () => {
    for (const json of [true, false]) {
      const { context, stdout, interrupt } = looking(json ? { json } : {});
      const slept: number[] = [];
      const sleep = async (ms: number) => {
        slept.push(ms);
        if (slept.length === 2) interrupt();
      };
      Object.assign(context, { clock: { ...context.clock, sleep } });
      expect(await queue(context, { watch: true })).toBe(0);
      expect(slept).toEqual([2_000, 2_000]);
      if (json)
        expect(
          stdout()
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line).store),
        ).toEqual([NAME, NAME]);
      else expect(stdout().match(/^Queue\n[\s\S]*?\n\n/gm)).toHaveLength(2);
    }
  });
});
