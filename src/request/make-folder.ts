import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemCode } from './words/errors.ts';

/**
 * Makes a folder that only the user can open, and those above it that are missing. Returns the first that it made, or
 * undefined. Node.js does this by itself, but tries for ever where a folder takes no others, as below `/proc`.
 */
export function makeFolder(folder: string): string | undefined {
  const path = resolve(folder);
  const above = dirname(path);
  const first = above === path || statSync(above, { throwIfNoEntry: false }) ? undefined : makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (systemCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
    return first;
  }
  return first ?? path;
}
