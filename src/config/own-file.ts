import { readFileSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileFlaw, folderFlaw } from '../model/ownership.ts';
import { replaceFile } from './replace-file.ts';

/** How far files are trusted that only save time. */
export interface Trust {
  /** The user's number; null where files have no owners and modes (Windows). */
  readonly uid: number | null;
  /** Told of a file that is not used because others may have changed it, and what to do. */
  distrusted(message: string): void;
}

/** For files whose owner does not matter. */
export const TRUSTING: Trust = { uid: null, distrusted: () => {} };

/** A small state file that its owner alone may change and, where it holds a secret, read. */
export class OwnFile {
  readonly #path: string;
  readonly #trust: Trust;
  readonly #closedTo: 'readers' | 'writers';

  constructor(path: string, trust: Trust, closedTo: 'readers' | 'writers' = 'writers') {
    this.#path = path;
    this.#trust = trust;
    this.#closedTo = closedTo;
  }

  /** Null if it is not there or cannot be read; and, which is said, if it cannot be believed. */
  text(): string | null {
    try {
      const found = statSync(this.#path, { throwIfNoEntry: false });
      return found && this.#isOwn(found) ? readFileSync(this.#path, 'utf8') : null;
    } catch {
      return null;
    }
  }

  /** What cannot be believed is not written over: it may be another user's, and it is believed again once it is put right. */
  replace(text: string): void {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    if (!found || this.#isOwn(found)) replaceFile(this.#path, text);
  }

  #isOwn(found: Stats): boolean {
    const { uid, distrusted } = this.#trust;
    const file = fileFlaw(this.#path, found, uid, this.#closedTo);
    const folder = dirname(this.#path);
    const flaw = file ?? folderFlaw(folder, statSync(folder), uid, true);
    if (flaw === null) return true;
    const lies = file ? '' : `lies in ${folder}, which `;
    distrusted(`${this.#path} ${lies}${flaw.why}; what it says is not used. To use it all the same: ${flaw.remedy}`);
    return false;
  }
}
