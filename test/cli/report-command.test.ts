import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ReportOptions, report } from '../../src/commands/report/run.ts';
import type { SrqError } from '../../src/request/errors.ts';
import { contentKey } from '../../src/request/service-request.ts';
import { contextOf } from '../helpers/command-context.ts';
import { type WrittenRecord, writeLog, writeNotes } from '../helpers/log-file.ts';

const READING = { skipLines: 0, map: [], set: [] } as const;
const keyOf = (need: string) =>
  contentKey(
    { params: { country: 'PT', request_text: need, phone: '+351912345678', lang: 'pt' }, audio: null, ref: null },
    { baseUrl: '', clientId: '' },
  );
const RECORDS: readonly WrittenRecord[] = [
  { key: keyOf('Paint'), event: 'unknown', run: 'r1' },
  { key: 'b', event: 'rejected', run: 'r1', row: 2, http: 422 },
  { key: keyOf('Paint'), run: 'r2', ids: { id: '12' } },
  { key: 'c', run: 'x3', row: 3 },
];

type Scene = Parameters<typeof contextOf>[0] & {
  readonly records?: readonly WrittenRecord[];
  /** The files of the imports that the log has notes on, by their run. */
  readonly notes?: Readonly<Record<string, string>>;
};

function sceneOf({ records = RECORDS, notes = { r1: 'leads.csv', r2: 'other.csv' }, ...scene }: Scene = {}) {
  const of = contextOf(scene);
  const log = join(of.home, 'state', 'default.ndjson');
  if (records.length > 0) writeLog(log, records);
  writeNotes(log, notes);
  const at = (name: string) => join(of.home, name);
  const output = at('out.html');
  const input = (name: string, ...needs: string[]) => {
    const rows = needs.map((need) => `PT,+351912345678,${need},a remark\n`);
    writeFileSync(at(name), `country,phone,request_text,remark\n${rows.join('')}`);
    return at(name);
  };
  const run = (flags: Partial<ReportOptions> = {}) => report(of.context, { output, ...READING, ...flags });
  const refused = (flags: Partial<ReportOptions>): Promise<SrqError> =>
    run(flags).then(
      () => Promise.reject(new Error('It was expected to be refused.')),
      (error: SrqError) => error,
    );
  const page = () => readFileSync(output, 'utf8');
  return { ...of, log, at, output, input, run, refused, page };
}

/** What a program is told of a report with these flags. */
async function told(
  flags: Partial<ReportOptions>,
  { file, ...scene }: Scene & { readonly file?: readonly string[] } = {},
) {
  const { run, stdout, input } = sceneOf({ ...scene, options: { json: true } });
  const [name = '', ...needs] = file ?? [];
  expect(await run(file ? { ...flags, input: input(name, ...needs) } : flags)).toBe(0);
  return JSON.parse(stdout());
}

describe('The run of a report', () => {
  test.each<[Partial<ReportOptions>, string | null, number]>([
    // Each request as the log has it now, whichever run recorded that.
    [{}, 'r2', 1],
    [{ run: 'r1' }, 'r1', 2],
    [{ run: 'r' }, 'r2', 1],
    // A run of another command is known by its records.
    [{ run: 'x' }, 'x3', 1],
    [{ run: 'all' }, null, 3],
  ])('by %j is %s with %i rows', async (flags, run, rows) => {
    const document = await told(flags);
    expect(document).toMatchObject({ run, rows, listed: rows, unknown: 0 });
    expect(document.rejected).toBe(run === 'r1' || run === null ? 1 : 0);
    expect(document.created).toBe(run === null ? 2 : 1);
  });

  test.each<[string, Readonly<Record<string, string>>, Partial<ReportOptions>, string | null]>([
    ['leads.csv', { r1: 'leads.csv', r2: 'other.csv' }, {}, 'r1'],
    ['leads.csv', { r1: 'leads.csv', r2: 'leads.csv', x3: 'other.csv' }, {}, 'r2'],
    ['leads.csv', { r1: 'a.csv, leads.csv, b.csv', r2: 'other.csv' }, {}, 'r1'],
    ['leads.csv', { r1: 'a.csv, leads.csv', r2: 'other.csv' }, {}, 'r1'],
    ['leads.csv', { r1: 'leads.csv, b.csv', r2: 'other.csv' }, {}, 'r1'],
    ['a, b.csv', { r1: 'a, b.csv', r2: 'other.csv' }, {}, 'r1'],
    ['leads.csv', { r1: 'my leads.csv', r2: 'leads.csv.csv' }, {}, 'r2'],
    ['leads.csv', { r1: 'leads.csv', r2: 'other.csv' }, { run: 'r2' }, 'r2'],
    ['leads.csv', { r1: 'leads.csv', r2: 'other.csv' }, { run: 'all' }, null],
    ['leads.csv', {}, {}, null],
  ])('of the file %s among %j with %j is %s', async (name, notes, flags, run) => {
    expect(await told(flags, { notes, file: [name, 'Paint'] })).toMatchObject({ run, rows: 1 });
  });

  test('is known, or the error names the last ones', async () => {
    const error = await sceneOf().refused({ run: 'zz' });
    expect([error.reason, error.hint]).toEqual(['run.unknown', expect.stringContaining('other.csv')]);
    expect(await sceneOf({ notes: {} }).refused({ run: 'zz' })).toMatchObject({
      hint: 'All that is in the log: srq report --run all',
    });
  });
});

