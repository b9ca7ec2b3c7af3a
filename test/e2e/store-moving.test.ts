import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { nextState } from '../doors/log.ts';
import { bulkArgs, requestOfRow } from '../helpers/delivery.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const AT = '2026-11-20T10:00:00.000Z';
const keyOf = (digit: string) => digit.repeat(32);

interface Line {
  readonly event: 'sending' | 'licence' | 'created' | 'duplicate' | 'failed' | 'unknown';
  readonly by?: 'validate' | 'person' | 'idempotency';
  readonly ids?: Readonly<Record<string, string>>;
}

/** The records of a request in each of the states, by a digit of its key. */
const HISTORIES: Readonly<Record<string, readonly Line[]>> = {
  a: [{ event: 'sending' }, { event: 'created', ids: { request_id: '12345678901234567890' } }],
  b: [{ event: 'duplicate' }],
  c: [{ event: 'sending' }],
  d: [{ event: 'sending' }, { event: 'unknown' }],
  e: [{ event: 'sending' }, { event: 'licence', by: 'validate' }, { event: 'sending' }],
  f: [{ event: 'sending' }, { event: 'unknown' }, { event: 'licence', by: 'person' }],
  '1': [{ event: 'sending' }, { event: 'licence', by: 'person' }, { event: 'sending' }, { event: 'failed' }],
  '2': [{ event: 'sending' }, { event: 'failed' }],
  '3': [{ event: 'unknown', by: 'validate' }],
  '4': [{ event: 'sending' }, { event: 'sending', by: 'idempotency' }, { event: 'unknown' }],
};

const linesOf = (histories: typeof HISTORIES, run = 'an-earlier-run') =>
  Object.entries(histories)
    .flatMap(([digit, lines]) =>
      lines.map(({ event, ...rest }) =>
        JSON.stringify({ key: keyOf(digit), event, at: AT, run, row: 7, ref: `R-${digit}`, market: 'PT', ...rest }),
      ),
    )
    .map((line) => `${line}\n`)
    .join('');

/** A log of so many created requests, with keys as they are made. */
const createdOnes = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const key = createHash('md5').update(String(at)).digest('hex');
    return `${JSON.stringify({ key, event: 'created', at: AT, run: 'r', row: at + 1, ids: { request_id: String(at) } })}\n`;
  }).join('');

/** What FORMAT.md says of the same records. */
const statesOf = (histories: typeof HISTORIES) =>
  Object.fromEntries(
    Object.entries(histories).map(([digit, lines]) => [
      keyOf(digit),
      lines.reduce(
        (state, { event, by }) => nextState(state, event, by ?? null),
        'none' as ReturnType<typeof nextState> | 'none',
      ),
    ]),
  );

