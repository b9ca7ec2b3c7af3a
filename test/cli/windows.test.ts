import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { filesOfPattern } from '../../src/cli/file-pattern.ts';
import { unreadable } from '../../src/input/partner-file.ts';
import { runSecretCommand } from '../../src/settings/settings.ts';
import { isHeldOpen, Output } from '../doors/kept.ts';
import { failureOf } from '../doors/log.ts';
import { bindMount, bindMountIsMissing } from '../helpers/bind-mount.ts';
import { outputHost } from '../helpers/output-host.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'srq-held-'));
});
let unmount = () => {};
afterEach(() => {
  unmount();
  unmount = () => {};
  rmSync(folder, { recursive: true });
});

const systemError = (code: string) => Object.assign(new Error('x'), { code });

test('a file that another program holds open is told apart from one that may not be written', () => {
  const held = (system: string) =>
    ['EBUSY', 'EPERM', 'EACCES', 'ENOSPC'].map((code) => isHeldOpen(systemError(code), system));
  expect(held('win32')).toEqual([true, true, true, false]);
  expect(held('linux')).toEqual([true, false, false, false]);
});

describe.skipIf(bindMountIsMissing !== null)(
  `A file that cannot be replaced, as one that is open in Excel${bindMountIsMissing === null ? '' : ` (${bindMountIsMissing})`}`,
  () => {
    test('Results go to the next place where their file cannot be replaced, as when it is open in Excel', async () => {
      const [path, next] = [join(folder, 'leads.results.csv'), join(folder, 'leads.results-2.csv')];
      writeFileSync(join(folder, 'open'), '');
      // The system refuses with EBUSY to replace what is mounted.
      unmount = bindMount(join(folder, 'open'), path);
      const rule = { flag: '--results', kind: 'results file', mayMove: true };
      const output = await Output.open(outputHost(join(folder, 'state')).host, path, rule);
      await output.write(['srq_status']);
      expect(output.path).toBe(next);
      expect(readFileSync(next, 'utf8')).toContain('srq_status');
      expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    });
  },
);

test.each([
  ['EBUSY', 'linux', 'open in another program', 'Close it there'],
  ['EPERM', 'win32', 'You may not read', 'under Security'],
  ['EACCES', 'linux', 'You may not read', "chmod u+r 'my leads.csv'"],
  ['ENOENT', 'win32', 'There is no file', 'Check the name'],
])('an unreadable file of leads (%s, %s) comes with what to do', (code, system, says, advice) => {
  const { message, hint } = unreadable('my leads.csv', systemError(code), system);
  expect([message, hint]).toEqual([expect.stringContaining(says), expect.stringContaining(advice)]);
});

test('the message about a secret command that Windows does not start says how to start a script there', async () => {
  const env = { ...process.env, PATH: folder };
  const { message, hint } = await failureOf(runSecretCommand('no-such-program-here get', 'win32', env));
  expect([message, hint]).toEqual([
    'The secret command failed (ENOENT).',
    expect.stringContaining('cmd /c no-such-program'),
  ]);
  expect((await failureOf(runSecretCommand('no-such-program-here', 'linux', env))).hint).not.toContain('cmd');
});

describe('A pattern', () => {
  beforeEach(() => {
    for (const name of ['b.csv', 'a.CSV', 'c.csv.txt', 'a+b.csv']) writeFileSync(join(folder, name), '');
  });
  const named = async (pattern: string) =>
    (await filesOfPattern(join(folder, pattern))).map((path) => path.slice(folder.length + 1));

  test.each([
    ['*.csv', ['a+b.csv', 'a.CSV', 'b.csv']],
    ['?.csv', ['a.CSV', 'b.csv']],
    ['a+*', ['a+b.csv']],
    ['b.csv', ['b.csv']],
    ['*.xlsx', ['*.xlsx']],
  ])('A pattern that the shells of Windows leave as %s names the files that it means', async (pattern, files) => {
    expect(await named(pattern)).toEqual(files);
  });
});