describe('A report of the log', () => {
  test('says what it has', async () => {
    const { run, output, stdout, page } = sceneOf();
    expect(await run({ run: 'r1' })).toBe(0);
    expect(stdout()).toBe(`Written: ${output} (2 rows, 2 of them listed)\n`);
    expect(page()).toContain('Import of leads.csv');
    expect(page()).not.toContain('Import of other.csv');
  });

  test('of an import that touched nothing says how to see its rows', async () => {
    const { run, output, stdout } = sceneOf({ records: [], notes: { r1: 'leads.csv' } });
    await run();
    expect(stdout()).toBe(
      `Written: ${output} (1 row, 0 of them listed). To list what was not sent, too: --input FILE\n`,
    );
    const none = sceneOf({ records: [], notes: {} });
    await none.run();
    expect(none.stdout()).toBe(`Written: ${none.output} (0 rows, 0 of them listed)\n`);
    const file = sceneOf({ records: [], notes: { r1: 'leads.csv' } });
    await file.run({ input: file.input('leads.csv', 'Paint') });
    expect(file.stdout()).not.toContain('--input FILE');
  });

  test('tells a program why rows were refused', async () => {
    const document = await told({ run: 'r1' });
    expect(Object.values(document.reasons)).toEqual([1]);
    expect(document.report).toMatch(/out\.html$/);
  });

  test('is printed on demand, and tells nothing else then', async () => {
    const { run, stdout, stderr } = sceneOf();
    expect(await run({ output: '-', run: 'r1' })).toBe(0);
    expect(stdout()).toMatch(/^<!doctype html>[\s\S]*Import of leads\.csv[\s\S]*<\/html>\s*$/i);
    expect(stderr()).toBe('');
  });

  test('with --sandbox is of the last rehearsal', async () => {
    const { home, run, stdout } = sceneOf({ options: { sandbox: true, json: true } });
    writeLog(join(home, 'state', 'rehearsal', 'sandbox.ndjson'), [{ key: 'f' }]);
    await run({ run: 'all' });
    expect(JSON.parse(stdout())).toMatchObject({ rows: 1, created: 1 });
  });
});

describe('A report of a file', () => {
  test('has each row as the log knows it, and what the run recorded', async () => {
    expect(await told({}, { file: ['leads.csv', 'Paint', 'Clean', 'Clean'] })).toMatchObject({
      ...{ run: 'r1', rows: 3, created: 1, ready: 1, repeated: 1, listed: 3 },
    });
    const { run, page, input } = sceneOf();
    await run({ input: input('leads.csv', 'Paint') });
    expect(page()).toContain('Import of leads.csv');
  });

  test('shows the cells on demand alone', async () => {
    for (const includeInput of [undefined, true]) {
      const { run, page, input } = sceneOf();
      await run({ input: input('leads.csv', 'Paint'), ...(includeInput ? { includeInput } : {}) });
      expect([includeInput, page().includes('a remark')]).toEqual([includeInput, includeInput === true]);
    }
  });
});

describe('A report is refused', () => {
  test.each<[Partial<ReportOptions>, object, string, string | null]>([
    [{ includeInput: true }, {}, 'flags.incomplete', 'Add: --input FILE'],
    [{ map: [['a', 'b']] }, {}, 'flags.incomplete', 'Add: --input FILE'],
    [{ output: '-' }, { json: true }, 'flags.contradict', 'Leave --json out, or name a file: --output FILE'],
  ])('with %j and %j: %s', async (flags, options, reason, hint) => {
    const { refused, output, stdout } = sceneOf({ options });
    expect(await refused(flags)).toMatchObject({ reason, hint });
    expect([existsSync(output), stdout()]).toEqual([false, '']);
  });

  test('where it would replace something else', async () => {
    const { refused, log, at, input } = sceneOf();
    writeFileSync(at('mine.html'), '<title>mine</title>');
    expect((await refused({ output: at('mine.html') })).reason).toBe('output.not-replaced');
    expect((await refused({ output: log })).reason).toBe('flags.contradict');
    const both = { output: at('same'), saveMapping: at('same'), input: input('leads.csv', 'Paint') };
    expect((await refused(both)).reason).toBe('flags.contradict');
    const again = sceneOf();
    for (const _ of [1, 2]) expect(await again.run()).toBe(0);
  });
});
