import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../src/cli/context.ts';
import { runArguments } from '../../src/cli/program.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { contextOf, type Typed } from './command-context.ts';

interface Run {
  /** The answers of a person at a terminal. Without them there is no terminal. */
  readonly typed?: readonly Typed[];
  /** What is piped to the command, where nothing is typed. */
  readonly stdin?: string;
  /** Gets what the command listens to, so that a test can send it a signal. */
  readonly listeners?: Map<string, () => void>;
}

/** What a command left behind. */
export interface Left {
  readonly code: number;
  readonly stdout: string;
  /** What was said on standard error, with each run of blanks and line breaks as one blank. */
  readonly told: string;
  /** The JSON document on standard output. */
  readonly document: Record<string, unknown>;
}

/**
 * A user with folders of his own, whose commands run in the process of the test. Unlike a desk this needs no built
 * program. It is removed with the test, so that a test with it does not run beside others.
 */
export class User {
  readonly #home = contextOf().home;
  readonly env: Record<string, string>;

  constructor(service?: Pick<Sandbox, 'baseUrl' | 'clientId'> & Partial<Sandbox>) {
    const folders = { HOME: this.#home, SRQ_CONFIG_DIR: this.path('config'), SRQ_STATE_DIR: this.path('state') };
    const { baseUrl, clientId = '', clientSecret = 'secret' } = service ?? {};
    const credentials = { SRQ_BASE_URL: baseUrl ?? '', SRQ_CLIENT_ID: clientId, SRQ_CLIENT_SECRET: clientSecret };
    this.env = baseUrl === undefined ? folders : { ...folders, ...credentials };
  }

  path(name: string): string {
    return join(this.#home, name);
  }

  /** Writes a file and returns its path. */
  write(name: string, text: string): string {
    const path = this.path(name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** A context with the folders of this user, as a command has one. */
  context(): Context {
    return contextOf({ env: this.env }).context;
  }

  run(...args: string[]): Promise<Left> {
    return this.runWith({}, ...args);
  }

  async runWith({ typed, stdin = '', listeners }: Run, ...args: string[]): Promise<Left> {
    const of = contextOf({ argv: args, env: this.env, ...(typed ? { typed } : {}) });
    const on = (event: string, listener: () => void) => void listeners?.set(event, listener);
    if (listeners) Object.assign(of.context.process, { on });
    if (!typed) of.stdin.end(stdin);
    const code = await runArguments(of.context.process, 'of a test', 80);
    const stdout = of.stdout();
    return {
      ...{ code, stdout, told: of.stderr().replace(/\s+/g, ' ') },
      get document() {
        return JSON.parse(stdout);
      },
    };
  }
}
