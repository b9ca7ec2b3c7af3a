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
 * Without validate, which would hide a second send from these tests by calling the row a duplicate; and without pacing,
 * for what it learns from faults would only make them slow.
 */
export const bulkArgs = (leads: string, ...more: string[]) => [
  ...['bulk', leads, '--no-validate', '--rate', 'max', '--json'],
  ...more,
];

/** The request that {@link leadsCsv} puts into row `at`, as flags of `create`. */
export const requestOfRow = (at: number): string[] => [
  ...['--country', 'PT', '--location', 'Lisboa', '--phone', '+351912345678', '--ref', `L-${at}`],
  ...['--fullname', `Ana Exemplo ${at}`, '--email', `ana${at}@example.com`, '--request-text', `Pintar a sala ${at}`],
];

/** An instruction for the create of one row of {@link leadsCsv}. */
export const faultOnRow = (at: number, fault: FaultKind, ms?: number): Instruction => ({
  on: 'create',
  fault,
  match: { request_text: `Pintar a sala ${at}` },
  ...(ms === undefined ? {} : { ms }),
});

/** What earlier runs would have left behind: validate has shown that it sees what was created. */
export function trustValidate({ state }: Desk, { baseUrl, clientId }: Sandbox): void {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const contract = contractFingerprint(contractAt(DOCUMENTED_CONTRACT, baseUrl));
  const look = (digit: string) =>
    ({ key: digit.repeat(32), kind: 'PT/0/text', createdAtMs: Date.now() - 60_000, end: 'seen', afterMs: 10 }) as const;
  const evidence = { looks: ['1', '2', '3'].map(look) };
  const learned = JSON.stringify({ baseUrl, clientId, contract, evidence, pace: null });
  writeFileSync(join(state, 'default.learned.json'), learned, { mode: 0o600 });
}

/** References of the rows of {@link leadsCsv} that the service created, each as often as it was created. */
export const createdThere = (sandbox: Sandbox): string[] =>
  creates(sandbox)
    .filter(({ requestId }) => requestId !== null)
    .map(({ params }) => `L-${params['request_text']?.split(' ').at(-1)}`);

/** The last record of every request in the log. */
export function lastRecords(desk: Desk): Record<string, unknown>[] {
  return [...new Map(desk.records().map((record) => [record['key'], record])).values()];
}

/** No content was created twice, and the log knows of everything that was created: as created, or as in doubt. */
export async function expectNothingHidden(desk: Desk, sandbox: Sandbox): Promise<void> {
  const { doubled, doubles } = await statsOf(sandbox);
  expect({ doubled, doubles }).toEqual({ doubled: 0, doubles: [] });
  const events = new Map(lastRecords(desk).map(({ ref, event }) => [ref, event]));
  const hidden = createdThere(sandbox).filter((ref) => !/^(?:created|unknown|sending)$/.test(String(events.get(ref))));
  expect(hidden).toEqual([]);
}

/** Rows in = sum of the statuses. Returns the document. */
export function accountedFor(ended: Ended, rows: number): Record<string, unknown> {
  const document = documentOf(ended);
  const statuses = ['created', 'duplicate', 'repeated', 'invalid', 'rejected', 'failed', 'unknown'];
  const sum = statuses.reduce((total, status) => total + Number(document[status]), 0);
  expect({ rows: document['rows'], sum }).toEqual({ rows, sum: rows });
  return document;
}

/** Runs the import once more without faults, and has validate settle what is in doubt: everything is created, once. */
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
