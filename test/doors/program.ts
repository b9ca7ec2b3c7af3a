import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { makeProgram, runArguments } from '../../src/cli/program.ts';
import { StillClock } from './clock.ts';
import { requireDocuments } from './documents.ts';
import { Service } from './service.ts';

/** The commands and their flags, without carrying out any. */
export { makeProgram };

/** A question, by a part of its text, and what a person types once it is shown. `^C` is Ctrl-C. */
export type Typed = readonly [question: string, keys: string];

export interface Surroundings {
  /** Files of the working folder, by name. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** The lines of the service, see {@link Service}. */
  readonly service?: string;
  /** What differs from the usual environment, which names the service and its credentials. */
  readonly env?: Readonly<Record<string, string>>;
}

interface Run extends Surroundings {
  readonly typed?: readonly Typed[];
  readonly stdin?: string | Buffer;
  /** The columns of the terminal. Null, the usual, is none: input is piped, and so are both outputs. */
  readonly columns?: number | null;
  /** Where it runs. Without one it gets its own, which is removed at its end. */
  readonly home?: Home;
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What was written, in order. */
  readonly written: Readonly<Written>;
}

const VERSION = '1.2.3';
const START = '2026-11-21T09:00:00.000Z';

/** A user with a home folder, a service, a clock and an environment, for the commands of one test. */
export class Home {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'srq-door-')));
  readonly clock = new StillClock(START);
  readonly env: Record<string, string>;
  readonly service: Service;

  private constructor(service: Service) {
    this.service = service;
    this.env = {
      ...{ PATH: process.env['PATH'] ?? '', HOME: this.folder, TERM: 'dumb', LANG: 'en_US.UTF-8' },
      ...{ XDG_CONFIG_HOME: join(this.folder, '.config'), XDG_STATE_HOME: join(this.folder, '.local/state') },
      ...{ SRQ_BASE_URL: service.baseUrl, SRQ_CLIENT_ID: '4711', SRQ_CLIENT_SECRET: 'open-sesame' },
    };
  }

  static async open({ files = {}, service = '', env = {} }: Surroundings = {}): Promise<Home> {
    const now = { ms: () => Date.parse(START) };
    const home = new Home(await Service.start(() => now.ms()));
    now.ms = () => home.clock.nowMs;
    home.service.script(service);
    Object.assign(home.env, env);
    for (const [name, content] of Object.entries(files)) home.write(name, content);
    return home;
  }

  write(name: string, content: string | Buffer): void {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  async close(): Promise<void> {
    await this.service.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Loads all of the program, which it would do itself when it needs a part. But no clock can tell that a module is being
 * loaded, so it would go on meanwhile.
 */
export async function loadAll(): Promise<void> {
  const folder = join(import.meta.dirname, '../../src');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const modules = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));
  await Promise.all(modules.map((name) => import(join(folder, name))));
}

/**
 * Runs a command of srq: the whole program, in the process of the test. The process around it is not real (arguments,
 * environment, streams, signals), nor is its clock. Files, the log, its lock and connections are.
 */
export async function srq(words: readonly string[], options: Run = {}): Promise<Ended> {
  const home = options.home ?? (await Home.open(options));
  const back = process.cwd();
  process.chdir(home.folder);
  try {
    const written: Written = [];
    const ended = home.clock.during(() => run(words, home, options, written));
    return await ended.catch((error) => {
      throw new Error(`srq ${words.join(' ')}: ${error}\n${written.map(([, text]) => text).join('')}`, {
        cause: error,
      });
    });
  } finally {
    process.chdir(back);
    if (!options.home) await home.close();
  }
}

/** Standard input. On a terminal it has keys. */
class Keyboard extends PassThrough {
  isRaw = false;
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }
}

type Written = (readonly [stream: 'stdout' | 'stderr', text: string])[];

async function run(words: readonly string[], home: Home, options: Run, written: Written): Promise<Ended> {
  const { typed = [], columns = null, stdin: piped = '' } = options;
  const textOf = (name: string) => written.flatMap(([stream, text]) => (stream === name ? text : [])).join('');
  const stdin = new Keyboard(columns !== null);
  const signals = new Map<string, Set<() => void>>();
  const receive = (signal: string) => [...(signals.get(signal) ?? [])].map((handle) => handle());
  const questions = [...typed];
  let answeredTo = 0;
  const answer = () => {
    const [question, keys] = questions[0] ?? [];
    const all = written.map(([, text]) => text).join('');
    if (question === undefined || keys === undefined || !all.slice(answeredTo).includes(question)) return;
    questions.shift();
    answeredTo = all.length;
    setImmediate(() =>
      keys === '^C' && !stdin.isTTY ? receive('SIGINT') : stdin.write(keys === '^C' ? '\x03' : `${keys}\r`),
    );
  };
  const stream = (name: 'stdout' | 'stderr') => {
    const write = (chunk: Buffer, _: unknown, done: () => void) => {
      written.push([name, chunk.toString('utf8')]);
      answer();
      done();
    };
    return Object.assign(new Writable({ write }), columns === null ? {} : { isTTY: true, columns });
  };
  const own = {
    ...{ argv: [process.execPath, 'srq', ...words], env: { ...home.env, ...options.env }, stdin, platform: 'linux' },
    ...{ stdout: stream('stdout'), stderr: stream('stderr') },
    on: (event: string, handle: () => void) => {
      signals.set(event, (signals.get(event) ?? new Set()).add(handle));
      return here;
    },
    off: (event: string, handle: () => void) => {
      signals.get(event)?.delete(handle);
      return here;
    },
    exit: () => {
      throw new Error('srq would have ended the process.');
    },
  };
  const here: NodeJS.Process = Object.create(process, Object.getOwnPropertyDescriptors(own));
  home.service.onSignal = receive;
  if (columns === null) stdin.end(piped);
  const code = await runArguments(here, VERSION);
  if (questions.length > 0) throw new Error(`never asked: ${questions[0]?.[0]}`);
  const ended = { code, stdout: textOf('stdout'), stderr: textOf('stderr'), written };
  requireDocuments(words, { ...ended, signal: null });
  return ended;
}
