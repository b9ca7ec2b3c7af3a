import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  beside,
  mayHoldCorrections,
  type ResultsOption,
  ResultsPlace,
  refuseRehearsed,
  requireOneStatus,
  withoutOwnFiles,
} from '../../src/commands/bulk/results-place.ts';
import { onlyPath } from '../../src/report/output-file.ts';
import { contextOf } from '../helpers/command-context.ts';

test.each([
  ['leads.csv', 'leads.mapping.json'],
  ['a/b.c/leads.csv', 'a/b.c/leads.mapping.json'],
  ['leads.CSV.gz', 'leads.mapping.json'],
  ['leads.ndjson', 'leads.mapping.json'],
  ['leads.jsonl', 'leads.mapping.json'],
  ['leads.tsv', 'leads.mapping.json'],
  ['leads.txt', 'leads.mapping.json'],
  ['leads.json', 'leads.mapping.json'],
  ['leads.xlsx', 'leads.mapping.json'],
  ['leads.gz', 'leads.mapping.json'],
  ['leads.may', 'leads.may.mapping.json'],
  ['leads.results.csv', 'leads.mapping.json'],
  ['leads.results-2.csv', 'leads.mapping.json'],
  ['leads.results-12.xlsx', 'leads.mapping.json'],
  ['leads.sandbox.results.csv', 'leads.mapping.json'],
  ['leads.export.csv', 'leads.export.mapping.json'],
  ['results.csv', 'results.mapping.json'],
  ['.csv', 'leads.mapping.json'],
  ['-', 'stdin.mapping.json'],
])('beside %s is %s', (file, expected) => {
  expect(beside(file, 'mapping.json')).toBe(expected);
});

test.each([
  ['leads.sandbox.results.csv', true],
  ['leads.sandbox.results-3.xlsx', true],
  ['leads.SANDBOX.results', true],
  ['leads.results.csv', false],
  ['sandbox.csv', false],
  ['leads.sandbox.csv', false],
  ['leads.sandbox.results.csv/leads.csv', false],
])('%s holds results of the sandbox, which are sent to no service: %j', (file, isRefused) => {
  const refused = (options: object) => {
    try {
      refuseRehearsed(contextOf({ options }).context, file);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ reason: 'results.of-sandbox' });
      return true;
    }
  };
  expect([refused({}), refused({ sandbox: true })]).toEqual([isRefused, false]);
});

test.each<[string[], string | null]>([
  [['Name', 'Tel'], null],
  [['Name', 'srq_status', 'srq_id', 'srq_message', 'srq_row'], null],
  [['Name', 'srq_status'], null],
  [['Name', ' SRQ_Status '], null],
  [['srq_status', 'Name', 'Srq_Status'], 'leads.csv has more than one column srq_status'],
  [['Name', 'srq_id', 'srq_row'], 'leads.csv has srq_id, srq_row but no srq_status'],
  [['Name', 'srq_message'], 'leads.csv has srq_message but no srq_status'],
])('a file with the columns %j states its outcomes once or not at all: %j', (columns, message) => {
  const check = () => requireOneStatus({ columns }, 'leads.csv');
  if (message === null) check();
  else
    expect(check).toThrow(
      expect.objectContaining({ reason: 'results.ambiguous', message: expect.stringContaining(message) }),
    );
});

