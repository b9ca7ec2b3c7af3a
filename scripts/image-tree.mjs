// Lays out what the container image adds to its base image, under FOLDER: the program with the packages it needs at run time, its
// name in the PATH, the health check, and the empty folder of the volume. The Dockerfile runs this, and so does the test.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Say where: node scripts/image-tree.mjs FOLDER');
const program = resolve(folder, 'opt/srq');
mkdirSync(program, { recursive: true });
execFileSync(process.execPath, ['scripts/build.mjs', join(program, 'dist')], { stdio: 'inherit' });

// As npm's --omit=dev --omit=optional.
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
for (const [path, { dev, optional }] of Object.entries(packages)) {
  if (path !== '' && !dev && !optional) cpSync(path, join(program, path), { recursive: true, dereference: true });
}
cpSync('scripts/image/healthy.mjs', join(program, 'healthy.mjs'));
cpSync('LICENSE', join(program, 'LICENSE'));

mkdirSync(join(folder, 'usr/local/bin'), { recursive: true });
symlinkSync('/opt/srq/dist/srq.js', join(folder, 'usr/local/bin/srq'));
mkdirSync(join(folder, 'data'));
