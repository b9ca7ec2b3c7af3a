import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';
import { createdAtLeast } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const logOf = (desk: Desk) => join(desk.state, 'default.ndjson');
const bulk = (desk: Desk, ...args: string[]) => desk.run('bulk', '--rate', 'max', ...args);

/** A log of so many created requests, without having sent them. */
function longLog(count: number): string {
  const lines = Array.from({ length: count }, (_, at) => {
    const key = at.toString(16).padStart(32, '0');
    const subject = { key, run: 'r', row: at + 1, ref: `L-${at}` };
    const created = { ids: { request_id: `9${String(at).padStart(19, '0')}` }, http: 201, ms: 5 };
    return `${JSON.stringify({ ...subject, event: 'sending', at: '2026-11-20T10:00:00.000Z' })}\n${JSON.stringify({ ...subject, event: 'created', at: '2026-11-20T10:00:01.000Z', ...created })}\n`;
  });
  return lines.join('');
}

describe.concurrent('log', () => {
  test('lists what was sent and what came back, by all its filters', async ({ partner, sandbox }) => {
    await partner.run('create', ...requestFor('um'), '--ref', 'A-1');
    await partner.run('create', ...requestFor('dois'), '--ref', 'A-2');
    await partner.run('create', ...requestFor('três'), '--lang', 'no idea', '--no-validate', '--ref', 'A-3');
    const refsOf = async (...filter: string[]) =>
      documentsOf(await partner.run('log', '--json', ...filter)).map(({ ref }) => ref);
    expect(await refsOf()).toEqual(['A-1', 'A-2', 'A-3']);
    expect(await refsOf('--ref', 'A-2')).toEqual(['A-2']);
    expect(await refsOf('--id', creates(sandbox)[0]?.requestId ?? '')).toEqual(['A-1']);
    expect(await refsOf('--status', 'rejected')).toEqual(['A-3']);
    expect(await refsOf('--since', '1h')).toEqual(['A-1', 'A-2', 'A-3']);
    expect(await refsOf('--since', '2200-01-01')).toEqual([]);
    const [entry] = documentsOf(await partner.run('log', '--json', '--ref', 'A-1'));
    expect(entry).toMatchObject({
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      status: 'created',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      row: 1,
      ids: { request_id: creates(sandbox)[0]?.requestId },
      http: 201,
    });
  });

  test('holds nothing of the person a request is about', async ({ partner }) => {
    await bulk(partner, partner.write('leads.csv', leadsCsv(3)));
    await partner.run('create', ...requestFor('segredo da cozinha'), '--lang', 'no idea', '--no-validate');
    const text = readFileSync(logOf(partner), 'utf8');
    for (const personal of ['Ana', 'ana1@', '912345678', 'Pintar', 'Inês', 'segredo', 'Lisboa'])
      expect(text).not.toContain(personal);
  });

  test('is CSV on demand, with a header of its own', async ({ partner }) => {
    await partner.run('create', ...requestFor('um'), '--ref', '=1+1');
    const { stdout, code } = await partner.run('log', '--csv');
    const [header, row, ...rest] = stdout.trimEnd().split('\r\n');
    expect([code, header, rest]).toEqual([0, 'at,status,row,ref,ids,http,ms,message,key,run', []]);
    expect(row).toMatch(/^\d{4}-[^,]*Z,created,1,'=1\+1,request_id=\d{20}/);
    expect(await partner.run('log', '--csv', '--json')).toMatchObject({ code: 2 });
  });

  test('of nobody is empty, not an error', async ({ desk }) => {
    expect(await desk.run('log', '--json')).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(await desk.run('log')).toMatchObject({ code: 0, stdout: '' });
  });

  test.for([
    ['--since', 'yesterday'],
    ['--status', 'done'],
  ])('names what cannot be understood: %s %s', async ([flag = '', value = ''], { desk }) => {
    const ended = await desk.run('log', flag, value);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(value);
  });

  test('ends quietly when its reader goes away', async ({ desk }) => {
    mkdirSync(desk.state);
    writeFileSync(logOf(desk), longLog(5_000));
    const under = ['sh', '-c', '("$@"; echo "code $?" >&2) | head -n 1', 'sh'];
    for (const more of [[], ['--json'], ['--csv']]) {
      const { stdout, stderr } = await desk.start(['log', ...more], { under }).ended;
      expect(stdout.split('\n')).toHaveLength(2);
      expect([more, stderr]).toEqual([more, 'code 0\n']);
    }
  });
});

describe.concurrent('a log that cannot be used: exit code 9 and nothing sent', () => {
  test('a damaged line is named, and what to do', async ({ partner, sandbox }) => {
    await partner.run('create', ...requestFor('antes'));
    const before = creates(sandbox).length;
    appendFileSync(logOf(partner), 'rubbish\n');
    appendFileSync(logOf(partner), longLog(1));
    const leads = partner.write('leads.csv', leadsCsv(2));
    for (const args of [['create', ...requestFor('depois')], ['bulk', leads], ['log'], ['bulk', leads, '--dry-run']]) {
      const ended = await partner.run(...args, '--json');
      expect([args[0], ended.code]).toEqual([args[0], 9]);
      expect(documentOf(ended)).toMatchObject({
        error: { code: 'log', message: expect.stringContaining('line 3'), hint: expect.any(String) },
      });
    }
    expect(creates(sandbox)).toHaveLength(before);
  });

  test('an unfinished last line is cut and kept aside: nothing was sent on its strength', async ({ partner }) => {
    await partner.run('create', ...requestFor('antes'));
    appendFileSync(logOf(partner), '{"key":"0123');
    expect(await partner.run('create', ...requestFor('depois'))).toMatchObject({ code: 0 });
    expect(partner.records().map(({ event }) => event)).toEqual(['sending', 'created', 'sending', 'created']);
    expect(partner.files().filter((name) => name.includes('torn'))).toHaveLength(1);
  });

  test('a log in use by another run names that run; a single create need not wait', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 100 });
    desk.use(sandbox);
    const long = desk.start(['bulk', desk.write('long.csv', leadsCsv(500)), '--rate', 'max', '--concurrency', '2']);
    await createdAtLeast(sandbox, 1, long);
    const ended = await bulk(desk, desk.write('other.csv', 'country,phone,message\nPT,+351912345678,Obras\n'));
    expect(ended.code).toBe(9);
    expect(ended.stderr).toMatch(/long\.csv, process \d+/);
    expect(await desk.run('create', ...requestFor('entretanto'))).toMatchObject({ code: 0 });
    expect(documentsOf(await desk.run('log', '--json')).length).toBeGreaterThan(0);
    long.process.kill('SIGKILL');
    await long.ended;
    expect(creates(sandbox).some(({ params }) => params['request_text'] === 'Obras')).toBe(false);
  });

  test('a folder in its place is named', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(1));
    for (const args of [['create', ...requestFor('x')], ['bulk', leads], ['log']]) {
      const ended = await partner.run(...args, '--log', partner.work);
      expect([args[0], ended.code, ended.stderr]).toEqual([args[0], 9, expect.stringContaining(partner.work)]);
    }
    expect(creates(sandbox)).toEqual([]);
  });
});

test('bulk finishes with nobody left to talk to', async ({ partner, sandbox }) => {
  const leads = partner.write('leads.csv', leadsCsv(30));
  const under = ['sh', '-c', '"$@" 2>&1 >out.json | true', 'sh'];
  await partner.start(['bulk', leads, '--rate', 'max', '--json'], { under }).ended;
  expect(JSON.parse(partner.read('out.json'))).toMatchObject({ rows: 30, created: 30 });
  expect(creates(sandbox)).toHaveLength(30);
  const closed = ['sh', '-c', '"$@" 2>&-', 'sh'];
  const again = await partner.start(['bulk', leads, '--rate', 'max', '--json'], { under: closed }).ended;
  expect(again.code).toBe(0);
  expect(documentOf(again)).toMatchObject({ repeated: 30 });
});
