import { describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { bulkArgs, leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { createdAtLeast, setLatency, statsOf } from '../helpers/sandbox-view.ts';

const ROWS = 8;
const TAKEN = 'Pintar a sala 5';
const NOT_TAKEN = 'Pintar a sala 6';

/** Imports leads of which one was taken and one was not; the outcome of both is unknown. */
async function leaveUnknown(desk: Desk, sandbox: Sandbox): Promise<{ file: string; keys: string[] }> {
  sandbox.setInstructions([
    { on: 'create', fault: 'reset-after', match: { request_text: TAKEN } },
    { on: 'create', fault: 'reset-before', match: { request_text: NOT_TAKEN } },
  ]);
  const file = desk.write('leads.csv', leadsCsv(ROWS));
  const ended = await desk.call(...bulkArgs(file, '--json', '--concurrency', '1'));
  expect([ended.code, documentOf(ended)]).toEqual([7, expect.objectContaining({ created: ROWS - 2, unknown: 2 })]);
  return { file, keys: (await unknowns(desk)).map(({ key }) => String(key)) };
}

async function unknowns(desk: Desk): Promise<Record<string, unknown>[]> {
  const listed = await desk.call('resolve', '--json');
  expect(listed.code).toBe(0);
  return documentOf(listed)['unknown'] as Record<string, unknown>[];
}

describe.concurrent('srq resolve', () => {
  test('srq resolve refuses an empty text or another key as an identifier', async ({ partner, sandbox }) => {
    const { keys } = await leaveUnknown(partner, sandbox);
    const [one = '', other = ''] = keys;
    const before = partner.records();
    for (const id of ['', ' ', other, other.slice(0, 12)]) {
      const ended = await partner.call('resolve', one, '--created', id, '--json');
      expect([ended.code, documentOf(ended)], id).toEqual([
        2,
        { error: expect.objectContaining({ reason: 'arguments.invalid' }) },
      ]);
    }
    expect(partner.records()).toEqual(before);
    expect((await partner.call('resolve', one.slice(0, 12), other.slice(0, 12), '--created')).code).toBe(0);
    expect(await unknowns(partner)).toEqual([]);
  });

  test('srq resolve settles several: by keys, a reference, a run, or all', async ({ partner, sandbox }) => {
    const { keys } = await leaveUnknown(partner, sandbox);
    const refused = await partner.call('resolve', ...keys, '--created', 'R-1');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('they cannot share one identifier')]);
    expect(await partner.call('resolve', '--not-created')).toMatchObject({ code: 2 });
    expect(await unknowns(partner)).toHaveLength(2);
    expect(await partner.call('resolve', '--ref', 'L-5', '--created')).toMatchObject({ code: 0 });
    expect(await unknowns(partner)).toMatchObject([{ ref: 'L-6' }]);
    expect(await partner.call('resolve', '--all', '--created')).toMatchObject({ code: 0 });
    expect(await unknowns(partner)).toEqual([]);
  });

  test('srq resolve is refused while an import is running: what the import has in flight is not settled', async ({
    desk,
    openSandbox,
  }) => {
    const sandbox = await openSandbox({ latencyMs: 500 });
    desk.use(sandbox);
    const running = desk.start(bulkArgs(desk.write('leads.csv', leadsCsv(60))));
    await createdAtLeast(sandbox, 5, running);
    const refused = await desk.call('resolve', '--all', '--not-created');
    expect([refused.code, refused.stderr]).toEqual([9, expect.stringMatching(/srq bulk leads\.csv, process \d+/)]);
    await setLatency(sandbox, 0);
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 60, doubled: 0 });
  });
});
