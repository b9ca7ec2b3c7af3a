import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { CachedToken, TokenCache } from '../model/ports.ts';
import type { Destination } from '../model/service-request.ts';

const cacheSchema = z.object({
  baseUrl: z.string(),
  clientId: z.string(),
  accessToken: z.string().min(1),
  obtainedAtMs: z.number(),
  expiresAtMs: z.number().nullable(),
});

/** The token in a file of mode 0600, for one base URL and client id; a token of any other is not seen. */
export class FileTokenCache implements TokenCache {
  readonly #path: string;
  readonly #destination: Destination;

  constructor(path: string, destination: Destination) {
    this.#path = path;
    this.#destination = destination;
  }

  read(): CachedToken | null {
    try {
      const { baseUrl, clientId, ...token } = cacheSchema.parse(JSON.parse(readFileSync(this.#path, 'utf8')));
      return baseUrl === this.#destination.baseUrl && clientId === this.#destination.clientId ? token : null;
    } catch {
      return null;
    }
  }

  /** Whole or not at all: readers in other processes never see half a token. */
  write(token: CachedToken): void {
    const { baseUrl, clientId } = this.#destination;
    const part = `${this.#path}.${randomUUID()}`;
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      writeFileSync(part, `${JSON.stringify({ baseUrl, clientId, ...token })}\n`, { mode: 0o600 });
      chmodSync(part, 0o600);
      renameSync(part, this.#path);
    } catch {
      // Without a cache every command asks for a token of its own: slower, but right.
      rmSync(part, { force: true });
    }
  }

  forget(accessToken: string): void {
    if (this.read()?.accessToken === accessToken) rmSync(this.#path, { force: true });
  }
}
