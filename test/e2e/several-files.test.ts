import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { readTable } from '../helpers/read-table.ts';
import type { Ended } from '../helpers/run-srq.ts';
import { createdAtLeast, setLatency, statsOf } from '../helpers/sandbox-view.ts';

const HEADER = 'ref,country,fullname,email,phone,location,request_text';

const lead = (name: string) => `${name},PT,Ana Exemplo,ana@example.com,+351912345678,Lisboa,Pintar a sala ${name}`;
/** A file with these leads; the name of each is in its text, so that two leads of one name are one request. */
const csvOf = (...names: readonly string[]) => [HEADER, ...names.map(lead), ''].join('\n');
const named = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);

const PACE = ['--rate', 'max', '--in-doubt', 'park', '--json'];
const bulk = (desk: Desk, ...args: readonly string[]) => desk.call('bulk', ...args, ...PACE);

/** What a results file says of a lead: its status and its message. */
async function outcome(desk: Desk, results: string, name: string): Promise<{ status: string; message: string }> {
  const { table, cells } = await readTable(join(desk.work, results));
  const row = cells.find(([ref]) => ref === name) ?? [];
  const cell = (column: string) => row[table.columns.indexOf(column)] ?? '';
  return { status: cell('srq_status'), message: cell('srq_message') };
}

/** The documents that a command printed, one a line, one a file. */
function documents({ stdout }: Ended): Record<string, unknown>[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe.concurrent('several files', () => {
  test('several files know of each other by the log: what is unknown in one is not sent by the next', async ({
    partner,
    sandbox,
  }) => {
    sandbox.setInstructions([{ on: 'create', fault: 'reset-after', match: { request_text: 'Pintar a sala X' } }]);
    partner.write('a.csv', csvOf('A1', 'A2', 'A3', 'X'));
    partner.write('b.csv', csvOf('X', 'A1', 'B1'));
    const ended = await bulk(partner, 'a.csv', 'b.csv');
    expect([ended.code, documents(ended)]).toMatchObject([
      7,
      [
        { created: 3, unknown: 1 },
        { created: 1, repeated: 1, unknown: 1 },
      ],
    ]);
    expect((await outcome(partner, 'b.results.csv', 'X')).status).toBe('unknown');
    expect(await statsOf(sandbox)).toMatchObject({ created: 5, distinct: 5, doubled: 0 });
  });
});

describe.concurrent('the results of several files', () => {
  test('the results of several files do not replace an input, nor through a link', async ({ partner, sandbox }) => {
    partner.write('a.csv', csvOf('A1'));
    await bulk(partner, 'a.csv');
    symlinkSync('a.results.csv', join(partner.work, 'z.csv'));
    const before = partner.read('a.results.csv');
    partner.write('a.csv', csvOf('A1', 'A2'));
    const ended = await bulk(partner, 'a.csv', 'z.csv');
    expect(documents(ended).map(({ results }) => results)).toEqual(['a.results-2.csv', 'z.results.csv']);
    expect(partner.read('a.results.csv')).toBe(before);
    expect(await statsOf(sandbox)).toMatchObject({ created: 2 });
  });
});

describe.concurrent('a command with several files that ends early', () => {
  test('several files, ended by SIGINT, leave the results of the one at hand', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 300 });
    desk.use(sandbox);
    desk.write('a.csv', csvOf(...named('A', 6)));
    desk.write('b.csv', csvOf(...named('B', 40)));
    desk.write('c.csv', csvOf(...named('C', 5)));
    const running = desk.start(['bulk', 'a.csv', 'b.csv', 'c.csv', '--concurrency', '4', ...PACE]);
    // It is in the second file by now.
    await createdAtLeast(sandbox, 12, running);
    running.process.kill('SIGINT');
    await setLatency(sandbox, 0);
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    const [a, b, ...more] = documents(ended);
    expect([a, b, more]).toMatchObject([{ created: 6 }, { stopped: { message: 'Interrupted.' }, unknown: 0 }, []]);
    expect(desk.read('b.results.csv').trim().split('\r\n')).toHaveLength(41);
    expect(ended.stderr).toContain('Not begun: c.csv. To import the rest: srq bulk c.csv');
    const again = await bulk(desk, 'a.csv', 'b.csv', 'c.csv');
    expect([again.code, documents(again)[0]]).toMatchObject([0, { created: 0, repeated: 6 }]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 51, distinct: 51, doubled: 0 });
  });

  test('several files, ended by a kill in the second one, send nothing twice', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 300 });
    desk.use(sandbox);
    desk.write('a.csv', csvOf(...named('A', 6)));
    desk.write('b.csv', csvOf(...named('B', 40)));
    const running = desk.start(['bulk', 'a.csv', 'b.csv', '--concurrency', '4', ...PACE]);
    await createdAtLeast(sandbox, 12, running);
    running.process.kill('SIGKILL');
    await setLatency(sandbox, 0);
    expect((await running.ended).signal).toBe('SIGKILL');
    const again = await bulk(desk, 'a.csv', 'b.csv');
    expect([0, 7]).toContain(again.code);
    const [a, b] = documents(again);
    expect(a).toMatchObject({ created: 0, repeated: 6 });
    expect(Number(b?.['created']) + Number(b?.['repeated']) + Number(b?.['unknown'])).toBe(40);
    expect(await statsOf(sandbox)).toMatchObject({ doubled: 0 });
  });

  test('several files go on behind one that is gone when its turn comes', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 300 });
    desk.use(sandbox);
    desk.write('a.csv', csvOf(...named('A', 6)));
    desk.write('b.csv', csvOf(...named('B', 4)));
    desk.write('c.csv', csvOf(...named('C', 2)));
    const running = desk.start(['bulk', 'a.csv', 'b.csv', 'c.csv', ...PACE]);
    await createdAtLeast(sandbox, 2, running);
    renameSync(join(desk.work, 'b.csv'), join(desk.work, 'kept.csv'));
    await setLatency(sandbox, 0);
    const ended = await running.ended;
    expect([ended.code, documents(ended)]).toMatchObject([
      2,
      [{ created: 6 }, { error: { message: expect.stringMatching(/There is no file .*b\.csv/) } }, { created: 2 }],
    ]);
  });
});
