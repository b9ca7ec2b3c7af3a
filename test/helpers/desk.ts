import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/records/sandbox-state.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { callSrq } from '../doors/call-srq.ts';
import { startCalmSandbox } from '../sandbox/sandbox-client.ts';
import { CANARY, filesWithSecret, secretsIn } from './canary-secret.ts';
import { type Ended, type Running, type RunOptions, startSrq } from './run-srq.ts';

/**
 * A user's machine with its own folders and its own environment. It checks that no output of srq contains the secret.
 */
export class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), 'srq-desk-'));
  readonly config = join(this.folder, 'config');
  readonly state = join(this.folder, 'state');
  /** The working folder of srq, which also holds the files of leads. */
  readonly work = join(this.folder, 'work');
  /** The environment of all later runs. */
  readonly env: Record<string, string>;
  readonly #running: Running[] = [];

  constructor() {
    const [home, temp] = ['home', 'temp'].map((name) => join(this.folder, name));
    for (const each of [home, temp, this.work]) mkdirSync(each ?? '');
    this.env = { HOME: home ?? '', TMPDIR: temp ?? '', SRQ_CONFIG_DIR: this.config, SRQ_STATE_DIR: this.state };
  }

  start(args: readonly string[], options: RunOptions = {}): Running {
    if (secretsIn(args.join(' ')).length > 0) throw new Error('A test passes the secret as an argument.');
    const running = startSrq(args, { cwd: this.work, ...options, env: { ...this.env, ...options.env } });
    this.#running.push(running);
    return { ...running, ended: running.ended.then(withoutSecret) };
  }

  /** Runs srq as a separate process. */
  run(...args: string[]): Promise<Ended> {
    return this.start(args).ended;
  }

  /**
   * Runs srq within this process, see {@link callSrq}. It is for tests in which that makes no difference. With
   * --sandbox a separate process is used, because its state is stored in the folder for temporary files.
   */
  call(...args: string[]): Promise<Ended> {
    return args.includes('--sandbox') ? this.run(...args) : this.#call(args, this.work);
  }

  /** Runs srq like `call`, with a text in its standard input. */
  pipe(stdin: string, ...args: string[]): Promise<Ended> {
    return this.#call(args, this.work, stdin);
  }

  /** Runs srq like `call`, for arguments in which all paths are absolute. Several desks can then run concurrently. */
  callBeside(...args: string[]): Promise<Ended> {
    return this.#call(args, null);
  }

  async #call(args: readonly string[], cwd: string | null, stdin = ''): Promise<Ended> {
    if (secretsIn(args.join(' ')).length > 0) throw new Error('A test passes the secret as an argument.');
    const env = { PATH: process.env['PATH'] ?? '', ...this.env };
    return withoutSecret(await callSrq(args, { cwd, env, stdin }));
  }

  /** Sets the environment to a service, which replaces a login. */
  use({ baseUrl, clientId }: Pick<Sandbox, 'baseUrl' | 'clientId'>): void {
    Object.assign(this.env, { SRQ_BASE_URL: baseUrl, SRQ_CLIENT_ID: clientId, SRQ_CLIENT_SECRET: CANARY });
  }

  /** Writes a file into the working folder and returns its path. */
  write(name: string, text: string | Buffer): string {
    const path = join(this.work, name);
    writeFileSync(path, text);
    return path;
  }

  read(name: string): string {
    return readFileSync(join(this.work, name), 'utf8');
  }

  /**
   * Returns the complete records of a log, by default that of the profile `default`. A process that was killed may
   * leave an incomplete one.
   */
  records(path = join(this.state, 'default.ndjson')): Record<string, unknown>[] {
    const text = readFileSync(path, 'utf8');
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  /** Returns all existing files and folders, by their path in the desk. */
  files(): string[] {
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8' }).sort();
  }

  /**
   * Ends all processes. Throws if any file but the settings contains the secret, or if others can read the settings.
   */
  async close(): Promise<void> {
    for (const { process: child } of this.#running) if (child.exitCode === null) child.kill('SIGKILL');
    const leaks = filesWithSecret(this.folder).filter((file) => file !== 'config/config.json 600');
    rmSync(this.folder, { recursive: true, force: true });
    if (leaks.length > 0) throw new Error(`The secret lies in: ${leaks.join(', ')}`);
  }
}

function withoutSecret(ended: Ended): Ended {
  const shown = secretsIn(ended.stdout + ended.stderr);
  if (shown.length > 0) throw new Error(`srq showed the secret as "${shown.join('", "')}": ${JSON.stringify(ended)}`);
  return ended;
}

/** Starts a sandbox whose secret is the canary. It ends with the test. */
export type OpenSandbox = (options?: Partial<SandboxOptions>) => Promise<Sandbox>;

interface Scene {
  /** A desk on which nothing is set up. */
  readonly desk: Desk;
  readonly openSandbox: OpenSandbox;
  readonly sandbox: Sandbox;
  /** A desk whose environment names `sandbox` as the service. */
  readonly partner: Desk;
}

/** A test with what end-to-end tests need. It may run concurrently with others. */
export const test = base.extend<Scene>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures in use here
  desk: async ({}, use) => {
    const desk = new Desk();
    await use(desk);
    await desk.close();
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above
  openSandbox: async ({}, use) => {
    const open: Sandbox[] = [];
    await use(async (options = {}) => {
      const sandbox = await startCalmSandbox({ clientSecret: CANARY, ...options });
      open.push(sandbox);
      return sandbox;
    });
    await Promise.all(open.map((sandbox) => sandbox.close()));
  },
  sandbox: async ({ openSandbox }, use) => use(await openSandbox()),
  partner: async ({ desk, sandbox }, use) => {
    desk.use(sandbox);
    await use(desk);
  },
});
