import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { columnsOf, folded, inAscii, isAsciiLocale } from '../report/output.ts';
import { SrqError } from '../request/words/errors.ts';
import type { TellingContext } from './command.ts';

type Asking = Pick<TellingContext, 'process'>;

/** Asks a question on stderr, so that stdout contains only data. Use it only if `context.interactive` is true. */
export function ask(context: Asking, question: string): Promise<string> {
  return answered(context, question, context.process.stderr);
}

/** Asks for a secret like `ask`, but without echo. */
export async function askHidden(context: Asking, question: string): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await answered(context, question, unseen);
  } finally {
    context.process.stderr.write('\n');
  }
}

/**
 * Asks with `askOnce` until `accepts` returns the answer as a value. `accepts` throws an `SrqError` that says what is
 * wrong with an answer.
 */
export async function askUntil<Value>(
  context: Pick<TellingContext, 'reporter'>,
  askOnce: () => Promise<string>,
  accepts: (answer: string) => Value,
): Promise<Value> {
  for (;;) {
    const answer = await askOnce();
    try {
      return accepts(answer);
    } catch (error) {
      if (!(error instanceof SrqError)) throw error;
      (await context.reporter()).warn([error.message, error.hint ?? ''].join(' ').trim());
    }
  }
}

/** Asks a question until the answer is yes or no. An empty answer is a no. */
export function askYesNo(context: Pick<TellingContext, 'process' | 'reporter'>, question: string): Promise<boolean> {
  return askUntil(
    context,
    () => ask(context, `${question} [y/N] `),
    (answer) => {
      if (/^y(?:es)?$/i.test(answer)) return true;
      if (/^(?:no?)?$/i.test(answer)) return false;
      throw new SrqError('arguments.invalid', 'Type y for yes, or n for no.');
    },
  );
}

/** Folds a question for the terminal and keeps the blank after it. */
function shown(question: string, { stderr, env }: Asking['process']): string {
  const text = `${folded(question.trimEnd(), columnsOf(stderr))} `;
  return isAsciiLocale(env) ? inAscii(text) : text;
}

/** Shows a question and returns the answer. What the user types is written to `echo`. */
async function answered({ process }: Asking, question: string, echo: Writable): Promise<string> {
  const { stdin, stderr } = process;
  const lines = shown(question, process).split('\n');
  // The library redraws the line while the answer is edited, so it must know the last line of the question.
  const last = lines.pop() ?? '';
  // The interface is created first, because it turns off the terminal's echo. A secret can be typed as soon as the
  // question is shown.
  const terminal = createInterface({ input: stdin, output: echo, terminal: true });
  stderr.write([...lines, echo === stderr ? '' : last].join('\n'));
  const cancelled = new AbortController();
  terminal.once('SIGINT', () => cancelled.abort());
  terminal.once('close', () => cancelled.abort());
  try {
    return (await terminal.question(last, { signal: cancelled.signal })).trim();
  } catch (error) {
    throw interrupted(error);
  } finally {
    terminal.close();
  }
}

/**
 * Asks a question that is answered with one of `keys`, and returns that key in lower case. Other keys are ignored, and
 * keys that were typed ahead answer the next question. Use it only if `context.interactive` is true. Throws
 * `SrqError('interrupted')` for Ctrl-C or Ctrl-D, and if the terminal is closed.
 */
export async function askKey<Key extends string>(
  context: Pick<TellingContext, 'process'>,
  question: string,
  keys: readonly Key[],
): Promise<Key> {
  const { process } = context;
  const { stdin, stderr } = process;
  // In raw mode Ctrl-C arrives as a key. As a signal it would end srq without a message.
  stdin.setRawMode(true);
  try {
    stderr.write(shown(question, process));
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
 * Discards what was typed so far. Otherwise an Enter after a question that takes one key would answer the next
 * question, which the user has not read yet.
 */
export async function forgetTyped({ process: { stdin } }: Pick<TellingContext, 'process'>): Promise<void> {
  const forget = () => {};
  stdin.setRawMode(true);
  stdin.on('data', forget);
  stdin.resume();
  // Input that is already available is read within one turn of the event loop after the present one.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  stdin.pause();
  stdin.off('data', forget);
  stdin.setRawMode(false);
}

/** Waits for keys and returns them. Throws `SrqError('interrupted')` if the terminal is closed. */
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

/** Ctrl-C and Ctrl-D, as characters. */
const END_KEYS: ReadonlySet<string> = new Set(['\u0003', '\u0004']);
/**
 * Matches what arrow keys, function keys and Alt with a letter send. Some of these sequences contain letters that are
 * not answers.
 */
const KEY_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O.|[^\u0003\u0004])?/gu;

function interrupted(cause: unknown): SrqError {
  return new SrqError('prompt.left', 'Nothing was sent.', null, cause);
}
