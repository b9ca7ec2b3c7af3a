import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces a small state file of mode 0600, whole or not at all: readers in other processes never see half of it. What is
 * kept so only saves time, so a failure to keep it is no failure.
 */
export function replaceFile(path: string, text: string): void {
  try {
    replaceFileOrThrow(path, text);
  } catch {
    // As promised above.
  }
}

/** The same for what matters: throws the system's error if the file could not be replaced, and a crash leaves no half of it. */
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
