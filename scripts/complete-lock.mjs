// After `npm install`: makes package-lock.json complete for npm ci on any machine. npm leaves optional packages of other
// platforms out of the lock when the registry at hand does not have them, and npm 11 then refuses `npm ci`. Each is
// written with the version that its parent demands. Addresses are removed: those of downloads name the registry at hand, and
// nobody installs by those for donations. What is written so has no checksum: then it ends with exit code 1 and the names, and
// the development tool takes an older version, of which the registry has all builds.
import { readFileSync, writeFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const packages = lock.packages;
for (const entry of Object.values(packages)) {
  delete entry.resolved;
  delete entry.funding;
}

for (const [path, parent] of Object.entries({ ...packages })) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const exact = /^\d+\.\d+\.\d+$/.test(version);
    const found = foldersAbove(path).find((folder) => packages[folder + name]);
    if (!exact || (found !== undefined && packages[found + name].version === version)) continue;
    const beside = path.slice(0, path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    packages[beside + name] = {
      version,
      ...(parent.dev ? { dev: true } : {}),
      optional: true,
      ...platformOf(name),
    };
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
const unchecked = Object.keys(lock.packages).filter((path) => path !== '' && !lock.packages[path].integrity);
if (unchecked.length > 0) {
  process.stderr.write(`Without a checksum:\n${unchecked.map((path) => `  ${path}\n`).join('')}`);
  process.exitCode = 1;
}

/** Where Node looks for a dependency of the package at `path`, the nearest first. */
function foldersAbove(path) {
  const folders = [];
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    folders.push(at === '' ? 'node_modules/' : `${at}/node_modules/`);
    if (at === '') return folders;
  }
}

/** `cli-linux-x64-musl` is for linux, x64, musl. */
function platformOf(name) {
  const words = name.split('/').at(-1).split('-');
  const one = (list) => words.find((word) => list.includes(word));
  const os = one([
    'aix',
    'android',
    'darwin',
    'freebsd',
    'linux',
    'netbsd',
    'openbsd',
    'openharmony',
    'sunos',
    'win32',
  ]);
  const cpu = one(['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']);
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : null;
  return {
    ...(os ? { os: [os] } : {}),
    ...(cpu ? { cpu: [cpu] } : {}),
    ...(libc && os === 'linux' ? { libc: [libc] } : {}),
  };
}
