import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { type ExportOptions, exportRequests } from '../../src/commands/export/run.ts';
import { contentKey } from '../../src/request/service-request.ts';
import { contextOf } from '../helpers/command-context.ts';
import { AT, type WrittenRecord, writeLog, writeNotes } from '../helpers/log-file.ts';

const READING = { skipLines: 0, map: [], set: [] } as const;
const LOG_HEADER = 'ref,id,ids,status,at,row,file,run,key\r\n';
const RECORDS: readonly WrittenRecord[] = [
  { key: 'a', ref: 'L-1', ids: { id: '12' }, run: 'r1' },
  { key: 'b', ref: 'L-2', event: 'rejected', at: '2026-11-21T10:00:00.000Z', run: 'r2' },
  { key: 'c', ref: 'L-3', run: 'r2' },
];
/** The lead of the file, whose key is that of no login. */
const LEAD = ['PT', '+351912345678', 'Paint', 'L-1'];
const KNOWN = contentKey(
  { params: { country: 'PT', request_text: 'Paint', phone: '+351912345678', lang: 'pt' }, audio: null, ref: 'L-1' },
  { baseUrl: '', clientId: '' },
);

type Scene = Parameters<typeof contextOf>[0] & { readonly records?: readonly WrittenRecord[] };

function sceneOf({ records = RECORDS, ...scene }: Scene = {}) {
  const of = contextOf(scene);
  const log = join(of.home, 'state', 'default.ndjson');
  if (records.length > 0) {
    writeLog(log, records);
    writeNotes(log, { r1: 'first.csv' });
  }
  const at = (name: string) => join(of.home, name);
  const csv = (...rows: string[][]) => {
    const lines = [['country', 'phone', 'request_text', 'ref'], ...rows].map((cells) => cells.join(','));
    writeFileSync(at('leads.csv'), `${lines.join('\n')}\n`);
    return at('leads.csv');
  };
  const run = (flags: Partial<ExportOptions> = {}, file?: string) =>
    exportRequests(of.context, file, { ...READING, ...flags });
  return { ...of, log, at, csv, run };
}

async function written(name: string, flags: Partial<ExportOptions>, json: boolean): Promise<string> {
  const { run, at } = sceneOf({ options: { json } });
  expect(await run({ ...flags, output: at(name) })).toBe(0);
  const bytes = readFileSync(at(name));
  if (bytes.subarray(0, 2).toString() === 'PK') return 'xlsx';
  return bytes.toString().startsWith('[{"ref":"L-1",') ? 'json' : bytes.toString().slice(0, 6);
}

describe('An export is', () => {
  test.each<[string, Partial<ExportOptions>, boolean, string]>([
    ['a.csv', {}, false, 'ref,id'],
    ['a.CSV', {}, true, 'ref,id'],
    ['a.json', {}, false, 'json'],
    ['a.JSON', {}, true, 'json'],
    ['a.json', { csv: true }, false, 'ref,id'],
    ['a.xlsx', {}, false, 'xlsx'],
    ['a.XLSX', {}, true, 'xlsx'],
    ['a.txt', {}, false, 'ref,id'],
    ['a.txt', {}, true, 'json'],
    ['a.txt', { csv: true }, true, 'ref,id'],
    ['json', {}, false, 'ref,id'],
  ])('in %s with %j, as JSON: %j, of the form %s', async (name, flags, json, form) => {
    expect(await written(name, flags, json)).toBe(form);
  });

  test.each<[Partial<ExportOptions>, boolean, RegExp]>([
    [{ csv: true }, true, /^Choose either --json or --csv\.$/],
    [{ csv: true, output: '-' }, true, /^Choose either --json or --csv\.$/],
    [{ csv: true, output: '/nowhere/a.xlsx' }, false, /^--csv and \/nowhere\/a\.xlsx contradict each other\.$/],
    [{ run: 'zz' }, false, /^No run in .* begins with "zz"\.$/],
    [{ since: 'soon' }, false, /^"soon" is not a time\.$/],
  ])('none with %j, as JSON: %j', async (flags, json, message) => {
    await expect(sceneOf({ options: { json } }).run(flags)).rejects.toThrow(message);
  });

  test.each<[Partial<ExportOptions>, string]>([
    [{ format: 'csv' }, 'As JSON: --json    As a workbook: --output FILE.xlsx'],
    [{ map: [['a', 'b']] }, 'Name the file: srq export FILE'],
  ])('not read by %j, where no file is named', async (flags, hint) => {
    await expect(sceneOf().run(flags)).rejects.toMatchObject({ reason: 'flags.incomplete', hint });
  });

  test('on standard output as CSV, and as JSON on demand', async () => {
    for (const output of [undefined, '-']) {
      const { run, stdout, stderr } = sceneOf();
      expect(await run(output === undefined ? {} : { output })).toBe(0);
      const [header, first, ...rest] = stdout().split('\r\n');
      expect([`${header}\r\n`, first, rest.length, stderr()]).toEqual([
        LOG_HEADER,
        `L-1,12,id=12,created,${AT},1,first.csv,r1,${'a'.repeat(32)}`,
        3,
        '',
      ]);
    }
    const asJson = sceneOf({ options: { json: true } });
    await asJson.run();
    expect(JSON.parse(asJson.stdout())).toMatchObject([{ ref: 'L-1', file: 'first.csv' }, { ref: 'L-2' }, { row: 1 }]);
  });

  test('safe on a terminal, and exact for a program', async () => {
    const records = [{ key: 'a', ref: 'L\u0007' }];
    const piped = sceneOf({ records });
    await piped.run();
    expect(piped.stdout()).toContain('\r\nL\u0007,');
    const { context, run, stdout } = sceneOf({ records });
    Object.assign(context.process.stdout, { isTTY: true });
    await run();
    expect(stdout()).toContain('\r\nL\\u{7},');
  });

  test('whole, however long it is', async () => {
    const records = Array.from({ length: 2_000 }, (_, at) => ({
      key: at.toString(16).padStart(32, '0'),
      ref: `L-${at}`,
    }));
    const { run, stdout, at } = sceneOf({ records });
    await run();
    const refs = stdout()
      .split('\r\n')
      .map((line) => line.split(',')[0]);
    expect(refs).toEqual(['ref', ...records.map(({ ref }) => ref), '']);
    await run({ output: at('a.csv') });
    expect(readFileSync(at('a.csv'), 'utf8')).toBe(stdout().replace(/Written: .*\n$/, ''));
  });
});

