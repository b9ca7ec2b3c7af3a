import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { OPERATION_NAMES, type OperationName } from '../../request/contract/operations.ts';
import { SrqError } from '../../request/words/errors.ts';
import { refusal, type SandboxAnswer, tooManyRequests } from '../messages/answer.ts';

/** What a fault does to a call. Without an answer of its own, the call is carried out and answered as without the fault. */
export interface Fault {
  readonly description: string;
  /** Returns the reply in place of the service's. `ms` is the length of a fault that takes time, if an instruction gives one. */
  readonly answer?: (ms?: number) => SandboxAnswer | 'cut';
  /** Whether the call is carried out all the same. */
  readonly isActedOn?: boolean;
  /** What comes five seconds later: the answer, or the time when validate sees the request. */
  readonly delays?: 'answer' | 'sight';
  /** Whether the token that came with the call ends before. */
  readonly endsToken?: boolean;
}

export const DEFAULT_FAULT_MS = 5_000;
const MAINTENANCE_PAGE =
  '<!doctype html><html><head><title>Maintenance</title></head><body><h1>We will be back soon</h1></body></html>\n';
const MAINTENANCE = { status: 200, headers: { 'content-type': 'text/html' }, body: MAINTENANCE_PAGE };
const UNAVAILABLE = refusal(503, 'unavailable', 'Temporarily unavailable.', { 'retry-after': '1' });
const INTERNAL_ERROR = refusal(500, 'internal_error', 'Something went wrong.');

/** The table of all faults. A new fault is an entry here and nothing else. */
const FAULTS = {
  '429': {
    description: 'answers 429 with Retry-After; not acted on',
    answer: (ms = 1_000) => tooManyRequests(ms),
  },
  '500': { description: 'answers 500; not acted on', answer: () => INTERNAL_ERROR },
  '503': { description: 'answers 503 with Retry-After; not acted on', answer: () => UNAVAILABLE },
  'reset-before': { description: 'cuts the connection; not acted on', answer: () => 'cut' },
  'reset-after': {
    description: 'acts, then cuts the connection: the answer is lost',
    answer: () => 'cut',
    isActedOn: true,
  },
  '500-after': {
    description: 'acts, then answers 500, as a proxy may',
    answer: () => INTERNAL_ERROR,
    isActedOn: true,
  },
  slow: { description: 'acts at once, answers five seconds later', delays: 'answer' },
  'expire-token': {
    description: 'ends the life of the token, so that this call and later ones with it are refused',
    endsToken: true,
  },
  'lag-validate': { description: 'creates, but validate sees the request only five seconds later', delays: 'sight' },
  html: { description: 'answers 200 with an HTML page; not acted on', answer: () => MAINTENANCE },
} as const satisfies Record<string, Fault>;

export type FaultKind = keyof typeof FAULTS;

/** Probabilities by kind, from 0 to 1. A kind that is left out does not happen. */
export type FaultRates = Readonly<Partial<Record<FaultKind, number>>>;

const isFaultKind = (kind: string): kind is FaultKind => Object.hasOwn(FAULTS, kind);

export const FAULT_KINDS: readonly FaultKind[] = Object.keys(FAULTS).filter(isFaultKind);

export const faultOf = (kind: FaultKind): Fault => FAULTS[kind];

/** Validates probabilities from outside. Throws `SrqError('usage')` for an unknown kind or a number outside 0 to 1. */
export function parseFaultRates(given: Readonly<Record<string, unknown>>): FaultRates {
  const rates: Partial<Record<FaultKind, number>> = {};
  for (const [kind, rate] of Object.entries(given)) {
    if (!isFaultKind(kind))
      throw new SrqError('arguments.invalid', `There is no fault "${kind}".`, `Faults: ${FAULT_KINDS.join(', ')}.`);
    if (typeof rate !== 'number' || !(rate >= 0 && rate <= 1)) {
      throw new SrqError(
        'arguments.invalid',
        `The probability of fault ${kind} is not a number from 0 to 1.`,
        `For example: ${kind}=0.1`,
      );
    }
    rates[kind] = rate;
  }
  return rates;
}

/**
 * Draws the fault that strikes this call, or null. One random number is drawn for every kind and call, whether its
 * probability is set or not, so that switching one fault on does not change when the others strike. If several would
 * strike, the first of the table does.
 */
export function drawFault(operation: OperationName, rates: FaultRates, random: () => number): FaultKind | null {
  const hit = FAULT_KINDS.filter((kind) => random() < (rates[kind] ?? 0));
  return hit.find((kind) => kind !== 'lag-validate' || operation === 'create') ?? null;
}

/** Returns a generator of numbers in [0, 1) that are the same for the same seed (mulberry32). It is not for secrets. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const instructionSchema = z.strictObject({
  /** Parameters with the exact values that they must have. */
  match: z._default(z.record(z.string(), z.string()), {}),
  on: z.enum(OPERATION_NAMES),
  fault: z.enum(FAULT_KINDS),
  times: z._default(z.int().check(z.positive()), 1),
  /** Duration of a fault that takes time, in milliseconds. */
  ms: z.optional(z.int().check(z.nonnegative())),
});

/**
 * An instruction orders a fault for certain requests, so that a test knows which ones are struck. Without `match`
 * it applies to all requests.
 */
export type Instruction = z.input<typeof instructionSchema>;

type InstructionInForce = z.output<typeof instructionSchema>;

/** The instructions in force. The first one that matches is used. */
export class Instructions {
  #standing: InstructionInForce[] = [];

  /** Replaces all instructions. Throws `SrqError('usage')` if one cannot be understood. */
  replace(given: unknown): void {
    const list = Array.isArray(given) ? given : [given];
    const parsed = z.array(instructionSchema).safeParse(list, { error: en().localeError });
    if (!parsed.success) {
      const what = z.prettifyError(parsed.error);
      throw new SrqError('sandbox.bad-call', `The instructions are not valid: ${what}`, 'See the tests for examples.');
    }
    this.#standing = parsed.data.map((each) => ({ ...each }));
  }

  /** Returns the instructions that still apply, in order. */
  list(): readonly InstructionInForce[] {
    return this.#standing;
  }

  /** Uses up one time of the first instruction that matches, and returns it, or null if none matches. */
  take(operation: OperationName, params: Readonly<Record<string, string>>): InstructionInForce | null {
    const fits = ({ on, match }: InstructionInForce): boolean =>
      on === operation && Object.entries(match).every(([name, value]) => params[name] === value);
    const found = this.#standing.find(fits);
    if (!found) return null;
    found.times -= 1;
    this.#standing = this.#standing.filter((each) => each.times > 0);
    return found;
  }
}
