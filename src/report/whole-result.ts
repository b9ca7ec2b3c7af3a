import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { SrqError, systemCode } from '../request/words/errors.ts';

/** Number of characters that are kept in memory. Most results are shorter and need no file. */
const KEPT_CHARACTERS = 1 << 20;

/**
 * Passes texts on once the last one is there, so that nothing of them is written if their source fails. What is too long
 * for the memory is kept in a file that only the user can read, in the folder that `makeFolder` returns. Throws
 * `SrqError('usage')` if that file cannot be written. Errors of the source are passed on.
 */
export async function* onceWhole(
  texts: AsyncIterable<string>,
  makeFolder: () => string,
): AsyncGenerator<string | Uint8Array> {
  let kept = '';
  let file: FileHandle | null = null;
  try {
    for await (const text of texts) {
      kept += text;
      if (kept.length < KEPT_CHARACTERS) continue;
      file ??= await openIn(makeFolder());
      await file.appendFile(kept).catch(refuse);
      kept = '';
    }
    if (file !== null) yield* file.createReadStream({ start: 0, autoClose: false });
    yield kept;
  } finally {
    await file?.close();
  }
}

function openIn(folder: string): Promise<FileHandle> {
  return open(join(folder, 'result'), 'wx+', 0o600).catch(refuse);
}

function refuse(error: unknown): never {
  throw new SrqError(
    'output.unwritable',
    `The result could not be put together in the folder for temporary files (${systemCode(error)}).`,
    'Make room there, or name another folder in TMPDIR (on Windows in TEMP).',
    error,
  );
}
