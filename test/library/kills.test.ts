import { expect } from 'vitest';
import type { RequestFields } from '../../src/library/api.ts';
import { Random } from '../doors/answer/random.ts';
import { createdThere, expectNothingHidden, faultOnRow, lastRecords, resolveByLookingUp } from '../helpers/delivery.ts';
import { test } from '../helpers/desk.ts';
import { requestAt } from '../helpers/leads.ts';
import { loadLibrary, optionsFor, startWithLibrary } from '../helpers/library.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';

const REQUESTS = 250;
const CALLS = 1_000;
const MIN_KILLS = 8;

/** Every request four times, in an order of chance, so that equal ones are also under way at once. */
function repeatedCalls(): RequestFields[] {
  const random = new Random(20);
  const calls = Array.from({ length: CALLS }, (_, at) => ({ at: at % REQUESTS, place: random.next() }));
  return calls.sort((one, other) => one.place - other.place).map(({ at }) => requestAt(at));
}

/** Makes all calls, eight at a time, and says what became of each. */
const CREATE_ALL = `
  const marketplace = await library.openMarketplace(given.options);
  const calls = given.calls.values();
  const createSome = async () => {
    for (const call of calls) {
      const { status, ref, error } = await marketplace.create(call, { validate: false });
      say({ status, ref, error: error && error.message });
    }
  };
  await Promise.all(Array.from({ length: 8 }, createSome));
  await marketplace.close();`;

test('1,000 repeated calls of create under kill -9 create nothing twice and lose nothing', async ({
  desk,
  sandbox,
}) => {
  const options = optionsFor(desk, sandbox);
  const calls = repeatedCalls();
  // The answers of some are lost by the service as well.
  sandbox.setInstructions([30, 90, 150, 210].map((at) => faultOnRow(at, 'reset-after')));
  const random = new Random(7);
  let kills = 0;
  let ended: Awaited<ReturnType<typeof startWithLibrary>['ended']>;
  do {
    const { created } = await statsOf(sandbox);
    const running = startWithLibrary(CREATE_ALL, { options, calls });
    await createdAtLeast(sandbox, created + 5 + random.below(30), running).catch(() => {});
    running.process.kill('SIGKILL');
    ended = await running.ended;
    if (ended.signal === 'SIGKILL') kills += 1;
    await expectNothingHidden(desk, sandbox);
  } while (ended.signal === 'SIGKILL');
  expect(kills).toBeGreaterThanOrEqual(MIN_KILLS);
  const results = ended.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(results).toHaveLength(CALLS);
  // What a killed process left unknown is not sent again, by no call.
  const statuses = new Set(results.map(({ status }) => status));
  expect([...statuses].filter((status) => !['created', 'repeated', 'unknown'].includes(status))).toEqual([]);
  expect(statuses).toContain('unknown');
  expect(new Set(createdThere(sandbox)).size).toBe(createdThere(sandbox).length);

  // A person looks up what is unknown, and an import of the same requests creates what is left, each once.
  sandbox.setInstructions([]);
  await resolveByLookingUp(desk, sandbox);
  const { openMarketplace } = await loadLibrary();
  const marketplace = await openMarketplace(options);
  const imported = await marketplace.importRows(calls, { validate: false });
  await marketplace.close();
  const { created, repeated } = imported.counts;
  expect({ rows: imported.rows, known: created + repeated, stopped: imported.stopped }).toEqual({
    ...{ rows: CALLS, known: CALLS, stopped: null },
  });
  const stats = await statsOf(sandbox);
  expect(stats).toMatchObject({ created: REQUESTS, distinct: REQUESTS, doubled: 0 });
  expect(lastRecords(desk).map(({ event }) => event)).toEqual(Array(REQUESTS).fill('created'));
});
