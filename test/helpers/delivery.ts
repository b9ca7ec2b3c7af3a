import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import type { FaultKind, Instruction } from '../../src/sandbox/service/faults.ts';
import { creates } from '../sandbox/sandbox-client.ts';
import type { Desk } from './desk.ts';
import { documentOf, type Ended } from './run-srq.ts';
import { statsOf } from './sandbox-view.ts';

/**
 * Returns the arguments of an import for these tests. Validate is off, because it would hide a second send by calling
 * the row a duplicate. The rate is unlimited, because an adaptive one would slow down after each fault.
 */
export const bulkArgs = (leads: string, ...more: string[]) => [
  ...['bulk', leads, '--no-validate', '--rate', 'max', '--json'],
  ...more,
];

/** Returns the request in row `at` of {@link leadsCsv}, as flags of `create`. */
export const requestOfRow = (at: number): string[] => [
  ...['--country', 'PT', '--location', 'Lisboa', '--phone', '+351912345678', '--ref', `L-${at}`],
  ...['--fullname', `Ana Exemplo ${at}`, '--email', `ana${at}@example.com`, '--request-text', `Pintar a sala ${at}`],
];

/** Returns an instruction for the create of one row of {@link leadsCsv}. */
export const faultOnRow = (at: number, fault: FaultKind, ms?: number): Instruction => ({
  on: 'create',
  fault,
  match: { request_text: `Pintar a sala ${at}` },
  ...(ms === undefined ? {} : { ms }),
});

/**
 * Returns the references of the rows of {@link leadsCsv} that the service has created. A reference occurs as often as
 * it was created.
 */
export const createdThere = (sandbox: Sandbox): string[] =>
  creates(sandbox)
    .filter(({ requestId }) => requestId !== null)
    .map(({ params }) => `L-${params['request_text']?.split(' ').at(-1)}`);

/** Returns the last record of every request in the log. */
export function lastRecords(desk: Desk): Record<string, unknown>[] {
  return [...new Map(desk.records().map((record) => [record['key'], record])).values()];
}

/**
 * Expects that no content was created twice, and that the log knows everything that was created, as created or in
 * doubt.
 */
export async function expectNothingHidden(desk: Desk, sandbox: Sandbox): Promise<void> {
  const { doubled, doubles } = await statsOf(sandbox);
  expect({ doubled, doubles }).toEqual({ doubled: 0, doubles: [] });
  const events = new Map(lastRecords(desk).map(({ ref, event }) => [ref, event]));
  const hidden = createdThere(sandbox).filter((ref) => !/^(?:created|unknown|sending)$/.test(String(events.get(ref))));
  expect(hidden).toEqual([]);
}

/** Expects that the statuses add up to the number of rows. Returns the document. */
export function accountedFor(ended: Ended, rows: number): Record<string, unknown> {
  const document = documentOf(ended);
  const statuses = ['created', 'duplicate', 'repeated', 'invalid', 'rejected', 'failed', 'unknown'];
  const sum = statuses.reduce((total, status) => total + Number(document[status]), 0);
  expect({ rows: document['rows'], sum }).toEqual({ rows, sum: rows });
  return document;
}

/** Time for what an ended process wrote to arrive at the service. */
const ARRIVAL_MS = 500;

/** Settles all rows of {@link leadsCsv} that are unknown by the word of a person who looks each up at the service. */
export async function resolveByLookingUp(desk: Desk, sandbox: Sandbox): Promise<void> {
  const listed = documentOf(await desk.callBeside('resolve', '--json'));
  const unknown = listed['unknown'] as { key: string; ref: string }[];
  if (unknown.length === 0) return;
  await setTimeout(ARRIVAL_MS);
  const there = new Set(createdThere(sandbox));
  for (const word of ['--created', '--not-created']) {
    const keys = unknown.filter(({ ref }) => there.has(ref) === (word === '--created')).map(({ key }) => key);
    if (keys.length === 0) continue;
    const ended = await desk.callBeside('resolve', ...keys, word);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
  }
}

/**
 * Runs the import again without faults and lets validate settle what is unknown. Expects that every row is created exactly
 * once. Validate was off, so it proves of no row that it was taken: that is for a person. What was not taken is sent, unless
 * nothing was created before it by which validate could be checked.
 */
export async function expectAllCreatedOnce(
  desk: Desk,
  sandbox: Sandbox,
  leads: string,
  rows: number,
  concurrency = 16,
): Promise<void> {
  sandbox.setInstructions([]);
  sandbox.setFaults({});
  const isFirst = firstOfAll(desk);
  const there = new Set(createdThere(sandbox));
  const doubts = lastRecords(desk).filter(({ event }) => event === 'sending' || event === 'unknown');
  const left = doubts.filter((doubt) => there.has(String(doubt['ref'])) || isFirst(doubt)).map(({ ref }) => ref);
  const missing = left.filter((ref) => !there.has(String(ref))).length;
  const ended = await desk.callBeside(...bulkArgs(leads, '--settle', '1', '--concurrency', String(concurrency)));
  const document = accountedFor(ended, rows);
  const unknown = lastRecords(desk).flatMap(({ ref, event }) => (event === 'created' ? [] : [ref]));
  expect(unknown.sort(), ended.stdout).toEqual(left.sort());
  expect([ended.code, document['unknown'], document['failed']]).toEqual([
    unknown.length > 0 ? 7 : 0,
    unknown.length,
    0,
  ]);
  const { created, distinct, doubled } = await statsOf(sandbox);
  expect({ created, distinct, doubled }).toEqual({ created: rows - missing, distinct: rows - missing, doubled: 0 });
  expect(lastRecords(desk)).toHaveLength(rows);
}

/** Tells of a record whether its request was sent before every one that is known to be created. */
function firstOfAll(desk: Desk): (record: Record<string, unknown>) => boolean {
  const sentMs = ({ at, ms }: Record<string, unknown>) => Date.parse(String(at)) - Number(ms ?? 0);
  const created = lastRecords(desk).filter(({ event }) => event === 'created');
  const firstMs = Math.min(...created.map(sentMs));
  return (record) => sentMs(record) < firstMs;
}
