import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { columnsOf, folded, inAscii, isAsciiLocale } from '../report/output.ts';
import { SrqError } from '../request/errors.ts';
import type { TellingContext } from './command.ts';

type Asking = Pick<TellingContext, 'process'>;

/** Asks a question on stderr, so that stdout contains only data. Use it only if `context.interactive` is true. */
export function ask(context: Asking, question: string): Promise<string> {
  return answered(context, question, context.process.stderr);
}

/** Asks for a secret as `ask` does, without echoing it. */
export async function askHidden(context: Asking, question: string): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await answered(context, question, unseen);
  } finally {
    context.process.stderr.write('\n');
  }
}

/** Asks by `askOnce` until `accepts` returns the answer as a value. It throws an `SrqError` with what is wrong about it. */
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
      throw new SrqError('usage', 'Type y for yes, or n for no.');
    },
  );
}

/** Fits a question to the terminal. The blank behind it stays. */
function shown(question: string, { stderr, env }: Asking['process']): string {
  const text = `${folded(question.trimEnd(), columnsOf(stderr))} `;
  return isAsciiLocale(env) ? inAscii(text) : text;
}

/** Shows a question, and what is typed on `echo`. */
async function answered({ process }: Asking, question: string, echo: Writable): Promise<string> {
  const { stdin, stderr } = process;
  const lines = shown(question, process).split('\n');
  // The library draws the line of the answer anew as it is edited, so that it has to know what stands before.
  const last = lines.pop() ?? '';
  // From here on the terminal itself echoes nothing, so that a secret may be typed as soon as it is asked for.
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
 * Asks a question that is answered with one key, and returns it in lower case. Other keys are passed over; keys that were
 * typed ahead answer the next question. Use it only if `context.interactive` is true. Throws `SrqError('interrupted')` for
 * Ctrl-C, and if the terminal is closed.
 */
export async function askKey<Key extends string>(
  context: Pick<TellingContext, 'process'>,
  question: string,
  keys: readonly Key[],
): Promise<Key> {
  const { process } = context;
  const { stdin, stderr } = process;
  // From here on Ctrl-C is a key: as a signal it would end srq without a word.
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

function interrupted(cause: unknown): SrqError {
  return new SrqError('interrupted', 'Nothing was sent.', null, cause);
}
