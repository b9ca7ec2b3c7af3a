import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod/mini';
import { OwnFile, type Trust } from './own-file.ts';

/** The kind of file: the results of a run, the results of a rehearsal with the sandbox, or an export. */
export type Occasion = z.infer<typeof occasion>;

const occasion = z.enum(['run', 'rehearsal', 'export']);
const schema = z.object({ sha256: z.string(), of: occasion });

/**
 * Tells whether files that srq has written for a person have been changed since. It compares digests, which are kept in
 * two places, either of which suffices. One is the state folder. The other is the file's own modification time, whose
 * microseconds are derived from the digest. The time is all that remains if the state is lost, and after a rehearsal,
 * which keeps no state. The state is all that remains if a file system or a synchronising program rounds times. A file
 * that neither confirms counts as changed.
 */
export class WrittenFiles {
  readonly #folder: string | null;
  readonly #trust: Trust;

  /** `folder` is the state folder, or null to keep no state. */
  constructor(folder: string | null, trust: Trust) {
    this.#folder = folder;
    this.#trust = trust;
  }

  /** Records the digest of what was just written to a path. `sha256` is in hex. */
  async note(path: string, sha256: string, of: Occasion): Promise<void> {
    (await this.#record(path))?.replace(JSON.stringify({ sha256, of }));
    try {
      const seconds = Math.floor((await stat(path)).mtimeMs / 1000);
      // The time is set to the middle of the microsecond, because the system cuts off further digits.
      const time = seconds + (microsecondsOf(sha256, of) + 0.5) / 1_000_000;
      await utimes(path, time, time);
    } catch {
      // If its time cannot be set, the file is still known by the state.
    }
  }

  /** Tells whether a file still has the content that srq wrote to it as this kind of file. */
  async isUnchanged(path: string, of: Occasion): Promise<boolean> {
    const sha256 = await digestOf(path);
    if (sha256 === null) return false;
    const text = (await this.#record(path))?.text() ?? null;
    const noted = text === null ? null : (schema.safeParse(parsed(text)).data ?? null);
    if (noted?.sha256 === sha256 && noted.of === of) return true;
    const { mtimeNs } = await stat(path, { bigint: true });
    const microseconds = Number((mtimeNs / 1_000n) % 1_000_000n);
    return microseconds === microsecondsOf(sha256, of);
  }

  /** Returns the record for a path. Its name is a digest of the path, because paths may name people. */
  async #record(path: string): Promise<OwnFile | null> {
    if (this.#folder === null) return null;
    const folder = await realpath(dirname(resolve(path))).catch(() => dirname(resolve(path)));
    const name = createHash('sha256')
      .update(join(folder, basename(path)))
      .digest('hex')
      .slice(0, 32);
    return new OwnFile(join(this.#folder, `${name}.json`), this.#trust);
  }
}

/**
 * Returns the microseconds for a digest, from 1 to 999,999. 0 is left out, because programs that round times set it;
 * other programs set such a time only by chance.
 */
function microsecondsOf(sha256: string, of: Occasion): number {
  const digest = createHash('sha256').update(`${of} ${sha256}`).digest();
  return 1 + (digest.readUInt32BE() % 999_999);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function digestOf(path: string): Promise<string | null> {
  try {
    if (!(await stat(path)).isFile()) return null;
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch {
    return null;
  }
}
