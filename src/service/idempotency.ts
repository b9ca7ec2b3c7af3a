import { type CreateOperation, DEFAULT_KEY_LIFE_SECONDS } from '../request/contract.ts';

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
export function keyLife({ idempotency }: CreateOperation): KeyLife | null {
  if (idempotency === null) return null;
  const windowMs = (idempotency.windowSeconds ?? DEFAULT_KEY_LIFE_SECONDS) * 1000;
  const trustedMs = windowMs - Math.max(windowMs * MARGIN, MIN_MARGIN_MS);
  if (trustedMs <= 0) return null;
  const repeatMs = Math.min(trustedMs / 4, MAX_REPEAT_MS);
  return { repeatMs, settleMs: trustedMs - 2 * repeatMs };
}

/**
 * Returns the header by which the service recognises a repeated create. It is empty if the contract has no such header.
 * `key` consists of 32 hex digits.
 */
export function idempotencyHeader({ idempotency }: CreateOperation, key: string | null): Record<string, string> {
  if (idempotency === null || key === null) return {};
  return { [idempotency.header.toLowerCase()]: idempotency.format === 'uuid' ? asUuid(key) : key };
}

/** Formats a key as a random UUID (RFC 9562, version 4), which passes every check of that format. */
function asUuid(key: string): string {
  const variant = '89ab'[Number.parseInt(key.charAt(16), 16) % 4];
  const parts = [key.slice(0, 8), key.slice(8, 12), `4${key.slice(13, 16)}`, `${variant}${key.slice(17, 20)}`];
  return [...parts, key.slice(20, 32)].join('-');
}
