import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SrqError, systemCode } from '../request/errors.ts';

/** Makes a new folder that only the user can open. Throws `SrqError('settings')` where there is no room for temporary files. */
export function makeTemporaryFolder(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix));
  } catch (error) {
    throw new SrqError(
      'settings',
      `No temporary folder can be created in ${tmpdir()} (${systemCode(error)}). Nothing was sent.`,
      'Name a folder that can be written in TMPDIR (on Windows in TEMP).',
      error,
    );
  }
}
