import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { contractAt, contractFingerprint, DOCUMENTED_CONTRACT } from '../../src/request/contract.ts';
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

/** Writes what earlier runs would have stored if validate had shown that it sees created requests. */
export function trustValidate({ state }: Desk, { baseUrl, clientId }: Sandbox): void {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const contract = contractFingerprint(contractAt(DOCUMENTED_CONTRACT, baseUrl));
  const look = (digit: string) =>
    ({ key: digit.repeat(32), kind: 'PT/0/text', createdAtMs: Date.now() - 60_000, end: 'seen', afterMs: 10 }) as const;
  const evidence = { looks: ['1', '2', '3'].map(look) };
  const learned = JSON.stringify({ baseUrl, clientId, contract, evidence, pace: null });
  writeFileSync(join(state, 'default.learned.json'), learned, { mode: 0o600 });
}

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

/**
 * Runs the import again without faults and lets validate settle what is in doubt. Expects that every row is created
 * exactly once.
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
  trustValidate(desk, sandbox);
  const ended = await desk.callBeside(...bulkArgs(leads, '--settle', '1', '--concurrency', String(concurrency)));
  const document = accountedFor(ended, rows);
  expect([ended.code, document['unknown'], document['failed']]).toEqual([0, 0, 0]);
  const { created, distinct, doubled } = await statsOf(sandbox);
  expect({ created, distinct, doubled }).toEqual({ created: rows, distinct: rows, doubled: 0 });
  expect(lastRecords(desk).map(({ event }) => event)).toEqual(Array(rows).fill('created'));
}
