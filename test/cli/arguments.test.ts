import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { callSrq } from '../helpers/call-srq.ts';

const call = (args: readonly string[], env: Record<string, string> = {}) => callSrq(args, { env, cwd: null });

describe('A mistake in the arguments ends a command before anything else', () => {
  test.each<[string[], string, string]>([
    [['bluk'], 'There is no command "bluk". Did you mean bulk?', 'srq --help'],
    [['zzzzzzz'], 'There is no command "zzzzzzz".', 'srq --help'],
    [['bulk', 'x.csv', '--dry-rum'], 'Unknown option --dry-rum. Did you mean --dry-run?', 'srq bulk --help'],
    [['bulk', 'x.csv', '--secret=s3cret'], 'Unknown option --secret.', 'srq bulk --help'],
    [
      ['bulk', 'x.csv', '--concurency', '3'],
      'Unknown option --concurency. Did you mean --concurrency?',
      'srq bulk --help',
    ],
    [['status', '--quite'], 'Unknown option --quite. Did you mean --quiet?', 'srq status --help'],
    [['template', 'cvs'], '<format> cannot be "cvs". Did you mean csv? One of: csv, json.', 'srq template --help'],
    [['profile', 'lits'], 'There is no command "lits". Did you mean list?', 'srq profile --help'],
    [['profile'], 'Say which: list, use, remove.', 'srq profile --help'],
    [['profile', 'use'], 'The argument <name> is missing.', 'srq profile use --help'],
    [
      ['--profile', 'shop', 'log', '--limit', 'x'],
      '--limit does not take "x". Give a whole number from',
      'srq log --help',
    ],
    [['log', '--limit', 'a\nb'], '--limit does not take "a\nb". Give a whole number from', 'srq log --help'],
    [
      ['log', '--status', 'rejcted'],
      '--status does not take "rejcted". Did you mean rejected? One of: created,',
      'srq log --help',
    ],
    [['log', '--status', 'zzzzzzz'], '--status does not take "zzzzzzz". One of: created,', 'srq log --help'],
    [['help', 'exitcodes'], 'There is no command "exitcodes". Did you mean exit-codes?', 'srq help --help'],
    [['help', 'profile', 'lits'], 'There is no command "lits". Did you mean list?', 'srq help --help'],
    [['help', 'zzzzzzz'], 'There is no command "zzzzzzz".', 'srq help --help'],
    [['completion', 'tcsh'], '<shell> cannot be "tcsh". One of: bash, zsh, fish, powershell.', 'srq completion --help'],
    [['bulk', 'x.csv', '--map'], '--map needs a value: --map <column=field>', 'srq bulk --help'],
    [['report'], '--output <file> is missing.', 'srq report --help'],
    [['report', '-o'], '--output needs a value: --output <file>', 'srq report --help'],
    [['status', 'now'], 'Too many arguments: 1 instead of none.', 'srq status --help'],
    [['profile', 'use', 'a', 'b'], 'Too many arguments: 2 instead of 1.', 'srq profile use --help'],
    [['status', '--timeout', '0'], '--timeout does not take "0". Give a number above 0.', 'srq status --help'],
  ])('%j', async (args, said, hint) => {
    const { code, stdout, stderr } = await call(args);
    expect([code, stdout, stderr.startsWith(`✗ ${said}`)]).toEqual([2, '', true]);
    expect(stderr.endsWith(`\n  → See: ${hint}\n`)).toBe(true);
    expect(stderr).not.toContain('s3cret');
    // The words alone say that a program asks.
    const asked = JSON.parse((await call(['--json', ...args])).stdout);
    expect(asked.error).toMatchObject({ code: 'usage', hint: `See: ${hint}` });
  });

  test.each([
    [['bulk', 'x.csv', '--dry-rum'], 'option.unknown'],
    [['profile'], 'arguments.missing'],
    [['status', 'now'], 'arguments.invalid'],
  ])('%j, which programs know as %s', async (args, reason) => {
    expect(JSON.parse((await call(['--json', ...args])).stdout).error.reason).toBe(reason);
  });
});

