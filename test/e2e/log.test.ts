import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { longLog } from '../helpers/long-log.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const logOf = (desk: Desk) => join(desk.state, 'default.ndjson');
const bulk = (desk: Desk, ...args: string[]) => desk.call('bulk', '--rate', 'max', ...args);

describe.concurrent('log', () => {
  test('lists what was sent and what came back, by all its filters', async ({ partner, sandbox }) => {
    await partner.call('create', ...requestFor('um'), '--ref', 'A-1');
    await partner.call('create', ...requestFor('dois'), '--ref', 'A-2');
    await partner.call('create', ...requestFor('três'), '--lang', 'no idea', '--no-validate', '--ref', 'A-3');
    const refsOf = async (...filter: string[]) =>
      documentsOf(await partner.call('log', '--json', ...filter)).map(({ ref }) => ref);
    expect(await refsOf()).toEqual(['A-1', 'A-2', 'A-3']);
    expect(await refsOf('--ref', 'A-2')).toEqual(['A-2']);
    expect(await refsOf('--id', creates(sandbox)[0]?.requestId ?? '')).toEqual(['A-1']);
    expect(await refsOf('--status', 'rejected')).toEqual(['A-3']);
    expect(await refsOf('--since', '1h')).toEqual(['A-1', 'A-2', 'A-3']);
    expect(await refsOf('--since', '2200-01-01')).toEqual([]);
    const [entry] = documentsOf(await partner.call('log', '--json', '--ref', 'A-1'));
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
    await partner.call('create', ...requestFor('segredo da cozinha'), '--lang', 'no idea', '--no-validate');
    const text = readFileSync(logOf(partner), 'utf8');
    for (const personal of ['Ana', 'ana1@', '912345678', 'Pintar', 'Inês', 'segredo', 'Lisboa'])
      expect(text).not.toContain(personal);
  });

  test('is CSV on demand, with a header of its own', async ({ partner }) => {
    await partner.call('create', ...requestFor('um'), '--ref', '=1+1');
    const { stdout, code } = await partner.call('log', '--csv');
    const [header, row, ...rest] = stdout.trimEnd().split('\r\n');
    expect([code, header, rest]).toEqual([0, 'at,status,row,ref,ids,http,ms,message,key,run', []]);
    expect(row).toMatch(/^\d{4}-[^,]*Z,created,1,'=1\+1,request_id=\d{20}/);
    expect(await partner.call('log', '--csv', '--json')).toMatchObject({ code: 2 });
  });

  test('shows the last ones alone, and those of one run or up to a time', async ({ desk }) => {
    mkdirSync(desk.state);
    writeFileSync(logOf(desk), longLog(2_500));
    const refsOf = async (...filter: string[]) =>
      documentsOf(await desk.call('log', '--json', ...filter)).map(({ ref }) => ref);
    expect(await refsOf('--limit', '3')).toEqual(['L-2497', 'L-2498', 'L-2499']);
    expect(await refsOf('--limit', '0')).toEqual([]);
    expect(await refsOf('--limit', '1', '--run', 'r', '--until', '2026-11-20')).toEqual(['L-2499']);
    expect(await refsOf('--until', '2026-11-20T10:00:01Z')).toEqual([]);
    expect(await refsOf('--run', 'r', '--until', '2026-11-19')).toEqual([]);
    for (const flags of [[], ['--totals'], ['--csv']]) {
      const unknown = await desk.call('log', '--run', 'another', ...flags);
      expect([flags, unknown.code, unknown.stdout]).toEqual([flags, 2, '']);
    }
    expect(documentOf(await desk.call('log', '--run', 'another', '--json'))).toMatchObject({
      error: { reason: 'run.unknown' },
    });
    // As a variable that is not set.
    expect(documentOf(await desk.call('log', '--run', '', '--json'))).toMatchObject({
      error: { reason: 'arguments.invalid' },
    });
  });

  const AT = '2026-11-20T10:00:00.000Z';

  test('has among those of a run what another one has settled, as the export has it', async ({ desk }) => {
    mkdirSync(desk.state);
    const line = (digit: string, run: string, event: string) =>
      `${JSON.stringify({ key: digit.repeat(32), event, at: AT, run, row: 1, ref: `L-${digit}` })}\n`;
    const records = [line('1', 'first', 'unknown'), line('1', 'second', 'created'), line('2', 'third', 'created')];
    writeFileSync(logOf(desk), records.join(''));
    for (const run of ['first', 'second', 'fir'])
      expect(documentsOf(await desk.call('log', '--json', '--run', run))).toMatchObject([
        { ref: 'L-1', run: 'second' },
      ]);
    const { stdout } = await desk.call('export', '--run', 'first', '--csv');
    expect(stdout.trimEnd().split('\n')).toEqual([expect.stringContaining('key'), expect.stringContaining('L-1,')]);
  });

  test('counts by day and status, as a table, JSON and CSV', async ({ desk }) => {
    mkdirSync(desk.state);
    const later = longLog(2).replaceAll('2026-11-20', '2026-11-21').replaceAll('"key":"00', '"key":"ff');
    writeFileSync(logOf(desk), longLog(1_200) + later.replace('"created"', '"rejected"'));
    expect(await desk.call('log', '--totals')).toMatchObject({
      code: 0,
      stdout: '2026-11-20  1,200 created  -\n2026-11-21  1 created      1 rejected\n',
    });
    const none = { created: 0, duplicate: 0, rejected: 0, failed: 0, unknown: 0 };
    expect(documentOf(await desk.call('log', '--totals', '--json', '--status', 'rejected'))).toEqual({
      totals: [{ day: '2026-11-21', ...none, rejected: 1 }],
    });
    expect((await desk.call('log', '--totals', '--csv', '--since', '2026-11-21')).stdout).toBe(
      'day,created,duplicate,rejected,failed,unknown\r\n2026-11-21,1,0,1,0,0\n',
    );
  });

  test('followed, goes on with each outcome as it comes, until Ctrl-C', async ({ partner }) => {
    await partner.call('create', ...requestFor('um'), '--ref', 'A-1');
    const following = partner.start(['log', '--follow', '--json']);
    await following.until(/A-1/);
    await partner.call('create', ...requestFor('dois'), '--ref', 'A-2');
    await following.until(/A-2.*created|created.*A-2/);
    following.process.kill('SIGINT');
    const { code, stdout } = await following.ended;
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([code, entries.map(({ ref, status }) => [ref, status])]).toEqual([
      0,
      [
        ['A-1', 'created'],
        ['A-2', 'unknown'],
        ['A-2', 'created'],
      ],
    ]);
  });

  test('followed before there is one, waits for it', async ({ partner }) => {
    const following = partner.start(['log', '--follow', '--status', 'rejected']);
    await partner.call('create', ...requestFor('um'), '--ref', 'A-1');
    await partner.call('create', ...requestFor('três'), '--lang', 'no idea', '--no-validate', '--ref', 'A-3');
    expect(await following.until(/A-3/)).not.toContain('A-1');
    following.process.kill('SIGTERM');
    expect((await following.ended).code).toBe(0);
  });

  test('of nobody is empty, not an error', async ({ desk }) => {
    expect(await desk.call('log', '--json')).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(await desk.call('log')).toMatchObject({ code: 0, stdout: '' });
    const header = 'at,status,row,ref,ids,http,ms,message,key,run\r\n';
    const csv = await desk.call('log', '--csv');
    expect(csv).toMatchObject({ code: 0, stdout: header, stderr: expect.stringContaining('No requests in ') });
    expect(csv.stderr).not.toContain('match');
    const filtered = await desk.call('log', '--csv', '--ref', 'L-1');
    expect(filtered).toMatchObject({ code: 0, stdout: header, stderr: expect.stringContaining(' match.') });
  });

  test.for([
    ['--since', 'yesterday'],
    ['--until', 'soon'],
    ['--status', 'done'],
    ['--status', 'invalid'],
  ])('names what cannot be understood: %s %s', async ([flag = '', value = ''], { desk }) => {
    const ended = await desk.call('log', flag, value);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(value);
  });

  test.for([[[]], [['--follow']]])('of an empty run is an error, with %j', async ([flags = []], { desk }) => {
    const ended = await desk.run('log', '--run', '', ...flags, '--json');
    expect(ended.code).toBe(2);
    expect(documentOf(ended)).toMatchObject({ error: { message: 'The run is empty.', reason: 'arguments.invalid' } });
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
