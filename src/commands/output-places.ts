import type { Context } from '../cli/context.ts';
import { onlyPath } from '../report/output-file.ts';
import { SrqError } from '../request/words/errors.ts';

/** An output of a command: the flag that names its file, and the path, which is no text if there is none. */
export type Output = readonly [flag: string, path: string | false | null | undefined];

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