test('An export to standard output is read no faster than it is taken there', async () => {
  const records = Array.from({ length: 5_000 }, (_, at) => ({
    key: at.toString(16).padStart(32, '0'),
    ref: `L-${at}`,
  }));
  const { context, run } = sceneOf({ records });
  const taking: (() => void)[] = [];
  let bytes = 0;
  const write = (chunk: Buffer, _: string, taken: () => void) => {
    bytes += chunk.length;
    taking.push(taken);
  };
  const slow = new Writable({ highWaterMark: 1, write });
  Object.assign(context.process, { stdout: slow });
  let [most, isDone] = [0, false];
  const running = run().finally(() => {
    isDone = true;
  });
  while (!isDone || taking.length > 0) {
    most = Math.max(most, slow.writableLength);
    taking.shift()?.();
    await turn();
  }
  expect(await running).toBe(0);
  expect(most).toBeLessThan(bytes / 3);
});

describe('An export to a file', () => {
  test('says what it has, and leaves out what cannot be in a log', async () => {
    const { run, stdout, at } = sceneOf();
    await run({ output: at('a.csv') });
    expect(stdout()).toBe(`Written: ${at('a.csv')} (2 created, 1 rejected)\n`);
    expect(statSync(at('a.csv')).mode & 0o777).toBe(0o600);
    const { run: again, stdout: document, at: beside } = sceneOf({ options: { json: true } });
    await again({ output: beside('a.json') });
    const counts = { created: 2, duplicate: 0, invalid: 0, rejected: 1, failed: 0, unknown: 0, ready: 0 };
    expect(JSON.parse(document())).toEqual({
      ...{ schemaVersion: expect.anything(), export: beside('a.json'), format: 'json', rows: 3, ...counts },
    });
  });

  test('of nothing says so', async () => {
    const { run, stdout, stderr, at, log } = sceneOf({ records: [] });
    expect(await run({ output: at('a.csv') })).toBe(0);
    expect([stdout(), stderr()]).toEqual([`Written: ${at('a.csv')} (no requests)\n`, `No such requests in ${log}.\n`]);
    expect(readFileSync(at('a.csv'), 'utf8')).toBe(LOG_HEADER);
  });

  test('replaces an earlier export, also as a workbook, and nothing else', async () => {
    for (const name of ['a.csv', 'a.json', 'a.xlsx']) {
      const { run, at } = sceneOf();
      for (const _ of [1, 2]) expect(await run({ output: at(name) }), name).toBe(0);
      writeFileSync(at(name), `${readFileSync(at(name), 'latin1').replace(/^ref|^\[|^PK/, 'x')}x`);
      await expect(run({ output: at(name) }), name).rejects.toMatchObject({ reason: 'output.not-replaced' });
    }
    const { run, csv } = sceneOf();
    const file = csv(LEAD);
    await expect(run({ output: file }, file)).rejects.toThrow('The export would replace the input.');
  });

  test('is at a place of its own', async () => {
    const { run, at, csv, log } = sceneOf();
    const file = csv(LEAD);
    const same = { output: at('a.csv'), saveMapping: at('a.csv') };
    await expect(run(same, file)).rejects.toMatchObject({ reason: 'flags.contradict' });
    await expect(run({ output: log })).rejects.toMatchObject({ reason: 'flags.contradict' });
  });

  test('that is interrupted is not there', async () => {
    const { context, run, at } = sceneOf();
    const on = vi.spyOn(context.process, 'on');
    context.interruption.halt.abort();
    await expect(run({ output: at('a.csv') })).rejects.toMatchObject({ reason: 'interrupted.unfinished' });
    expect([existsSync(at('a.csv')), on.mock.calls.map(([signal]) => signal)]).toEqual([
      false,
      expect.arrayContaining(['SIGINT', 'SIGTERM']),
    ]);
  });
});

