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

/**
 * The knowledge about a service that runs collect for the next run: how well validate sees requests, what answers mean,
 * and at what rate the service may be called.
 */
export interface Learned {
  /** How well validate sees requests, as found with this contract. */
  readonly evidence: Evidence | null;
  /** The meaning of answers, as found with this contract or stated by a person. */
  readonly answers: AnswerMemory | null;
  readonly pace: z.infer<typeof paceSchema> | null;
}

const NOTHING_LEARNED: Learned = { evidence: null, answers: null, pace: null };

/**
 * The store of what runs have learned, one per profile. It is trusted only for the base URL and client id with which it
 * was learned, and only if nobody else may have written the file. A missing file counts as no knowledge, and so does a
 * part that cannot be read, such as one of an earlier version.
 */
export class LearnedStore {
  readonly #file: OwnFile;
  readonly #destination: Destination;
  readonly #contract: string;

  /** `contract` is the fingerprint of the contract in force. */
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

  /** Replaces these parts and keeps the others. */
  write(changed: Partial<Learned>): void {
    const { baseUrl, clientId } = this.#destination;
    const owner = { baseUrl, clientId, contract: this.#contract };
    this.#file.replace(`${JSON.stringify({ ...owner, ...this.read(), ...changed })}\n`);
  }

  /** Merges new evidence and answers into the stored ones, because another command may have stored something meanwhile. */
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
