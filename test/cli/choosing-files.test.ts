import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  chosenFiles,
  filesOfPattern,
  noteName,
  rateOf,
  requireForOne,
  withEachFile,
} from '../../src/commands/bulk/file-import.ts';
import { SrqError } from '../../src/request/errors.ts';
import { contextOf } from '../helpers/command-context.ts';

test('a rate that was given holds; without one the sandbox in the process has none', () => {
  const rate = (options: object, flags: object) => rateOf(contextOf({ options }).context, flags as never);
  expect([rate({}, {}), rate({ sandbox: true }, {})]).toEqual(['auto', 'max']);
  expect([rate({}, { rate: 2.5 }), rate({ sandbox: true }, { rate: 'auto' })]).toEqual([2.5, 'auto']);
});

test('the notes on a run name its file without the folder', () => {
  expect(['/home/ana/leads.csv', 'leads.csv', '-'].map(noteName)).toEqual(['leads.csv', 'leads.csv', 'standard input']);
});

describe('Every file is worked on, one after the other', () => {
  const input = (message: string, hint: string | null = null) => new SrqError('file.unreadable', message, hint);
  const eachOf = (failures: Record<string, unknown>, files = ['a.csv', 'b.csv', 'c.csv']) => {
    const seen: string[] = [];
    const work = async (file: string, at: number) => {
      seen.push(`${at} ${file}`);
      if (file in failures) throw failures[file];
      return file.toUpperCase();
    };
    return { seen, ended: withEachFile(files, work) };
  };

  test('and the results are in their order', async () => {
    expect(await eachOf({}).ended).toEqual(['A.CSV', 'B.CSV', 'C.CSV']);
    expect(await withEachFile([], () => 1)).toEqual([]);
  });

  test('and what is wrong with any of them is told together, each hint once', async () => {
    const hint = 'Export it again.';
    const failed = eachOf({ 'a.csv': input('No header.', hint), 'c.csv': input('c.csv is empty.', hint) });
    await expect(failed.ended).rejects.toMatchObject({
      reason: 'file.unreadable',
      message: 'a.csv: No header. c.csv is empty. Nothing was sent.',
      hint,
    });
    expect(failed.seen).toEqual(['0 a.csv', '1 b.csv', '2 c.csv']);
    await expect(eachOf({ 'a.csv': input('Bad.'), 'b.csv': input('Bad.') }).ended).rejects.toMatchObject({
      hint: null,
    });
  });

  test('and that nothing was sent is said once', async () => {
    const failed = eachOf({ 'a.csv': input('No header. Nothing was sent.'), 'b.csv': input('Bad.') });
    await expect(failed.ended).rejects.toMatchObject({ message: 'a.csv: No header. Nothing was sent. b.csv: Bad.' });
  });

  test('and the error of a single file is the error', async () => {
    const error = input('No header.');
    await expect(eachOf({ 'a.csv': error }, ['a.csv']).ended).rejects.toBe(error);
  });

  test.each([
    ['a usage error', 3, new SrqError('arguments.invalid', 'Bad.')],
    ['an error of the log', 1, new SrqError('log.unwritable', 'Full.')],
    ['a fault', 1, new TypeError('broken')],
  ])('unless it is no error of the input: with %s %i are looked at', async (_, looked, error) => {
    const failed = eachOf({ 'a.csv': error });
    await expect(failed.ended).rejects.toThrow(error.message);
    expect(failed.seen).toHaveLength(looked);
  });
});

describe('Flags that are about one file', () => {
  const refusal = (changes: object, files = ['a.csv', 'b.csv']) => {
    try {
      requireForOne({ files, command: ['bulk', ...files, '--yes'] }, { skip: 0, ...changes } as never);
      return null;
    } catch (error) {
      const { reason, message, hint } = error as SrqError;
      return { reason, message, hint };
    }
  };

  test.each([
    ['--results', { results: 'r.csv' }],
    ['--report', { report: '' }],
    ['--save-mapping', { saveMapping: 'm.json' }],
    ['--limit', { limit: 1 }],
    ['--skip', { skip: 1 }],
  ])('are refused with two: %s', (flag, changes) => {
    expect(refusal(changes)).toEqual({
      reason: 'file.only-one',
      message: `${flag} works with one file, and 2 were given. Nothing was sent.`,
      hint: 'Import them one by one: srq bulk a.csv --yes',
    });
    expect(refusal(changes, ['a.csv'])).toBeNull();
  });

  test('are not --no-results, nor --skip 0; standard input is one file', () => {
    expect([refusal({}), refusal({ results: false }), refusal({ skip: 0 }), refusal({}, ['-'])]).toEqual(
      Array(4).fill(null),
    );
    expect(refusal({}, ['a.csv', '-', 'c.csv'])?.message).toMatch(/^Standard input \(-\) works .* 3 were given\./);
  });
});

