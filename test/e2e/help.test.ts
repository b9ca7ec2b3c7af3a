import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { contractFile } from '../helpers/contracts.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { logIn } from '../helpers/login.ts';
import { documentOf } from '../helpers/run-srq.ts';

/** One screen of 80 columns and 24 lines, with the prompt. */
function fitsScreen(text: string): void {
  const lines = text.trimEnd().split('\n');
  expect(lines.length).toBeLessThan(24);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
}

describe.concurrent('help', () => {
  test('on exit codes says every number once, in order', async ({ desk }) => {
    const { code, stdout } = await desk.run('help', 'exit-codes');
    const numbers = [...stdout.matchAll(/^ *(\d+) {2}\S/gm)].map((found) => Number(found[1]));
    expect([code, numbers]).toEqual([0, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130, 143]]);
    const { exitCodes } = documentOf(await desk.run('help', 'exit-codes', '--json'));
    expect((exitCodes as { code: number }[]).map((each) => each.code)).toEqual(numbers);
  });

  test('on errors says every name that JSON documents have, with its exit code', async ({ desk }) => {
    const { errors } = documentOf(await desk.run('help', 'errors', '--json'));
    expect(errors).toContainEqual({ code: 'auth', exitCode: 4, meaning: expect.any(String) });
    const { error } = documentOf(await desk.run('create', '--country', 'PT', '--json')) as { error: { code: string } };
    expect((errors as { code: string }[]).map(({ code }) => code)).toContain(error.code);
  });

  test('on the environment marks what is set, and shows no values', async ({ desk, sandbox }) => {
    desk.use(sandbox);
    const { stdout, stderr } = await desk.run('help', 'environment');
    expect(stdout).toMatch(/^\* {2}SRQ_BASE_URL /m);
    expect(stdout).toMatch(/^ {3}SRQ_STORE /m);
    expect(stdout + stderr).not.toContain(sandbox.clientId);
    fitsScreen(stdout + stderr);
  });

  test('on files has every file that a login and an import have left', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox);
    await desk.run('bulk', desk.write('leads.csv', leadsCsv(3)), '--rate', 'max');
    // The index is saved only beside a log of several megabytes.
    writeFileSync(join(desk.state, 'default.ndjson.index'), '');
    fitsScreen((await desk.run('help', 'files')).stdout);
    const { files } = documentOf(await desk.run('help', 'files', '--json')) as { files: Record<string, string>[] };
    const patterns = files.map(({ folder, name = '' }) => {
      const escaped = name.replaceAll('.', '\\.').replace('*', '.*').replace('PROFILE', 'default');
      return new RegExp(`^${folder}/${escaped.replace(/\/$/, '')}$`);
    });
    const written = desk.files().filter((name) => /^(?:config|state)\/(?!written\/).*\./.test(name));
    expect(written.length).toBeGreaterThan(4);
    expect(written.filter((name) => !patterns.some((pattern) => pattern.test(name)))).toEqual([]);
  });

  test('of all, with every option that all commands have', async ({ desk }) => {
    const { code, stdout } = await desk.run('help', '--all');
    expect(code).toBe(0);
    for (const option of ['--profile', '--no-input', '--ca-file', '--version']) expect(stdout).toContain(`  ${option}`);
    expect(stdout).toMatch(/^ {2}bulk +import/m);
  });

  test.for<[string[], string, string]>([
    [['bluk'], 'Did you mean bulk?', 'srq --help'],
    [['bulk', 'x.csv', '--dry-rum'], 'Did you mean --dry-run?', 'srq bulk --help'],
    [['bulk', 'x.csv', '--concurency', '3'], 'Did you mean --concurrency?', 'srq bulk --help'],
    [['status', '--quite'], 'Did you mean --quiet?', 'srq status --help'],
    [['template', 'cvs'], 'Did you mean csv?', 'srq template --help'],
    [['profile', 'lits'], 'Did you mean list?', 'srq profile --help'],
    [['profile', 'use'], 'name', 'srq profile use --help'],
    [['log', '--status', 'rejcted'], 'Did you mean rejected?', 'srq log --help'],
    [['--profile', 'shop', 'log', '--limit', 'x'], 'whole number', 'srq log --help'],
    [['help', 'exitcodes'], 'Did you mean exit-codes?', 'srq help --help'],
    [['completion', 'tcsh'], '<shell> cannot be "tcsh". One of: bash, zsh, fish, powershell', 'srq completion --help'],
    [['profile', 'use'], 'The argument <name> is missing.', 'srq profile use --help'],
    [['bulk', 'x.csv', '--map'], '--map needs a value: --map <column=field>', 'srq bulk --help'],
    [['report'], '--output <file> is missing.', 'srq report --help'],
    [['report', '-o'], '--output needs a value: --output <file>', 'srq report --help'],
    [['log', '--limit', 'x'], '--limit does not take "x". Give a whole number', 'srq log --help'],
    [['log', '--status', 'rejcted'], '--status does not take "rejcted". Did you mean rejected?', 'srq log --help'],
    [['status', 'now'], 'Too many arguments: 1 instead of none.', 'srq status --help'],
    [['profile', 'use', 'a', 'b'], 'Too many arguments: 2 instead of 1.', 'srq profile use --help'],
    [['bluk'], 'There is no command "bluk". Did you mean bulk?', 'srq --help'],
    [['zzzzzzz'], 'There is no command "zzzzzzz".', 'srq --help'],
  ])('is pointed to by the mistake %j', async ([args, said, hint], { desk }) => {
    const ended = await desk.run(...args);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toContain(said);
    expect(ended.stderr.trimEnd().endsWith(`See: ${hint}`)).toBe(true);
  });
});

test.for<[Record<string, string>, string[], boolean]>([
  [{ FORCE_COLOR: '1' }, [], true],
  [{ FORCE_COLOR: '3', TERM: 'dumb' }, [], true],
  [{ FORCE_COLOR: 'true' }, [], true],
  [{}, [], false],
  [{ FORCE_COLOR: '' }, [], false],
  [{ FORCE_COLOR: '0' }, [], false],
  [{ FORCE_COLOR: 'false' }, [], false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, [], false],
  [{ FORCE_COLOR: '1' }, ['--no-color'], false],
])('with %j and %j a pipe gets colours: %j', async ([env, args, isColoured], { desk }) => {
  const { stdout } = await desk.start(['help', 'files', ...args], { env }).ended;
  expect(stdout.includes('\u001b[')).toBe(isColoured);
});

test('short options and srq version do what the long ones do', async ({ desk, sandbox }) => {
  const { stdout: version } = await desk.run('--version');
  expect((await desk.run('version')).stdout).toBe(version);
  expect(documentOf(await desk.run('version', '--json'))).toEqual({ version: version.trim() });
  desk.use(sandbox);
  const request = ['validate', '--country', 'PT', '--phone', '+351912345678', '--request-text', 'Obras'];
  expect((await desk.run(...request, '-q')).stderr).toBe('');
  expect((await desk.run(...request, '-v')).stderr).toContain('POST ');
  const agreed = await desk.run('contract', 'learn', contractFile('form-openapi30.yaml'), '-y');
  expect(agreed).toMatchObject({ code: 0 });
});
