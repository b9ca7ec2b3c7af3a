import type { Diagnosis, Step, StepName } from '../../request/diagnosis.ts';
import { type ErrorCode, SrqError } from '../../request/errors.ts';
import type { Clock } from '../../request/ports.ts';

/** What a step found that did not fail. `value` is for the steps that follow. */
export interface Found<Value> {
  readonly result: 'ok' | 'warn' | 'skip';
  readonly message: string;
  readonly hint?: string;
  readonly value: Value;
  /** Where another time than that of looking counts. */
  readonly ms?: number;
}

/** Steps in a row: after one that failed the others are skipped. */
export class Examination {
  readonly #names: readonly StepName[];
  readonly #clock: Clock;
  readonly #steps: Step[] = [];
  #failure: ErrorCode | null = null;

  /** `names`: the steps there are to take, in their order. */
  constructor(names: readonly StepName[], clock: Clock) {
    this.#names = names;
    this.#clock = clock;
  }

  /** Why the first step failed that did; null while all is well. */
  get failure(): ErrorCode | null {
    return this.#failure;
  }

  get diagnosis(): Diagnosis {
    const untried = this.#names.slice(this.#steps.length).map((name): Step => ({ ...NOT_TRIED, name }));
    return { ok: this.#failure === null, steps: [...this.#steps, ...untried] };
  }

  /** Takes a step: what it throws as `SrqError` is its failure. Null if it failed or was skipped for an earlier failure. */
  async take<Value>(name: StepName, look: () => Promise<Found<Value>> | Found<Value>): Promise<Value | null> {
    if (this.#failure !== null) return null;
    const startedMs = this.#clock.monotonicMs();
    const tookMs = () => Math.round(this.#clock.monotonicMs() - startedMs);
    try {
      const { result, message, hint = null, value, ms } = await look();
      this.#steps.push({ name, result, ms: ms ?? tookMs(), message, hint });
      return value;
    } catch (error) {
      if (!(error instanceof SrqError)) throw error;
      this.#failure = error.code;
      this.#steps.push({ name, result: 'fail', ms: tookMs(), message: error.message, hint: error.hint });
      return null;
    }
  }
}

const NOT_TRIED = { result: 'skip', ms: 0, message: 'Not tried after the failure above.', hint: null } as const;
