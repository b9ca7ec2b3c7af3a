import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces a small state file of mode 0600, whole or not at all: readers in other processes never see half of it. An
 * error is ignored, because the files that are stored in this way only save time.
 */
export function replaceFile(path: string, text: string): void {
  try {
    replaceFileOrThrow(path, text);
  } catch {
    // Losing a file that only saves time does no harm.
  }
}

/**
 * Replaces a file that matters, as above, but throws the system's error. A crash does not leave half of the file
 * either.
 */
export function replaceFileOrThrow(path: string, text: string): void {
  const part = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(part, text, { mode: 0o600, flush: true });
    chmodSync(part, 0o600);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
