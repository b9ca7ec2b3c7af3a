import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { describe, expect, inject } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { hasStrace, STRACE } from '../helpers/strace.ts';

/** Words that only the library itself has in its code, and so only the chunks that hold it. */
const MARKS: Readonly<Record<string, RegExp>> = {
  commander: /commander\.unknownOption/,
  undici: /UND_ERR_HEADERS_TIMEOUT/,
  'csv-parse': /CSV_RECORD_INCONSISTENT_COLUMNS/,
  'libphonenumber-js': /isPossibleNumber|NATIONAL_PREFIX_FOR_PARSING|country_calling_codes/,
  conf: /Please specify the `projectName` option/,
  zod: /ZodError/,
  ora: /bouncingBar/,
  'iconv-lite': /iconv-lite/,
  'prom-client': /process_cpu_user_seconds_total/,
};

/** Every file that a command asked for, there or not. */
async function opened(desk: Desk, ...args: string[]): Promise<string[]> {
  const trace = join(desk.work, 'trace');
  const under = [...STRACE, '-e', 'trace=openat,open', '-o', trace];
  expect(await desk.start(args, { under }).ended).toMatchObject({ code: 0 });
  const calls = readFileSync(trace, 'utf8').matchAll(/open(?:at)?\((?:AT_FDCWD, )?"([^"]+)"/g);
  return [...calls].map(([, path = '']) => path);
}

/** The libraries whose code is in the chunks among these files. */
function librariesIn(files: readonly string[]): string[] {
  const program = inject('srqProgram').replace('srq.js', '');
  const code = [...new Set(files)]
    .filter((path) => path.startsWith(program) && existsSync(path))
    .map((path) => readFileSync(path, 'utf8'));
  expect(code.length).toBeGreaterThan(0);
  return Object.keys(MARKS).filter((name) => code.some((text) => MARKS[name]?.test(text)));
}

describe.skipIf(!hasStrace)('what a command reads at its start (needs strace)', () => {
  test.for<[string[], string[]]>([
    [['--help'], ['commander']],
    [['--version'], []],
    [['help'], ['commander']],
    [[], ['commander']],
    [['bulk', '--help'], ['commander']],
  ])('srq %j reads no settings and loads no library but %j', async ([args, libraries], { desk }) => {
    desk.env['SRQ_PROFILE'] = 'never-looked-at';
    const files = await opened(desk, ...args);
    expect(files.filter((path) => path.startsWith(desk.folder) && !path.endsWith('trace'))).toEqual([]);
    expect(librariesIn(files)).toEqual(libraries);
  });

  test('a create with flags loads nothing that reads files or draws progress', async ({ partner }) => {
    const request = ['--country', 'PT', '--phone', '+351912345678', '--request-text', 'Tap', '--fullname', 'Ana'];
    const files = await opened(partner, 'create', ...request, '--location', 'Lisboa');
    expect(librariesIn(files)).toEqual(['commander', 'undici', 'libphonenumber-js', 'zod']);
  });

  test('an import without a terminal also loads what reads files', async ({ partner }) => {
    const files = await opened(partner, 'bulk', partner.write('leads.csv', leadsCsv(1)), '--rate', 'max');
    expect(librariesIn(files)).toEqual(['commander', 'undici', 'csv-parse', 'libphonenumber-js', 'zod']);
  });

  test('the marks by which the tests recognise libraries are somewhere in the bundle', () => {
    const chunks = join(inject('srqProgram'), '..', 'chunks');
    const all = readdirSync(chunks).map((name) => join(chunks, name));
    expect(librariesIn(all)).toEqual(Object.keys(MARKS));
  });
});

test('srq alone, --help and help say the same; --version says a version', async ({ desk }) => {
  const [alone, flag, word] = await Promise.all([desk.run(), desk.run('--help'), desk.run('help')]);
  expect([alone.stdout, word.stdout]).toEqual([flag.stdout, flag.stdout]);
  for (const command of ['login', 'logout', 'status', 'validate', 'create', 'bulk', 'log', 'sandbox', 'markets'])
    expect(flag.stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await desk.run('--version')).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('with an empty HOME, no file is sought below the current folder', async ({ desk }) => {
  const { work } = desk;
  const folders = { HOME: '', SRQ_CONFIG_DIR: '', SRQ_STATE_DIR: '', NODE_DISABLE_COMPILE_CACHE: '1' };
  const ended = await desk.start(['status', '--json'], { env: folders, cwd: work }).ended;
  const { config, state } = JSON.parse(ended.stdout).paths;
  expect([config, state].map(isAbsolute)).toEqual([true, true]);
});
