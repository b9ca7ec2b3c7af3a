// After `npm install`: takes out of package-lock.json what names the registry at hand, or whom to pay. Ends with exit code 1 if
// `npm ci` would refuse the lock on some machine: npm leaves optional packages of other platforms out when the registry at hand does
// not have them. The development tool that wants them then takes an older version, of which the registry has all builds.
import { readFileSync, writeFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { packages } = lock;
for (const entry of Object.values(packages)) {
  delete entry.resolved;
  delete entry.funding;
}
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);

const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
  Object.entries(optionalDependencies).filter(
    ([name, version]) =>
      /^\d+\.\d+\.\d+$/.test(version) && !placesFrom(path).some((place) => packages[place + name]?.version === version),
  ),
);
const unchecked = Object.entries(packages).filter(([path, { integrity }]) => path !== '' && !integrity);
for (const [name, version] of missing) process.stderr.write(`Missing: ${name} ${version}\n`);
for (const [path] of unchecked) process.stderr.write(`Without a checksum: ${path}\n`);
process.exitCode = missing.length + unchecked.length > 0 ? 1 : 0;

/** Where Node.js looks for a dependency of the package at `path`. */
function placesFrom(path) {
  const folders = path.split('/node_modules/').map((_, at, all) => all.slice(0, at + 1).join('/node_modules/'));
  return ['', ...folders].map((folder) => (folder === '' ? 'node_modules/' : `${folder}/node_modules/`));
}
