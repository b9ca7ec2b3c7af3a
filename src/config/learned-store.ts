import * as z from 'zod/mini';
import { type AnswerMemory, mergedMemory, NO_MEMORY } from '../model/answer-memory.ts';
import { type Evidence, LOOK_ENDS, mergedEvidence, NO_EVIDENCE } from '../model/evidence.ts';
import type { Destination } from '../model/service-request.ts';
import { OwnFile, TRUSTING } from './own-file.ts';

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
const seenForm = z.object({
  form: z.string().check(z.maxLength(1000)),
  isDenied: z.boolean(),
  seen: z.number(),
  unseen: z.number(),
  said: z.nullable(z.enum(['taken', 'refused'])),
});
const answersSchema = z.object({ identifiedBy: z.array(z.string()), forms: z.array(seenForm) });
const part = z.optional(z.unknown());
const partsSchema = z.object({ evidence: part, answers: part, pace: part });

/** What runs found out about a service, for the next run: how well validate sees, what answers mean, how fast it may be asked. */
export interface Learned {
  /** Found out by this contract. */
  readonly evidence: Evidence | null;
  /** Found out, or said by a person, by this contract. */
  readonly answers: AnswerMemory | null;
  readonly pace: z.infer<typeof paceSchema> | null;
}

const NOTHING_LEARNED: Learned = { evidence: null, answers: null, pace: null };

/**
 * Kept per profile, and only believed for the base URL and client id it was found with, and where nobody else may have written
 * it. A missing file is no knowledge, and neither is a part that cannot be read, such as one of an earlier version.
 */
export class LearnedStore {
  readonly #file: OwnFile;
  readonly #destination: Destination;
  readonly #contract: string;

  /** `contract`: its fingerprint. */
  constructor(path: string, destination: Destination, contract: string, trust = TRUSTING) {
    this.#file = new OwnFile(path, trust);
    this.#destination = destination;
    this.#contract = contract;
  }

  read(): Learned {
    const kept = this.#kept();
    const owner = ownerSchema.safeParse(kept).data;
    const parts = partsSchema.safeParse(kept).data;
    const { baseUrl, clientId } = this.#destination;
    if (owner?.baseUrl !== baseUrl || owner.clientId !== clientId) return NOTHING_LEARNED;
    const isOfContract = owner.contract === this.#contract;
    return {
      evidence: (isOfContract && evidenceSchema.safeParse(parts?.evidence).data) || null,
      answers: (isOfContract && answersSchema.safeParse(parts?.answers).data) || null,
      pace: paceSchema.safeParse(parts?.pace).data ?? null,
    };
  }

  /** Keeps these parts in place of what was known; the others stay. */
  write(changed: Partial<Learned>): void {
    const { baseUrl, clientId } = this.#destination;
    const owner = { baseUrl, clientId, contract: this.#contract };
    this.#file.replace(`${JSON.stringify({ ...owner, ...this.read(), ...changed })}\n`);
  }

  /** Adds to what is known of validate and of answers: another command may have found out something meanwhile. */
  add({ evidence, answers }: { readonly evidence?: Evidence; readonly answers?: AnswerMemory }): void {
    const known = this.read();
    this.write({
      ...(evidence && { evidence: mergedEvidence(known.evidence ?? NO_EVIDENCE, evidence) }),
      ...(answers && { answers: mergedMemory(known.answers ?? NO_MEMORY, answers) }),
    });
  }

  #kept(): unknown {
    try {
      return JSON.parse(this.#file.text() ?? '');
    } catch {
      return null;
    }
  }
}
