import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { GlobalOptions } from '../../src/cli/command.ts';
import { RequestSession } from '../../src/cli/session.ts';
import { work } from '../../src/commands/work/run.ts';
import type { WorkerStats } from '../../src/commands/work/worker-stats.ts';
import * as consume from '../../src/delivery/consume.ts';
import { SrqError } from '../../src/request/errors.ts';
import type { Status } from '../../src/request/status.ts';
import * as postgresQueue from '../../src/store/postgres/postgres-queue.ts';
import { contextOf } from '../helpers/command-context.ts';

const NAME = 'postgres://leads@here/leads';
const ACCOUNT = { SRQ_BASE_URL: 'http://127.0.0.1:9', SRQ_CLIENT_ID: '4711', SRQ_CLIENT_SECRET: 'word' };
const KEY = '0123456789abcdef0123456789abcdef';
const NOTHING = { created: 0, duplicate: 0, repeated: 0, rejected: 0, failed: 0, unknown: 0 };

type WorkOptions = Parameters<typeof work>[1];
const USUAL: WorkOptions = {
  ...{
    validate: true,
    onDuplicate: 'skip',
    concurrency: 64,
    missing: 30,
    healthHost: '127.0.0.1',
  },
};

afterEach(() => vi.restoreAllMocks());

interface Scene {
  readonly flags?: Partial<WorkOptions>;
  readonly options?: GlobalOptions;
  /** What the worker does until it ends. */
  readonly run?: (
    deps: consume.WorkerDeps,
    scene: ReturnType<typeof sceneOf>,
  ) => Promise<SrqError | null> | SrqError | null;
}

/** A worker whose store, queue and connection are made up; what it does is said by the test. */
function sceneOf({ flags = {}, options = {}, run = () => null }: Scene) {
  const of = contextOf({ env: ACCOUNT, options });
  const handlers = new Map<string, () => void>();
  Object.assign(of.context.process, { on: (signal: string, handler: () => void) => handlers.set(signal, handler) });
  const time = { ms: 1_000 };
  Object.assign(of.context, { clock: { ...of.context.clock, monotonicMs: () => time.ms } });
  const done: string[] = [];
  const fetched: (readonly string[])[] = [];
  const log = {
    worker: { id: 5 },
    nowMs: () => 0,
    prefetch: async (keys: readonly string[]) => void fetched.push(keys),
    lookup: () => 'created',
    close: async () => void done.push(`log closed, halted: ${of.context.interruption.halt.signal.aborted}`),
  };
  const store = {
    ...{ name: NAME, database: 'the database' },
    open: async (command: string, exclusive: boolean) => {
      done.push(`open ${command} ${exclusive}`);
      return log;
    },
  };
  vi.spyOn(of.context, 'requireStore').mockImplementation(async (command) => {
    done.push(`store for ${command}`);
    return store as never;
  });
  vi.spyOn(of.context, 'requireKnownFileLog').mockImplementation(async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    done.push('log of the file');
  });
  const queue = { close: async () => void done.push('queue closed') };
  const opened = vi.spyOn(postgresQueue, 'openQueue').mockResolvedValue(queue as never);
  const connection = {
    shared: {},
    isFamiliar: true,
    api: {},
    hold: () => {},
    view: () => 'of the connection',
  };
  const connect = vi.spyOn(RequestSession.prototype, 'connect').mockResolvedValue(connection as never);
  const worker = vi.spyOn(consume, 'runWorker').mockImplementation(async (deps) => {
    done.push('work');
    time.ms += 2_500;
    return run(deps, scene);
  });
  const end = (status: Status) => {
    const { watch } = worker.mock.calls.at(-1)?.[0] ?? {};
    const taken = { key: KEY, row: 7, isUnreadable: false };
    watch?.began(taken as never);
    watch?.ended(taken as never, { result: { status, http: 200, ids: {} } } as never, { is: 'done' } as never);
  };
  const document = () => {
    const { schemaVersion: _, ...rest } = JSON.parse(of.stdout());
    return rest;
  };
  const interrupt = () => handlers.get('SIGINT')?.();
  const start = () => work(of.context, { ...USUAL, ...flags });
  const scene = { ...of, done, fetched, opened, connect, connection, worker, end, document, interrupt, start };
  return scene;
}

