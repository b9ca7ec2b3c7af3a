import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ownFile, type Trust } from './own-file.ts';

export type WrittenFiles = ReturnType<typeof writtenFiles>;

/**
 * Tells whether files that srq has written for a person are still as it wrote them. Their digests are in the state folder,
 * one file each. A file without one counts as changed.
 */
export function writtenFiles(records: string, trust: Trust) {
  // The name of a record is a digest of the path, because paths may name people.
  const recordOf = async (path: string) => {
    const folder = await realpath(dirname(resolve(path))).catch(() => dirname(resolve(path)));
    const name = hash('sha256', join(folder, basename(path)), 'hex').slice(0, 32);
    return ownFile(join(records, name), trust);
  };
  return {
    /** Records what was just written to a path. */
    note: async (path: string): Promise<void> => {
      const digest = await digestOf(path);
      if (digest !== null) (await recordOf(path)).replace(digest, true);
    },
    /** Tells whether a file still has the content that srq wrote to it. */
    isUnchanged: async (path: string): Promise<boolean> => {
      const digest = await digestOf(path);
      return digest !== null && (await recordOf(path)).text() === digest;
    },
  };
}

async function digestOf(path: string): Promise<string | null> {
  try {
    if (!(await stat(path)).isFile()) return null;
    const digest = createHash('sha256');
    await pipeline(createReadStream(path), digest);
    return digest.digest('hex');
  } catch {
    return null;
  }
}
