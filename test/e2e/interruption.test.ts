import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { bulkArgs, leadsCsv, REQUEST } from '../helpers/leads.ts';
import { documentOf, documentsOf, type Ended } from '../helpers/run-srq.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const ROWS = 60;

/** Everything that was created is in the log as created, and the results file has a line for every row. */
async function expectNothingLost(desk: Desk, sandbox: Sandbox): Promise<void> {
  const { created } = await statsOf(sandbox);
  const logged = documentsOf(await desk.run('log', '--status', 'created', '--json'));
  expect(logged).toHaveLength(created);
  const answered = creates(sandbox).map(({ requestId }) => requestId);
  expect(logged.map(({ ids }) => (ids as Record<string, string>)['request_id']).sort()).toEqual(answered.sort());
  expect(desk.read("Ana's leads.results.csv").trim().split('\r\n')).toHaveLength(ROWS + 1);
}

/** Runs a line that srq printed, as a user pastes it into a shell. */
function pasted(desk: Desk, line: string): Promise<Ended> {
  const program = desk.write('srq', `#!/bin/sh\nexec '${process.execPath}' '${inject('srqProgram')}' "$@"\n`);
  chmodSync(program, 0o755);
  return desk.start([], { under: ['sh', '-c', line], env: { PATH: `${desk.work}:${process.env['PATH']}` } }).ended;
}

describe.concurrent('an interrupted import', () => {
  test.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'an interrupted import finishes what is in flight after %s, and the next run does the rest',
    async ([signal, code], { desk, openSandbox }) => {
      const sandbox = await openSandbox({ latencyMs: 500 });
      desk.use(sandbox);
      const leads = desk.write("Ana's leads.csv", leadsCsv(ROWS));
      const running = desk.start(bulkArgs(leads, '--json'));
      await createdAtLeast(sandbox, 12, running);
      running.process.kill(signal);
      sandbox.setLatency(0);
      const ended = await running.ended;
      expect([ended.code, ended.signal]).toEqual([code, null]);
      const document = documentOf(ended);
      expect(document).toMatchObject({
        rows: ROWS,
        unknown: 0,
        stopped: { message: expect.any(String) },
        next: expect.any(String),
      });
      expect(document['created']).toBe((await statsOf(sandbox)).created);
      expect(document['failed']).toBe(ROWS - Number(document['created']));
      expect(document['failed']).toBeGreaterThan(0);
      await expectNothingLost(desk, sandbox);

      const second = await pasted(desk, String(document['next']));
      expect(second.code).toBe(0);
      expect(documentOf(second)).toMatchObject({ created: document['failed'], repeated: document['created'] });
      expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
      await expectNothingLost(desk, sandbox);
    },
  );
});

/** Runs a program with a FIFO for its standard input, which never ends. */
const WITH_FIFO = ['sh', '-c', 'mkfifo "$0" && exec "$@" <> "$0"'];

describe.concurrent('leads that are read from standard input are removed by', () => {
  test.for([
    ['SIGTERM', 143, ['bulk', '-']],
    ['SIGHUP', 143, ['create', '--file', '-']],
  ] as const)('%s, exit code %i, of %j', async ([signal, code, args], { partner, expect }) => {
    const fifo = join(partner.folder, 'leads');
    const running = partner.start(args, { under: [...WITH_FIFO, fifo] });
    const kept = () => partner.files().filter((name) => name.startsWith('temp/srq-'));
    await expect.poll(kept).toContainEqual(expect.stringMatching(/\/stdin$/));
    writeFileSync(fifo, leadsCsv(3));
    const [copy = ''] = kept().filter((name) => name.endsWith('stdin'));
    await expect.poll(() => readFileSync(join(partner.folder, copy), 'utf8')).toBe(leadsCsv(3));
    expect(statSync(join(partner.folder, copy)).mode & 0o777).toBe(0o600);
    running.process.kill(signal);
    expect(await running.ended).toMatchObject({ code, signal: null });
    expect(kept()).toEqual([]);
  });
});

test('Ctrl-C during a create waits for its answer', async ({ desk, openSandbox }) => {
  const sandbox = await openSandbox({ latencyMs: 300 });
  desk.use(sandbox);
  const running = desk.start(['create', ...REQUEST, '--no-validate', '--json']);
  await createdAtLeast(sandbox, 1, running);
  running.process.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect(documentOf(ended)).toMatchObject({ status: 'created', ids: { request_id: creates(sandbox)[0]?.requestId } });
});
