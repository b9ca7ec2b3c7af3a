import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SrqError, systemCode } from '../request/words/errors.ts';

/** Makes a new folder that only the user can open. Throws `SrqError('settings')` if no temporary folder can be made. */
export function makeTemporaryFolder(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix));
  } catch (error) {
    throw new SrqError(
      'settings.unwritable',
      `No temporary folder can be created in ${tmpdir()} (${systemCode(error)}). Nothing was sent.`,
      'Name a folder that can be written in TMPDIR (on Windows in TEMP).',
      error,
    );
  }
}
