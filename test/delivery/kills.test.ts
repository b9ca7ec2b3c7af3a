import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import type { FaultKind } from '../../src/sandbox/service/faults.ts';
import { Random } from '../doors/answer/random.ts';
import {
  accountedFor,
  bulkArgs,
  createdThere,
  expectAllCreatedOnce,
  expectNothingHidden,
  faultOnRow,
  lastRecords,
} from '../helpers/delivery.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentsOf, type Ended } from '../helpers/run-srq.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

/** `npm run soak` sets other seeds, and more rows. */
const SEED = Number(process.env['SRQ_TEST_SEED'] ?? 1);
const ROWS = Number(process.env['SRQ_TEST_KILLS_ROWS'] ?? 500);
/** A run goes on for 50 rows on average before it is killed, and for more where the machine is slow. */
const MIN_KILLS = ROWS / 200;
const FAULTS: readonly FaultKind[] = ['reset-before', 'reset-after', '429', '500', '503', '500-after', 'expire-token'];
/** Sparse enough that the breaker, which has its own tests, stays closed. */
const ROWS_PER_FAULT = 20;

/** One fault every so many rows, each kind in turn. */
const faults = Array.from({ length: Math.floor(ROWS / ROWS_PER_FAULT) - 1 }, (_, at) =>
  faultOnRow((at + 1) * ROWS_PER_FAULT, FAULTS[at % FAULTS.length] ?? '429'),
);

/** Kills a run once the service has created so many more; false if it ended before. */
async function killAfter(desk: Desk, sandbox: Sandbox, leads: string, creations: number): Promise<Ended> {
  const { created } = await statsOf(sandbox);
  const running = desk.start(bulkArgs(leads, '--concurrency', '16', '--in-doubt', 'park'));
  await createdAtLeast(sandbox, created + creations, running).catch(() => {});
  running.process.kill('SIGKILL');
  return running.ended;
}

/** What the log holds as being in doubt is what srq lists. */
async function expectDoubtListed(desk: Desk, sandbox: Sandbox): Promise<void> {
  const listed = documentsOf(await desk.run('log', '--status', 'unknown', '--json')).map(({ ref }) => ref);
  const settled = new Set(lastRecords(desk).flatMap(({ ref, event }) => (event === 'created' ? [ref] : [])));
  const unknownHere = createdThere(sandbox).filter((ref) => !settled.has(ref));
  expect(unknownHere.length).toBeGreaterThan(0);
  expect(listed).toEqual(expect.arrayContaining(unknownHere));
}

test(`kill -9 at any time, with faults of every kind, loses nothing and sends nothing twice (seed ${SEED})`, {
  timeout: 480_000,
}, async ({ desk, openSandbox }) => {
  // Slow enough that a busy machine kills in the middle, too.
  const sandbox = await openSandbox({ tokenTtlSeconds: 2 + (SEED % 2), latencyMs: 60 });
  desk.use(sandbox);
  const leads = desk.write('leads.csv', leadsCsv(ROWS));
  sandbox.setInstructions(faults);
  const random = new Random(SEED);
  let kills = 0;
  let ended: Ended;
  do {
    ended = await killAfter(desk, sandbox, leads, 10 + random.below(80));
    if (ended.signal === 'SIGKILL') kills += 1;
    else accountedFor(ended, ROWS);
    await expectNothingHidden(desk, sandbox);
  } while (ended.signal === 'SIGKILL');
  expect(kills).toBeGreaterThanOrEqual(MIN_KILLS);
  // Each kind is told to strike three times or more; the kills take some of them.
  const struck = new Map(FAULTS.map((kind) => [kind, creates(sandbox).filter(({ fault }) => fault === kind).length]));
  for (const [kind, times] of struck) expect([kind, times >= 1]).toEqual([kind, true]);
  await expectDoubtListed(desk, sandbox);
  await expectAllCreatedOnce(desk, sandbox, leads, ROWS, 500);
});
