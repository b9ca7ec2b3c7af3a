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
