import { describe, expect } from 'vitest';
import {
  accountedFor,
  bulkArgs,
  expectAllCreatedOnce,
  expectNothingHidden,
  faultOnRow,
  requestOfRow,
} from '../helpers/delivery.ts';
import { test } from '../helpers/desk.ts';
import { gateBefore } from '../helpers/gate.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf, type Running } from '../helpers/run-srq.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';

/** `npm run soak` runs more of them. */
const RACES = Number(process.env['SRQ_TEST_RACES'] ?? 5);
const ROWS = 5;

describe('two runs on one log', () => {
  test.concurrent.for(Array.from({ length: RACES }, (_, at) => at + 1))(
    'race %i of two runs on one log: one sends, the other is refused and learns who does',
    async (race, { desk, sandbox, onTestFinished }) => {
      // The first one cannot come to its end before the other one has tried.
      const gate = await gateBefore(sandbox.baseUrl, '/v1/request/create', onTestFinished);
      desk.use({ ...sandbox, baseUrl: gate.baseUrl });
      const files = ['a.csv', 'b.csv'].map((name) => desk.write(name, leadsCsv(ROWS)));
      if (race % 2 === 0) files.reverse();
      const runs = files.map((file) => desk.start(bulkArgs(file)));
      const refused = await Promise.any(runs.map(async (run) => refusal(await run.ended)));
      gate.open();
      const ended = await Promise.all(runs.map((run) => run.ended));
      const said = ended.map(({ stdout, stderr }) => stdout + stderr).join('\n');
      expect(ended.map(({ code }) => code).sort(), said).toEqual([0, 9]);
      const holder = runs[ended.findIndex(({ code }) => code === 0)];
      expect(refused).toMatch(/Another run is using this log: srq bulk [ab]\.csv, process \d+ on .+, since \d{4}-/);
      expect(refused).toContain(`process ${holder?.process.pid} on`);
      expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
    },
  );

  test('a stopped process still holds the log; a killed one lets go at once', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 500 });
    desk.use(sandbox);
    const leads = desk.write('leads.csv', leadsCsv(60));
    const holder = desk.start(bulkArgs(leads, '--concurrency', '4'));
    await createdAtLeast(sandbox, 10, holder);
    holder.process.kill('SIGSTOP');
    expect(await refusal(await desk.run(...bulkArgs(leads)))).toContain(`process ${holder.process.pid} on`);
    holder.process.kill('SIGKILL');
    sandbox.setLatency(0);
    expect((await holder.ended).signal).toBe('SIGKILL');
    const next = accountedFor(await desk.run(...bulkArgs(leads, '--in-doubt', 'park')), 60);
    expect(next['stopped']).toBeNull();
    expect(next['created']).toBeGreaterThan(30);
    await expectNothingHidden(desk, sandbox);
    await expectAllCreatedOnce(desk, sandbox, leads, 60);
  });
});

/** The words of a run that was refused; rejects if it was not. */
async function refusal({ code, stdout }: Awaited<Running['ended']>): Promise<string> {
  if (code === 9) return JSON.stringify(JSON.parse(stdout).error.message);
  throw new Error(`It ended with ${code}.`);
}

describe.concurrent('a one-off request while an import runs', () => {
  test('a one-off request during an import is created at once, not after it', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 150 });
    desk.use(sandbox);
    const running = desk.start(bulkArgs(desk.write('leads.csv', leadsCsv(400)), '--concurrency', '4'));
    await createdAtLeast(sandbox, 5, running);
    const one = await desk.run('create', ...requestOfRow(1_000), '--json');
    expect([one.code, documentOf(one)['status']]).toEqual([0, 'created']);
    expect(running.process.exitCode).toBeNull();
    const { created } = await statsOf(sandbox);
    expect(created).toBeLessThan(400);
    running.process.kill('SIGTERM');
    expect((await running.ended).code).toBe(143);
    await expectNothingHidden(desk, sandbox);
  });

  test('a one-off request that is a row of the import is created once', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(40));
    // Four rows are taken and answered late: until then the import, four at once, gets no further.
    sandbox.setInstructions([6, 12, 13, 14].map((at) => faultOnRow(at, 'slow', 25_000)));
    const running = partner.start(bulkArgs(leads, '--concurrency', '4'));
    await createdAtLeast(sandbox, 15, running);
    // In flight there, and still to come there.
    const [inFlight, toCome] = await Promise.all(
      [6, 35].map((at) => partner.run('create', ...requestOfRow(at), '--no-validate', '--json')),
    );
    expect([inFlight?.code, toCome?.code]).toEqual([7, 0]);
    const document = accountedFor(await running.ended, 40);
    expect(document).toMatchObject({ created: 39, repeated: 1, unknown: 0 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 40, distinct: 40, doubled: 0 });
  });

  test('a one-off request of two processes is sent by one', async ({ desk, sandbox, onTestFinished }) => {
    const gate = await gateBefore(sandbox.baseUrl, '/oauth/token', onTestFinished);
    desk.use({ ...sandbox, baseUrl: gate.baseUrl });
    const args = ['create', ...requestOfRow(1), '--no-validate', '--json'];
    const runs = [desk.start(args), desk.start(args)];
    // Both have found the log empty, and wait for a token before they write their intent.
    await gate.holding(2);
    gate.open();
    const codes = (await Promise.all(runs.map(({ ended }) => ended))).map(({ code }) => code);
    expect(codes).toContain(0);
    expect(await statsOf(sandbox)).toMatchObject({ created: 1, doubled: 0 });
  });
});
