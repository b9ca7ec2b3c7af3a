import { expect, test } from 'vitest';
import { planImport, refreshUnknown } from '../../src/delivery/plan.ts';
import { submitOne } from '../../src/delivery/settle-by-key.ts';
import { settleByWord } from '../../src/delivery/settle-by-word.ts';
import { settleRows } from '../../src/delivery/settle-rows.ts';
import { refuseUnsent, submitRequest } from '../../src/delivery/submit.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { ImportPlan } from '../../src/request/log/import-plan.ts';
import type { Outcome } from '../../src/request/log/outcome.ts';
import type { LoggedState, Status } from '../../src/request/log/status.ts';
import type { DeliveryLog, LogRecord } from '../../src/request/ports.ts';
import { MemoryLog } from '../doors/memory-log.ts';
import { answered, fakeApi } from '../helpers/fake-api.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { PREPARATION, passOf, planOf, submissionOf, tableOf } from './leads.ts';

const OPTIONS = { validate: false, onDuplicate: 'skip', again: false } as const;
const NOW_MS = Date.UTC(2026, 10, 21);
const OUTCOME: Outcome = { status: 'created', ids: { id: 'R-1' }, http: 201, message: null, raw: null, ms: 1 };

/** A store in which the requests with these needs ended like this, and the number of times that it was asked for states. */
async function storeWith(states: Readonly<Record<string, LoggedState>>) {
  const memory = new MemoryLog(() => NOW_MS);
  const log = memory.openAs('another run');
  for (const [need, state] of Object.entries(states)) {
    const { key, row, request } = submissionOf(need);
    const subject = { key, row, ref: request.ref };
    if (state === 'sending') await log.sending(subject, 'none');
    else await log.outcome(subject, { ...OUTCOME, status: state as Outcome['status'] });
  }
  const opened = memory.openAs('this run');
  let trips = 0;
  const prefetch: DeliveryLog['prefetch'] = (keys) => {
    trips += 1;
    return opened.prefetch(keys);
  };
  return { ...opened, prefetch, trips: () => trips };
}

type RemoteLog = Awaited<ReturnType<typeof storeWith>>;

/** A service that takes every request. */
const API = fakeApi({
  validate: async () => expect.fail('It was asked.'),
  create: async (_, intend) => ((await intend()) ? answered(OUTCOME) : null),
});

const statusesOf = ({ ledger, rows }: ImportPlan) =>
  Array.from({ length: rows }, (_, at): Status => ledger.status(at + 1));
const NEEDS = ['a', 'b', 'c', 'd', 'e', 'f'];
const planWith = (log: RemoteLog, needs = NEEDS) => {
  const table = tableOf(needs);
  const mapping = planMapping(table.columns, { map: {}, set: {} });
  return planImport({ table, mapping }, { skip: 0, limit: null }, PREPARATION, log, OPTIONS, () => {});
};

// Each of these was wrong with a store and right with a file, of which all is known at once.
test('a plan asks a store for its rows, batch by batch, before it looks them up', async () => {
  const log = await storeWith({ a: 'created', c: 'duplicate', d: 'sending', f: 'rejected' });
  expect(statusesOf(await planWith(log))).toEqual(['repeated', 'ready', 'duplicate', 'unknown', 'ready', 'ready']);
  // A batch of the table has two rows. It is asked for at most twice: unchecked, and checked.
  expect(log.trips()).toBeLessThanOrEqual(6);
});

test('unknown rows are fetched from the store at once, and a file without any fetches nothing', async () => {
  const log = await storeWith({ a: 'created', b: 'unknown', c: 'failed' });
  const plan = await planOf(tableOf(NEEDS), { lookup: () => 'unknown' });
  await refreshUnknown(plan, log);
  expect(statusesOf(plan).slice(0, 3)).toEqual(['repeated', 'unknown', 'failed']);
  expect(log.trips()).toBe(1);
  const ready = await planOf(tableOf(NEEDS), { lookup: () => 'none' });
  await refreshUnknown(ready, log);
  expect(log.trips()).toBe(1);
});

test('a request that is sent, refused or settled is fetched from the store before it is looked up', async () => {
  const states = { a: 'created', b: 'sending' } as const;
  const settled = async (need: string, log: RemoteLog) => {
    const plan = await planOf(tableOf([need]), { lookup: () => 'unknown' });
    const deps = { api: API, log, clock: new VirtualClock(), preparation: PREPARATION, halt: new AbortController() };
    const waits = { settleMs: null, isProxied: false, waiting: () => {} };
    const { yielded } = await passOf(
      settleRows(plan, deps, { resend: OPTIONS, byValidate: true, ...waits }),
      plan,
      deps.halt,
    );
    return yielded[0] ?? expect.fail('It was not settled.');
  };
  const failed: Outcome = { ...OUTCOME, status: 'failed', ids: {} };
  const ended = async (need: string) => {
    const submission = submissionOf(need);
    const told = [
      submitRequest(submission, API, await storeWith(states), OPTIONS),
      refuseUnsent(submission, await storeWith(states), failed),
      settled(need, await storeWith(states)),
      submitOne(submission, { api: API, log: await storeWith(states) }, OPTIONS),
    ];
    return (await Promise.all(told)).map(({ status }) => status);
  };
  expect(await ended('a')).toEqual(['repeated', 'repeated', 'unknown', 'repeated']);
  expect(await ended('b')).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
  expect(await ended('c')).toEqual(['created', 'failed', 'unknown', 'created']);
});

test("a person's word on several requests fetches all of them at once", async () => {
  const log = await storeWith({ a: 'unknown', b: 'sending' });
  const records = await Promise.all(['a', 'b'].map((need) => log.read(submissionOf(need).key)));
  await settleByWord(
    log,
    records.filter((record): record is LogRecord => record !== null),
    'not-created',
  );
  expect(['a', 'b'].map((need) => log.lookup(submissionOf(need).key))).toEqual(['licensed', 'licensed']);
  expect(log.trips()).toBe(1);
});
