import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import * as z from 'zod/mini';
import type { CachedToken, TokenCache } from '../model/ports.ts';
import type { Destination } from '../model/service-request.ts';
import { OwnFile, TRUSTING } from './own-file.ts';

const cacheSchema = z.object({
  baseUrl: z.string(),
  clientId: z.string(),
  /** The mark of the secret for which the token was granted: a few digits of the secret's hash. */
  secretMark: z.optional(z.string()),
  accessToken: z.string().check(z.minLength(1)),
  obtainedAtMs: z.number(),
  expiresAtMs: z.nullable(z.number()),
});

/** Returns the mark of a secret, which shows whether a token was granted for it. */
export function secretMark(clientSecret: string): string {
  return createHash('sha256').update(clientSecret).digest('hex').slice(0, 8);
}

/**
 * Caches the token in a file of mode 0600, for one base URL, client id and secret. Tokens of any other are not
 * returned.
 */
export class FileTokenCache implements TokenCache {
  readonly #path: string;
  readonly #file: OwnFile;
  readonly #destination: Destination;
  readonly #mark: string | null;

  /** `mark` is the mark of the secret in use, or null if the secret is not known and does not matter. */
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

  /** Stores the token. If that fails, every command requests a token of its own, which is slower but correct. */
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
