import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { CANARY } from '../helpers/canary-secret.ts';
import { examples, writeConsumers } from '../helpers/consumers.ts';
import { test as deskTest } from '../helpers/desk.ts';
import { startProgram } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';

const folder = mkdtempSync(join(tmpdir(), 'srq-package-'));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const npm = (...args: string[]) => spawnSync('npm', args, { encoding: 'utf8', timeout: 200_000 });
const name = `srq-${version}`;
const tarball = join(folder, `${name}.tgz`);
const consumers = join(folder, 'consumers');
const offlineBecause = (said: string) =>
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.exec(said)?.[0];
/** The user `nobody`, and what setpriv is told to run a command as that one. */
const ANOTHER_ID = 65534;
const ANOTHER_USER = [`--reuid=${ANOTHER_ID}`, `--regid=${ANOTHER_ID}`, '--clear-groups'];
const runs = (program: string, ...words: readonly string[]) => spawnSync(program, words).status === 0;
const madeOf = (file: string) => readFileSync(join(folder, file), 'utf8');
let files: string[] = [];
let said = '';

beforeAll(() => {
  // As a release is made: the tarball of npm pack, and what goes with it.
  const made = spawnSync(process.execPath, ['scripts/release.mjs', '--rehearse', folder], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  said = made.stdout;
  const { stdout } = spawnSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
  files = stdout
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''));
  writeConsumers(consumers, tarball);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the package holds what runs, and nothing else', () => {
  const top = [...new Set(files.map((path) => path.split('/')[0]))].sort();
  expect(top).toEqual([
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'dist',
    'docs',
    'package.json',
    'src',
  ]);
  expect(files).toEqual(expect.arrayContaining(['dist/srq.js', 'dist/library.js', 'dist/library.mjs']));
  expect(
    files.filter(
      (path) =>
        !/^docs\/|^src\/store\/file\/FORMAT\.md$|^dist\/(?:srq\.js|library\.(?:m?js|d\.m?ts)|types\/(?:library|request)(?:\/[\w-]+)+\.d\.ts|package\.json|chunks\/[\w-]+\.js|THIRD-PARTY-LICENSES\.txt)$|^[^/]+$/.test(
          path,
        ),
    ),
  ).toEqual([]);
});

test('the package can be published as it is, and only the library can be imported from it', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(manifest).toMatchObject({ publishConfig: { access: 'public', provenance: true } });
  expect(manifest).not.toHaveProperty('private');
  expect(Object.keys(manifest.exports)).toEqual(['.', './package.json']);
  const scripts = Object.keys(manifest.scripts).filter((each) => /install|^(?:pre|post)?prepare$/.test(each));
  expect(scripts).toEqual([]);
});

test('a release has checksums of all its files, the notes of its version, and says its tag', () => {
  const sums = [`${name}.tgz`, `${name}.md`, `${name}.cdx.json`].map((file) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
    return `${digest}  ${file}\n`;
  });
  expect(madeOf('SHA256SUMS')).toBe(sums.join(''));
  const [, section = ''] = readFileSync('CHANGELOG.md', 'utf8').split(/^## .*\n/m);
  expect(madeOf(`${name}.md`)).toBe(`${section.trim()}\n`);
  expect(said).toContain(`git tag --annotate v${version} `);
});

