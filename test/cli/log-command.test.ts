import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import { type LogOptions, log } from '../../src/commands/log/run.ts';
import type { LogRecord } from '../../src/request/ports.ts';
import { contextOf } from '../helpers/command-context.ts';
import { AT, fullKey, type WrittenRecord, writeLog } from '../helpers/log-file.ts';

const HEADER = 'at,status,row,ref,ids,http,ms,message,key,run\r\n';
const RECORDS: readonly WrittenRecord[] = [
  { key: 'a', ref: 'L-1', ids: { id: '12', code: 'x' }, http: 201, ms: 5, at: '2026-11-21T10:00:00.000Z' },
  { key: 'b', ref: 'L-2', event: 'rejected', row: 2, message: 'No\tsuch market', run: 'other' },
  { key: 'c', ref: 'L-3', event: 'sending', row: 3 },
];

const recordOf = (key: string, changes: Partial<LogRecord> = {}): LogRecord => ({
  ...{ key, row: 1, ref: key, event: 'created', at: AT, run: 'r', ids: {}, http: 201, ms: 1, message: null, raw: null },
  ...{ by: null, again: false, ...changes },
});

type Scene = Parameters<typeof contextOf>[0] & {
  readonly columns?: number;
  readonly records?: readonly WrittenRecord[];
};

async function shown(flags: LogOptions = {}, { columns, records = RECORDS, ...scene }: Scene = {}) {
  const of = contextOf(scene);
  if (columns !== undefined) Object.assign(of.context.process.stdout, { isTTY: true, columns });
  const path = join(of.home, 'state', 'default.ndjson');
  if (records.length > 0) writeLog(path, records);
  const code = await log(of.context, flags);
  return { code, path, stdout: of.stdout(), stderr: of.stderr() };
}

const refsOf = async (flags: LogOptions, records = RECORDS) =>
  JSON.parse((await shown(flags, { records, options: { json: true } })).stdout).map(({ ref }: { ref: string }) => ref);

