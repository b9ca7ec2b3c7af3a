import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'srq-package-'));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const npm = (...args: string[]) => spawnSync('npm', args, { encoding: 'utf8', timeout: 200_000 });
let files: string[] = [];
let tarball = '';

beforeAll(() => {
  const packed = npm('pack', '--json', '--pack-destination', folder);
  const [{ filename, files: listed }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[')));
  tarball = join(folder, filename);
  files = listed.map(({ path }: { path: string }) => path);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the package holds what runs, and nothing else', () => {
  const top = [...new Set(files.map((path) => path.split('/')[0]))].sort();
  expect(top).toEqual([
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'dist',
    'docs',
    'package.json',
    'src',
  ]);
  expect(files).toContain('dist/srq.js');
  expect(
    files.filter(
      (path) =>
        !/^docs\/|^src\/store\/file\/FORMAT\.md$|^dist\/(?:srq\.js|package\.json|help\.txt|chunks\/[\w-]+\.js|THIRD-PARTY-LICENSES\.txt)$|^[^/]+$/.test(
          path,
        ),
    ),
  ).toEqual([]);
});

test('every link of a page in the package leads to a file in it', () => {
  const broken = files
    .filter((path) => /^(?:README|docs\/[\w-]+)\.md$/.test(path))
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
