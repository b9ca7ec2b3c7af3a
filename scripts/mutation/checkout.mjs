// A copy of the repository in which a mutation lives and dies: a kill leaves the checkout as it was.
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Files of the checkout that git would have, below one of the folders. */
export function filesOf(...folders) {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...folders], { encoding: 'utf8' });
  return listed.split('\n').filter((path) => path !== '' && existsSync(path));
}

export class Checkout {
  #folder = mkdtempSync(join(tmpdir(), 'srq-mutation-'));
  #compiled = false;
  #running = null;
  #leave = () => this.remove();

  constructor() {
    process.once('exit', this.#leave);
    // A PostgreSQL of a test runs as another user.
    chmodSync(this.#folder, 0o755);
    for (const path of filesOf('.')) {
      mkdirSync(dirname(this.path(path)), { recursive: true });
      cpSync(path, this.path(path));
    }
    symlinkSync(resolve('node_modules'), this.path('node_modules'));
    this.write('mutation.tsconfig.json', TSCONFIG);
    this.write('mutation.config.ts', CONFIG);
  }

  path(path) {
    return join(this.#folder, path);
  }

  read(path) {
    return readFileSync(this.path(path), 'utf8');
  }

  write(path, text) {
    writeFileSync(this.path(path), text);
  }

  /** Ends what runs in it, too. */
  remove() {
    process.off('exit', this.#leave);
    if (this.#running !== null) this.#end(this.#running);
    // What was ended may still be writing.
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  /** Whether the compiler takes the sources as they are now; what has not changed it checked before. */
  async compiles() {
    if (!this.#compiled) await this.#run('node_modules/typescript/bin/tsc', ['-p', 'mutation.tsconfig.json'], 600_000);
    this.#compiled = true;
    const { code } = await this.#run('node_modules/typescript/bin/tsc', ['-p', 'mutation.tsconfig.json'], 600_000);
    return code === 0;
  }

  /**
   * Runs test files until one test fails. `failed`: that test; `'build'` if the program cannot be built; `'time'` if it took
   * longer than `limitMs`; null if all passed. `withProgram`: whether one of them starts the built program.
   */
  async test(files, { withProgram = true, limitMs = 3_600_000, bail = 1, workers = 3, setup = '' } = {}) {
    const report = this.path('report.json');
    const scratch = this.path('tmp');
    rmSync(report, { force: true });
    mkdirSync(scratch, { mode: 0o755 });
    const flags = [`--bail=${bail}`, `--maxWorkers=${workers}`];
    const env = { TMPDIR: scratch, MUTATION_BUILD: withProgram ? '1' : '', MUTATION_SETUP: setup };
    const words = ['run', '--config', 'mutation.config.ts', ...flags, ...files];
    const { code, said } = await this.#run('node_modules/vitest/vitest.mjs', words, limitMs, env);
    stopServers(scratch);
    rmSync(scratch, { recursive: true, force: true });
    if (code === null) return { failed: 'time', results: [] };
    if (!existsSync(report)) {
      if (/scripts\/build\.mjs|test\/helpers\/build\.ts/.test(said)) return { failed: 'build', results: [] };
      throw new Error(`No test ran (${files.join(' ')}): ${said}`);
    }
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const results = testResults.map(({ name, status, startTime, endTime, assertionResults, message }) => {
      const failed = assertionResults.find((each) => each.status === 'failed');
      const path = name.slice(this.#folder.length + 1);
      const isFailed = status === 'failed';
      return {
        path,
        ms: endTime - startTime,
        failed: isFailed ? (failed?.fullName ?? `${message}`.slice(0, 200)) : null,
      };
    });
    const failed = results.find((result) => result.failed !== null);
    return {
      failed: failed ? `${failed.path}: ${failed.failed}` : code === 0 ? null : 'vitest',
      file: failed?.path,
      results,
    };
  }

  /** With all that it started, and with the program that it built. */
  #end({ pid }) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has gone meanwhile.
    }
    stopServers(this.path('tmp'));
    rmSync(`node_modules/.cache/srq-e2e-${pid}`, { recursive: true, force: true });
  }

  #run(script, args, limitMs, more = {}) {
    return new Promise((done, fail) => {
      const env = { ...process.env, ...more };
      const options = { cwd: this.#folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] };
      const child = spawn(process.execPath, [script, ...args], options);
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
      this.#running = child;
      const timer = setTimeout(() => this.#end(child), limitMs);
      child.once('error', fail);
      child.once('close', (code) => {
        clearTimeout(timer);
        this.#running = null;
        done({ code, said });
      });
    });
  }
}

/** Servers that tests started and that outlived them. */
function stopServers(scratch) {
  if (!existsSync(scratch)) return;
  for (const name of readdirSync(scratch)) {
    const file = join(scratch, name, 'data', 'postmaster.pid');
    if (!existsSync(file)) continue;
    try {
      process.kill(Number.parseInt(readFileSync(file, 'utf8'), 10), 'SIGQUIT');
    } catch {
      // It has gone meanwhile.
    }
  }
}

const TSCONFIG = JSON.stringify({
  extends: './tsconfig.json',
  compilerOptions: { incremental: true, tsBuildInfoFile: 'mutation.tsbuildinfo' },
  include: ['bin', 'src'],
});

const CONFIG = `import base from './vitest.config.ts';
const { MUTATION_BUILD, MUTATION_SETUP } = process.env;
const setupFiles = MUTATION_SETUP ? [MUTATION_SETUP] : [];
const reporters = [['json', { outputFile: 'report.json' }]];
// Each file in a process of its own: what one enters or breaks must not be put down to the next.
const projects = base.test.projects.map((each) => ({ ...each, test: { ...each.test, setupFiles, isolate: true } }));
export default { ...base, test: { ...base.test, reporters, projects, ...(MUTATION_BUILD ? {} : { globalSetup: [] }) } };
`;
