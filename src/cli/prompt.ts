import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { SrqError } from '../request/errors.ts';
import type { TellingContext } from './command.ts';

/** Asks a question on stderr, so that stdout contains only data. Use it only if `context.interactive` is true. */
export async function ask(context: Pick<TellingContext, 'process'>, question: string): Promise<string> {
  const { stdin, stderr } = context.process;
  const terminal = createInterface({ input: stdin, output: stderr });
  const cancelled = new AbortController();
  terminal.once('SIGINT', () => cancelled.abort());
  terminal.once('close', () => cancelled.abort());
  try {
    return (await terminal.question(question, { signal: cancelled.signal })).trim();
  } catch (error) {
    throw interrupted(error);
  } finally {
    terminal.close();
  }
}

/**
 * Asks a question that is answered with one key, and returns it in lower case. Other keys are passed over. Use it only if
 * `context.interactive` is true. Throws `SrqError('interrupted')` for Ctrl-C.
 */
export async function askKey<Key extends string>(
  context: Pick<TellingContext, 'process'>,
  question: string,
  keys: readonly Key[],
): Promise<Key> {
  const { stdin, stderr } = context.process;
  stderr.write(question);
  stdin.setRawMode(true);
  try {
    for (;;) {
      stdin.resume();
      const [typed] = (await once(stdin, 'data')) as [Buffer];
      stdin.pause();
      const text = typed.toString('utf8');
      const at = [...text].findIndex(
        (letter) => END_KEYS.has(letter) || keys.some((key) => key === letter.toLowerCase()),
      );
      if (at < 0) continue;
      // What was typed ahead answers the next question.
      if (text.length > at + 1) stdin.unshift(Buffer.from(text.slice(at + 1)));
      const key = keys.find((each) => each === text.charAt(at).toLowerCase());
      if (key === undefined) throw interrupted(null);
      stderr.write(`${key}\n`);
      return key;
    }
  } finally {
    stdin.setRawMode(false);
  }
}

/** Ctrl-C and Ctrl-D. */
const END_KEYS: ReadonlySet<string> = new Set(['\u0003', '\u0004']);

/** Asks for a secret without echoing it. */
export async function askHidden(context: Pick<TellingContext, 'process'>, question: string): Promise<string> {
  const { default: password } = await import('@inquirer/password');
  const { stdin: input, stderr: output } = context.process;
  try {
    return (await password({ message: question, mask: false }, { input, output })).trim();
  } catch (error) {
    throw interrupted(error);
  }
}

function interrupted(cause: unknown): SrqError {
  return new SrqError('interrupted', 'Nothing was sent.', null, cause);
}
