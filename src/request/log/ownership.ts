import type { Stats } from 'node:fs';
import { shellWord } from '../words/errors.ts';

/** The owner and the mode of a file or folder. */
type FileAccess = Pick<Stats, 'uid' | 'mode'>;

/** A reason why a file or folder is not used, as the end of a sentence about it, with the command that corrects it. */
export interface AccessFlaw {
  readonly why: string;
  readonly remedy: string;
}

/** What other users may be: those who read, or only those who write. */
export type Others = 'readers' | 'writers';

const READ_OR_WRITTEN = 0o077;
const WRITTEN = 0o022;
const WRITTEN_BY_ALL = 0o002;
const STICKY = 0o1000;
const ROOT = 0;

/**
 * Checks who has access to a file, and returns null if it is safe. A file that other users could write is not trusted,
 * and a file that they could read may be known to them. `user` is the user's number, or null where files have no owners
 * and modes (Windows). `closedTo` is what other users must not be able to do.
 */
export function fileFlaw(path: string, { uid, mode }: FileAccess, user: number | null, closedTo: Others) {
  if (typeof user !== 'number') return null;
  if (uid !== user) return foreign(path, user);
  if ((mode & (closedTo === 'readers' ? READ_OR_WRITTEN : WRITTEN)) === 0) return null;
  const what = closedTo === 'readers' ? 'is open to' : 'can be changed by';
  return { why: `${what} other users (mode ${octalMode(mode)})`, remedy: `chmod 600 ${shellWord(path)}` };
}

/**
 * Checks who may write a folder, and returns null if it is safe. Whoever may write a folder can replace a file in it by
 * another one, unless the sticky bit is set. A group that works together may share a folder. `mustBeOwn` means that the
 * folder holds files of srq only, and must not belong to another user.
 */
export function folderFlaw(
  path: string,
  { uid, mode }: FileAccess,
  user: number | null,
  mustBeOwn: boolean,
): AccessFlaw | null {
  if (typeof user !== 'number') return null;
  if (mustBeOwn && uid !== user && uid !== ROOT) return foreign(path, user);
  if ((mode & WRITTEN_BY_ALL) === 0 || (mode & STICKY) !== 0) return null;
  return { why: `can be written by every user (mode ${octalMode(mode)})`, remedy: `chmod o-w ${shellWord(path)}` };
}

/** Returns a mode in octal digits, as people write it. */
function octalMode(mode: number): string {
  return `0${(mode & 0o777).toString(8)}`;
}

function foreign(path: string, user: number): AccessFlaw {
  return { why: 'belongs to another user', remedy: `sudo chown ${user} ${shellWord(path)}` };
}