describe('The files to import', () => {
  function folderOf(names: readonly string[], argv: readonly string[], platform?: NodeJS.Platform) {
    const of = contextOf({ argv: ['bulk', ...argv], ...(platform ? { platform } : {}) });
    for (const name of names) writeFileSync(join(of.home, name), `${name}\n`);
    return { ...of, path: (name: string) => join(of.home, name) };
  }

  test('are those that were named, and the command is as it was', async () => {
    const { context, path, stderr } = folderOf(['a.csv', 'b.csv'], []);
    const files = [path('a.csv'), path('b.csv')];
    Object.assign(context.process, { argv: ['node', 'srq', 'bulk', ...files, '--yes'] });
    expect(await chosenFiles(context, files)).toEqual({ files, command: ['bulk', ...files, '--yes'] });
    expect(stderr()).toBe('');
  });

  test('are told in a command without that of --on-end, which may hold a password', async () => {
    const { context, path } = folderOf(['a.csv'], []);
    const file = path('a.csv');
    for (const hook of [['--on-end', 'curl -u me:secret'], ['--on-end=curl -u me:secret']]) {
      Object.assign(context.process, { argv: ['node', 'srq', 'bulk', ...hook, file, '--yes'] });
      expect(await chosenFiles(context, [file])).toEqual({ files: [file], command: ['bulk', file, '--yes'] });
    }
  });

  test('are none twice, not by a link either', async () => {
    const { context, path } = folderOf(['a.csv'], []);
    symlinkSync(path('a.csv'), path('b.csv'));
    for (const twice of [path('a.csv'), path('b.csv')]) {
      await expect(chosenFiles(context, [path('a.csv'), twice])).rejects.toMatchObject({
        reason: 'file.twice',
        message: `${twice} is named twice. Nothing was sent.`,
      });
    }
    await expect(chosenFiles(context, ['-', '-'])).rejects.toMatchObject({ reason: 'file.twice' });
    // Files that are missing are reported where they are opened.
    expect((await chosenFiles(context, [path('x.csv'), path('y.csv')])).files).toHaveLength(2);
  });

  test('are without those that srq made of others, and one that a person has changed is told with its command', async () => {
    const names = ['a.csv', 'a.results.csv', 'a.export.csv', 'b.results.csv'];
    const { context, path, stderr } = folderOf(names, []);
    const files = names.map(path);
    Object.assign(context.process, { argv: ['node', 'srq', 'bulk', ...files, '--yes'] });
    const left = [path('a.csv'), path('b.results.csv')];
    expect(await chosenFiles(context, files)).toEqual({ files: left, command: ['bulk', ...left, '--yes'] });
    const told = stderr().replace(/\s+/g, ' ');
    expect(told).toContain(
      `Left out: ${path('a.results.csv')} (made of ${path('a.csv')}), although it was changed since`,
    );
    expect(told).toContain(`To send them: srq bulk ${path('a.results.csv')} --yes`);
    expect(told).toContain(`Left out: ${path('a.export.csv')} (made of ${path('a.csv')}).`);
  });

  test('of a pattern are found on Windows, in the order of their names, in the place of the pattern', async () => {
    const { context, home, path } = folderOf(['b1.csv', 'a1.CSV', 'a+1.csv', 'c.txt'], [], 'win32');
    mkdirSync(path('a2.csv'));
    const pattern = join(home, '*1.csv');
    Object.assign(context.process, { argv: ['node', 'srq', 'bulk', '--yes', pattern] });
    const files = ['a+1.csv', 'a1.CSV', 'b1.csv'].map(path);
    expect(await chosenFiles(context, [pattern])).toEqual({ files, command: ['bulk', '--yes', ...files] });
    const found = (name: string, system = 'win32') => filesOfPattern(join(home, name), system);
    expect(await found('a?.csv')).toEqual([path('a1.CSV')]);
    expect(await found('a+?.csv')).toEqual([path('a+1.csv')]);
    expect(await found('?.csv')).toEqual([path('?.csv')]);
    expect(await found('x*')).toEqual([path('x*')]);
    expect(await found('b1.csv')).toEqual([path('b1.csv')]);
    expect(await found('*1.csv', 'linux')).toEqual([pattern]);
  });
});
