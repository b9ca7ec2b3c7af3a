import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { columnsOf, folded } from '../report/output.ts';
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
 * Asks a question that is answered with one key, and returns it in lower case. Other keys are passed over; keys that were
 * typed ahead answer the next question. Use it only if `context.interactive` is true. Throws `SrqError('interrupted')` for
 * Ctrl-C, and if the terminal is closed.
 */
export async function askKey<Key extends string>(
  context: Pick<TellingContext, 'process'>,
  question: string,
  keys: readonly Key[],
): Promise<Key> {
  const { stdin, stderr } = context.process;
  // From here on Ctrl-C is a key: as a signal it would end srq without a word.
  stdin.setRawMode(true);
  try {
    stderr.write(folded(question, columnsOf(stderr)));
    for (;;) {
      const letters = [...(await typed(stdin)).replace(KEY_SEQUENCE, '')];
      const at = letters.findIndex(
        (letter) => END_KEYS.has(letter) || keys.some((key) => key === letter.toLowerCase()),
      );
      if (at < 0) continue;
      const ahead = letters.slice(at + 1).join('');
      if (ahead !== '') stdin.unshift(Buffer.from(ahead));
      const key = keys.find((each) => each === letters[at]?.toLowerCase());
      if (key === undefined) throw interrupted(null);
      stderr.write(`${key}\n`);
      return key;
    }
  } finally {
    stdin.setRawMode(false);
  }
}

/**
 * Forgets what was typed so far. An Enter behind the answer to a question that takes one key would otherwise answer the next
 * question, which has not been read yet.
 */
export async function forgetTyped({ process: { stdin } }: Pick<TellingContext, 'process'>): Promise<void> {
  const forget = () => {};
  stdin.setRawMode(true);
  stdin.on('data', forget);
  stdin.resume();
  // What the system has ready is read within one turn of the event loop after the present one.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  stdin.pause();
  stdin.off('data', forget);
  stdin.setRawMode(false);
}

/** Waits for keys. Throws `SrqError('interrupted')` if there will be none. */
async function typed(stdin: TellingContext['process']['stdin']): Promise<string> {
  const over = new AbortController();
  const end = () => over.abort();
  stdin.once('end', end);
  stdin.resume();
  try {
    const [data] = (await once(stdin, 'data', { signal: over.signal })) as [Buffer];
    return data.toString('utf8');
  } catch (error) {
    throw interrupted(error);
  } finally {
    stdin.pause();
    stdin.off('end', end);
  }
}

/** Ctrl-C and Ctrl-D. */
const END_KEYS: ReadonlySet<string> = new Set(['\u0003', '\u0004']);
/** What arrow and function keys send, and Alt with a letter. Some have letters in them that are no answers. */
const KEY_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O.|[^\u0003\u0004])?/gu;

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
  return new SrqError('prompt.left', 'Nothing was sent.', null, cause);
}
