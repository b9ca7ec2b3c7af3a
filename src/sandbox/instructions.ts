import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { SrqError } from '../model/errors.ts';
import { FAULT_KINDS, type FaultKind } from './faults.ts';
import { OPERATIONS, type Operation } from './operation.ts';

const texts = z._default(z.record(z.string(), z.string()), {});

const instructionSchema = z.strictObject({
  /** Parameters with the exact values that they must have. */
  match: texts,
  /** Parameters with texts that they must contain, for a marker within a longer text. */
  contains: texts,
  on: z.enum(OPERATIONS),
  fault: z.enum(FAULT_KINDS),
  times: z._default(z.int().check(z.positive()), 1),
  /** Duration of a fault that takes time, in milliseconds. */
  ms: z.optional(z.int().check(z.nonnegative())),
});

/**
 * An instruction orders a fault for certain requests, so that a test knows which ones are struck. Without `match` and
 * `contains` it applies to all requests.
 */
export type Instruction = z.input<typeof instructionSchema>;

type Standing = z.output<typeof instructionSchema> & { times: number };

/** The instructions in force. The first one that matches is used. */
export class Instructions {
  #standing: Standing[] = [];

  /** Replaces all instructions. Throws `SrqError('usage')` if one cannot be understood. */
  replace(given: unknown): void {
    const list = Array.isArray(given) ? given : [given];
    const parsed = z.array(instructionSchema).safeParse(list, { error: en().localeError });
    if (!parsed.success) {
      const what = z.prettifyError(parsed.error);
      throw new SrqError('usage', `Cannot understand the instructions: ${what}`, 'See the tests for examples.');
    }
    this.#standing = parsed.data.map((each) => ({ ...each }));
  }

  /** Returns the instructions that still apply, in order. */
  list(): readonly Standing[] {
    return this.#standing;
  }

  /** Uses up one time of the first instruction that matches, and returns its fault, or null if none matches. */
  take(operation: Operation, params: Readonly<Record<string, string>>): { fault: FaultKind; ms?: number } | null {
    const found = this.#standing.find((each) => each.on === operation && fits(each, params));
    if (!found) return null;
    found.times -= 1;
    this.#standing = this.#standing.filter((each) => each.times > 0);
    return found.ms === undefined ? { fault: found.fault } : { fault: found.fault, ms: found.ms };
  }
}

function fits(instruction: Standing, params: Readonly<Record<string, string>>): boolean {
  const exact = Object.entries(instruction.match).every(([name, value]) => params[name] === value);
  return exact && Object.entries(instruction.contains).every(([name, part]) => params[name]?.includes(part));
}