test('the SBOM names every library in the bundle with its checksum, and SECURITY.md names the same', () => {
  const { components, metadata } = JSON.parse(madeOf(`${name}.cdx.json`));
  const digest = createHash('sha256').update(readFileSync(tarball)).digest('hex');
  expect(metadata.component).toMatchObject({ version, hashes: [{ alg: 'SHA-256', content: digest }] });
  const { stdout } = spawnSync('tar', ['-xzOf', tarball, 'package/dist/THIRD-PARTY-LICENSES.txt'], {
    encoding: 'utf8',
  });
  const bundled = stdout.split(/^-{80}\n\n/m).map((section) => section.split('\n')[0]?.split(' ') ?? []);
  expect(bundled.length).toBeGreaterThan(50);
  for (const [library = '', its] of bundled) {
    const purl = `pkg:npm/${library.replace('@', '%40')}@${its}`;
    const found = components.filter((component: { purl: string }) => component.purl === purl);
    expect(found, purl).toEqual([
      expect.objectContaining({
        scope: 'required',
        hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[\da-f]{128}$/) }],
      }),
    ]);
  }
  const [, listed = ''] = readFileSync('SECURITY.md', 'utf8').split(/^Bundled: /m);
  const names = [...listed.matchAll(/`([^`]+)`/g)].map(([, each]) => each);
  expect(names).toEqual([...new Set(bundled.map(([library]) => library))].sort());
});

test('every link of a page in the package leads to a file in it', () => {
  const broken = files
    .filter((path) => /^(?:README|SECURITY|docs\/[\w-]+)\.md$/.test(path))
    .flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#\s]+)[^)]*\)|src="([^"]+)"/g)]
        .map(([, link, image]) => link ?? image ?? '')
        .filter((link) => !/^https?:/.test(link))
        .filter((link) => !files.some((path) => path.startsWith(join(page, '..', link))))
        .map((link) => `${page}: ${link}`),
    );
  expect(broken).toEqual([]);
});

test('a rehearsed publication has no complaints', ({ skip }) => {
  const { status, stderr } = npm('publish', '--dry-run', '--ignore-scripts', tarball);
  const offline = offlineBecause(stderr);
  if (offline) skip(`the registry cannot be reached (${offline})`);
  expect(status).toBe(0);
  const warnings = stderr.split('\n').filter((line) => /^npm (?:warn|error) publish/.test(line));
  // Nobody is logged in where tests run, and provenance is for CI.
  expect(warnings.filter((line) => !/be logged in|provenance/.test(line))).toEqual([]);
});

describe('The package, installed into an empty place without scripts and without what is optional', () => {
  const prefix = join(folder, 'prefix');
  const library = join(prefix, 'lib/node_modules/srq/node_modules/fs-native-extensions');
  let offline: string | undefined;
  beforeAll(() => {
    const flags = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--prefer-offline'];
    const installed = npm('install', '--global', '--prefix', prefix, ...flags, tarball);
    offline = offlineBecause(installed.stderr);
    if (!offline && installed.status !== 0) throw new Error(installed.stderr);
    // mkdtemp keeps others out; another user is to run it.
    chmodSync(folder, 0o755);
    for (const each of ['work', 'temp']) mkdirSync(join(folder, each));
    copyFileSync('fixtures/csv/leads.csv', join(folder, 'work/leads.csv'));
  });

  /** Runs the installed srq, under a command if one is given. */
  function srq(args: readonly string[], under: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const [program = '', ...words] = [...under, process.execPath, join(prefix, 'bin/srq'), ...args];
    return spawnSync(program, words, {
      encoding: 'utf8',
      cwd: join(folder, 'work'),
      env: { PATH: process.env['PATH'], HOME: join(folder, 'work'), TMPDIR: join(folder, 'temp'), ...env },
    });
  }
  const demo = ['bulk', 'leads.csv', '--sandbox', '--yes'];
  const skipOffline = (skip: (why: string) => void) => {
    if (offline) skip(`the registry cannot be reached (${offline})`);
  };

  test('The installed package, without scripts and what is optional, runs the demo and one request', ({ skip }) => {
    skipOffline(skip);
    expect(srq(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n` });
    const { status, stdout } = srq(demo);
    expect(status).toBe(0);
    expect(stdout).toMatch(/24 {2}created/);
    const request = ['--country', 'PT', '--phone', '+351912345678', '--request-text', 'Obras'];
    expect(srq(['create', ...request, '--sandbox'])).toMatchObject({ status: 0 });
    expect(srq(['doctor', '--sandbox']).stdout).toContain('Everything works.');
  });

  test('The installed package without the lock reads, and says in one sentence why it does not send', ({ skip }) => {
    skipOffline(skip);
    renameSync(join(library, 'prebuilds'), join(library, 'aside'));
    onTestFinished(() => renameSync(join(library, 'aside'), join(library, 'prebuilds')));
    const state = join(folder, 'state');
    const account = {
      SRQ_BASE_URL: 'http://127.0.0.1:9',
      SRQ_CLIENT_ID: 'a',
      SRQ_CLIENT_SECRET: 'b',
      SRQ_STATE_DIR: state,
    };
    const request = ['--country', 'PT', '--phone', '+351912345678', '--request-text', 'Obras'];
    for (const sends of [demo, ['create', ...request], ['bulk', 'leads.csv', '--yes']]) {
      const { status, stderr } = srq(sends, [], account);
      expect([status, stderr]).toEqual([2, expect.stringContaining('✗ This srq cannot lock its log, because')]);
    }
    const { error } = JSON.parse(srq([...demo, '--json']).stdout);
    expect(error).toMatchObject({ code: 'platform.no-lock', hint: expect.stringContaining('--store postgres://') });
    for (const reads of [
      ['bulk', 'leads.csv', '--dry-run'],
      ['log'],
      ['status'],
      ['validate', ...request, '--sandbox'],
      ['template', 'csv'],
      ['markets'],
    ]) {
      expect([reads, srq(reads, [], account).status]).toEqual([reads, 0]);
    }
    expect(existsSync(join(state, 'default.ndjson'))).toBe(false);
  });

  test('The installed package says that a Node.js is too old before it loads what that one lacks', ({ skip }) => {
    skipOffline(skip);
    const preload = join(folder, 'old.cjs');
    writeFileSync(preload, `Object.defineProperty(process, 'versions', { value: { node: '20.18.0' } });`);
    const old = (...args: string[]) => srq(args, [], { NODE_OPTIONS: `--require=${preload}` });
    expect(old('status')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^✗ srq needs Node\.js 20\.18\.1 or later/),
    });
    expect(JSON.parse(old('status', '--json').stdout).error.code).toBe('platform.node');
  });

  /** The results go where one may write. */
  const elsewhere = [...demo, '--results', join(folder, 'temp/leads.results.csv')];
  const asRoot = test.skipIf(!runs('setpriv', ...ANOTHER_USER, 'true'));

  asRoot('runs the demo as another user whose home cannot be written (needs root on Linux)', ({ skip }) => {
    skipOffline(skip);
    chownSync(join(folder, 'temp'), ANOTHER_ID, ANOTHER_ID);
    const another = (args: readonly string[], env = {}) =>
      srq(args, ['setpriv', ...ANOTHER_USER], { HOME: '/nonexistent', ...env });
    expect(another(elsewhere)).toMatchObject({ status: 0 });
    expect(another(['log'])).toMatchObject({ status: 0 });
    const inTheWay = another(demo);
    expect([inTheWay.status, inTheWay.stderr]).toEqual([
      2,
      expect.stringContaining('could not be written (EACCES). Nothing was sent.'),
    ]);
    const account = { SRQ_BASE_URL: 'http://127.0.0.1:9', SRQ_CLIENT_ID: 'a', SRQ_CLIENT_SECRET: 'b' };
    const sent = another(['bulk', 'leads.csv', '--yes', '--results', join(folder, 'temp/sent.csv')], account);
    expect([sent.status, sent.stderr]).toEqual([
      9,
      expect.stringMatching(/log \/nonexistent\S+ cannot be opened[^✗]*SRQ_STATE_DIR/),
    ]);
  });

  const readOnly = (where: string) => [
    ...['unshare', '--mount', 'sh', '-ec'],
    `mount --make-rprivate / && mount --rbind / "$1" && mount -o remount,bind,ro "$1"
    ${where} && root=$1 && shift && exec chroot "$root" sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"`,
    'sh',
    join(folder, 'root'),
  ];
  const onReadOnly = test.skipIf(!runs('unshare', '--mount', 'mount', '--make-rprivate', '/'));

  onReadOnly(
    'runs the demo under a read-only root with a place for temporary files, or says that there is none (needs root on Linux)',
    ({ skip }) => {
      skipOffline(skip);
      mkdirSync(join(folder, 'root'));
      const nowhere = srq(demo, readOnly(':'));
      expect([nowhere.status, nowhere.stderr]).toEqual([
        2,
        expect.stringContaining('✗ No temporary folder can be created in '),
      ]);
      const temporary = readOnly(`mount -t tmpfs tmpfs "$1${join(folder, 'temp')}"`);
      expect(srq(elsewhere, temporary)).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/24 {2}created/),
      });
      const inTheWay = srq(demo, temporary);
      expect([inTheWay.status, inTheWay.stderr]).toEqual([
        2,
        expect.stringContaining('could not be written (EROFS). Nothing was sent.'),
      ]);
    },
  );
});