describe('The help', () => {
  test.each([[[]], [['--help']], [['-h']], [['help']]])('of all commands is printed for %j', async (args) => {
    const { code, stdout, stderr } = await call(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: srq COMMAND \[options\] {3}sends service requests, and none twice\n {2}login +/);
    for (const word of ['bulk', 'completion']) expect(stdout).toMatch(new RegExp(`^ {2}${word} +[a-z]`, 'm'));
    expect(stdout).not.toMatch(/^ {2}(?:__complete|version|schema|help) /m);
    expect(stdout).not.toMatch(/^Commands:|^ {2}--version/m);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^Everywhere: --json --quiet /);
  });

  test('of all commands has every option that they share, if that is wanted', async () => {
    const { code, stdout } = await call(['help', '--all']);
    expect(code).toBe(0);
    for (const option of ['--profile', '--no-input', '--ca-file', '--version']) expect(stdout).toContain(`  ${option}`);
    expect(stdout).toMatch(/^ {2}bulk +import/m);
  });

  test.each([
    ...['profile', 'sandbox', 'json', 'quiet', 'verbose', 'no-color', 'no-input', 'timeout', 'log', 'store'],
    ...['fresh-store', 'ca-file', 'cert', 'key', 'version'],
  ])('of all commands has --%s among those that they share', async (name) => {
    expect((await call(['help', '--all'])).stdout).toMatch(new RegExp(`^ {2}(?:-\\w, )?--${name}\\b`, 'm'));
  });

  test('of a command has its options and arguments, with their values and usual value', async () => {
    const { stdout } = await call(['help', 'bulk', '--all']);
    expect(stdout).toMatch(/^Usage: srq bulk /);
    expect(stdout).toMatch(/^ {2}--concurrency <n> .*\(default: 16\)$/m);
    expect(stdout).toMatch(/^ {2}--in-doubt <\w+> [^-]*park,\s+validate/m);
    expect(stdout).toMatch(/^Options:$/m);
    expect((await call(['template', '--help'])).stdout).toMatch(/--market <code> .*\(default: PT\)$/m);
    // Of a list or a switch nothing is said that is usual.
    expect(stdout).not.toMatch(/default: (?:false|true|\)|$)/);
    expect(stdout).not.toContain('More options');
    const short = await call(['bulk', '--help']);
    expect(short.stdout).toContain('More options: srq help bulk --all');
    expect((await call(['help', 'bulk'])).stdout).toBe(short.stdout);
    // All options of this one are shown.
    expect((await call(['template', '--help'])).stdout).not.toContain('More options');
    expect((await call(['help', 'contract', 'learn'])).stdout).toMatch(/^Usage: srq contract learn /);
  });

  test('of a command is for programs a part of the map of all', async () => {
    const mapOf = async (...words: string[]) => JSON.parse((await call(['help', ...words, '--json'])).stdout);
    const [whole, contract] = [await mapOf(), await mapOf('contract')];
    const namesOf = (map: { commands: { name: string }[] }) => map.commands.map(({ name }) => name);
    expect(namesOf(contract)).toEqual(['contract learn', 'contract show', 'contract forget']);
    expect(namesOf(whole)).toEqual(
      expect.arrayContaining(['bulk', 'queue', 'queue purge', 'help', 'version', 'schema']),
    );
    expect(namesOf(whole).filter((name) => name.startsWith('__') || name === 'contract')).toEqual([]);
    expect(namesOf(await mapOf('queue'))).toEqual(['queue', 'queue purge']);
    expect(whole.version).toBe('of a test');
  });

  test('on exit codes has every number once, in order, and says which counts first', async () => {
    const { code, stdout, stderr } = await call(['help', 'exit-codes']);
    const numbers = [...stdout.matchAll(/^ *(\d+) {2}\S/gm)].map((found) => Number(found[1]));
    expect([code, numbers]).toEqual([0, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130, 143]]);
    expect(stdout).toMatch(/^ {3}0 {2}everything worked/);
    expect(stderr).toMatch(/^If several apply, it is the first of 1, 9,/);
    const { exitCodes } = JSON.parse((await call(['help', 'exit-codes', '--json'])).stdout);
    expect(exitCodes.map((each: { code: number }) => each.code)).toEqual(numbers);
  });

  test('on errors has the kinds with their exit codes, the codes, and those of rows', async () => {
    const { stdout, stderr } = await call(['help', 'errors']);
    expect(stdout).toMatch(/^auth {14} {2}4 {2}not logged in/m);
    expect(stdout).not.toMatch(/^ok /m);
    expect(stdout).toMatch(/ended by SIGTERM\n\n\S/);
    expect(stdout).toMatch(/^auth\.missing \(auth\)\n {2}\S/m);
    expect(stdout).toMatch(/^phone\.too-short \(error of a row\)\n {2}\S/m);
    expect(stdout).not.toMatch(/\{field\}|\{column\}/);
    expect(stderr).toContain('error.reason');
    const { errors, reasons, findings } = JSON.parse((await call(['help', 'errors', '--json'])).stdout);
    expect(errors).toContainEqual({ code: 'auth', exitCode: 4, meaning: expect.any(String) });
    expect(reasons).toContainEqual(
      expect.objectContaining({ reason: 'auth.missing', code: 'auth', exitCode: 4, commands: ['login'], options: [] }),
    );
    expect(findings).toContainEqual(expect.objectContaining({ code: 'phone.too-short', severity: 'error' }));
  });

  test('on errors has those alone that begin with a word, of errors or of rows', async () => {
    const { stdout } = await call(['help', 'errors', 'phone.']);
    expect(stdout.match(/^\S+/gm)?.every((code) => code.startsWith('phone.'))).toBe(true);
    expect((await call(['help', 'errors', 'auth.'])).stdout).toMatch(/^auth\.\S+ \(auth\)\n/);
    const narrow = JSON.parse((await call(['help', 'errors', 'auth.missing', '--json'])).stdout);
    expect([narrow.reasons.length, narrow.findings.length, narrow.errors.length > 5]).toEqual([1, 0, true]);
    const none = await call(['help', 'errors', 'zz\u0007']);
    expect([none.code, none.stdout]).toEqual([2, '']);
    expect(none.stderr).toBe('✗ No code begins with "zz\\u{7}".\n  → See: srq help errors\n');
  });

  test('on the environment marks what is set, in either spelling, and shows no values', async () => {
    const env = { SRQ_BASE_URL: 'http://127.0.0.1:9', https_proxy: 'http://user:word@proxy', NO_PROXY: '' };
    const { code, stdout, stderr } = await call(['help', 'environment'], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\* {2}SRQ_BASE_URL /m);
    expect(stdout).toMatch(/^\* {2}HTTPS_PROXY, NO_PROXY /m);
    expect(stdout).toMatch(/^ {3}SRQ_STORE /m);
    expect(stdout + stderr).not.toMatch(/127\.0\.0\.1|word@/);
    expect(stderr).toMatch(/^\* is set now\./);
    const { environment } = JSON.parse((await call(['help', 'environment', '--json'], env)).stdout);
    const setOf = (name: string) => environment.find(({ names }: { names: string[] }) => names.includes(name)).set;
    expect([setOf('SRQ_BASE_URL'), setOf('NO_PROXY'), setOf('CI')]).toEqual([['SRQ_BASE_URL'], ['HTTPS_PROXY'], []]);
  });

  test('on files has the folders of this machine, and what lies in each', async () => {
    const env = { SRQ_CONFIG_DIR: '/the/config', SRQ_STATE_DIR: '/the/state' };
    const { code, stdout } = await call(['help', 'files'], env);
    const [config, state, beside] = stdout.split(/^(?=\S)/m);
    expect(code).toBe(0);
    expect(config).toMatch(/^\/the\/config\n {2}config\.json +\S/);
    expect(state).toMatch(/^\/the\/state\n(?: {2}.*\n)* {2}PROFILE\.ndjson +the log/);
    expect(beside).toMatch(/^where you say, or beside your file\n {2}FILE\.results\.csv/);
    const columnOf = (text: string) =>
      stdout
        .split('\n')
        .find((line) => line.includes(text))
        ?.indexOf(text);
    expect(new Set(['profiles with', 'the log: keep', 'your rows with'].map(columnOf)).size).toBe(1);
    expect(JSON.parse((await call(['help', 'files', '--json'], env)).stdout).folders).toEqual({
      ...{ config: '/the/config', state: '/the/state' },
    });
  });
});