describe('srq work', () => {
  test('opens what it needs, works, and ends in order', async () => {
    const { context, done, start, stdout, stderr, opened, worker } = sceneOf({});
    expect(await start()).toBe(0);
    await context.close();
    expect(done).toEqual([
      ...['store for work', 'log of the file', 'open work false', 'work'],
      ...['queue closed', 'log closed, halted: true'],
    ]);
    expect(opened.mock.calls[0]?.[0]).toMatchObject({
      ...{ database: 'the database', destination: { baseUrl: 'http://127.0.0.1:9', clientId: '4711' }, worker: 5 },
    });
    expect(worker.mock.calls[0]?.[0]).toMatchObject({
      isFamiliar: true,
      halt: context.interruption.halt,
    });
    expect(stderr()).toBe('Working for http://127.0.0.1:9 as client 4711 (profile default, test).\n');
    expect(stdout()).toBe(`Done after 2.5 s\n  store  ${NAME}\n`);
  });

  test.each<[Partial<WorkOptions>, object]>([
    [
      {},
      {
        validate: true,
        onDuplicate: 'skip',
        again: false,
        concurrency: 64,
        untilEmpty: false,
        missingMs: 30_000,
      },
    ],
    [{ missing: 10 }, { missingMs: 10_000 }],
    [
      { validate: false, onDuplicate: 'create', concurrency: 3, untilEmpty: true },
      { validate: false, onDuplicate: 'create', concurrency: 3, untilEmpty: true },
    ],
  ])('hands %j on as %j', async (flags, wanted) => {
    const { start, worker } = sceneOf({ flags });
    await start();
    expect(worker.mock.calls[0]?.[1]).toMatchObject(wanted);
  });

  test('paces the account as the flags say, and tells of refusals', async () => {
    const { start, connect } = sceneOf({});
    await start();
    expect(connect.mock.calls[0]?.[0]).toMatchObject({ rate: 'auto', concurrency: 64 });
    const paced = sceneOf({
      flags: { rate: 2.5, concurrency: 3 },
      run: () => {
        paced.connect.mock.calls.at(-1)?.[0].refused?.(429, 1_500);
        return null;
      },
    });
    await paced.start();
    expect(paced.connect.mock.calls.at(-1)?.[0]).toMatchObject({ rate: 2.5, concurrency: 3 });
    expect(paced.stderr()).toContain('The service answered 429; nobody sends for 2 s.\n');
  });

  test('tells what became of the requests, those that were unknown as the log has them at the end', async () => {
    const scene = sceneOf({
      options: { json: true },
      run: (_, { end }) => {
        end('duplicate');
        end('unknown');
        return null;
      },
    });
    expect(await scene.start()).toBe(0);
    expect(scene.fetched).toEqual([[KEY]]);
    expect(scene.document()).toEqual({
      ...{
        run: scene.context.run,
        ...NOTHING,
        duplicate: 1,
        created: 1,
        again: 0,
        store: NAME,
        stopped: null,
        hint: null,
      },
      seconds: 2.5,
    });
  });

  test.each<[Status, boolean, number]>([
    ['created', true, 0],
    ['rejected', true, 3],
    ['rejected', false, 0],
    ['failed', true, 5],
    ['failed', false, 0],
  ])(
    'that sent one request, which is %s, until the queue is empty (%j) ends with %i',
    async (status, untilEmpty, code) => {
      const run: Scene['run'] = (_, { end }) => {
        end(status);
        return null;
      };
      expect(await sceneOf({ flags: { untilEmpty }, run }).start()).toBe(code);
    },
  );

  test('that cannot go on tells why, and what was unknown stays so', async () => {
    const stop = new SrqError('auth.refused', 'Refused.', 'Log in: srq login');
    const run: Scene['run'] = (_, { end }) => {
      end('unknown');
      return stop;
    };
    const scene = sceneOf({ options: { json: true, profile: 'shop' }, run });
    expect(await scene.start()).toBe(4);
    const stopped = { code: 'auth', reason: 'auth.refused', message: 'Refused.', hint: 'Log in: srq login' };
    expect(scene.document()).toMatchObject({ unknown: 1, stopped, error: stopped, hint: 'Log in: srq login' });
    expect(scene.fetched).toEqual([]);
    const shown = sceneOf({ run });
    await shown.start();
    expect(shown.stdout()).toMatch(/^Stopped after 2\.5 s\n {2}Refused\.\n[\s\S]*To do: Log in: srq login\n$/);
  });

  test('shows the stack of a fault of srq on demand alone', async () => {
    for (const [verbose, reason, isShown] of [
      [true, 'srq.fault', true],
      [false, 'srq.fault', false],
      [true, 'service.failed', false],
    ] as const) {
      const cause = Object.assign(new Error('broken'), { stack: 'the stack' });
      const { start, stderr } = sceneOf({
        options: { verbose },
        run: () => new SrqError(reason, 'Broken.', null, cause),
      });
      await start();
      expect(stderr().includes('the stack')).toBe(isShown);
    }
  });

  test('that is interrupted says what it does, and ends with the code of that', async () => {
    const scene = sceneOf({
      options: { json: true },
      run: (_, { interrupt }) => {
        interrupt();
        return null;
      },
    });
    expect(await scene.start()).toBe(130);
    expect(scene.stderr()).toContain('! Finishing what is in flight, giving back the rest; once more to leave now.\n');
    expect(scene.document()).toMatchObject({ stopped: { reason: 'interrupted.signal', hint: null }, hint: null });
    expect(scene.fetched).toEqual([]);
  });

  test('gives its results ten seconds after the signal to end, unless it ends before that', async () => {
    const slept: number[] = [];
    const wakers: (() => void)[] = [];
    const states: boolean[] = [];
    const scene = sceneOf({
      run: async (_, { interrupt, opened }) => {
        const { stopping, giveUp } = opened.mock.calls.at(-1)?.[0] ?? {};
        const look = () => states.push(stopping?.aborted === true, giveUp?.aborted === true);
        look();
        interrupt();
        look();
        for (const wake of wakers) wake();
        await vi.waitFor(() => expect(giveUp?.aborted).toBe(true), 60_000);
        return null;
      },
    });
    const sleep = (ms: number) => {
      slept.push(ms);
      // What sleeps later belongs to the end.
      return slept.length > 1 ? Promise.resolve() : new Promise<void>((resolve) => wakers.push(resolve));
    };
    Object.assign(scene.context, { clock: { ...scene.context.clock, sleep } });
    await scene.start();
    expect([slept[0], states]).toEqual([10_000, [false, false, true, false]]);
    const early = sceneOf({});
    await early.start();
    const giveUp = early.opened.mock.calls.at(-1)?.[0].giveUp;
    expect(giveUp?.aborted).toBe(false);
    await early.context.close();
    expect(giveUp?.aborted).toBe(true);
  });

  test('writes its events on demand, on standard output in place of its result', async () => {
    const run: Scene['run'] = (_, { end }) => {
      end('created');
      return null;
    };
    const scene = sceneOf({ flags: { events: '-' }, run });
    await scene.start();
    await scene.context.close();
    const events = scene
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['row', 'end']));
    expect(events.at(-1)).toMatchObject({ event: 'end', exitCode: 0, summary: { created: 1, store: NAME } });
    expect(scene.stderr()).toContain('Done after 2.5 s\n');
    const file = sceneOf({ run, flags: { events: join(scene.home, 'events.ndjson') } });
    await file.start();
    await file.context.close();
    expect(file.stdout()).toMatch(/^Done after/);
    expect(readFileSync(join(scene.home, 'events.ndjson'), 'utf8')).toMatch(/"event":"end"/);
  });

  test('tells its state, also in a file: that it starts, can work, is without its database, or ends', async () => {
    const healthFile = join(contextOf().home, 'health.json');
    const states: string[] = [];
    const scene = sceneOf({
      flags: { healthFile },
      run: (deps, { context, interrupt }) => {
        const stats = deps.watch as WorkerStats;
        const look = () => states.push(stats.health.state);
        states.push(JSON.parse(readFileSync(healthFile, 'utf8')).state);
        look();
        vi.spyOn(context, 'isStoreAway', 'get').mockReturnValue(true);
        look();
        interrupt();
        look();
        expect(stats.view.connection).toBe('of the connection');
        return null;
      },
    });
    await scene.start();
    await scene.context.close();
    expect(states).toEqual(['starting', 'idle', 'waiting-for-database', 'stopping']);
  });
});
