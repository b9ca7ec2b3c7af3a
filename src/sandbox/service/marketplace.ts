import { randomBytes } from 'node:crypto';

/** The identity of a new request, which no other request has. */
export type FreshIdentity = ReturnType<LocalMarketplace['next']>;

const MAX_DOUBLES_LISTED = 100;

/** The memory of the service: the tokens that it granted and the contents that it took. Callers pass the time in. */
export class LocalMarketplace {
  /** What was created under each value of the idempotency header, which never creates a second time. */
  readonly taken = new Map<string, FreshIdentity>();
  readonly #tokens = new Map<string, number>();
  readonly #createdByKey = new Map<string, number>();
  readonly #seen = new Map<string, { readonly requestId: string; visibleAtMs: number }>();
  readonly #firstId: bigint;
  #issued = 0;
  /** Number of creates that were acted on. */
  created = 0;

  constructor(random: () => number) {
    this.#firstId = 10n ** 19n + BigInt(Math.floor(random() * 2 ** 32)) * 2n ** 32n;
  }

  /** Returns a new token. Those that have expired are forgotten. */
  grantToken(expiresAtMs: number, nowMs: number): string {
    for (const [token, endMs] of this.#tokens) if (endMs <= nowMs) this.#tokens.delete(token);
    const accessToken = randomBytes(32).toString('base64url');
    this.#tokens.set(accessToken, expiresAtMs);
    return accessToken;
  }

  isTokenValid(token: string, nowMs: number): boolean {
    const expiresAtMs = this.#tokens.get(token);
    return expiresAtMs !== undefined && nowMs < expiresAtMs;
  }

  expireToken(token: string): void {
    this.#tokens.delete(token);
  }

  /**
   * Returns the identity of the request that is created next: its identifier, a number of 20 digits as a text, which would
   * lose its last digits as a JavaScript number, and its sequence number, from 1, over everything that was ever created here.
   */
  next() {
    const sequence = this.#issued + 1;
    return { requestId: String(this.#firstId + BigInt(sequence)), sequence };
  }

  /**
   * Records a created request, even one that was created before. `key` is the identity of its content, `likeness` the
   * value by which validate compares it, and `visibleAtMs` the time from which validate sees it.
   */
  remember(key: string, likeness: string, requestId: string, visibleAtMs: number): void {
    this.#issued += 1;
    this.created += 1;
    this.#createdByKey.set(key, (this.#createdByKey.get(key) ?? 0) + 1);
    const seen = this.#seen.get(likeness);
    if (seen) seen.visibleAtMs = Math.min(seen.visibleAtMs, visibleAtMs);
    else this.#seen.set(likeness, { requestId, visibleAtMs });
  }

  /**
   * Returns the identifier under which a request like this was first created, or null if validate cannot see it yet.
   */
  findDuplicate(likeness: string, nowMs: number): string | null {
    const seen = this.#seen.get(likeness);
    return seen && seen.visibleAtMs <= nowMs ? seen.requestId : null;
  }

  /**
   * Returns totals of the creates. `doubled` is the number of contents that were created more than once, and `doubles` are
   * those that were created most often, worst first.
   */
  stats() {
    const all = [...this.#createdByKey].map(([key, created]) => ({ key, created }));
    const doubled = all.filter(({ created }) => created > 1);
    const doubles = doubled.sort((a, b) => b.created - a.created).slice(0, MAX_DOUBLES_LISTED);
    return { created: this.created, distinct: this.#createdByKey.size, doubled: doubled.length, doubles };
  }

  /** Forgets what was created. Tokens and the sequence of identifiers continue. */
  forgetRequests(): void {
    this.taken.clear();
    this.#createdByKey.clear();
    this.#seen.clear();
    this.created = 0;
  }
}

/** A token bucket, which allows up to one second's worth of calls (at least one) at once. */
export class TokenBucket {
  #available = Number.POSITIVE_INFINITY;
  #updatedMs = 0;

  /** Takes one call. Returns 0 if the rate leaves one, or is null, otherwise the milliseconds until the next. */
  take(nowMs: number, ratePerSecond: number | null): number {
    if (ratePerSecond === null) return 0;
    const earned = (Math.max(0, nowMs - this.#updatedMs) / 1000) * ratePerSecond;
    this.#available = Math.min(Math.max(1, ratePerSecond), this.#available + earned);
    this.#updatedMs = nowMs;
    if (this.#available < 1) return ((1 - this.#available) / ratePerSecond) * 1000;
    this.#available -= 1;
    return 0;
  }
}
