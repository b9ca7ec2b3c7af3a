import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSheet } from 'read-excel-file/node';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { workbook } from '../../scripts/workbook.mjs';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { longLog } from '../helpers/long-log.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const bulk = (desk: Desk, ...args: string[]) => desk.call('bulk', '--rate', 'max', ...args);
const logOf = (desk: Desk) => join(desk.state, 'default.ndjson');

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
  test('of a file adds status, identifier and time to its columns, all texts exactly, and sends nothing', async ({
    partner,
    sandbox,
  }) => {
    sandbox.setInstructions([{ on: 'create', fault: 'reset-after', match: { request_text: 'Pintar o quarto' } }]);
    const leads = partner.write('leads.csv', LEADS);
    expect(documentOf(await bulk(partner, leads, ...MAPPED, '--in-doubt', 'park', '--json'))).toMatchObject({
      created: 1,
      unknown: 1,
      repeated: 1,
      invalid: 1,
    });
    const before = sandbox.requests().length;
    const id = idsOf(sandbox).get('Pintar a sala') ?? '';
    expect(id).toMatch(/^\d{20}$/);
    const { code, stdout, stderr } = await partner.call('export', 'leads.csv', ...MAPPED);
    expect([code, stderr]).toEqual([0, '']);
    const [header, ...rows] = linesOf(stdout, ';');
    expect(header?.join(';')).toBe(`${HEADER};srq_status;srq_id;srq_at`);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const cells = (nr: string, need: string, country = 'PT') => lead(nr, need, country).split(';');
    expect(rows).toEqual([
      [...cells('007', 'Pintar a sala'), 'created', id, time],
      [...cells('008', 'Pintar o quarto'), 'unknown', '', time],
      [...cells('009', 'Pintar a sala'), 'created', id, time],
      [...cells('010', 'Pintar tudo', 'FR'), 'invalid', '', ''],
    ]);
    expect(sandbox.requests()).toHaveLength(before);
  });

  test('of a file tells what the service refused and what it knew already', async ({ partner }) => {
    const known = partner.write('known.csv', leadsCsv(1));
    expect(documentOf(await bulk(partner, known, '--json', '--log', 'another.ndjson'))).toMatchObject({ created: 1 });
    const [header = '', first, second] = leadsCsv(2).split('\n');
    partner.write('leads.csv', `${header},lang\n${first},pt\n${second},no idea\n`);
    const ended = documentOf(await bulk(partner, 'leads.csv', '--json'));
    expect(ended).toMatchObject({ duplicate: 1, rejected: 1 });
    const exported = documentsOf(await partner.call('export', 'leads.csv', '--json'));
    expect(exported.map(({ ref, lang, srq_status }) => [ref, lang, srq_status])).toEqual([
      ['L-0', 'pt', 'duplicate'],
      ['L-1', 'no idea', 'rejected'],
    ]);
    expect(exported[1]).toMatchObject({ srq_id: null, srq_at: expect.stringMatching(/^\d{4}-/) });
    const refused = documentsOf(await partner.call('export', 'leads.csv', '--status', 'rejected', '--json'));
    expect(refused.map(({ ref }) => ref)).toEqual(['L-1']);
  });

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

    const asJson = await partner.call('export', '-o', 'back.json', '--json');
    expect(documentOf(asJson)).toMatchObject({ export: 'back.json', format: 'json', rows: 2, created: 2 });
    expect(JSON.parse(partner.read('back.json'))).toHaveLength(2);
    // An earlier export is replaced, in whatever form it was.
    for (const [own, ...file] of [['back.csv'], ['back.csv'], ['back.json', 'leads.csv', ...MAPPED], ['back.json']])
      expect([own, (await partner.call('export', ...file, '-o', own ?? '')).code]).toEqual([own, 0]);
    for (const [foreign = '', ...file] of [['leads.csv'], ['leads.csv', 'leads.csv'], ['leads.results.csv']]) {
      const before = partner.read(foreign);
      const refused = await partner.call('export', ...file, '-o', foreign);
      expect([refused.code, partner.read(foreign)]).toEqual([2, before]);
    }
    expect(await partner.call('export', 'back.csv', '-o', './back.csv')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('would replace the input'),
    });
    expect(partner.files().filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('is a workbook of exact texts where its name says so, and replaces no other workbook', async ({ partner }) => {
    const path = (name: string) => join(partner.work, name);
    partner.write('leads.csv', LEADS.replace('007', '_x0041_7').replace('008', '4915123456789012345678'));
    await bulk(partner, 'leads.csv', ...MAPPED);
    const printed = linesOf((await partner.run('export', 'leads.csv', ...MAPPED)).stdout, ';');
    const asWorkbook = ['export', 'leads.csv', ...MAPPED, '-o', 'back.xlsx'];
    const ended = await partner.run(...asWorkbook, '--json');
    expect(documentOf(ended)).toMatchObject({ export: 'back.xlsx', format: 'xlsx', rows: 4, created: 3, invalid: 1 });
    const sheet = async () =>
      (await readSheet(path('back.xlsx'))).map((cells) => cells.map((cell) => (cell === null ? '' : cell)));
    expect(await sheet()).toEqual(printed);
    expect(statSync(path('back.xlsx')).mode & 0o777).toBe(0o600);
    // An earlier export is replaced, a workbook of anybody else is not.
    expect(await partner.run('export', '-o', 'back.xlsx')).toMatchObject({ code: 0 });
    expect((await sheet())[0]).toEqual(['ref', 'id', 'ids', 'status', 'at', 'row', 'file', 'run', 'key']);
    const theirs = Buffer.from(workbook([{ name: 'Leads', rows: [['ref'], ['L-1']] }]));
    partner.write('back.xlsx', theirs);
    expect(await partner.run(...asWorkbook)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('srq wrote (export)'),
    });
    expect(readFileSync(path('back.xlsx'))).toEqual(theirs);
  });

  test('of a file that is not in the log says so, with what may be missing', async ({ partner }) => {
    partner.write('leads.csv', LEADS);
    await bulk(partner, 'leads.csv', ...MAPPED, '--set', 'category=Pintura');
    const { code, stdout, stderr } = await partner.call('export', 'leads.csv', ...MAPPED);
    expect(linesOf(stdout, ';').map((cells) => cells.slice(-3))).toEqual([
      ['srq_status', 'srq_id', 'srq_at'],
      ...Array(3).fill(['ready', '', '']),
      ['invalid', '', ''],
    ]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/No row of leads\.csv is in the log.*--set/)]);
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

  test('selects as the log does', async ({ desk }) => {
    mkdirSync(desk.state);
    writeFileSync(logOf(desk), longLog(30));
    const count = async (...filter: string[]) => documentsOf(await desk.call('export', '--json', ...filter)).length;
    expect(await count('--since', '2026-11-20', '--until', '2026-11-20', '--run', 'r', '--status', 'created')).toBe(30);
    for (const [flag = '', value = ''] of [
      ['--since', '2200-01-01'],
      ['--until', '2026-11-19'],
      ['--status', 'failed'],
    ])
      expect([flag, await count(flag, value)]).toEqual([flag, 0]);
    expect(await desk.call('export', '--since', 'yesterday')).toMatchObject({ code: 2, stdout: '' });
  });

  test('of a run that is not known is an error, and names the last ones', async ({ partner }) => {
    partner.write('leads.csv', LEADS);
    await bulk(partner, 'leads.csv', ...MAPPED);
    const id = String(partner.records()[0]?.['run']);
    for (const file of [[], ['leads.csv', ...MAPPED]]) {
      const { code, stdout, stderr } = await partner.run('export', ...file, '--run', 'zzz');
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('has an id that begins with "zzz"')]);
      expect(stderr).toContain(`The last ones: ${id.slice(0, 8)} (`);
      const known = await partner.run('export', ...file, '--run', id.slice(0, 8));
      expect([known.code, linesOf(known.stdout).length]).toEqual([0, file.length > 0 ? 4 : 3]);
    }
  });

  test('of an empty log is a header, or an empty list', async ({ desk }) => {
    expect(await desk.call('export')).toMatchObject({ code: 0, stdout: 'ref,id,ids,status,at,row,file,run,key\r\n' });
    expect(await desk.call('export', '--json')).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  test.for([
    [['--csv', '--json'], 'Choose either'],
    [['-o', 'back.xlsx', '--csv'], 'contradict each other'],
    [['missing.csv'], 'missing.csv'],
    [['-o', 'nowhere/back.csv'], 'nowhere/back.csv'],
  ] as const)('cannot be had so: %j', async ([args, told], { desk }) => {
    const { code, stdout, stderr } = await desk.call('export', ...args);
    expect([code, stdout + stderr]).toEqual([2, expect.stringContaining(told)]);
    expect(existsSync(desk.state)).toBe(false);
  });

  test('ends quietly when its reader goes away', async ({ desk }) => {
    mkdirSync(desk.state);
    writeFileSync(logOf(desk), longLog(5_000));
    desk.write('leads.csv', leadsCsv(5_000));
    const under = ['sh', '-c', '("$@"; echo "code $?" >&2) | head -n 1', 'sh'];
    for (const more of [[], ['--json'], ['leads.csv', '--quiet'], ['leads.csv', '--json']]) {
      const { stdout, stderr } = await desk.start(['export', ...more], { under }).ended;
      expect(stdout.split('\n')).toHaveLength(2);
      expect([more, stderr]).toEqual([more, expect.stringMatching(/^(?:! No row of .*\n)?code 0\n$/)]);
    }
  });

  test('interrupted, leaves nothing half-written', async ({ desk, expect }) => {
    mkdirSync(desk.state);
    // Keys are spread as digests are, else finding 50,000 of them takes long.
    const spread = (_: string, key: string) => `"key":"${[...key].reverse().join('')}"`;
    writeFileSync(logOf(desk), longLog(50_000).replace(/"key":"(\w+)"/g, spread));
    const exporting = desk.start(['export', '-o', 'back.csv']);
    const parts = () => readdirSync(desk.work).filter((name) => name.endsWith('.part'));
    const written = () => parts().map((name) => statSync(join(desk.work, name), { throwIfNoEntry: false })?.size ?? 0);
    await expect.poll(written, { timeout: 60_000, interval: 5 }).toEqual([expect.toSatisfy((size) => size > 0)]);
    exporting.process.kill('SIGINT');
    const { code, stderr } = await exporting.ended;
    expect([code, stderr, readdirSync(desk.work)]).toEqual([130, expect.stringContaining('was not written'), []]);
  });

  test('of the log has a line for each request, as CSV and JSON', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', LEADS);
    await bulk(partner, leads, ...MAPPED);
    const ids = idsOf(sandbox);
    const { stdout } = await partner.call('export', '--csv');
    const [header, ...rows] = linesOf(stdout);
    expect(header).toEqual(['ref', 'id', 'ids', 'status', 'at', 'row', 'file', 'run', 'key']);
    const short = rows.map(([ref, id, , status, , row, file]) => [ref, id, status, row, file]);
    expect(short.sort()).toEqual([
      ['007', ids.get('Pintar a sala'), 'created', '1', 'leads.csv'],
      ['008', ids.get('Pintar o quarto'), 'created', '2', 'leads.csv'],
    ]);
    const documents = documentsOf(await partner.call('export', '--json'));
    expect(documents.find(({ ref }) => ref === '007')).toEqual({
      ref: '007',
      id: ids.get('Pintar a sala'),
      ids: expect.objectContaining({ request_id: ids.get('Pintar a sala') }),
      status: 'created',
      at: expect.any(String),
      row: 1,
      file: 'leads.csv',
      run: expect.any(String),
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });
});

describe.concurrent('bulk ends with what is next', () => {
  test('for all that is delivered, the export, with the flags by which its rows are found', async ({ partner }) => {
    partner.write('leads.csv', LEADS.replace(`${lead('010', 'Pintar tudo', 'FR')}\n`, ''));
    const ended = await bulk(partner, 'leads.csv', ...MAPPED, '--set', 'category=Pintura a óleo', '--limit=3');
    expect(ended.stdout).not.toContain('srq export');
    const { code, stdout } = await bulk(partner, 'leads.csv', ...MAPPED, '--set', 'category=Pintura a óleo');
    const [, command = ''] = /^All 3 rows are delivered\. For your CRM: srq (export .*)$/m.exec(stdout) ?? [];
    expect([code, command]).toEqual([
      0,
      "export leads.csv --map Nr=ref --set 'category=Pintura a óleo' --output leads.export.csv",
    ]);
    const words = [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
    const exported = await partner.call(...words);
    expect(exported).toMatchObject({ code: 0, stdout: 'Written: leads.export.csv (3 created)\n' });
    const rehearsed = await bulk(partner, 'leads.csv', ...MAPPED, '--sandbox');
    expect(rehearsed.stdout).not.toContain('srq export');
  });

  test('for what was refused or may have been taken, the rows and what to do with them', async ({
    partner,
    sandbox,
  }) => {
    sandbox.setInstructions([{ on: 'create', fault: 'reset-after', match: { request_text: 'Pintar o quarto' } }]);
    partner.write('leads.csv', LEADS);
    const doubtful = await bulk(partner, 'leads.csv', ...MAPPED, '--in-doubt', 'park');
    expect(doubtful.stdout).toContain(
      'To do: 1 row may have been taken: look it up at the service. 1 row was refused: open leads.results.csv and correct the cells that srq_message names.\nNext: srq resolve\n',
    );
    partner.write(
      'refused.csv',
      `${LEADS}${lead('011', 'Pintar tudo', 'FR')}\n`.replace(lead('008', 'Pintar o quarto'), ''),
    );
    const refused = await bulk(partner, 'refused.csv', ...MAPPED);
    expect(refused.stdout).toContain(
      'To do: 2 rows were refused: open refused.results.csv and correct the cells that srq_message names.\nNext: srq bulk --rate max refused.results.csv --map Nr=ref\n',
    );
  });
});

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;

describe.skipIf(postgresIsMissing !== null)(`export from a store in PostgreSQL${why}`, { timeout: 180_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  test('is the same as from a file', async ({ partner }) => {
    partner.write('leads.csv', LEADS);
    const store = { SRQ_STORE: await server.database(), PGPASSWORD: STORE_PASSWORD };
    Object.assign(partner.env, store);
    expect((await partner.call('export', 'leads.csv', ...MAPPED)).stdout).toContain(';ready;;');
    await bulk(partner, 'leads.csv', ...MAPPED);
    const stable = async (...args: string[]) => {
      const documents = documentsOf(await partner.call('export', ...args, '--json'));
      return documents.map(({ at: _, run: __, srq_at: ___, ...rest }) => rest);
    };
    const [ofLog, ofFile] = [await stable(), await stable('leads.csv', ...MAPPED)];
    expect([ofLog.length, ofFile.map(({ srq_status }) => srq_status)]).toEqual([
      2,
      ['created', 'created', 'created', 'invalid'],
    ]);
    expect(ofLog[0]).toMatchObject({ id: expect.stringMatching(/^\d{20}$/), file: 'leads.csv' });
  });
});
