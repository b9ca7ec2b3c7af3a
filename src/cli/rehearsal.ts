import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The log of a rehearsal with --sandbox, and its notes, which a report needs. */
const KEPT = ['sandbox.ndjson', 'sandbox.ndjson.runs'];

/**
 * Removes the folder of a rehearsal that has ended. If something was sent in it, its log is kept in `last` in place of
 * the one before, for `srq log --sandbox`.
 */
export function endRehearsal(folder: string, last: string): void {
  const written = KEPT.filter((name) => existsSync(join(folder, name)));
  if (written.length > 0) {
    const next = `${last}.${process.pid}`;
    try {
      mkdirSync(next, { recursive: true, mode: 0o700 });
      for (const name of written) cpSync(join(folder, name), join(next, name));
      rmSync(last, { recursive: true, force: true });
      renameSync(next, last);
    } catch {
      // The rehearsal has told its outcome; another one at the same time may keep its log instead.
      rmSync(next, { recursive: true, force: true });
    }
  }
  rmSync(folder, { recursive: true, force: true });
}
