import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { DescriptionFolder } from '../../contract/documents/parse-document.ts';
import { SrqError, shellWord } from '../../request/words/errors.ts';

/** The folder of a description that consists of several files, as a person named it. */
interface OpenFolder {
  /**
   * Returns the path of its only description. Throws `SrqError('input')` if there are none or several at the top level
   * of the folder.
   */
  mainDocument(): string;
  /** Returns the folder for the references of the document at `path`, or null if the document is not in the folder. */
  within(path: string): DescriptionFolder | null;
}

/** One byte more than a document may have, so that a larger file is refused where it is parsed. */
const MAX_BYTES = 10 * 1024 * 1024 + 1;
const MAX_LISTED = 200;
const DESCRIPTION = /\.(?:json|ya?ml)$/i;
/** Matches the beginning of a description. Files that are only parts of one have no such member. */
const SAYS_DESCRIPTION = /^[\s{]*["']?(?:openapi|swagger)["']?\s*:|\n["' ]{0,6}(?:openapi|swagger)["']?\s*:/;
const MAX_BEGINNING = 64 * 1024;

/**
 * Opens a folder for the references of a description. A file is read only if its real path is below that of the folder,
 * so that neither `..` nor a symbolic link leads out of it.
 */
export function openFolder(folder: string): OpenFolder {
  const root = realpathSync(folder);
  const read = (path: string): Buffer | null => readWithin(root, join(root, path), MAX_BYTES);
  const beginningOf = (name: string): string =>
    readWithin(root, join(root, name), MAX_BEGINNING)?.toString('utf8') ?? '';
  return {
    within(path) {
      const real = realPathOf(path);
      return real === null || !isBelow(root, real) ? null : { path: relative(root, real).split(sep).join('/'), read };
    },
    mainDocument() {
      const names = readdirSync(root)
        .filter((name) => DESCRIPTION.test(name))
        .toSorted()
        .slice(0, MAX_LISTED)
        .filter((name) => SAYS_DESCRIPTION.test(beginningOf(name)));
      const [only, another] = names;
      if (only !== undefined && another === undefined) return join(folder, only);
      const what = only === undefined ? 'holds no description' : `holds several descriptions: ${names.join(', ')}`;
      const example = shellWord(join(folder, only ?? 'api.yaml'));
      const hint = `Name the one that is meant, and the folder of the others: srq contract learn ${example} ${shellWord(folder)}`;
      throw new SrqError('file.unreadable', `${folder} ${what}.`, hint);
    },
  };
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

const isBelow = (root: string, path: string): boolean => path.startsWith(root.endsWith(sep) ? root : root + sep);

/**
 * Reads at most this many bytes of a regular file whose real path is below the folder. Returns null for anything else.
 */
function readWithin(root: string, path: string, maxBytes: number): Buffer | null {
  const real = realPathOf(path);
  if (real === null || !isBelow(root, real)) return null;
  let file: number | null = null;
  try {
    // A link that replaces the file meanwhile is not followed, and a pipe is not waited for.
    file = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const found = fstatSync(file);
    if (!found.isFile()) return null;
    const bytes = Buffer.alloc(Math.min(found.size, maxBytes));
    return bytes.subarray(0, readSync(file, bytes));
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}
