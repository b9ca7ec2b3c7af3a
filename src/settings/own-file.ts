import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { fileFlaw, folderFlaw, type Others } from '../request/log/ownership.ts';
import type { ErrorReason } from '../request/words/error-codes.ts';
import { SrqError, systemCode } from '../request/words/errors.ts';

/** The rules for trusting state files that only save time. */
export interface Trust {
  /** The numeric user id, or null where files have no owners and modes (Windows). */
  readonly uid: number | null;
  /** Called for a file that is not used because others may have changed it. The message says what to do. */
  onDistrusted(message: string): void;
}

/** The rules for files whose owner does not matter. */
export const ANY_OWNER: Trust = { uid: null, onDistrusted: () => {} };

export type OwnFile = ReturnType<typeof ownFile>;

/** A small state file that only its owner may change. If it holds a secret, only its owner may read it. */
export function ownFile(path: string, { uid, onDistrusted }: Trust, closedTo: Others = 'writers') {
  function isOwn(found: Stats): boolean {
    const file = fileFlaw(path, found, uid, closedTo);
    const folder = dirname(path);
    const flaw = file ?? folderFlaw(folder, statSync(folder), uid, true);
    if (flaw === null) return true;
    const lies = file ? '' : `lies in ${folder}, which `;
    onDistrusted(
      `${path} ${lies}${flaw.why}; what it says is not used. If you have read it and want it used: ${flaw.remedy}`,
    );
    return false;
  }

  /**
   * Returns the text, or null if the file is missing, unreadable or not trusted. A file that is not trusted is
   * reported.
   */
  function text(): string | null {
    try {
      const found = statSync(path, { throwIfNoEntry: false });
      // Reading a pipe would wait for ever.
      return found?.isFile() && isOwn(found) ? readFileSync(path, 'utf8') : null;
    } catch {
      return null;
    }
  }

  /** Replaces the text like `replace`, but throws the system's error, and EPERM for a file that is not trusted. */
  function replaceOrThrow(text: string, flush = true): void {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && !isOwn(found)) throw Object.assign(new Error('others may change it'), { code: 'EPERM' });
    replaceFileOrThrow(path, text, flush);
  }

  return {
    text,
    replaceOrThrow,
    /** Returns what the file holds by this schema, or null if it has no text or another content. */
    json<Value>(schema: { parse(kept: unknown): Value }): Value | null {
      try {
        return schema.parse(JSON.parse(text() ?? ''));
      } catch {
        return null;
      }
    },
    /**
     * Replaces the text. A file that is not trusted is left unchanged, because it may be another user's. It is used again
     * once its owner and mode are corrected. An error of the system is ignored, also one while the file is looked at, such
     * as that a part of the path is no folder. Without `flush` nothing waits for the disk, and a crash of the machine may
     * lose the file: enough for what only saves time.
     */
    replace: (text: string, flush: boolean): void => unlessOfSystem(() => replaceOrThrow(text, flush)),
    /** Removes the file. An error of the system is ignored, such as that the folder cannot be written. */
    remove: (): void => unlessOfSystem(() => rmSync(path, { force: true })),
  };
}

/** What to say of a file that is not used. */
interface Told {
  /** The file, as the subject of a sentence. */
  readonly what: string;
  readonly reason: ErrorReason;
  readonly hint: string;
  /** What to do if others can read or write it. */
  readonly exposed?: string;
}

/**
 * Reads a JSON file that decides what is sent, or where a secret goes. Returns undefined if there is none. Throws an `SrqError` if
 * others can read or write it, or if it cannot be read.
 */
export function requiredJson(path: string, uid: number | null, told: Told): unknown {
  const { what, reason, hint, exposed = hint } = told;
  let file: number | null = null;
  try {
    // What is looked at is what is read, whoever puts another file there meanwhile.
    file = openSync(path, 'r');
    const flaw = fileFlaw(path, fstatSync(file), uid, 'readers');
    if (flaw)
      throw new SrqError(
        reason,
        `${what} ${flaw.why}; it is not used.`,
        `${exposed}    If you have read it and want it used: ${flaw.remedy}`,
      );
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return undefined;
    if (error instanceof SrqError) throw error;
    const why = systemCode(error) || (error instanceof SyntaxError ? 'it is not JSON' : String(error));
    throw new SrqError(reason, `${what} cannot be used (${why}).`, hint, error);
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Ignores an error of the system, because losing a file that only saves time does no harm. Throws any other error. */
function unlessOfSystem(change: () => void): void {
  try {
    change();
  } catch (error) {
    if (systemCode(error) === '') throw error;
  }
}

/**
 * Replaces a small state file of mode 0600 atomically, so that readers in other processes never see half of it. With
 * `flush` not even a crash of the machine leaves half of the file. Throws the system's error.
 */
export function replaceFileOrThrow(path: string, text: string, flush = true): void {
  const part = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(part, text, { mode: 0o600, flush });
    chmodSync(part, 0o600);
    renameSync(part, path);
  } finally {
    rmSync(part, { force: true });
  }
}
