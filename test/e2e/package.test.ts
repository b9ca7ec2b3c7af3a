import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withReference } from '../../scripts/library-reference.mjs';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { CANARY } from '../helpers/canary-secret.ts';
import { examples, libraryPage, writeConsumers } from '../helpers/consumers.ts';
import { test as deskTest } from '../helpers/desk.ts';
import { startProgram } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';

const folder = mkdtempSync(join(tmpdir(), 'srq-package-'));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const npm = (...args: string[]) => spawnSync('npm', args, { encoding: 'utf8', timeout: 200_000 });
const name = `srq-${version}`;
const tarball = join(folder, `${name}.tgz`);
const consumers = join(folder, 'consumers');
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
        !/^docs\/|^src\/store\/file\/FORMAT\.md$|^dist\/(?:srq\.js|library\.(?:m?js|d\.m?ts)|types\/(?:library|request)\/[\w-]+\.d\.ts|package\.json|help\.txt|chunks\/[\w-]+\.js|THIRD-PARTY-LICENSES\.txt)$|^[^/]+$/.test(
          path,
        ),
    ),
  ).toEqual([]);
});

test('the package can be published as it is, and nothing in it is for import but the library', () => {
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

test('the package installs into an empty place without running scripts, and srq works there', ({ skip }) => {
  const prefix = join(folder, 'prefix');
  const install = ['install', '--global', '--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund', tarball];
  const installed = npm(...install, '--prefer-offline');
  const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.exec(installed.stderr)?.[0];
  if (offline) skip(`the registry cannot be reached (${offline})`);
  expect(installed).toMatchObject({ status: 0 });
  const srq = (...args: string[]) =>
    spawnSync(join(prefix, 'bin', 'srq'), args, {
      encoding: 'utf8',
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder },
    });
  expect(srq('--version')).toMatchObject({ status: 0, stdout: `${version}\n` });
  // With the one dependency that is not bundled: the lock of the log.
  const request = ['--country', 'PT', '--phone', '+351912345678', '--request-text', 'Obras'];
  expect(srq('create', ...request, '--sandbox')).toMatchObject({ status: 0 });
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
      'What is in doubt, and what a person found out about it.': expect.stringMatching(
        / created A-17 \{ id: 'request-of-A-17' \}\n/,
      ),
    });
    expect(await statsOf(sandbox)).toMatchObject({ created: 101, doubled: 0 });
  },
);

test('the reference of the page says what the doc comments say', () => {
  expect(withReference(libraryPage)).toBe(libraryPage);
});