describe('An export of a file', () => {
  const known: readonly WrittenRecord[] = [{ key: KNOWN, ref: 'L-1', run: 'r1', ids: { id: '12' } }];
  const other = ['PT', '+351912345678', 'Clean', 'L-2'];

  test('has all rows, and only those of the log by any filter', async () => {
    for (const [flags, count] of [
      [{}, 2],
      [{ since: '2026-11-20' }, 1],
      [{ since: '2026-11-21' }, 0],
      [{ until: '2026-11-20' }, 1],
      [{ status: 'created' }, 1],
      [{ status: 'failed' }, 0],
      [{ run: 'r1' }, 1],
    ] as const) {
      const { run, stdout, csv, stderr } = sceneOf({ records: known });
      expect(await run(flags, csv(LEAD, other))).toBe(0);
      const [header, ...lines] = stdout().trimEnd().split('\r\n');
      expect([flags, header, lines.length]).toEqual([
        flags,
        'country,phone,request_text,ref,srq_status,srq_id,srq_at',
        count,
      ]);
      if (count > 0) expect(lines[0]).toBe(`${LEAD.join(',')},created,12,${AT}`);
      expect(stderr()).toBe('');
    }
  });

  test('tells in a file what was not sent', async () => {
    const { run, stdout, csv, at } = sceneOf({ records: known });
    await run({ output: at('out.csv') }, csv(LEAD, other));
    expect(stdout()).toBe(`Written: ${at('out.csv')} (1 created, 1 not sent)\n`);
  });

  test('warns where the log knows none of its rows', async () => {
    const { run, csv, stderr } = sceneOf();
    await run({}, csv(LEAD));
    expect(stderr()).toMatch(/^! No row of .*leads\.csv is in the log\. Rows are found by what was sent/);
  });

  test.each([
    [1, '! 1 row has more cells than the file has columns; these cells are left out.\n'],
    [2, '! 2 rows have more cells than the file has columns; these cells are left out.\n'],
  ])('warns of %i rows that are too long', async (count, warning) => {
    const { run, csv, stderr } = sceneOf({ records: known });
    const long = Array.from({ length: count }, () => [...LEAD, 'x']);
    await run({}, csv(LEAD, other, other, other, ...long));
    expect(stderr()).toBe(warning);
  });
});

test('a reader that has gone is told nothing', async () => {
  const { context, run, stderr } = sceneOf({ records: [] });
  context.process.stdout.destroy();
  expect(await run()).toBe(0);
  expect(stderr()).toBe('');
});

test('an export that finds nothing warns of a profile that is not known', async () => {
  for (const file of [false, true]) {
    const { context, run, csv, stderr } = sceneOf({ options: { profile: 'shopp' }, records: [] });
    await (await context.profiles()).set('shop', { baseUrl: 'http://127.0.0.1:9', clientId: '1' });
    await run({}, file ? csv(LEAD) : undefined);
    expect(stderr()).toContain('There is no profile "shopp". Did you mean shop?');
  }
});

test('an export with --sandbox is of the last rehearsal', async () => {
  const { home, run, stdout } = sceneOf({ options: { sandbox: true } });
  writeLog(join(home, 'state', 'rehearsal', 'sandbox.ndjson'), [{ key: 'a', ref: 'of the rehearsal' }]);
  await run();
  expect(stdout()).toContain('of the rehearsal');
});