test.each<[string[], Record<string, string>]>([
  [['leads.csv', 'leads.results.csv'], { 'leads.results.csv': 'leads.csv' }],
  [['leads.results-2.csv', 'leads.xlsx'], { 'leads.results-2.csv': 'leads.xlsx' }],
  [['leads.csv.gz', 'leads.sandbox.results.csv'], { 'leads.sandbox.results.csv': 'leads.csv.gz' }],
  [['leads.csv', 'leads.export.xlsx'], { 'leads.export.xlsx': 'leads.csv' }],
  [['a/leads.csv', 'b/leads.results.csv'], {}],
  [['leads.results.csv'], {}],
  [['leads.csv', 'leads.exported.csv', 'leads.results.old.csv'], {}],
  [
    ['leads.csv', 'leads.results.csv', 'leads.results.export.csv'],
    {
      'leads.results.csv': 'leads.csv',
      'leads.results.export.csv': 'leads.results.csv',
    },
  ],
])('of the files %j those that srq made of another one are left out: %j', (named, made) => {
  const { files, leftOut } = withoutOwnFiles(named);
  expect(Object.fromEntries(leftOut.map(({ file, of }) => [file, of]))).toEqual(made);
  expect(files).toEqual(named.filter((file) => !(file in made)));
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('results may hold corrections unless they are as srq wrote them, or of another kind of run', async () => {
  const { context, home } = contextOf();
  const write = (name: string, text: string) => {
    writeFileSync(join(home, name), text);
    return join(home, name);
  };
  const may = (path: string) => mayHoldCorrections(context, path);
  const results = write('a.results.csv', 'as written\n');
  expect(await may(results)).toBe(true);
  await (await context.writtenFiles()).note(results, sha256('as written\n'), 'run');
  expect(await may(results)).toBe(false);
  expect(await may(write('a.export.csv', ''))).toBe(false);
  expect(await may(write('a.sandbox.results.csv', 'x\n'))).toBe(false);
  const rehearsal = contextOf({ options: { sandbox: true } }).context;
  expect(await mayHoldCorrections(rehearsal, join(home, 'a.sandbox.results.csv'))).toBe(true);
  expect(await mayHoldCorrections(rehearsal, results)).toBe(false);
});

test('a file has one path, through links of files and folders, whether it exists or not', async () => {
  const { home } = contextOf();
  mkdirSync(join(home, 'real'));
  symlinkSync(join(home, 'real'), join(home, 'linked'));
  writeFileSync(join(home, 'real', 'a.csv'), '');
  symlinkSync(join(home, 'real', 'a.csv'), join(home, 'b.csv'));
  const path = await onlyPath(join(home, 'real', 'a.csv'));
  expect(await onlyPath(join(home, 'linked', 'a.csv'))).toBe(path);
  expect(await onlyPath(join(home, 'b.csv'))).toBe(path);
  expect(await onlyPath(join(home, 'linked', 'new.csv'))).toBe(await onlyPath(join(home, 'real', 'new.csv')));
  expect(await onlyPath(join(home, 'none', 'new.csv'))).toBe(join(home, 'none', 'new.csv'));
});

const HEADER = 'Name,srq_status,srq_id,srq_message,srq_row\n';

describe('The place of the results', () => {
  function deskOf(options: object = {}) {
    const of = contextOf({ options });
    const path = (name: string) => join(of.home, name);
    const input = path('leads.csv');
    writeFileSync(input, 'Name\nAna Exemplo\n');
    const taken = new Map<string, string>();
    const find = async (asked?: ResultsOption, format = 'csv', from = input) => {
      taken.set(await onlyPath(from), from);
      return ResultsPlace.find(of.context, from, { format } as never, asked, taken);
    };
    const asWritten = async (name: string, text: string, occasion: 'run' | 'rehearsal' = 'run') => {
      writeFileSync(path(name), text);
      await (await of.context.writtenFiles()).note(path(name), sha256(text), occasion);
    };
    return { ...of, path, find, asWritten, told: () => of.stderr().replace(/\s+/g, ' ') };
  }

  test('is beside the input, a workbook for a workbook, and says so for a rehearsal', async () => {
    const { find, path } = deskOf();
    expect((await find()).path).toBe(path('leads.results.csv'));
    expect((await find(undefined, 'xlsx')).path).toBe(path('leads.results.xlsx'));
    expect((await find(undefined, 'json')).path).toBe(path('leads.results.csv'));
    const rehearsal = deskOf({ sandbox: true });
    expect((await rehearsal.find()).path).toBe(rehearsal.path('leads.sandbox.results.csv'));
  });

  test('is none, or standard output, where the flag says so; not beside a document', async () => {
    expect((await deskOf().find(false)).path).toBeNull();
    expect((await deskOf().find('-')).path).toBe('-');
    await expect(deskOf({ json: true }).find('-')).rejects.toMatchObject({ reason: 'flags.contradict' });
  });

  test('is not where no file can be made', async () => {
    const { find, path } = deskOf();
    await expect(find(undefined, 'csv', path('none/leads.csv'))).rejects.toMatchObject({ reason: 'output.unwritable' });
  });

  test('is a file that is empty, or as srq wrote it in a run of this kind', async () => {
    const { find, path, asWritten, told } = deskOf();
    writeFileSync(path('leads.results.csv'), '');
    expect((await find()).path).toBe(path('leads.results.csv'));
    await asWritten('leads.results.csv', `${HEADER}Ana Exemplo,created,1,,1\n`);
    expect((await find()).path).toBe(path('leads.results.csv'));
    expect(told()).toBe('');
    await asWritten('leads.results.csv', `${HEADER}Ana Exemplo,created,2,,1\n`, 'rehearsal');
    expect((await find()).path).toBe(path('leads.results-2.csv'));
  });

  test('is the next free number where a person has changed the file, or a folder or a link is in the way', async () => {
    const { find, path, told } = deskOf();
    writeFileSync(path('leads.results.csv'), 'mine');
    expect((await find()).path).toBe(path('leads.results-2.csv'));
    expect(told()).toContain(
      `${path('leads.results.csv')} was changed since srq wrote it, so it is kept; the results go to ${path('leads.results-2.csv')}.`,
    );
    mkdirSync(path('leads.results-2.csv'));
    symlinkSync(path('nowhere'), path('leads.results-3.csv'));
    expect((await find()).path).toBe(path('leads.results-4.csv'));
  });

  test('is that of one input only, and nothing is told of a file that was never there', async () => {
    const { find, path, told } = deskOf();
    writeFileSync(path('leads.json'), '[]');
    expect((await find()).path).toBe(path('leads.results.csv'));
    expect((await find(undefined, 'json', path('leads.json'))).path).toBe(path('leads.results-2.csv'));
    expect((await find()).path).toBe(path('leads.results.csv'));
    expect(told()).toBe('');
  });

  test('is never the input, nor a file that is no results file', async () => {
    const { find, path } = deskOf();
    symlinkSync(path('leads.csv'), path('link.csv'));
    for (const asked of ['leads.csv', 'link.csv'])
      await expect(find(path(asked))).rejects.toMatchObject({ message: expect.stringContaining('replace the input') });
    for (const head of ['Name,Tel\n', 'Name,srq_status,srq_id,srq_message\n', `Name\n${HEADER}`]) {
      writeFileSync(path('other.csv'), head);
      await expect(find(path('other.csv')), head).rejects.toMatchObject({
        message: expect.stringContaining('is not a file that srq wrote'),
      });
    }
    writeFileSync(path('other.xlsx'), HEADER);
    await expect(find(path('other.xlsx'))).rejects.toMatchObject({ reason: 'output.not-replaced' });
    expect(readFileSync(path('other.xlsx'), 'utf8')).toBe(HEADER);
  });

  test.each([',', ';', '\t'])(
    'that is named may be results of srq, parted by %j, but none with corrections',
    async (by) => {
      const { context, find, path, asWritten } = deskOf();
      const text = `${HEADER.replaceAll(',', by)}Ana Exemplo\n`;
      await asWritten('mine.csv', text);
      expect((await find(path('mine.csv'))).path).toBe(path('mine.csv'));
      writeFileSync(path('mine.csv'), `${text}corrected\n`);
      const flags = ['--results', path('mine.csv'), '--yes', '--on-end', 'curl -u me:secret'];
      const argv = ['node', 'srq', 'bulk', path('leads.csv'), ...flags];
      Object.assign(context.process, { argv });
      await expect(find(path('mine.csv'))).rejects.toMatchObject({
        reason: 'output.not-replaced',
        hint: `To write beside it: srq bulk ${path('leads.csv')} --yes --results ${path('mine-2.csv')}`,
      });
    },
  );

  test('changes at the end if somebody has changed the file meanwhile, or has it open', async () => {
    const { context, find, path, told } = deskOf();
    const place = await find();
    expect(await place.settle(context, path('leads.results.csv'), null)).toBe(path('leads.results.csv'));
    expect(told()).toBe('');
    const [open, next] = [path('leads.results.csv'), path('leads.results-2.csv')];
    expect([await place.settle(context, open, open), place.path]).toEqual([next, next]);
    expect(told()).toContain(
      `${open} is open in another program, such as Excel, so it is kept; the results go to ${next}.`,
    );
    writeFileSync(next, 'mine');
    expect(await place.settle(context, open, null)).toBe(path('leads.results-3.csv'));
    const other = deskOf();
    const changed = await other.find();
    writeFileSync(other.path('leads.results.csv'), 'mine');
    const free = other.path('leads.results-2.csv');
    expect(await changed.settle(other.context, other.path('leads.results.csv'), null)).toBe(free);
    expect(other.told()).toContain(
      `leads.results.csv was changed since srq wrote it, so it is kept; the results go to ${free}.`,
    );
  });
});
