import { readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import type { CachedToken, TokenCache } from '../model/ports.ts';
import type { Destination } from '../model/service-request.ts';
import { replaceFile } from './replace-file.ts';

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

  /** Without a cache every command asks for a token of its own: slower, but right. */
  write(token: CachedToken): void {
    const { baseUrl, clientId } = this.#destination;
    replaceFile(this.#path, `${JSON.stringify({ baseUrl, clientId, ...token })}\n`);
  }

  forget(accessToken: string): void {
    if (this.read()?.accessToken === accessToken) rmSync(this.#path, { force: true });
  }
}
