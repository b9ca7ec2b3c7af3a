import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WorkerDeps } from '../../../src/delivery/consume.ts';
import type { CreateResult, MarketplaceApi } from '../../../src/request/ports.ts';
import { CREATED, storeAt } from '../../doors/log.ts';
import { contentKey, openQueue, runWorker, systemClock } from '../../doors/store.ts';
import { PostgresServer, postgresIsMissing } from '../../helpers/postgres.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const SEEDS = Number(process.env['SRQ_TEST_SEEDS'] ?? 20);
const FIRST_SEED = Number(process.env['SRQ_TEST_SEED'] ?? 1);
const ROWS = 12;
const WORKERS = 3;
const DESTINATION = { baseUrl: 'http://127.0.0.1:1', clientId: 'partner' };

/** Returns numbers from 0 to 1 that are the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

describe.skipIf(postgresIsMissing !== null)(`Workers that are killed at any step${why}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start('-c fsync=off');
  });
  afterAll(() => server?.end());

  test(`Workers killed at any step send nothing twice that may have been taken, and lose nothing (${SEEDS} seeds)`, {
    timeout: 900_000,
  }, async () => {
    let kills = 0;
    const url = await server.database();
    const person = storeAt(url, 'person');
    await person.migrate();
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
      await server.query(url, 'truncate srq.process, srq.record, srq.request, srq.waiting');
      const random = randomOf(seed);
      /** How often the service took each key, and how often it was asked while nobody knew that it had not. */
      const taken = new Map<string, number>();
      const open = new Set<string>();
      const twice: string[] = [];
      const giveUp = new AbortController().signal;
      const adding = openQueue({ database: person.database, destination: DESTINATION, process: null, giveUp });
      const rows = Array.from({ length: ROWS }, (_, row) => row);
      const requests = rows.map((row) => ({ params: { request_text: `${row}` }, audio: null, ref: null }));
      await adding.add(requests.map((request, row) => ({ key: contentKey(request, DESTINATION), row, request })));
      let runs = 0;

      /** Runs a worker until the queue is empty, or until it is killed at one of its steps. */
      const work = async (mayDie: boolean): Promise<void> => {
        runs += 1;
        const run = `run ${runs}`;
        const store = storeAt(url, run);
        const log = await store.open('work', false);
        const queue = openQueue({
          database: store.database,
          destination: DESTINATION,
          process: () => log.member.joined.process,
          giveUp,
        });
        let isDead = false;
        let die = () => {};
        const death = new Promise<void>((resolve) => {
          die = resolve;
        });
        /** A step, before or after which the process may end. Nothing of it goes on then. */
        const step = async <Result>(act: () => Promise<Result> | Result): Promise<Result> => {
          const kill = () => {
            if (isDead || (mayDie && random() < 0.02)) {
              isDead = true;
              die();
            }
            return isDead;
          };
          if (kill()) return new Promise<Result>(() => {});
          const result = await act();
          return kill() ? new Promise<Result>(() => {}) : result;
        };
        const create: MarketplaceApi['create'] = async (_, intend, { key }): Promise<CreateResult | null> => {
          if (!(await intend())) return null;
          return step(async () => {
            if (open.has(key)) twice.push(key);
            open.add(key);
            const chance = random();
            const status = chance < 0.15 ? 'failed' : chance < 0.25 ? 'unknown' : 'created';
            if (status !== 'failed') taken.set(key, (taken.get(key) ?? 0) + 1);
            else open.delete(key);
            const ids = status === 'created' ? { id: key } : {};
            return { outcome: { ...CREATED, ids, status }, stop: null, unproven: null, sameAs: null };
          });
        };
        // After three unknown rows one after the other a worker asks validate, and goes on.
        const validate = async () => ({ verdict: 'clear' });
        const others = { validate, slowDown: () => {}, idempotencyWindowMs: null, wireForm: null };
        const api = { create, ...others } as unknown as MarketplaceApi;
        const deps: WorkerDeps = {
          api,
          log: {
            run,
            writeLeaseMs: log.writeLeaseMs,
            nowMs: () => log.nowMs(),
            lookup: (key) => log.lookup(key),
            prefetch: (keys) => step(() => log.prefetch(keys)),
            read: (key) => step(() => log.read(key)),
            mayBeUnderWay: (key) => step(() => log.mayBeUnderWay(key)),
            sending: (...given) => step(() => log.sending(...given)),
            outcome: (...given) => step(() => log.outcome(...given)),
            licence: (...given) => step(() => log.licence(...given)),
          },
          queue: {
            ...queue,
            take: (...given) => step(() => queue.take(...given)),
            giveBack: (...given) => step(() => queue.giveBack(...given)),
            drop: (...given) => step(() => queue.drop(...given)),
          },
          clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 5), signal) },
          ...{ isFamiliar: true, hold: () => {}, halt: new AbortController() },
          watch: { began: () => {}, ended: () => {}, gaveBack: () => {}, ending: () => {}, breakerOpened: () => {} },
        };
        const options = {
          validate: false,
          onDuplicate: 'skip',
          again: false,
          concurrency: 3,
          untilEmpty: true,
        } as const;
        const stop = await Promise.race([runWorker(deps, options), death]);
        expect([seed, stop ?? null]).toEqual([seed, null]);
        if (isDead) kills += 1;
        // A killed process is gone for the others as one that has left.
        await log.close();
        await store.close();
      };

      const lives = Array.from({ length: WORKERS }, () => work(true));
      const due = setInterval(() => void server.query(url, 'update srq.waiting set due = now()').catch(() => {}), 50);
      await Promise.all(lives);
      await work(false);
      clearInterval(due);
      const known = await person.database.query<{ key: string; state: string }>(
        "select replace(key::text, '-', '') as key, state::text from srq.request",
      );
      expect([seed, twice]).toEqual([seed, []]);
      expect([seed, await adding.isEmpty(), known.length]).toEqual([seed, true, ROWS]);
      for (const { key, state } of known) {
        const times = taken.get(key) ?? 0;
        // What was taken is known as taken or as unknown, and what is known as taken was.
        if (times > 0) expect(['created', 'unknown', 'sending']).toContain(state);
        if (state === 'created') expect(times).toBe(1);
      }
    }
    await person.close();
    expect(kills).toBeGreaterThan(SEEDS / 4);
    process.stdout.write(`workers model: ${SEEDS} seeds, ${kills} kills\n`);
  });
});
