import { statSync } from 'node:fs';
import { SrqError } from '../model/errors.ts';

/** A folder, a pipe or a device keeps no records. What does not exist yet will be a regular file. */
export function requireRegularFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found || found.isFile()) return;
  const what = found.isDirectory() ? 'a folder' : 'not a regular file';
  throw new SrqError('log', `The log ${path} cannot be used: it is ${what}.`, 'Name a file with --log FILE.');
}
