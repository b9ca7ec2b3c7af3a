import { shellWord } from './shell-word.ts';

/** What the file system says of who may change a file or folder. */
export interface Access {
  readonly uid: number;
  readonly mode: number;
}

/** Why something is not used, as the end of a sentence about it, and the command that puts that right. */
export interface Flaw {
  readonly why: string;
  readonly remedy: string;
}

const READ_OR_WRITTEN = 0o077;
const WRITTEN = 0o022;
const WRITTEN_BY_ALL = 0o002;
const STICKY = 0o1000;
const ROOT = 0;

/**
 * What others could write is not believed, and what they could read may be known to them. Null: the file is the user's own.
 * `user`: the user's number; null where files have no owners and modes (Windows). `closedTo`: what others must not be able to do.
 */
export function fileFlaw(path: string, { uid, mode }: Access, user: number | null, closedTo: 'readers' | 'writers') {
  if (typeof user !== 'number') return null;
  if (uid !== user) return foreign(path, user);
  if ((mode & (closedTo === 'readers' ? READ_OR_WRITTEN : WRITTEN)) === 0) return null;
  const what = closedTo === 'readers' ? 'is open to' : 'can be changed by';
  return { why: `${what} other users (mode ${octal(mode)})`, remedy: `chmod 600 ${shellWord(path)}` };
}

/**
 * Whoever may write a folder can put another file in the place of one that lies in it, unless the sticky bit says otherwise.
 * A group that works together may share a folder. `mustBeOwn`: it holds files of srq's alone, and no other user's folder will do.
 */
export function folderFlaw(path: string, { uid, mode }: Access, user: number | null, mustBeOwn: boolean): Flaw | null {
  if (typeof user !== 'number') return null;
  if (mustBeOwn && uid !== user && uid !== ROOT) return foreign(path, user);
  if ((mode & WRITTEN_BY_ALL) === 0 || (mode & STICKY) !== 0) return null;
  return { why: `can be written by every user (mode ${octal(mode)})`, remedy: `chmod o-w ${shellWord(path)}` };
}

/** A mode as people write it. */
export function octal(mode: number): string {
  return `0${(mode & 0o777).toString(8)}`;
}

function foreign(path: string, user: number): Flaw {
  return { why: 'belongs to another user', remedy: `sudo chown ${user} ${shellWord(path)}` };
}
