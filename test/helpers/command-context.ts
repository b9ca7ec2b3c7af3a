import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { GlobalOptions } from '../../src/cli/command.ts';
import { Context } from '../../src/cli/context.ts';

/** A question, by a part of its text, and what a person types once it is shown. */
export type Typed = readonly [question: RegExp, keys: string];

interface ContextOptions {
  readonly options?: GlobalOptions;
  readonly env?: Readonly<Record<string, string>>;
  /** The arguments of srq. */
  readonly argv?: readonly string[];
  /** The answers of a person at a terminal, in the order of the questions. Without them there is no terminal. */
  readonly typed?: readonly Typed[];
  readonly platform?: NodeJS.Platform;
}

interface ContextOfTest {
  readonly context: Context;
  /** A folder that is removed with the test, and has the settings and the state below it. */
  readonly home: string;
  readonly stdin: Keyboard;
  /** What was written so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** Standard input of a terminal. */
class Keyboard extends PassThrough {
  isTTY = false;
  isRaw = false;

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }
}

/**
 * Makes the context of a command in the process of the test, with folders of its own. Everything but the process is
 * real. It is closed with the test.
 */
export function contextOf({ options = {}, env = {}, argv = [], typed, platform }: ContextOptions = {}): ContextOfTest {
  const home = mkdtempSync(join(tmpdir(), 'srq-context-'));
  const stdin = new Keyboard();
  stdin.isTTY = typed !== undefined;
  const answers = [...(typed ?? [])];
  const texts = { stdout: '', stderr: '' };
  let answeredTo = 0;
  const stream = (name: keyof typeof texts) => {
    const write = (chunk: Buffer, _: unknown, done: () => void) => {
      texts[name] += chunk.toString('utf8');
      const [question, keys] = answers[0] ?? [];
      if (question && keys !== undefined && name === 'stderr' && question.test(texts.stderr.slice(answeredTo))) {
        answers.shift();
        answeredTo = texts.stderr.length;
        setImmediate(() => stdin.write(keys));
      }
      done();
    };
    return Object.assign(new Writable({ write }), { isTTY: typed !== undefined });
  };
  const folders = { HOME: home, SRQ_CONFIG_DIR: join(home, 'config'), SRQ_STATE_DIR: join(home, 'state') };
  const own = {
    ...{ argv: [process.execPath, 'srq', ...argv], env: { ...folders, TERM: 'dumb', ...env }, stdin },
    ...{ stdout: stream('stdout'), stderr: stream('stderr'), platform: platform ?? process.platform },
  };
  const itself = () => here;
  const here = Object.create(process, Object.getOwnPropertyDescriptors({ ...own, on: itself, off: itself }));
  const context = new Context(here, options, 'of a test');
  onTestFinished(async () => {
    await context.close();
    rmSync(home, { recursive: true, force: true });
  });
  return { context, home, stdin, stdout: () => texts.stdout, stderr: () => texts.stderr };
}