describe.skipIf(postgresIsMissing !== null)(`Moving into a store and out of it${why}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  const use = async (desk: Desk): Promise<string> => {
    const url = await server.database();
    Object.assign(desk.env, { SRQ_STORE: url, PGPASSWORD: STORE_PASSWORD });
    return url;
  };
  const statesIn = async (url: string) => {
    const text = "select replace(key::text, '-', '') as key, state::text from srq.request";
    const rows = await server.query<{ key: string; state: string }>(url, text);
    return Object.fromEntries(rows.map(({ key, state }) => [key, state]));
  };
  const imported = async (desk: Desk, name: string, text: string) =>
    documentOf(await desk.call('store', 'import', desk.write(name, text), '--json'));

  test('a log in a file that grew while it was imported is not known', async ({ desk, sandbox }) => {
    desk.use(sandbox);
    const url = await use(desk);
    const log = join(desk.state, 'default.ndjson');
    mkdirSync(desk.state, { mode: 0o700 });
    writeFileSync(log, createdOnes(30_000), { mode: 0o600 });
    const running = desk.start(['store', 'import', log, '--json']);
    const begun = () => server.query(url, 'select 1 from srq.request limit 1').catch(() => []);
    await expect.poll(begun, { timeout: 60_000, interval: 20 }).toHaveLength(1);
    // As srq create does, which does not wait for the end of the import.
    appendFileSync(log, linesOf({ c: HISTORIES['c'] ?? [] }));
    expect(documentOf(await running.ended)).toMatchObject({ imported: 30_000 });
    const refused = await desk.call('create', ...requestOfRow(1), '--json');
    expect([refused.code, refused.stdout]).toEqual([9, expect.stringContaining('store.log-unknown')]);
    expect(documentOf(await desk.call('store', 'import', log, '--json'))).toMatchObject({ imported: 1 });
    expect(documentOf(await desk.call('create', ...requestOfRow(1), '--json'))).toMatchObject({ status: 'created' });
  });

  test('A profile with a store sends by no file after an import through it was killed', async ({
    desk,
    openSandbox,
  }) => {
    const sandbox = await openSandbox({ latencyMs: 50 });
    desk.use(sandbox);
    await use(desk);
    const leads = desk.write('leads.csv', leadsCsv(60));
    const run = desk.start(bulkArgs(leads, '--concurrency', '2'));
    await createdAtLeast(sandbox, 5, run);
    run.process.kill('SIGKILL');
    await run.ended;
    desk.env['SRQ_STORE'] = '';
    const refused = await desk.call(...bulkArgs(leads));
    expect([refused.code, refused.stdout]).toEqual([9, expect.stringContaining('store.other')]);
  });

  const FORM = '"by":"clear form 0123456789abcdef"';

  test('each state is the same after a move from a store to a file and back', async ({ desk }) => {
    const url = await use(desk);
    expect(await imported(desk, 'one.ndjson', linesOf(HISTORIES))).toMatchObject({ imported: 10 });
    expect(await statesIn(url)).toEqual(statesOf(HISTORIES));
    const written = documentOf(await desk.call('store', 'export', '-o', 'out.ndjson', '--json'));
    expect(written).toEqual({ store: url, output: 'out.ndjson', requests: 10 });
    expect(desk.read('out.ndjson')).not.toContain(FORM);

    // How a try was sent decides whether its outcome may be settled.
    const keyed = linesOf({ 5: [{ event: 'sending' }, { event: 'unknown' }] }).replaceAll('"row"', `${FORM},"row"`);
    expect(await imported(desk, 'keyed.ndjson', keyed)).toMatchObject({ imported: 1 });
    await desk.call('store', 'export', '-o', 'keyed-out.ndjson');
    expect(desk.read('keyed-out.ndjson')).toContain(FORM);

    // A file log made of it knows the same, and so does another store.
    const shown = (...more: string[]) => desk.call('log', '--json', ...more).then(documentsOf);
    expect(await shown('--log', 'out.ndjson')).toEqual((await shown()).filter(({ key }) => key !== keyOf('5')));
    const other = await use(desk);
    expect(await imported(desk, 'again.ndjson', desk.read('out.ndjson'))).toMatchObject({ imported: 10 });
    expect(await statesIn(other)).toEqual(statesOf(HISTORIES));
  });

  test('the export of a store has what was taken, also where its record is gone', async ({ desk }) => {
    const url = await use(desk);
    await imported(desk, 'one.ndjson', linesOf(HISTORIES));
    await server.query(url, 'delete from srq.record');
    await desk.call('store', 'export', '-o', 'out.ndjson');
    const other = await use(desk);
    await imported(desk, 'again.ndjson', desk.read('out.ndjson'));
    expect(await statesIn(other)).toEqual(statesOf(HISTORIES));
  });

  test('of two logs, a store believes the one that keeps a lead from being sent twice', async ({ desk }) => {
    const states = Object.keys(HISTORIES);
    const rank = (state = '') =>
      ['none', 'failed', 'licensed', 'sending', 'unknown', 'parked', 'duplicate', 'created'].indexOf(state);
    const told = statesOf(HISTORIES);
    for (const shift of [1, 3, 5]) {
      const url = await use(desk);
      await imported(desk, 'one.ndjson', linesOf(HISTORIES));
      const other = Object.fromEntries(
        states.map((digit, at) => [digit, HISTORIES[states[(at + shift) % states.length] ?? ''] ?? []]),
      );
      const otherwise = statesOf(other);
      await imported(desk, 'other.ndjson', linesOf(other, 'another-run'));
      for (const [key, state] of Object.entries(await statesIn(url))) {
        const [one, two] = [told[key], otherwise[key]];
        const isTold = [one, two].includes(state as never) || state === 'parked';
        expect({ one, two, state, isTold }).toMatchObject({ isTold: true });
        // What is unknown in either is at least unknown, and what was taken in either was taken.
        const least = Math.max(rank(one), rank(two));
        const isDoubt = (name?: string) => ['sending', 'unknown', 'parked'].includes(name ?? '');
        const isSafe =
          rank(state) >= least || (isDoubt(state) && (isDoubt(one) || isDoubt(two)) && least < rank('duplicate'));
        const isFree = least <= rank('licensed') && rank(state) <= rank('licensed');
        expect({ one, two, state, isSafe: isSafe || isFree }).toMatchObject({ isSafe: true });
      }
    }
  });

  test('a move into a store goes on after Ctrl-C, and refuses a log that is held', async ({ desk, openSandbox }) => {
    const url = await use(desk);
    const log = desk.write('long.ndjson', createdOnes(30_000));
    const running = desk.start(['store', 'import', log, '--json']);
    const count = async () => {
      const rows = await server
        .query<{ count: number }>(url, 'select count(*)::integer from srq.request')
        .catch(() => []);
      return rows[0]?.count ?? 0;
    };
    await expect.poll(count, { timeout: 60_000, interval: 20 }).toBeGreaterThan(0);
    running.process.kill('SIGINT');
    await running.ended;
    const rest = documentOf(await desk.call('store', 'import', log, '--json'));
    expect(rest).toMatchObject({ requests: 30_000 });
    expect(rest['imported']).toBeLessThan(30_000);
    expect(await count()).toBe(30_000);

    const sandbox = await openSandbox({ latencyMs: 2_000 });
    desk.use(sandbox);
    const held = join(desk.state, 'held.ndjson');
    const bulk = desk.start([...bulkArgs(desk.write('leads.csv', leadsCsv(40))), '--log', held, '--concurrency', '1']);
    await expect.poll(async () => (await statsOf(sandbox)).created, { timeout: 60_000 }).toBeGreaterThan(0);
    const refused = await desk.call('store', 'import', held, '--json');
    bulk.process.kill('SIGKILL');
    expect([refused.code, documentOf(refused)]).toEqual([9, { error: expect.objectContaining({ code: 'log' }) }]);
  });
});