describe('srq log', () => {
  test('has a line for each request in the order of the log, with a heading on a terminal alone', async () => {
    const { code, stdout } = await shown();
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines).toHaveLength(4);
    expect([lines[0], lines[1], lines[3]]).toEqual([
      expect.stringMatching(/^2026-11-21T10:00:00 .*created .*L-1 .*id=12 code=x$/),
      expect.stringMatching(/^2026-11-20T10:00:00 .*rejected .*L-2 .*No such market$/),
      '',
    ]);
    const [heading, ...rest] = (await shown({}, { columns: 120 })).stdout.split('\n');
    expect(heading).toMatch(/^time \(UTC\) .*identifiers or message/);
    expect([rest.length, rest.filter((line) => line.startsWith('time'))]).toEqual([4, []]);
  });

  test('as CSV has one header, and the cells of each request', async () => {
    const rows = (await shown({ csv: true })).stdout.split('\r\n');
    expect(rows).toEqual([
      HEADER.trimEnd(),
      `2026-11-21T10:00:00.000Z,created,1,L-1,id=12 code=x,201,5,,${fullKey('a')},r`,
      `${AT},rejected,2,L-2,,,,No such market,${fullKey('b')},other`,
      expect.stringMatching(new RegExp(`^${AT},unknown,3,L-3,,,,"Sent, and no outcome .*",${fullKey('c')},r$`)),
      '',
    ]);
    expect((await shown({ csv: true }, { columns: 120 })).stdout).not.toContain('time (UTC)');
  });

  test.each<[number | undefined, readonly string[]]>([
    [undefined, ['L-1', 'L-2', 'L-3']],
    [0, []],
    [1, ['L-3']],
    [2, ['L-2', 'L-3']],
    [3, ['L-1', 'L-2', 'L-3']],
    [4, ['L-1', 'L-2', 'L-3']],
  ])('with the limit %j has the last ones, the oldest first', async (limit, refs) => {
    expect(await refsOf(limit === undefined ? {} : { limit })).toEqual(refs);
  });

  test('reads no more of the log than the limit needs, and closes it', async () => {
    const { context } = contextOf({ options: { json: true } });
    const read: string[] = [];
    const newest = async function* () {
      try {
        for (const key of ['c', 'b', 'a']) {
          read.push(key);
          yield recordOf(key);
        }
      } finally {
        read.push('closed');
      }
    };
    vi.spyOn(context, 'logStore').mockResolvedValue({ name: 'a log', newest } as never);
    await log(context, { limit: 2 });
    expect(read).toEqual(['c', 'b', 'closed']);
  });

  test.each<[LogOptions, readonly string[]]>([
    [{ ref: 'L-2' }, ['L-2']],
    [{ id: 'x' }, ['L-1']],
    [{ status: 'unknown' }, ['L-3']],
    [{ since: '2026-11-21' }, ['L-1']],
    [{ until: '2026-11-20' }, ['L-2', 'L-3']],
    [{ run: 'oth' }, ['L-2']],
    [{ run: 'r', limit: 1 }, ['L-3']],
    [{ run: 'r', status: 'created' }, ['L-1']],
  ])('selects by %j', async (flags, refs) => {
    expect(await refsOf(flags)).toEqual(refs);
  });

  test('says where it found nothing, and whether something was looked for', async () => {
    const none = await shown({}, { records: [] });
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: `No requests in ${none.path}.\n` });
    const csv = await shown({ csv: true }, { records: [] });
    expect(csv).toMatchObject({ code: 0, stdout: HEADER, stderr: `No requests in ${csv.path}.\n` });
    for (const flags of [{ ref: 'L-9' }, { limit: 0 }]) {
      const filtered = await shown(flags);
      expect(filtered).toMatchObject({ code: 0, stdout: '', stderr: `No requests in ${filtered.path} match.\n` });
    }
    expect((await shown()).stderr).toBe('');
  });

  test.each<[LogOptions, boolean, RegExp | null]>([
    [{ csv: true }, true, /^Choose either --json or --csv\.$/],
    [{ csv: true }, false, null],
    [{}, true, null],
    [{ totals: true, limit: 0 }, false, /^--totals counts everything/],
    [{ totals: true, follow: true }, false, /^--totals counts everything/],
    [{ totals: true }, false, null],
    [{ run: ' ' }, false, /^The run is empty\.$/],
    [{ run: ' ', follow: true }, false, /^The run is empty\.$/],
    [{ run: 'zz' }, false, /^No run in .* begins with "zz"\.$/],
    [{ since: 'soon', follow: true }, false, /^"soon" is not a time\.$/],
  ])('with %j, as JSON: %j, is refused with %s', async (flags, json, message) => {
    const error = await shown(flags, { options: { json } }).then(
      () => null,
      (failure: Error) => failure.message,
    );
    expect(error).toEqual(message === null ? null : expect.stringMatching(message));
  });

  test('warns of a profile that is not known where it finds nothing', async () => {
    const { context, stderr } = contextOf({ options: { profile: 'shopp' } });
    await (await context.profiles()).set('shop', { baseUrl: 'http://127.0.0.1:9', clientId: '1' });
    await log(context, {});
    expect(stderr()).toMatch(/There is no profile "shopp"\. Did you mean shop\?/);
  });

  test('with --sandbox shows the last rehearsal', async () => {
    const of = contextOf({ options: { sandbox: true } });
    writeLog(join(of.home, 'state', 'rehearsal', 'sandbox.ndjson'), [{ key: 'a', ref: 'of the rehearsal' }]);
    expect(await log(of.context, {})).toBe(0);
    expect(of.stdout()).toContain('of the rehearsal');
  });
});

