import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { inAscii, isAsciiLocale } from '../report/output.ts';
import { SrqError } from '../request/words/errors.ts';
import type { Context } from './context.ts';

type Asking = Pick<Context, 'process' | 'warnOf'>;

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
 * Asks until `accepts` returns the answer as a value. `accepts` throws an `SrqError` that says what is wrong with an answer.
 */
export async function askUntil<Value>(
  context: Asking,
  question: string,
  accepts: (answer: string) => Value | Promise<Value>,
  askOnce = ask,
): Promise<Value> {
  for (;;) {
    const answer = await askOnce(context, question);
    try {
      return await accepts(answer);
    } catch (error) {
      if (!(error instanceof SrqError)) throw error;
      context.warnOf(error);
    }
  }
}

/** Asks a question that is answered with one of `letters`, in either case, until the answer is one of them. */
export function askLetter<Letter extends string>(
  context: Asking,
  question: string,
  letters: readonly Letter[],
): Promise<Letter> {
  return askUntil(context, question, (answer) => {
    const letter = letters.find((each) => each === answer.toLowerCase());
    if (letter !== undefined) return letter;
    throw new SrqError('arguments.invalid', `Type ${letters.slice(0, -1).join(', ')} or ${letters.at(-1)}.`);
  });
}

/** Asks a question until the answer is yes or no. An empty answer is a no. */
export function askYesNo(context: Asking, question: string): Promise<boolean> {
  return askUntil(context, `${question} [y/N] `, (answer) => {
    if (/^y(?:es)?$/i.test(answer)) return true;
    if (/^(?:no?)?$/i.test(answer)) return false;
    throw new SrqError('arguments.invalid', 'Type y for yes, or n for no.');
  });
}

/** Leaves the command, as the user wants. `hint` says how to come back. */
export function leave(hint: string | null, cause?: unknown): never {
  throw new SrqError('prompt.left', 'Nothing was sent.', hint, cause);
}

/** Shows a question and returns the answer. What the user types is written to `echo`. */
async function answered({ process }: Asking, question: string, echo: Writable): Promise<string> {
  const { stdin, stderr, env } = process;
  const lines = (isAsciiLocale(env) ? inAscii(question) : question).split('\n');
  // The library redraws the line while the answer is edited, so it must know the last line of the question.
  const last = lines.pop() ?? '';
  // The interface is created first, because it turns off the terminal's echo. A secret can be typed as soon as the
  // question is shown.
  const terminal = createInterface({ input: stdin, output: echo, terminal: true });
  stderr.write([...lines, echo === stderr ? '' : last].join('\n'));
  const cancelled = new AbortController();
  terminal.once('SIGINT', () => cancelled.abort());
  terminal.once('close', () => cancelled.abort());
  // After Ctrl-Z and fg, the library waits to be told that the question still stands.
  terminal.on('SIGCONT', () => {
    if (echo !== stderr) stderr.write(last);
    terminal.resume();
  });
  try {
    return (await terminal.question(last, { signal: cancelled.signal })).trim();
  } catch (error) {
    return leave(null, error);
  } finally {
    terminal.close();
  }
}
