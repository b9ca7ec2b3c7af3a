import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import * as z from 'zod/mini';
import type { CachedToken, TokenCache } from '../model/ports.ts';
import type { Destination } from '../model/service-request.ts';
import { OwnFile, TRUSTING } from './own-file.ts';

const cacheSchema = z.object({
  baseUrl: z.string(),
  clientId: z.string(),
  /** Which secret it was granted for: a few digits of its hash. */
  secretMark: z.optional(z.string()),
  accessToken: z.string().check(z.minLength(1)),
  obtainedAtMs: z.number(),
  expiresAtMs: z.nullable(z.number()),
});

/** The mark of a secret, by which a token is known to have been granted for it. */
export function secretMark(clientSecret: string): string {
  return createHash('sha256').update(clientSecret).digest('hex').slice(0, 8);
}

/** The token in a file of mode 0600, for one base URL, client id and secret; a token of any other is not seen. */
export class FileTokenCache implements TokenCache {
  readonly #path: string;
  readonly #file: OwnFile;
  readonly #destination: Destination;
  readonly #mark: string | null;

  /** `mark`: that of the secret in use; null where the secret is not known and does not matter. */
  constructor(path: string, destination: Destination, mark: string | null = null, trust = TRUSTING) {
    this.#path = path;
    this.#file = new OwnFile(path, trust, 'readers');
    this.#destination = destination;
    this.#mark = mark;
  }

  read(): CachedToken | null {
    try {
      const kept = cacheSchema.parse(JSON.parse(this.#file.text() ?? ''));
      const { baseUrl, clientId, secretMark: mark, ...token } = kept;
      if (this.#mark !== null && mark !== this.#mark) return null;
      return baseUrl === this.#destination.baseUrl && clientId === this.#destination.clientId ? token : null;
    } catch {
      return null;
    }
  }

  /** Without a cache every command asks for a token of its own: slower, but right. */
  write(token: CachedToken): void {
    const { baseUrl, clientId } = this.#destination;
    this.#file.replace(
      `${JSON.stringify({ baseUrl, clientId, ...(this.#mark === null ? {} : { secretMark: this.#mark }), ...token })}\n`,
    );
  }

  forget(accessToken: string): void {
    if (this.read()?.accessToken === accessToken) rmSync(this.#path, { force: true });
  }
}
