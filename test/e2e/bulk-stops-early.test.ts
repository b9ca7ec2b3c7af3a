import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { createdAtLeast, setLatency } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const bulk = (desk: Desk, ...args: string[]) => desk.call('bulk', '--rate', 'max', ...args);
/** The leads with a language each; the sandbox refuses `no idea`. */
const withLanguages = (leads: string, languageOf: (at: number) => string) =>
  leads.replace('ref,', 'lang,').replaceAll(/^L-(\d+)/gm, (_, at) => languageOf(Number(at)));

describe.concurrent('bulk stops early', () => {
  test('when the error budget is spent: exit code 6, the rest is for the next run', async ({ partner }) => {
    const leads = partner.write(
      'leads.csv',
      withLanguages(leadsCsv(40), (at) => (at % 2 === 0 ? 'pt' : 'no idea')),
    );
    const ended = await bulk(partner, leads, '--max-errors', '3', '--concurrency', '1', '--json');
    expect(ended.code).toBe(6);
    const document = documentOf(ended);
    expect(document).toMatchObject({ rows: 40, stopped: { message: expect.stringContaining('--max-errors') } });
    expect([3, 4]).toContain(document['rejected']);
    const { created, rejected, failed } = document;
    expect(Number(created) + Number(rejected) + Number(failed)).toBe(40);
  });

  test('before the first row where the invalid ones alone spend the budget', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(10).replaceAll(/^(L-[0-4]),PT/gm, '$1,FR'));
    const ended = await bulk(partner, leads, '--max-errors', '20%', '--json');
    expect(ended.code).toBe(6);
    expect(documentOf(ended)).toMatchObject({ invalid: 5, failed: 5, created: 0 });
    expect(sandbox.requests().filter(({ operation }) => operation !== 'token')).toEqual([]);
  });

  test('when the first rows are all refused alike: the mapping is wrong', async ({ partner, sandbox }) => {
    const leads = partner.write(
      'leads.csv',
      withLanguages(leadsCsv(60), () => 'no idea'),
    );
    const ended = await bulk(partner, leads, '--concurrency', '1', '--json');
    expect(ended.code).toBe(6);
    const document = documentOf(ended);
    expect(document).toMatchObject({ rows: 60, created: 0 });
    // One more may have been under way when the twentieth answer came.
    expect([20, 21]).toContain(document['rejected']);
    expect(document['failed']).toBe(60 - Number(document['rejected']));
    expect(ended.stdout + ended.stderr).toContain('--map');
    expect(creates(sandbox)).toEqual([]);
  });

  test('when the credentials are refused: exit code 4', async ({ partner }) => {
    const leads = partner.write('leads.csv', leadsCsv(3));
    const run = partner.start(['bulk', leads, '--json'], { env: { SRQ_CLIENT_SECRET: 'not the secret' } });
    const ended = await run.ended;
    expect(ended.code).toBe(4);
    expect(documentOf(ended)).toMatchObject({
      rows: 3,
      failed: 3,
      stopped: { message: expect.stringContaining('credentials') },
    });
  });

  test('when the service cannot be reached: exit code 5, without trying for long', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(20));
    await sandbox.close();
    const startedMs = performance.now();
    const ended = await bulk(partner, leads, '--json');
    expect(ended.code).toBe(5);
    expect(documentOf(ended)).toMatchObject({ failed: 20, unknown: 0 });
    expect(ended.stdout).toContain('ECONNREFUSED');
    // A second or two on an idle machine; to try it with each row would take minutes.
    expect(performance.now() - startedMs).toBeLessThan(60_000);
  });

  test('when the file changes after the first request: not with exit code 2, which says that nothing was sent', async ({
    partner,
    sandbox,
  }) => {
    await setLatency(sandbox, 300);
    const running = partner.start(['bulk', partner.write('leads.csv', leadsCsv(8)), '--concurrency', '1', '--json']);
    await createdAtLeast(sandbox, 1, running);
    partner.write('leads.csv', leadsCsv(9));
    const ended = await running.ended;
    expect(ended.code).toBe(6);
    const document = documentOf(ended);
    expect(document).toMatchObject({
      rows: 8,
      stopped: { message: expect.stringContaining('changed while it was read') },
    });
    expect([document['created'], document['results']]).toEqual([creates(sandbox).length, null]);
  });
});
