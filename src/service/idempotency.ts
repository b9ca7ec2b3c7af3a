import { type CreateOperation, DEFAULT_KEY_LIFE_SECONDS } from '../request/contract.ts';
import type { Outcome } from '../request/outcome.ts';
import type { Clock, Sent } from '../request/ports.ts';
import { unsent } from './outcomes.ts';

/** How long the key of a create is believed, milliseconds. */
interface KeyLife {
  /** After its first try was written a create that is in doubt may be repeated for so long within one call. */
  readonly repeatMs: number;
  /** After its first try was written another call may begin to repeat it for so long. */
  readonly settleMs: number;
}

/** What clocks may differ by. */
const MARGIN = 1 / 10;
/** What is written as the network drops may arrive so much later. */
const MIN_MARGIN_MS = 2 * 60 * 1000;
const MAX_REPEAT_MS = 5 * 60 * 1000;

/**
 * A repetition has to reach the service while it knows the key, counted from the first time that it may have seen it. A later
 * call has its own repetitions, and of one that died only the last try is known: hence twice their time. Null: there is no
 * such time.
 */
export function keyLife({ idempotency }: CreateOperation): KeyLife | null {
  if (idempotency === null) return null;
  const windowMs = (idempotency.windowSeconds ?? DEFAULT_KEY_LIFE_SECONDS) * 1000;
  const trustedMs = windowMs - Math.max(windowMs * MARGIN, MIN_MARGIN_MS);
  if (trustedMs <= 0) return null;
  const repeatMs = Math.min(trustedMs / 4, MAX_REPEAT_MS);
  return { repeatMs, settleMs: trustedMs - 2 * repeatMs };
}

/** The header by which the service knows a repeated create, its value made of 32 hex digits; none without a rule for it. */
export function idempotencyHeader({ idempotency }: CreateOperation, key: string | null): Record<string, string> {
  if (idempotency === null || key === null) return {};
  return { [idempotency.header.toLowerCase()]: idempotency.format === 'uuid' ? asUuid(key) : key };
}

/** In the form of a random UUID (RFC 9562, version 4), which every check of that form passes. */
function asUuid(key: string): string {
  const variant = '89ab'[Number.parseInt(key.charAt(16), 16) % 4];
  const parts = [key.slice(0, 8), key.slice(8, 12), `4${key.slice(13, 16)}`, `${variant}${key.slice(17, 20)}`];
  return [...parts, key.slice(20, 32)].join('-');
}

/** Permission to write one call. */
export interface WritePermission {
  /** Asked when the turn of the call has come; false: it must not be written. */
  readonly intend: () => Promise<boolean>;
  /** Called right before; what it returns is asked in the moment of the first byte. */
  readonly begin: () => () => boolean;
}

/**
 * The tries of one create, of which none may be repeated in doubt that the service could act on twice: it counts how long ago
 * the first one was, and keeps the doubt that an earlier one has left.
 */
export class CreateTries {
  readonly #clock: Clock;
  readonly #repeatMs: number;
  #sinceFirstMs: (() => number) | null = null;
  #doubt: Outcome | null = null;
  #isTooLate = false;

  /** `repeatMs`: for so long the service recognises a repetition; 0: it recognises none. */
  constructor(clock: Clock, repeatMs: number) {
    this.#clock = clock;
    this.#repeatMs = repeatMs;
  }

  /** Whether a try in doubt may be followed by another one. */
  get mayRepeatDoubt(): boolean {
    return this.#repeatMs > 0;
  }

  /** Whether the next try is no risk: without a doubt, which a repetition could act on twice, there is no hurry. */
  get isRemembered(): boolean {
    return this.#doubt === null || this.#ageMs < this.#repeatMs;
  }

  /** The next try is asked of `intend` only where it is still in time, and written for `lifeMs` after that; null: for ever. */
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

  /** Why the last permission was refused: the service may have forgotten the key, or else `intend` said no. */
  get isTooLate(): boolean {
    return this.#isTooLate;
  }

  /** The last try may have been acted on. */
  leaveInDoubt(outcome: Outcome): void {
    this.#doubt = outcome;
  }

  /**
   * What all tries come to with the last one's result. After a doubt only an answer that tells of the request itself is an
   * end; its age counts from the first try, as that of the key does.
   */
  ended(result: Sent): Sent {
    const isTold = result.outcome.status === 'created' || result.outcome.status === 'duplicate';
    if (this.#doubt === null || isTold) return result;
    return { ...unsent('', result.stop), outcome: { ...this.#doubt, ms: Math.round(this.#ageMs) } };
  }

  get #ageMs(): number {
    return this.#sinceFirstMs?.() ?? 0;
  }
}

/**
 * The time since now. By the clock that says more: the monotonic one may stand still while the machine sleeps, the other one
 * may be set back.
 */
function stopwatch(clock: Clock): () => number {
  const [wallMs, startedMs] = [clock.nowMs(), clock.monotonicMs()];
  return () => Math.max(clock.nowMs() - wallMs, clock.monotonicMs() - startedMs);
}
