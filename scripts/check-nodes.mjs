// Runs tests with other versions of Node.js, by default those that srq promises: the floor of package.json, and the newest 22 and 24.
// npm run check:nodes -- [VERSION …] [-- TEST …]. Each comes from the package `node` of the registry; one that cannot be had is said,
// and counts as a failure.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const FLOOR = engines.node.slice('>='.length);
/** What touches the system most: locks, connections, imports and their kills, the package. */
const TESTS = [
  'test/doors/log/lock.test.ts',
  'test/doors/log/torn-tail.test.ts',
  'test/service/http.test.ts',
  'test/delivery/kills.test.ts',
  'test/e2e/real-files.test.ts',
  'test/delivery/two-processes.test.ts',
  'test/e2e/package.test.ts',
];

const words = process.argv.slice(2);
const at = words.indexOf('--');
const [asked, tests] = at < 0 ? [words, []] : [words.slice(0, at), words.slice(at + 1)];
const versions = asked.length > 0 ? asked : [FLOOR, '22', '24'];

const outcomes = versions.map((version) => {
  const node = installed(version);
  if (node === null) return [version, 'cannot be had here'];
  const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...(tests.length > 0 ? tests : TESTS)], {
    stdio: 'inherit',
    // What tests start by its name is this one as well.
    env: { ...process.env, PATH: `${resolve(node, '..')}:${process.env['PATH']}` },
  });
  return [version, status === 0 ? 'passed' : 'failed'];
});
process.stdout.write(outcomes.map(([version, outcome]) => `Node.js ${version}: ${outcome}\n`).join(''));
process.exitCode = outcomes.every(([, outcome]) => outcome === 'passed') ? 0 : 1;

/** Installs this version once and returns the path of its program, or null if the registry does not have it. */
function installed(version) {
  const folder = join('node_modules/.cache/nodes', version);
  const node = resolve(folder, 'node_modules/node/bin/node');
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    // Its install script puts the program of this platform into place.
    const words = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts=false', `node@${version}`];
    spawnSync('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return existsSync(node) ? node : null;
}
