import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const bulk = (desk: Desk, ...args: string[]) => desk.call('bulk', '--rate', 'max', ...args);

/** The lines of a CSV text without quoted cells, as lists of cells. */
const linesOf = (text: string, delimiter = ',') =>
  text
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split(delimiter));

/** The identifiers of the sandbox by the text of the request. */
const idsOf = (sandbox: Sandbox) =>
  new Map(creates(sandbox).map(({ requestId, params }) => [params['request_text'], requestId]));

const HEADER = 'Nr;Name;Telefon;Stadt;Land;Anfrage;Betreuer intern;Bemerkung';
const lead = (nr: string, need: string, country = 'PT') =>
  `${nr};Ana Exemplo;+351912345678;Lisboa;${country};${need};=1+1;-x`;
/** Numbers with zeros in front, columns that nobody knows, content that repeats, a market that does not exist. */
const LEADS = [
  HEADER,
  lead('007', 'Pintar a sala'),
  lead('008', 'Pintar o quarto'),
  lead('009', 'Pintar a sala'),
  lead('010', 'Pintar tudo', 'FR'),
  '',
].join('\n');
const MAPPED = ['--map', 'Nr=ref'];

describe.concurrent('export', () => {
  test('of a results file has what was in force before it, and the outcome of now', async ({ partner, sandbox }) => {
    partner.write('leads.csv', LEADS);
    await bulk(partner, 'leads.csv', ...MAPPED);
    expect(partner.read('leads.results.csv')).toContain("'=1+1");
    const { code, stdout } = await partner.call('export', 'leads.results.csv', ...MAPPED);
    const [header, row] = linesOf(stdout, ';');
    const id = idsOf(sandbox).get('Pintar a sala');
    expect([code, header?.join(';')]).toEqual([0, `${HEADER};srq_status;srq_id;srq_at`]);
    expect(row?.slice(0, -1)).toEqual([...lead('007', 'Pintar a sala').split(';'), 'created', id]);
  });

  test('is written to a file that only its owner can read, and never over one that is no export', async ({
    partner,
  }) => {
    partner.write('leads.csv', LEADS);
    await bulk(partner, 'leads.csv', ...MAPPED);
    const ended = await partner.call('export', 'leads.csv', ...MAPPED, '-o', 'back.csv');
    expect(ended).toMatchObject({ code: 0, stdout: 'Written: back.csv (3 created, 1 invalid)\n', stderr: '' });
    expect(statSync(join(partner.work, 'back.csv')).mode & 0o777).toBe(0o600);
    const printed = await partner.call('export', 'leads.csv', ...MAPPED);
    expect(partner.read('back.csv')).toBe(printed.stdout);

    const asJson = await partner.call('export', 'leads.csv', ...MAPPED, '-o', 'back.json', '--json');
    expect(documentOf(asJson)).toMatchObject({ export: 'back.json', format: 'json', rows: 4, created: 3 });
    expect(JSON.parse(partner.read('back.json'))).toHaveLength(4);
    // An earlier export is replaced, in whatever form it was.
    for (const own of ['back.csv', 'back.csv', 'back.json'])
      expect([own, (await partner.call('export', 'leads.csv', ...MAPPED, '-o', own)).code]).toEqual([own, 0]);
    const before = partner.read('leads.csv');
    const refused = await partner.call('export', 'leads.csv', '-o', 'leads.csv');
    expect([refused.code, partner.read('leads.csv')]).toEqual([2, before]);
    expect(await partner.call('export', 'back.csv', '-o', './back.csv')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('would replace the input'),
    });
    expect(partner.files().filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('keeps every row below its columns, whatever it is missing or has too much of', async ({ partner }) => {
    const [header = '', row = ''] = leadsCsv(1).split('\n');
    partner.write('leads.csv', `${header},"a, b",Tag,Tag\n${row},"x\ny",1,2\nL-1,PT\n${row},x,1,2,3,4\n`);
    const without = ['--map', 'Tag=-'];
    await bulk(partner, 'leads.csv', ...without);
    const { stdout, stderr } = await partner.call('export', 'leads.csv', ...without);
    expect(stdout).toContain('\r\nL-1,PT,,,,,,,,,invalid,,\r\n');
    expect(stdout).toMatch(/,x,1,2,invalid,,\r\n$/);
    expect(stderr).toContain('1 row has more cells than the file has columns');
    const [document] = documentsOf(await partner.call('export', 'leads.csv', ...without, '--json'));
    expect(document).toMatchObject({ 'a, b': 'x\ny', Tag: '1', 'Tag (2)': '2', srq_status: 'created' });
  });

  test('interrupted, leaves nothing half-written', async ({ partner, expect }) => {
    partner.write('leads.csv', leadsCsv(20_000));
    // The log has the first row alone, which is enough for an export.
    await bulk(partner, 'leads.csv', '--limit', '1', '--no-validate');
    const before = readdirSync(partner.work);
    const exporting = partner.start(['export', 'leads.csv', '-o', 'back.csv']);
    const parts = () => readdirSync(partner.work).filter((name) => name.endsWith('.part'));
    const written = () =>
      parts().map((name) => statSync(join(partner.work, name), { throwIfNoEntry: false })?.size ?? 0);
    await expect.poll(written, { timeout: 60_000, interval: 5 }).toEqual([expect.toSatisfy((size) => size > 0)]);
    exporting.process.kill('SIGINT');
    const { code, stderr } = await exporting.ended;
    const left = readdirSync(partner.work);
    expect([code, stderr, left]).toEqual([130, expect.stringContaining('was not written'), before]);
  });
});

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;

describe.skipIf(postgresIsMissing !== null)(`export from a store in PostgreSQL${why}`, { timeout: 180_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  test('has the outcomes that the store knows', async ({ partner }) => {
    partner.write('leads.csv', LEADS);
    const store = { SRQ_STORE: await server.database(), PGPASSWORD: STORE_PASSWORD };
    Object.assign(partner.env, store);
    await bulk(partner, 'leads.csv', ...MAPPED);
    const documents = documentsOf(await partner.call('export', 'leads.csv', ...MAPPED, '--json'));
    expect(documents.map(({ srq_status }) => srq_status)).toEqual(['created', 'created', 'created', 'invalid']);
    expect(documents[0]).toMatchObject({ srq_id: expect.stringMatching(/^\d{20}$/) });
  });
});