describe('srq log --totals', () => {
  const none = { created: 0, duplicate: 0, rejected: 0, failed: 0, unknown: 0 };

  test('counts by the day and the status, in the order of days', async () => {
    expect((await shown({ totals: true })).stdout).toBe(
      '2026-11-20  -          1 rejected  1 unknown\n2026-11-21  1 created  -           -\n',
    );
    expect(JSON.parse((await shown({ totals: true }, { options: { json: true } })).stdout).totals).toEqual([
      { day: '2026-11-20', ...none, rejected: 1, unknown: 1 },
      { day: '2026-11-21', ...none, created: 1 },
    ]);
    expect((await shown({ totals: true, csv: true })).stdout).toBe(
      'day,created,duplicate,rejected,failed,unknown\r\n2026-11-20,0,0,1,0,1\r\n2026-11-21,1,0,0,0,0\n',
    );
  });

  test('counts what is selected, and says that there is nothing', async () => {
    const ofRun = await shown({ totals: true, run: 'other' }, { options: { json: true } });
    expect(JSON.parse(ofRun.stdout).totals).toEqual([{ day: '2026-11-20', ...none, rejected: 1 }]);
    expect(await shown({ totals: true }, { records: [] })).toMatchObject({ code: 0, stdout: 'No requests.\n' });
    expect((await shown({ totals: true, csv: true }, { records: [] })).stdout).toBe(
      'day,created,duplicate,rejected,failed,unknown\n',
    );
  });
});

describe('srq log --follow', () => {
  /** Follows a log that has these records and gets those; then it is ended as by Ctrl-C. */
  async function followed(flags: LogOptions, before: readonly LogRecord[], added: readonly LogRecord[]) {
    const of = contextOf({ options: { json: true } });
    const from: unknown[] = [];
    const halt = (context: Context) => context.interruption.halt;
    const store = {
      name: 'a log',
      latest: async function* () {
        yield* before;
        return { end: 77 };
      },
      follow: async function* (position: unknown, stop: AbortSignal) {
        from.push(position);
        yield* added;
        halt(of.context).abort();
        from.push(stop.aborted);
      },
    };
    vi.spyOn(of.context, 'logStore').mockResolvedValue(store as never);
    const code = await log(of.context, { ...flags, follow: true });
    const lines = of.stdout().split('\n').filter(Boolean);
    return { code, from, refs: lines.map((line) => JSON.parse(line).ref), stderr: of.stderr() };
  }
  const many = (count: number) => Array.from({ length: count }, (_, at) => recordOf(String(at)));

  test('goes on behind what was there with each outcome, and with no intent', async () => {
    const added = [recordOf('x', { event: 'sending' }), recordOf('x'), recordOf('y', { event: 'unknown' })];
    expect(await followed({}, [recordOf('a')], added)).toEqual({
      ...{ code: 0, from: [{ end: 77 }, true], refs: ['a', 'x', 'y'], stderr: '' },
    });
    expect((await followed({}, [], [])).stderr).toBe('');
  });

  test.each<[number | undefined, number, readonly string[]]>([
    [undefined, 9, ['0', '1', '2', '3', '4', '5', '6', '7', '8']],
    [undefined, 10, ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']],
    [undefined, 11, ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']],
    [3, 7, ['4', '5', '6']],
    [3, 6, ['3', '4', '5']],
    [3, 2, ['0', '1']],
    [1, 4, ['3']],
    [0, 4, []],
  ])('with the limit %j of %i has the last ones, the oldest first', async (limit, count, refs) => {
    expect((await followed(limit === undefined ? {} : { limit }, many(count), [])).refs).toEqual(refs);
  });

  test('selects what was there and what comes, also by a run that is yet to come', async () => {
    const before = [recordOf('a', { run: 'r1' }), recordOf('b')];
    const added = [recordOf('c', { run: 'r12' }), recordOf('d', { run: 'x' }), recordOf('e', { run: 'r1', ref: 'E' })];
    expect((await followed({ run: 'r1' }, before, added)).refs).toEqual(['a', 'c', 'E']);
    expect((await followed({ run: 'r1', ref: 'E' }, before, added)).refs).toEqual(['E']);
    expect((await followed({ run: 'new' }, before, added)).refs).toEqual([]);
  });
});
