import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod/mini';
import { OwnFile, type Trust } from './own-file.ts';

/** Whether a file holds the results of a run, or of a rehearsal with the sandbox, or an export. */
export type Occasion = z.infer<typeof occasion>;

const occasion = z.enum(['run', 'rehearsal', 'export']);
const schema = z.object({ sha256: z.string(), of: occasion });

/**
 * Knows of the files that srq has written for a person whether anybody has changed them since, by their digests. A digest is
 * kept in the state folder, and in the file's own time: its microseconds are those of the digest. Either is enough. The
 * time is all that remains of a rehearsal, which keeps no state, and where the state is lost; the state where a file
 * system or a synchronising program rounds times. What neither shows counts as changed.
 */
export class WrittenFiles {
  readonly #folder: string | null;
  readonly #trust: Trust;

  /** Without a folder no state is kept. */
  constructor(folder: string | null, trust: Trust) {
    this.#folder = folder;
    this.#trust = trust;
  }

  /** Notes the SHA-256, in hex, of what was just written to a path. */
  async note(path: string, sha256: string, of: Occasion): Promise<void> {
    (await this.#record(path))?.replace(JSON.stringify({ sha256, of }));
    try {
      const seconds = Math.floor((await stat(path)).mtimeMs / 1000);
      // In the middle of the microsecond, because the system cuts off what is behind it.
      const time = seconds + (microsecondsOf(sha256, of) + 0.5) / 1_000_000;
      await utimes(path, time, time);
    } catch {
      // A file whose time cannot be set is known by the state.
    }
  }

  /** Tells whether a file still holds what srq wrote to it on such an occasion. */
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

  /** The record lies under a digest of the path, because paths may name people. */
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

/** Returns a number from 1 to 999,999. No program sets a time like that, except one that rounds it to 0. */
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
