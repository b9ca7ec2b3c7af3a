import type { Outcome } from '../request/outcome.ts';
import type { Clock, CreateResult } from '../request/ports.ts';
import { unsent } from './outcomes.ts';

/** Permission to write one call. */
export interface WritePermission {
  /** Asked when it is the call's turn. If it resolves to false, the call must not be written. */
  readonly intend: () => Promise<boolean>;
  /** Called right before writing. The returned function is asked at the moment of the first byte. */
  readonly begin: () => () => boolean;
}

/**
 * The attempts of one create. A create in doubt is not repeated if the service could act on it twice. For that, the age
 * of the first attempt is measured, and the doubt of an earlier attempt is kept.
 */
export class CreateTries {
  readonly #clock: Clock;
  readonly #repeatMs: number;
  #sinceFirstMs: (() => number) | null = null;
  #doubt: Outcome | null = null;
  #isTooLate = false;

  /** `repeatMs` is the time in which the service recognises a repetition, or 0 if it recognises none. */
  constructor(clock: Clock, repeatMs: number) {
    this.#clock = clock;
    this.#repeatMs = repeatMs;
  }

  /** Tells whether an attempt in doubt may be followed by another one. */
  get mayRepeatDoubt(): boolean {
    return this.#repeatMs > 0;
  }

  /**
   * Tells whether the next attempt is safe. Without a doubt there is no time limit, because nothing could be acted on
   * twice.
   */
  get isRemembered(): boolean {
    return this.#doubt === null || this.#ageMs < this.#repeatMs;
  }

  /**
   * Returns the permission for the next attempt. `intend` is asked only if there is still time, and the call may be
   * written for `lifeMs` after that. Null means no limit.
   */
  permission(intend: () => Promise<boolean>, lifeMs: number | null): WritePermission {
    return {
      intend: async () => {
        this.#sinceFirstMs ??= stopwatch(this.#clock);
        this.#isTooLate = !this.isRemembered;
        return !this.#isTooLate && (await intend());
      },
      begin: () => {
        const sinceMs = stopwatch(this.#clock);
        return () => (lifeMs === null || sinceMs() < lifeMs) && this.isRemembered;
      },
    };
  }

  /**
   * Tells whether the last permission was refused because the service may have forgotten the key. Otherwise `intend`
   * refused it.
   */
  get isTooLate(): boolean {
    return this.#isTooLate;
  }

  /** Notes that the last attempt may have been acted on. */
  leaveInDoubt(outcome: Outcome): void {
    this.#doubt = outcome;
  }

  /**
   * Returns the result of all attempts, given that of the last one. After a doubt, only an answer about the request
   * itself ends it. The duration of a remaining doubt counts from the first attempt, like the age of the key.
   */
  ended(result: CreateResult): CreateResult {
    const isTold = result.outcome.status === 'created' || result.outcome.status === 'duplicate';
    if (this.#doubt === null || isTold) return result;
    return { ...unsent('', result.stop), outcome: { ...this.#doubt, ms: Math.round(this.#ageMs) } };
  }

  get #ageMs(): number {
    return this.#sinceFirstMs?.() ?? 0;
  }
}

/**
 * Returns a stopwatch that uses the clock that shows more time. The monotonic clock may stand still while the machine
 * sleeps, and the wall clock may be set back.
 */
function stopwatch(clock: Clock): () => number {
  const [wallMs, startedMs] = [clock.nowMs(), clock.monotonicMs()];
  return () => Math.max(clock.nowMs() - wallMs, clock.monotonicMs() - startedMs);
}
