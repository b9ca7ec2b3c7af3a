import { randomBytes } from 'node:crypto';

/** A request the marketplace took. */
export interface CreatedRequest {
  /** A number of 20 digits, as text: as a JavaScript number it would lose its last ones. */
  readonly requestId: string;
  readonly reference: string;
}

/** How the creates add up: `doubled` contents were created more than once. */
export interface MarketplaceStats {
  readonly created: number;
  readonly distinct: number;
  readonly doubled: number;
  /** The contents created most often, worst first, at most 100. */
  readonly doubles: readonly { readonly key: string; readonly created: number }[];
}

interface Known {
  requestId: string;
  visibleAtMs: number;
  created: number;
}

const MOST_DOUBLES_LISTED = 100;

/** What the service remembers: the tokens it granted and the contents it took. Time is handed in. */
export class Marketplace {
  readonly #tokenTtlSeconds: number;
  readonly #tokens = new Map<string, number>();
  readonly #known = new Map<string, Known>();
  #lastId: bigint;
  #issued = 0;
  #created = 0;

  constructor(tokenTtlSeconds: number, random: () => number) {
    this.#tokenTtlSeconds = tokenTtlSeconds;
    this.#lastId = 10n ** 19n + BigInt(Math.floor(random() * 2 ** 32)) * 2n ** 32n;
  }

  grantToken(nowMs: number): { readonly accessToken: string; readonly expiresInSeconds: number } {
    for (const [token, expiresAtMs] of this.#tokens) if (expiresAtMs <= nowMs) this.#tokens.delete(token);
    const accessToken = randomBytes(32).toString('base64url');
    this.#tokens.set(accessToken, nowMs + this.#tokenTtlSeconds * 1000);
    return { accessToken, expiresInSeconds: this.#tokenTtlSeconds };
  }

  isTokenValid(token: string, nowMs: number): boolean {
    const expiresAtMs = this.#tokens.get(token);
    return expiresAtMs !== undefined && nowMs < expiresAtMs;
  }

  expireToken(token: string): void {
    this.#tokens.delete(token);
  }

  /** Takes a request, again if it must: the API documents no key by which it would recognise a repeat. */
  create(key: string, nowMs: number, hideFromValidateMs: number): CreatedRequest {
    const requestId = String(this.#lastId + 1n);
    this.remember(key, requestId, nowMs + hideFromValidateMs);
    return { requestId, reference: `SR-${String(this.#issued).padStart(8, '0')}` };
  }

  get created(): number {
    return this.#created;
  }

  /** Counts a create; those read back from a store file come in here too, so identifiers never repeat. */
  remember(key: string, requestId: string, visibleAtMs: number): void {
    const id = BigInt(requestId);
    if (id > this.#lastId) this.#lastId = id;
    this.#issued += 1;
    this.#created += 1;
    const known = this.#known.get(key);
    if (known) {
      known.created += 1;
      known.visibleAtMs = Math.min(known.visibleAtMs, visibleAtMs);
    } else {
      this.#known.set(key, { requestId, visibleAtMs, created: 1 });
    }
  }

  /** The identifier under which this content was first created, once validate can see it; else null. */
  findDuplicate(key: string, nowMs: number): string | null {
    const known = this.#known.get(key);
    return known && known.visibleAtMs <= nowMs ? known.requestId : null;
  }

  stats(): MarketplaceStats {
    const doubled: { key: string; created: number }[] = [];
    for (const [key, { created }] of this.#known) if (created > 1) doubled.push({ key, created });
    const doubles = doubled.sort((a, b) => b.created - a.created).slice(0, MOST_DOUBLES_LISTED);
    return { created: this.#created, distinct: this.#known.size, doubled: doubled.length, doubles };
  }

  /** Forgets what was created. Tokens and the sequence of identifiers go on. */
  forgetRequests(): void {
    this.#known.clear();
    this.#created = 0;
  }
}
