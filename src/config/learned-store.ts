import * as z from 'zod/mini';
import type { Evidence } from '../model/evidence.ts';
import type { Destination } from '../model/service-request.ts';
import { OwnFile, TRUSTING } from './own-file.ts';

const positive = z.number().check(z.positive());
const learnedSchema = z.object({
  baseUrl: z.string(),
  clientId: z.string(),
  evidence: z.nullable(z.object({ asked: z.number(), found: z.number(), slowestMs: z.number() })),
  pace: z.nullable(z.object({ ratePerSecond: positive, concurrency: positive, limited: z.boolean() })),
});

/** What runs found out about a service, for the next run: how well validate sees, how fast it may be asked. */
export interface Learned {
  readonly evidence: Evidence | null;
  readonly pace: { readonly ratePerSecond: number; readonly concurrency: number; readonly limited: boolean } | null;
}

/**
 * Kept per profile, and only believed for the base URL and client id it was found with, and where nobody else may have written
 * it. A missing file is no knowledge.
 */
export class LearnedStore {
  readonly #file: OwnFile;
  readonly #destination: Destination;

  constructor(path: string, destination: Destination, trust = TRUSTING) {
    this.#file = new OwnFile(path, trust);
    this.#destination = destination;
  }

  read(): Learned {
    try {
      const { baseUrl, clientId, evidence, pace } = learnedSchema.parse(JSON.parse(this.#file.text() ?? ''));
      const ours = baseUrl === this.#destination.baseUrl && clientId === this.#destination.clientId;
      return ours ? { evidence, pace } : { evidence: null, pace: null };
    } catch {
      return { evidence: null, pace: null };
    }
  }

  write(learned: Learned): void {
    const { baseUrl, clientId } = this.#destination;
    this.#file.replace(`${JSON.stringify({ baseUrl, clientId, ...learned })}\n`);
  }
}
