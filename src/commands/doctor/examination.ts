import type { Diagnosis, Step, StepName } from '../../request/documents/diagnosis.ts';
import type { Clock } from '../../request/ports.ts';
import type { ErrorReason } from '../../request/words/error-codes.ts';
import { type ErrorCode, SrqError } from '../../request/words/errors.ts';

/** The finding of a step that did not fail. `value` is passed on to later steps. */
export type Found<Value> = Seen<Value> | Warning<Value>;

interface Seen<Value> {
  readonly result: 'ok' | 'skip';
  readonly message: string;
  readonly value: Value;
  /** The time to show if it is not the duration of the step. */
  readonly ms?: number;
}

interface Warning<Value> extends Omit<Seen<Value>, 'result'> {
  readonly result: 'warn';
  readonly reason: ErrorReason;
  readonly hint: string;
}

/** Runs steps in order. After one has failed, the others are skipped. */
export class Examination {
  readonly #names: readonly StepName[];
  readonly #clock: Clock;
  readonly #steps: Step[] = [];
  #failure: ErrorCode | null = null;

  /** `names` are all steps in their order. */
  constructor(names: readonly StepName[], clock: Clock) {
    this.#names = names;
    this.#clock = clock;
  }

  /** The error code of the step that failed, or null. */
  get failure(): ErrorCode | null {
    return this.#failure;
  }

  get diagnosis(): Diagnosis {
    const untried = this.#names.slice(this.#steps.length).map((name): Step => ({ ...NOT_TRIED, name }));
    return { ok: this.#failure === null, steps: [...this.#steps, ...untried] };
  }

  /** Runs a step. An `SrqError` that it throws is its failure. Returns null if the step failed or was skipped. */
  async runStep<Value>(name: StepName, look: () => Promise<Found<Value>> | Found<Value>): Promise<Value | null> {
    if (this.#failure !== null) return null;
    const startedMs = this.#clock.monotonicMs();
    const tookMs = () => Math.round(this.#clock.monotonicMs() - startedMs);
    try {
      const found = await look();
      const { result, message, value, ms = tookMs() } = found;
      const { hint, reason } = found.result === 'warn' ? found : NO_WARNING;
      this.#steps.push({ name, result, ms, message, hint, reason });
      return value;
    } catch (error) {
      if (!(error instanceof SrqError)) throw error;
      this.#failure = error.code;
      const { message, hint, reason } = error;
      this.#steps.push({ name, result: 'fail', ms: tookMs(), message, hint, reason });
      return null;
    }
  }
}

const NO_WARNING = { hint: null, reason: null };
const NOT_TRIED = { result: 'skip', ms: 0, message: 'Not tried after the failure above.', ...NO_WARNING } as const;