test('the help on files has those that the page on accounts lists, and no other of srq’s own folders', async () => {
  const page = readFileSync(new URL('../../docs/accounts.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('## Files that srq writes');
  const cells = table.split('\n').flatMap((line) => (line.startsWith('| ') ? [line.split(' | ')[0] ?? ''] : []));
  const own = /^(?:~\/\.config\/srq\/|~\/\.local\/state\/srq\/|(?=PROFILE\.)|(?=[a-z-]+\/$)|….ndjson)/;
  const listed = cells
    .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .flatMap((name) => (own.test(name) ? [name.replace('….', 'PROFILE.').replace(/^~\/.*?\/srq\//, '')] : []));
  const { files } = JSON.parse((await call(['help', 'files', '--json'])).stdout) as {
    files: { folder: string | null; name: string }[];
  };
  const names = files.flatMap(({ folder, name }) => (folder === null ? [] : [name]));
  const means = (name: string, file: string) =>
    new RegExp(
      `^${name
        .split('*')
        .map((part) => part.replaceAll('.', '\\.'))
        .join('.*')}$`,
    ).test(file);
  expect(listed.length).toBeGreaterThan(10);
  expect(listed.filter((file) => !names.some((name) => means(name, file)))).toEqual([]);
  expect(names.filter((name) => !listed.some((file) => means(name, file)))).toEqual([]);
});

describe('The version', () => {
  test.each([[['--version']], [['version']]])('is printed for %j', async (args) => {
    expect(await call(args)).toMatchObject({ code: 0, stdout: 'of a test\n', stderr: '' });
  });

  test('is a document, too', async () => {
    const { schemaVersion: _, ...document } = JSON.parse((await call(['version', '--json'])).stdout);
    expect(document).toEqual({ version: 'of a test' });
  });
});

describe('What a command prints', () => {
  test.each<[Record<string, string>, string[], boolean]>([
    [{ FORCE_COLOR: '1' }, [], true],
    [{ FORCE_COLOR: '3', TERM: 'dumb' }, [], true],
    [{ FORCE_COLOR: 'true' }, [], true],
    [{}, [], false],
    [{ FORCE_COLOR: '' }, [], false],
    [{ FORCE_COLOR: '0' }, [], false],
    [{ FORCE_COLOR: 'false' }, [], false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, [], false],
    [{ FORCE_COLOR: '1' }, ['--no-color'], false],
  ])('with %j and %j has colours in a pipe: %j', async (env, args, isColoured) => {
    const { stdout } = await call(['help', 'files', ...args], env);
    expect(stdout.includes('\u001b[')).toBe(isColoured);
  });

  test.each([
    [[], true],
    [['-q'], false],
    [['--quiet'], false],
  ])('beside its result is left out with %j: only then', async (args, isSaid) => {
    const { stdout, stderr } = await call(['help', 'exit-codes', ...args]);
    expect([stdout !== '', stderr !== '']).toEqual([true, isSaid]);
  });

  test('is the markets with their code, name, calling code and languages', async () => {
    const { code, stdout } = await call(['markets']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^PT {2}Portugal {13}\+351 {2}pt\b/m);
    const { markets } = JSON.parse((await call(['markets', '--json'])).stdout);
    expect(markets).toHaveLength(stdout.trimEnd().split('\n').length);
    expect(markets).toContainEqual({ code: 'PT', name: 'Portugal', callingCode: '351', languages: expect.any(Array) });
  });
});

describe('The schema', () => {
  test('of one command is printed alone, and of all as a document', async () => {
    const { code, stdout } = await call(['schema', 'markets']);
    expect([code, Array.isArray(JSON.parse(stdout).anyOf)]).toEqual([0, true]);
    const { schemas } = JSON.parse((await call(['schema', '--json'])).stdout);
    expect(schemas.length).toBeGreaterThan(20);
    const one = JSON.parse((await call(['schema', 'markets', '--json'])).stdout).schemas;
    expect(one).toEqual([{ command: 'markets', output: JSON.parse(stdout), input: null }]);
    const input = await call(['schema', 'create', '--input']);
    const [create] = JSON.parse((await call(['schema', 'create', '--json'])).stdout).schemas;
    expect([create.input, create.output === null]).toEqual([JSON.parse(input.stdout), false]);
  });

  test('of a word with several commands below it is asked for once more', async () => {
    const { code, stderr } = await call(['schema', 'contract']);
    expect([code, stderr.startsWith('✗ Which schema? There are 3.\n  → Name one: contract ')]).toEqual([2, true]);
    expect((await call(['schema'])).stderr).toMatch(/^✗ Which schema\? There are \d\d\./);
    const { schemas } = JSON.parse((await call(['schema', 'contract', '--json'])).stdout);
    expect(schemas).toHaveLength(3);
  });

  test.each([
    [['blk'], 'No command "blk" prints a document. Did you mean bulk?', 'Those do: '],
    [['zzzzzzz'], 'No command "zzzzzzz" prints a document.\n', 'Those do: '],
    [['cont'], 'No command "cont" prints a document.', 'Those do: '],
    [['markets', '--input'], 'srq markets reads no JSON.', 'For example: srq schema create --input'],
  ])('of %j is none', async (words, said, hint) => {
    const { code, stdout, stderr } = await call(['schema', ...words]);
    expect([code, stdout, stderr.includes(`✗ ${said}`), stderr.includes(`→ ${hint}`)]).toEqual([2, '', true, true]);
  });
});
