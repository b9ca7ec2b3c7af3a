import { type CreateCall, DEFAULT_KEY_LIFE_SECONDS } from '../request/contract/contract.ts';
import type { Outcome } from '../request/log/outcome.ts';
import { isTaken } from '../request/log/status.ts';
import type { Clock, CreateResult } from '../request/ports.ts';
import { stopwatch } from '../request/small.ts';

/** Permission to write one call. */
export interface WritePermission {
  /**
   * Starts the lease. It is called right before `intend`, so that the time for recording the intent counts. The returned
   * function tells at the moment of the first byte whether the call may still be written.
   */
  readonly startLease: () => () => boolean;
  /** Asked when it is the call's turn. If it resolves to false, the call must not be written. */
  readonly intend: () => Promise<boolean>;
}

/**
 * The attempts of one create. A create in doubt is not repeated if the service could act on it twice. Therefore the age
 * of the first attempt is measured, and the outcome of an attempt in doubt is kept.
 */
export class CreateTries {
  readonly #clock: Clock;
  readonly #repeatMs: number;
  #sinceFirstMs: (() => number) | null = null;
  #doubt: Outcome | null = null;
  #isTooLate = false;
  #areBegun = false;

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
   * Tells whether the next attempt is safe. If no attempt is in doubt, there is no time limit, because nothing could be
   * acted on twice.
   */
  get isRemembered(): boolean {
    return this.#doubt === null || this.#ageMs < this.#repeatMs;
  }

  /**
   * Returns the permission for the next attempt. `intend` is asked only if there is still time, and the call may be
   * written for `writeLeaseMs` from the start of the lease. Null means no limit.
   */
  permission(intend: () => Promise<boolean>, writeLeaseMs: number | null): WritePermission {
    return {
      startLease: () => {
        const sinceMs = stopwatch(this.#clock);
        return () => (writeLeaseMs === null || sinceMs() < writeLeaseMs) && this.isRemembered;
      },
      intend: async () => {
        this.#sinceFirstMs ??= stopwatch(this.#clock);
        this.#isTooLate = !this.isRemembered;
        const mayWrite = !this.#isTooLate && (await intend());
        this.#areBegun ||= mayWrite;
        return mayWrite;
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

  /** Tells whether any attempt had the permission to be written, so that the log has an intent without an outcome. */
  get areBegun(): boolean {
    return this.#areBegun;
  }

  /** Notes that the last attempt may have been acted on. */
  leaveInDoubt(outcome: Outcome): void {
    this.#doubt = outcome;
  }

  /**
   * Returns the result of all attempts, given that of the last one. After an attempt in doubt, only an answer that the
   * service has the request decides, because a refusal of the last attempt says nothing about the earlier one. The
   * duration of a create that stays in doubt counts from the first attempt, like the age of the key.
   */
  ended(result: CreateResult): CreateResult {
    if (this.#doubt === null || isTaken(result.outcome.status)) return result;
    // What the last answer means may still be found out, and it may name the identifier of another request.
    return { ...result, outcome: { ...this.#doubt, ms: Math.round(this.#ageMs) } };
  }

  get #ageMs(): number {
    return this.#sinceFirstMs?.() ?? 0;
  }
}

/** How long an idempotency key is trusted, in milliseconds. */
interface KeyLife {
  /** Time after the first attempt was written in which the same call may repeat a create in doubt. */
  readonly repeatMs: number;
  /** Time after the first attempt was written in which a later call may begin to repeat it. */
  readonly settleMs: number;
}

/** Share of the key's life that is subtracted for differences between clocks. */
const MARGIN = 1 / 10;
/** Minimum of that margin. Data written when the network drops may arrive this much later. */
const MIN_MARGIN_MS = 2 * 60 * 1000;
const MAX_REPEAT_MS = 5 * 60 * 1000;

/**
 * Returns how long a key is trusted, or null if it cannot be. A repetition must reach the service while it knows the
 * key, counted from the first moment it may have seen it. A later call has its own repetitions, and of a call that died
 * only the last attempt is known, so twice their time is subtracted.
 */
export function keyLife({ again }: CreateCall): KeyLife | null {
  if (again === null) return null;
  const windowMs = (again.hours === null ? DEFAULT_KEY_LIFE_SECONDS : again.hours * 3600) * 1000;
  const trustedMs = windowMs - Math.max(windowMs * MARGIN, MIN_MARGIN_MS);
  if (trustedMs <= 0) return null;
  const repeatMs = Math.min(trustedMs / 4, MAX_REPEAT_MS);
  return { repeatMs, settleMs: trustedMs - 2 * repeatMs };
}

/**
 * Returns the header by which the service recognises a repeated create. It is empty if the contract has no such header.
 * `key` consists of 32 hex digits.
 */
export function idempotencyHeader({ again }: CreateCall, key: string | null): Record<string, string> {
  if (again === null || key === null) return {};
  return { [again.header.toLowerCase()]: again.uuid ? asUuid(key) : key };
}

/** Formats a key as a random UUID (RFC 9562, version 4), which passes every check of that format. */
function asUuid(key: string): string {
  const variant = '89ab'[Number.parseInt(key.charAt(16), 16) % 4];
  const parts = [key.slice(0, 8), key.slice(8, 12), `4${key.slice(13, 16)}`, `${variant}${key.slice(17, 20)}`];
  return [...parts, key.slice(20, 32)].join('-');
}
