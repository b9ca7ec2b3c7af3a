import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { createdThere } from './delivery.ts';
import type { Desk } from './desk.ts';
import { documentOf } from './run-srq.ts';
import { statsOf } from './sandbox-view.ts';

/** Number of keys that one command gets. */
const KEYS_AT_ONCE = 500;

/**
 * Settles what is unknown as a person does who looks each request up at the service, and has the rest of the file delivered.
 * Expects that every row was created exactly once then. Returns the number of those that were unknown.
 */
export async function settleByTheBooks(desk: Desk, sandbox: Sandbox, leads: string, rows: number): Promise<number> {
  const { unknown } = documentOf(await desk.run('resolve', '--json')) as { unknown: { key: string; ref: string }[] };
  const there = new Set(createdThere(sandbox));
  for (const [word, isThere] of [
    ['--created', true],
    ['--not-created', false],
  ] as const) {
    const keys = unknown.filter(({ ref }) => there.has(ref) === isThere).map(({ key }) => key);
    for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
      const ended = await desk.run('resolve', ...keys.slice(from, from + KEYS_AT_ONCE), word);
      expect(ended.code, JSON.stringify(ended)).toBe(0);
    }
  }
  sandbox.setFaults({});
  const missing = rows - there.size;
  expect(documentOf(await desk.run('enqueue', leads, '--yes', '--json'))).toMatchObject({ queued: missing });
  const worked = await desk.run('work', '--no-validate', '--until-empty', '--json');
  expect([worked.code, documentOf(worked)]).toEqual([0, expect.objectContaining({ created: missing, unknown: 0 })]);
  expect(await statsOf(sandbox)).toMatchObject({ created: rows, distinct: rows, doubled: 0 });
  return unknown.length;
}
