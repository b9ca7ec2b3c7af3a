import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { type Evidence, LOOK_ENDS } from '../model/evidence.ts';
import type { Destination } from '../model/service-request.ts';
import { replaceFile } from './replace-file.ts';

const positive = z.number().check(z.positive());
const look = z.object({
  key: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  kind: z.string().check(z.maxLength(32)),
  createdAtMs: z.number(),
  end: z.enum(LOOK_ENDS),
  afterMs: z.number().check(z.nonnegative()),
});
const evidenceSchema = z.object({ looks: z.array(look) });
const paceSchema = z.object({ ratePerSecond: positive, concurrency: positive, limited: z.boolean() });
const ownerSchema = z.object({ baseUrl: z.string(), clientId: z.string(), contract: z.string() });
const partsSchema = z.object({ evidence: z.unknown(), pace: z.unknown() });

/** What runs found out about a service, for the next run: how well validate sees, how fast it may be asked. */
export interface Learned {
  /** Found out by this contract. */
  readonly evidence: Evidence | null;
  readonly pace: z.infer<typeof paceSchema> | null;
}

/**
 * Kept per profile, and only believed for the base URL and client id it was found with. A missing file is no knowledge, and
 * neither is a part that cannot be read, such as one of an earlier version.
 */
export class LearnedStore {
  readonly #path: string;
  readonly #destination: Destination;
  readonly #contract: string;

  /** `contract`: its fingerprint. */
  constructor(path: string, destination: Destination, contract: string) {
    this.#path = path;
    this.#destination = destination;
    this.#contract = contract;
  }

  read(): Learned {
    const kept = this.#kept();
    const owner = ownerSchema.safeParse(kept).data;
    const parts = partsSchema.safeParse(kept).data;
    const { baseUrl, clientId } = this.#destination;
    if (owner?.baseUrl !== baseUrl || owner.clientId !== clientId) return { evidence: null, pace: null };
    const isOfContract = owner.contract === this.#contract;
    return {
      evidence: (isOfContract && evidenceSchema.safeParse(parts?.evidence).data) || null,
      pace: paceSchema.safeParse(parts?.pace).data ?? null,
    };
  }

  /** Keeps these parts in place of what was known; the others stay. */
  write(changed: Partial<Learned>): void {
    const { baseUrl, clientId } = this.#destination;
    const owner = { baseUrl, clientId, contract: this.#contract };
    replaceFile(this.#path, `${JSON.stringify({ ...owner, ...this.read(), ...changed })}\n`);
  }

  #kept(): unknown {
    try {
      return JSON.parse(readFileSync(this.#path, 'utf8'));
    } catch {
      return null;
    }
  }
}
