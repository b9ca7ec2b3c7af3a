import { type CreateOperation, DEFAULT_KEY_LIFE_SECONDS } from '../model/contract.ts';

/** How long the key of a create is believed, milliseconds. */
export interface KeyLife {
  /** After its first try was written a create that is in doubt may be repeated for so long within one call. */
  readonly repeatMs: number;
  /** After its first try was written another call may begin to repeat it for so long. */
  readonly settleMs: number;
}

/** What clocks may differ by. */
const MARGIN = 1 / 10;
/** What is written as the network drops may arrive so much later. */
const LEAST_MARGIN_MS = 2 * 60 * 1000;
const LONGEST_REPEAT_MS = 5 * 60 * 1000;

/**
 * A repetition has to reach the service while it knows the key, counted from the first time that it may have seen it. A later
 * call has its own repetitions, and of one that died only the last try is known: hence twice their time. Null: there is no
 * such time.
 */
export function keyLife({ idempotency }: CreateOperation): KeyLife | null {
  if (idempotency === null) return null;
  const windowMs = (idempotency.windowSeconds ?? DEFAULT_KEY_LIFE_SECONDS) * 1000;
  const trustedMs = windowMs - Math.max(windowMs * MARGIN, LEAST_MARGIN_MS);
  if (trustedMs <= 0) return null;
  const repeatMs = Math.min(trustedMs / 4, LONGEST_REPEAT_MS);
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
