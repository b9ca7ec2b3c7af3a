import { describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { bulkArgs, leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { createdAtLeast, setLatency, statsOf } from '../helpers/sandbox-view.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';

const ROWS = 8;
const TAKEN = 'Pintar a sala 5';
const NOT_TAKEN = 'Pintar a sala 6';

/** Imports leads of which one was taken and one was not, both in doubt. A service that is no sandbox does that by itself. */
async function fallIntoDoubt(
  desk: Desk,
  sandbox: Sandbox | null,
  ...more: string[]
): Promise<{ file: string; keys: string[] }> {
  sandbox?.setInstructions([
    { on: 'create', fault: 'reset-after', match: { request_text: TAKEN } },
    { on: 'create', fault: 'reset-before', match: { request_text: NOT_TAKEN } },
  ]);
  const file = desk.write('leads.csv', leadsCsv(ROWS));
  const ended = await desk.call(...bulkArgs(file, '--json', '--concurrency', '1', ...more));
  expect([ended.code, documentOf(ended)]).toEqual([7, expect.objectContaining({ created: ROWS - 2, unknown: 2 })]);
  return { file, keys: (await doubts(desk)).map(({ key }) => String(key)) };
}

async function doubts(desk: Desk): Promise<Record<string, unknown>[]> {
  const listed = await desk.call('resolve', '--json');
  expect(listed.code).toBe(0);
  return documentOf(listed)['unknown'] as Record<string, unknown>[];
}

const importAgain = async (desk: Desk, file: string) => documentOf(await desk.call(...bulkArgs(file, '--json')));

describe.concurrent('srq resolve', () => {
  test('lists what is in doubt by key, row and reference, and says what to do', async ({ partner, sandbox }) => {
    const { keys } = await fallIntoDoubt(partner, sandbox);
    expect(await doubts(partner)).toMatchObject([
      { row: 6, ref: 'L-5' },
      { row: 7, ref: 'L-6' },
    ]);
    const { stdout, stderr, code } = await partner.call('resolve');
    expect(code).toBe(0);
    for (const key of keys) expect(stdout).toContain(key.slice(0, 12));
    expect(stderr).toMatch(/srq resolve KEY --created \[ID\][\s\S]*srq resolve KEY --not-created/);
  });

  test('has nothing to list where nothing is in doubt', async ({ partner }) => {
    expect(await partner.call('resolve')).toMatchObject({ code: 0, stdout: 'No request has an unknown outcome.\n' });
    expect(await partner.call('resolve', '--all', '--created')).toMatchObject({ code: 2 });
  });

  test('takes neither an empty text nor the key of another request for an identifier', async ({ partner, sandbox }) => {
    const { keys } = await fallIntoDoubt(partner, sandbox);
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
    expect(await doubts(partner)).toEqual([]);
  });

  test('keeps the identifier that a person found, by the beginning of the key', async ({ partner, sandbox }) => {
    const { file, keys } = await fallIntoDoubt(partner, sandbox);
    const [taken = ''] = keys;
    const id = '12345678901234567890';
    const ended = await partner.call('resolve', taken.slice(0, 12), '--created', id, '--json');
    expect([ended.code, documentOf(ended)]).toEqual([
      0,
      { run: expect.any(String), resolved: [expect.objectContaining({ key: taken, status: 'created' })] },
    ]);
    expect(partner.records().at(-1)).toMatchObject({ key: taken, event: 'created', by: 'person', ids: { id } });
    expect(await importAgain(partner, file)).toMatchObject({ repeated: ROWS - 1, unknown: 1, created: 0 });
    expect(partner.read('leads.results.csv')).toContain(id);
    expect(await statsOf(sandbox)).toMatchObject({ doubled: 0 });
  });

  test('lets the next import send what a person did not find, and that once', async ({ partner, sandbox }) => {
    const { file, keys } = await fallIntoDoubt(partner, sandbox);
    const [, notTaken = ''] = keys;
    expect(await partner.call('resolve', notTaken, '--not-created')).toMatchObject({ code: 0 });
    expect(await importAgain(partner, file)).toMatchObject({ created: 1, unknown: 1, repeated: ROWS - 2 });
    expect(await importAgain(partner, file)).toMatchObject({ created: 0, unknown: 1, repeated: ROWS - 1 });
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
  });

  test('settles several at once: by their keys, by a reference, or all', async ({ partner, sandbox }) => {
    const { keys } = await fallIntoDoubt(partner, sandbox);
    const refused = await partner.call('resolve', ...keys, '--created', 'R-1');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('they cannot share one identifier')]);
    expect(await partner.call('resolve', '--not-created')).toMatchObject({ code: 2 });
    expect(await doubts(partner)).toHaveLength(2);
    expect(await partner.call('resolve', '--ref', 'L-5', '--created')).toMatchObject({ code: 0 });
    expect(await doubts(partner)).toMatchObject([{ ref: 'L-6' }]);
    expect(await partner.call('resolve', '--all', '--created')).toMatchObject({ code: 0 });
    expect(await doubts(partner)).toEqual([]);
  });

  test('settles nothing by a key that means nothing, or too little', async ({ partner, sandbox }) => {
    const { keys } = await fallIntoDoubt(partner, sandbox);
    const before = partner.records();
    const settled = before.find(({ event }) => event === 'created')?.['key'];
    for (const key of ['0123456789ab', keys[0]?.slice(0, 5) ?? '', String(settled)]) {
      const ended = await partner.call('resolve', key, '--created', '--json');
      expect([key, ended.code, documentOf(ended)]).toEqual([
        key,
        2,
        { error: expect.objectContaining({ code: 'usage', hint: expect.stringContaining('srq resolve') }) },
      ]);
    }
    expect(await partner.call('resolve', keys[0] ?? '', '--created', '--not-created')).toMatchObject({ code: 2 });
    const oneWrong = await partner.call('resolve', keys[0] ?? '', '0123456789ab', '--created');
    expect([oneWrong.code, oneWrong.stderr]).toEqual([2, expect.stringContaining('0123456789ab')]);
    expect(partner.records()).toEqual(before);
  });

  test('is refused while an import is running: what that has in flight is not in doubt', async ({
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

describe.concurrent('srq resolve --validate', () => {
  const ask = (desk: Desk, file: string) =>
    desk.call('resolve', '--validate', '--file', file, '--settle', '0.2', '--json');

  test('decides where validate has proven itself; the next import sends what was not taken', async ({
    partner,
    sandbox,
  }) => {
    const { file } = await fallIntoDoubt(partner, sandbox);
    const ended = await ask(partner, file);
    expect([ended.code, documentOf(ended)]).toEqual([
      0,
      { run: expect.any(String), asked: 2, created: 1, notCreated: 1, unknown: 0, stopped: null },
    ]);
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS - 1 });
    expect(await doubts(partner)).toEqual([]);
    expect(await importAgain(partner, file)).toMatchObject({ created: 1, repeated: ROWS - 1, unknown: 0 });
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
  });

  test('that cannot go on tells what it has settled, what is still unknown, and why it ended', async ({
    desk,
    expect,
    onTestFinished,
  }) => {
    const taken = new Set<string>();
    const needOf = (body: string) => new URLSearchParams(body).get('request_text') ?? '';
    let questions = Number.NEGATIVE_INFINITY;
    let questionsAboutTaken = Number.NEGATIVE_INFINITY;
    const service = await startScriptedService(
      {
        create: ({ body, number }) => {
          if (needOf(body) !== NOT_TAKEN) taken.add(needOf(body));
          return [TAKEN, NOT_TAKEN].includes(needOf(body))
            ? null
            : { status: 201, body: { id: String(4710 + number) } };
        },
        // The service moves by the last question about the one. The other is settled by then: its second one came before.
        validate: async ({ body }) => {
          if (needOf(body) === TAKEN) questionsAboutTaken += 1;
          if (needOf(body) === NOT_TAKEN) questions += 1;
          if (questions === 2)
            await expect.poll(() => questionsAboutTaken, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
          if (questions === 3) return { status: 301 };
          return { status: 200, body: { duplicate: taken.has(needOf(body)) } };
        },
      },
      onTestFinished,
    );
    desk.use({ baseUrl: service.baseUrl, clientId: '4711' });
    const { file } = await fallIntoDoubt(desk, null);
    questions = 0;
    questionsAboutTaken = 0;
    const ended = await ask(desk, file);
    const stopped = expect.objectContaining({ code: 'service', message: expect.stringContaining('301') });
    expect([ended.code, documentOf(ended)]).toEqual([
      7,
      { run: expect.any(String), asked: 2, created: 1, notCreated: 0, unknown: 1, stopped, error: stopped },
    ]);
    expect(ended.stderr).toContain('301');
    expect(await doubts(desk)).toMatchObject([{ ref: 'L-6' }]);
  });

  test('is left to the next time by Ctrl-C, with the literal command', async ({ partner, sandbox }) => {
    const { file } = await fallIntoDoubt(partner, sandbox);
    const args = ['resolve', '--validate', '--file', file, '--json'];
    const running = partner.start(args);
    await running.until(/2 rows with an unknown outcome: waiting until/);
    running.process.kill('SIGINT');
    const ended = await running.ended;
    const again = `srq ${args.join(' ')}`;
    const stopped = {
      code: 'interrupted',
      reason: 'interrupted.signal',
      message: 'Interrupted.',
      hint: `To go on: ${again}`,
    };
    expect([ended.code, documentOf(ended)]).toEqual([
      130,
      { run: expect.any(String), asked: 2, created: 0, notCreated: 0, unknown: 2, stopped, error: stopped },
    ]);
    expect(ended.stderr).toContain(again);
    expect(await doubts(partner)).toHaveLength(2);
  });

  test('is refused where validate has proven nothing, with exit code 7 and the reason', async ({
    partner,
    sandbox,
  }) => {
    const { file } = await fallIntoDoubt(partner, sandbox, '--no-validate');
    const before = partner.records();
    const ended = await ask(partner, file);
    expect([ended.code, documentOf(ended)]).toEqual([
      7,
      {
        error: {
          code: 'unknown',
          reason: 'validate.unproven',
          message: expect.stringContaining('not yet proven'),
          hint: expect.stringContaining('srq resolve KEY'),
        },
      },
    ]);
    expect(partner.records()).toEqual(before);
  });

  test('needs the file, for the log holds no requests', async ({ partner, sandbox }) => {
    await fallIntoDoubt(partner, sandbox);
    const ended = await partner.call('resolve', '--validate');
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('--file leads.csv')]);
  });

  test('leaves alone what is not in the file', async ({ partner, sandbox }) => {
    await fallIntoDoubt(partner, sandbox);
    const ended = await ask(partner, partner.write('other.csv', leadsCsv(3)));
    expect([ended.code, documentOf(ended)]).toEqual([0, expect.objectContaining({ asked: 0, unknown: 0 })]);
    expect(await doubts(partner)).toHaveLength(2);
  });
});