/** Runs a program of a consumer at a place of its own. */
async function run(program: string, cwd: string, { baseUrl, clientId }: Sandbox) {
  const env = { SRQ_BASE_URL: baseUrl, SRQ_CLIENT_ID: clientId, SRQ_CLIENT_SECRET: CANARY };
  const { code, stdout, stderr } = await startProgram([process.execPath, program], { cwd, env }).ended;
  expect({ program, code, stderr }).toEqual({ program, code: 0, stderr: '' });
  return stdout;
}

deskTest('a program in JavaScript imports the package, or requires it, and both are one', async ({ desk, sandbox }) => {
  expect(await run(join(consumers, 'program.mjs'), desk.work, sandbox)).toBe('created\n');
  expect(await run(join(consumers, 'program.cjs'), desk.work, sandbox)).toBe('repeated\n');
});

deskTest(
  'a strict program in TypeScript compiles, and so do the examples of the page, which then run',
  async ({ desk, sandbox }) => {
    const compiler = resolve('node_modules/typescript/lib/tsc.js');
    const compiled = spawnSync(process.execPath, [compiler, '-p', join(consumers, 'typed')], { encoding: 'utf8' });
    expect(compiled).toMatchObject({ stdout: '', status: 0 });

    const said: Record<string, string> = {};
    // The first request ends in doubt, which the last example resolves.
    sandbox.setInstructions([
      { on: 'create', fault: 'reset-after', match: { country: 'PT', fullname: 'Inês Exemplo' } },
    ]);
    for (const [at, { title }] of examples.entries()) {
      said[title] = await run(join(consumers, 'typed', 'out', `example${at}.js`), desk.work, sandbox);
    }
    expect(said).toEqual({
      'One request.': 'unknown {}\n',
      'Every end of a request.':
        'correct it: phone (phone.too-short), location (location.missing), fullname (fullname.missing)\n',
      'An import that ends in order at SIGTERM.': '100 rows, 100 created \n',
      'Requests whose outcome is unknown, and what a person found out about one.': expect.stringMatching(
        / created A-17 \{ id: 'request-of-A-17' \}\n/,
      ),
    });
    expect(await statsOf(sandbox)).toMatchObject({ created: 101, doubled: 0 });
  },
);
