// Makes one mistake at a time in a copy of the repository and expects a test to notice.
//
//   npm run mutate                              takes out each guard of the promise (test/guards.md)
//   npm run mutate -- --only intent             those whose name holds a word; --list only looks whether all are there
//   npm run mutate -- --random 60 --seed 7      random mistakes in the rooms of the promise, judged by the gate alone
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { mutationsIn } from './mutations.mjs';

const PROMISE = ['src/delivery', 'src/service', 'src/store/file'];
const LIMIT_SECONDS = 4 * 60;

const { values: asked } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [''] },
    random: { type: 'string' },
    seed: { type: 'string', default: '1' },
    folder: { type: 'string', multiple: true, default: PROMISE },
  },
});
const say = (line) => process.stdout.write(`${line}\n`);

const GUARDS = readFileSync('test/guards.md', 'utf8').split(/^## /m).slice(1).map(guardIn);
// A guard that was rewritten is said at once, not after those before it have run for an hour.
const lost = GUARDS.filter(({ file, from }) => readFileSync(file, 'utf8').split(from).length !== 2);
for (const { name, file } of lost) say(`"${name}": ${file} does not hold the guard exactly once.`);
const pathsOf = ({ tests }) => tests.map((test) => `${join('test/delivery', test)}.test.ts`);
const untested = GUARDS.filter((guard) => !pathsOf(guard).every((path) => existsSync(path)));
for (const { name, tests } of untested) say(`"${name}" does not hold: no test ${tests.join(' or ')}.`);
if (lost.length + untested.length > 0) process.exit(1);

if (asked.list) for (const { name, file } of GUARDS) say(`${file}: ${name}`);
else process.exitCode = judge(asked.random === undefined ? guards() : drawn(Number(asked.random))) ? 0 : 1;

/** Reads a guard from its section: its name, its file with the tests, and the change that takes it out. */
function guardIn(section) {
  const [name, , place] = section.split('\n');
  const [file, tests] = place.split(': ');
  const lines = (sign) => section.match(new RegExp(`(?<=^\\${sign}).*`, 'gm')) ?? [];
  return { name, file, from: lines('-').join('\n'), to: lines('+').join('\n'), tests: tests.split(', ') };
}

/** Tries each mistake, `{ name, file, start, end, to, tests }`, and tells whether all were noticed. */
function judge(mistakes) {
  const copy = copyOfRepository();
  process.once('exit', () => rmSync(copy, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  let [tried, noticed] = [0, 0];
  for (const { name, file, start, end, to, tests, mayNotCompile } of mistakes) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(join(copy, file), text.slice(0, start) + to + text.slice(end));
    const startedMs = performance.now();
    if (!mayNotCompile || compiles(copy)) {
      const by = noticedBy(copy, tests);
      tried++;
      if (by !== null) noticed++;
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      say(`${by === null ? 'NOT NOTICED' : 'noticed'}  ${name}  (${seconds} s)  ${by ?? ''}`);
    }
    writeFileSync(join(copy, file), text);
    if (asked.random !== undefined && tried === Number(asked.random)) break;
  }
  say(`${noticed} of ${tried} were noticed.`);
  return noticed === tried;
}

function guards() {
  const chosen = GUARDS.filter(({ name }) => asked.only.some((word) => name.toLowerCase().includes(word)));
  return chosen.map((guard) => {
    const { name, file, from, to } = guard;
    const start = readFileSync(file, 'utf8').indexOf(from);
    return { name, file, start, end: start + from.length, to, tests: [pathsOf(guard)] };
  });
}

/** Random mistakes without end: a kind first, then one of that kind, so that rare kinds are tried as well. */
function* drawn() {
  const tests = quickFirst();
  const kinds = new Map();
  for (const file of filesOf(...asked.folder).filter((path) => path.endsWith('.ts'))) {
    const text = readFileSync(file, 'utf8');
    for (const mutation of mutationsIn(file, text)) {
      const line = text.slice(0, mutation.start).split('\n').length;
      const change = `${text.slice(mutation.start, mutation.end)} -> ${mutation.to}`.replace(/\s+/g, ' ').slice(0, 90);
      const name = `${file}:${line} ${mutation.kind}: ${change}`;
      kinds.set(mutation.kind, [
        ...(kinds.get(mutation.kind) ?? []),
        { ...mutation, file, name, tests, mayNotCompile: true },
      ]);
    }
  }
  let draws = 0;
  const random = () => createHash('sha256').update(`${asked.seed} ${draws++}`).digest().readUInt32BE() / 2 ** 32;
  const take = (list) => list.splice(Math.floor(random() * list.length), 1)[0];
  for (;;) {
    const names = [...kinds.keys()].filter((kind) => kinds.get(kind).length > 0).sort();
    if (names.length === 0) return;
    yield take(kinds.get(names[Math.floor(random() * names.length)]));
  }
}

/** The files of the last `npm run gate` that took less than eight seconds, and then the others: most mistakes are noticed by the first. */
function quickFirst() {
  const report = 'node_modules/.vitest/report.json';
  if (!existsSync(report)) throw new Error(`${report} is missing. First: npm run gate`);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const isQuick = ({ startTime, endTime }) => endTime - startTime < 8_000;
  const pathsOfFiles = (files) => files.map(({ name }) => relative('.', name));
  return [pathsOfFiles(testResults.filter(isQuick)), pathsOfFiles(testResults.filter((file) => !isQuick(file)))];
}

/** The first test that fails, in groups one after the other; null if all pass. What takes far too long has noticed as well. */
function noticedBy(copy, groups) {
  // vitest.config.ts says where.
  const report = join(copy, 'node_modules/.vitest/report.json');
  const scratch = mkdtempSync(join(tmpdir(), 'srq-mutate-tests-'));
  chmodSync(scratch, 0o755);
  try {
    for (const paths of groups) {
      rmSync(report, { force: true });
      // `timeout` ends the processes of the tests as well, which a loop without end keeps from ending by themselves.
      const words = ['-k5', `${LIMIT_SECONDS}`, process.execPath, 'node_modules/vitest/vitest.mjs', 'run'];
      const options = { cwd: copy, encoding: 'utf8', env: { ...process.env, TMPDIR: scratch } };
      const { stderr, status, signal } = spawnSync('timeout', [...words, ...paths, '--bail=1'], options);
      if (status === 124 || signal !== null) return 'time';
      if (!existsSync(report)) throw new Error(`No test ran: ${stderr}`);
      const { testResults, numTotalTests } = JSON.parse(readFileSync(report, 'utf8'));
      if (numTotalTests === 0 && testResults.length === 0) throw new Error(`No test ran: ${stderr}`);
      const failed = testResults.find(({ status }) => status === 'failed');
      if (failed) return failed.assertionResults.find(({ status }) => status === 'failed')?.fullName ?? failed.name;
    }
    return null;
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
  }
}

function compiles(copy) {
  const words = ['node_modules/typescript/bin/tsc', '--incremental', '--tsBuildInfoFile', 'types'];
  return spawnSync(process.execPath, words, { cwd: copy }).status === 0;
}

function copyOfRepository() {
  const copy = mkdtempSync(join(tmpdir(), 'srq-mutate-'));
  // A PostgreSQL of a test runs as another user.
  chmodSync(copy, 0o755);
  for (const path of filesOf('.')) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(path, join(copy, path));
  }
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  return copy;
}

function filesOf(...folders) {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...folders], { encoding: 'utf8' });
  return listed.split('\n').filter((path) => path !== '' && existsSync(path));
}
