import { lstat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Context } from '../cli/context.ts';
import { onlyPath, requireWritable } from '../report/output-file.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';
import type { WrittenFiles } from '../settings/written-files.ts';

/** An output of a command: the flag that names its file, and the path, which is no text if there is none. */
export type Output = readonly [flag: string, path: string | null | undefined];

/**
 * Throws `SrqError('usage')` if two outputs would be written to the same file, because one of them would be lost. The
 * log of the command is one of them.
 */
export async function requireOwnPlaces(context: Context, outputs: readonly Output[]): Promise<void> {
  const log = await context.logPlace();
  const ofLog: Output[] = log.kind === 'file' ? [[log.isGiven ? '--log' : 'the log', log.path]] : [];
  return requireDistinct([...ofLog, ...outputs]);
}

/** Works like {@link requireOwnPlaces} for the given outputs alone. */
export async function requireDistinct(outputs: readonly Output[]): Promise<void> {
  const taken = new Map<string, string>();
  for (const [flag, path] of outputs) {
    if (typeof path !== 'string') continue;
    const place = path === '-' ? path : await onlyPath(path);
    const other = taken.get(place);
    if (other !== undefined) {
      throw new SrqError(
        'flags.contradict',
        `${flag} ${path} and ${other} cannot be used together: ${other} writes to the same place. Nothing was sent.`,
        `Leave one of them out, or name another file: ${flag} FILE`,
      );
    }
    taken.set(place, flag);
  }
}

/**
 * Returns the path if it is free, or the next one with a number. Free is what does not exist, is empty, or is as srq wrote
 * it. `isTaken` rules out further paths.
 */
export async function freePlace(
  written: WrittenFiles,
  path: string,
  isTaken: (path: string) => Promise<boolean> = async () => false,
): Promise<string> {
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  for (let number = 2, candidate = path; ; candidate = `${stem}-${number++}${ending}`) {
    if ((await isFree(written, candidate)) && !(await isTaken(candidate))) return candidate;
  }
}

async function isFree(written: WrittenFiles, path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return !found || (found.isFile() && (found.size === 0 || (await written.isUnchanged(path))));
}

/** A file that a flag names. */
interface NamedOutput {
  readonly flag: string;
  /** What is written there, for messages. */
  readonly kind: string;
  /** The file that is read, or null. */
  readonly input: string | null;
}

/**
 * Throws `SrqError('usage')` for a file that a flag names, if it cannot be written there, or if it would replace its own
 * input or anything that srq did not write. This is the rule for all outputs.
 */
export async function requireFreePlace(context: Context, path: string, { flag, kind, input }: NamedOutput) {
  const hint = `Name another file: ${flag} FILE`;
  if (input !== null && (await onlyPath(path)) === (await onlyPath(input))) {
    throw new SrqError('output.not-replaced', `The ${kind} would replace the input.`, hint);
  }
  const found = await lstat(path).catch(() => null);
  if (found && !found.isFile()) {
    throw new SrqError('output.not-replaced', `${path} is not a regular file; nothing was written.`, hint);
  }
  const written = await context.writtenFiles();
  if (!(await isFree(written, path))) {
    throw new SrqError(
      'output.not-replaced',
      `${path} is not as srq wrote it, so it is not replaced. Nothing was sent.`,
      `To write beside it: ${flag} ${shellWord(await freePlace(written, path))}`,
    );
  }
  await requireWritable(path, kind, flag);
}
