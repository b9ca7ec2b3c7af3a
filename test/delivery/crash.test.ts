import { describe, expect, vi } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
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
import { type Crash, crashing, intendedWithin, logCalls } from '../helpers/log-crash.ts';
import type { Ended } from '../helpers/run-srq.ts';
import { hasStrace } from '../helpers/strace.ts';
import { creates } from '../sandbox/sandbox-client.ts';

// Settling is mostly waiting, so many at once cost little.
vi.setConfig({ maxConcurrency: 12 });

const ROWS = 50;
/** Two records a row, and one by one there is a write and a sync for each. */
const CALLS_ONE_BY_ONE = 2 * ROWS;
/** Answers that are late enough for their rows to be in flight when the log fails. */
const LATE = [8, 17, 26, 35, 44].map((at) => faultOnRow(at, 'slow', 250));
/** `npm run soak` crashes at every call of runs that send one by one and of runs that send four at once. */
const EVERY_CALL = process.env['SRQ_TEST_CRASHES'] === 'all';
/** Four at once share syncs, so fewer are made; every run makes at least so many, on a machine that is busy as well. */
const CALLS_FOUR_AT_ONCE = 36;

interface Case extends Crash {
  readonly concurrency: number;
}

const upTo = (last: number, step: number) => Array.from({ length: Math.ceil(last / step) }, (_, at) => 1 + at * step);

const ERRORS = ['error=EIO', 'error=ENOSPC'] as const;

/** In the suite four calls of a run with four rows in flight, the first one included, and the very last one of all. */
function casesOf(call: Crash['call'], effect: Crash['effect']): Case[] {
  const four = upTo(CALLS_FOUR_AT_ONCE, EVERY_CALL ? 1 : 9).map((at) => ({ call, effect, at, concurrency: 4 }));
  const one = EVERY_CALL ? upTo(CALLS_ONE_BY_ONE, 1) : [CALLS_ONE_BY_ONE];
  return [...four, ...one.map((at) => ({ call, effect, at, concurrency: 1 }))];
}

/** In the suite each of these calls fails in one of the two ways, in turn, and a sync in the other way than a write. */
function failuresOf(call: Crash['call']): Case[] {
  if (EVERY_CALL) return ERRORS.flatMap((error) => casesOf(call, error));
  const shift = call === 'write' ? 0 : 1;
  return casesOf(call, ERRORS[0]).map((each, at) => ({ ...each, effect: ERRORS[(at + shift) % 2] ?? ERRORS[0] }));
}

async function crashedRun(desk: Desk, sandbox: Sandbox, leads: string, concurrency: number, crash: Crash | null) {
  desk.use(sandbox);
  if (concurrency > 1) sandbox.setInstructions(LATE);
  const ended = await desk.start(bulkArgs(leads, '--concurrency', String(concurrency)), crashing(desk, crash)).ended;
  return { ended, calls: logCalls(desk) };
}

/** All that was received had its intent on the disk before. */
function expectIntentsBeforeRequests(desk: Desk, sandbox: Sandbox): void {
  const intended = intendedWithin(desk, logCalls(desk).durableBytes);
  const received = creates(sandbox).map(({ params }) => `L-${params['request_text']?.split(' ').at(-1)}`);
  expect(received.filter((ref) => !intended.has(ref))).toEqual([]);
}

/** What was taken is created in the log or, if the log could not be told, on stderr; and it is counted as created. */
function expectOutcomesKept(desk: Desk, sandbox: Sandbox, ended: Ended): void {
  const told = [...ended.stderr.matchAll(/^! Not in the log: (.*)$/gm)].map(([, json = '']) => JSON.parse(json));
  const known = [...lastRecords(desk).filter(({ event }) => event === 'created'), ...told].map(({ ref }) => ref);
  const taken = createdThere(sandbox);
  expect(known).toEqual(expect.arrayContaining(taken));
  expect(accountedFor(ended, ROWS)).toMatchObject({ created: taken.length });
}

test.skipIf(!hasStrace)(
  'sending row by row makes one write and one sync for each record',
  async ({ desk, sandbox }) => {
    const { ended, calls } = await crashedRun(desk, sandbox, desk.write('leads.csv', leadsCsv(ROWS)), 1, null);
    expect([ended.code, calls.write, calls.fdatasync]).toEqual([0, CALLS_ONE_BY_ONE, CALLS_ONE_BY_ONE]);
  },
);

describe.skipIf(!hasStrace).each(['write', 'fdatasync'] as const)('a log whose %s', (call) => {
  test.concurrent.for(casesOf(call, 'signal=SIGKILL'))(
    'a kill at step $at, $concurrency in flight, loses and doubles nothing',
    async (crash, { desk, sandbox }) => {
      const leads = desk.write('leads.csv', leadsCsv(ROWS));
      const { ended, calls } = await crashedRun(desk, sandbox, leads, crash.concurrency, crash);
      // On a busy machine the signal was once seen to arrive one call late.
      expect(ended.signal).toBe('SIGKILL');
      expect(calls[call]).toBeGreaterThanOrEqual(crash.at);
      expectIntentsBeforeRequests(desk, sandbox);
      await expectNothingHidden(desk, sandbox);
      await expectAllCreatedOnce(desk, sandbox, leads, ROWS);
    },
  );

  test.concurrent.for(failuresOf(call))(
    '$effect at step $at, $concurrency in flight: nothing more is sent',
    async (crash, { desk, sandbox }) => {
      const leads = desk.write('leads.csv', leadsCsv(ROWS));
      const { ended, calls } = await crashedRun(desk, sandbox, leads, crash.concurrency, crash);
      // The failed call is the last one: after it nothing this process writes can be trusted.
      expect([ended.code, calls.injected, calls[call], calls.write]).toEqual([9, 1, crash.at, crash.at]);
      expectIntentsBeforeRequests(desk, sandbox);
      expectOutcomesKept(desk, sandbox, ended);
      await expectAllCreatedOnce(desk, sandbox, leads, ROWS);
    },
  );
});
