import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod/mini';
import { OwnFile, type Trust } from './own-file.ts';

const digest = z.object({ sha256: z.string(), isRehearsal: z.boolean() });

/** What srq has written to a file. */
export type Digest = z.infer<typeof digest>;

/**
 * The digests of the files that srq has written for a person. They show whether anybody has changed such a file since.
 * A digest that is lost counts as a change.
 */
export class WrittenFiles {
  readonly #folder: string;
  readonly #trust: Trust;

  constructor(folder: string, trust: Trust) {
    this.#folder = folder;
    this.#trust = trust;
  }

  /** Notes what was written to a path. `isRehearsal` tells that it was for the sandbox. */
  async note(path: string, written: Digest): Promise<void> {
    (await this.#record(path)).replace(JSON.stringify(written));
  }

  /** Returns what srq wrote to a path if that is still what the file holds, else null. */
  async unchanged(path: string): Promise<Digest | null> {
    const text = (await this.#record(path)).text();
    const written = text === null ? null : (digest.safeParse(parsed(text)).data ?? null);
    return written !== null && (await digestOf(path)) === written.sha256 ? written : null;
  }

  /** The record lies under a digest of the path, because paths may name people. */
  async #record(path: string): Promise<OwnFile> {
    const folder = await realpath(dirname(resolve(path))).catch(() => dirname(resolve(path)));
    const name = createHash('sha256')
      .update(join(folder, basename(path)))
      .digest('hex')
      .slice(0, 32);
    return new OwnFile(join(this.#folder, `${name}.json`), this.#trust);
  }
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
