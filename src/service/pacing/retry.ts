import type { Answer } from '../network/exchange.ts';
import { retryAfterMs } from './retry-after.ts';

/** Maximum number of attempts for a call that has no side effects. */
export const MAX_TRIES = 6;

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * Returns the wait after attempt number `tried` (1 for the first). It is the time that Retry-After asks for. Without
 * one it doubles with each attempt, and half of it is random, so that many clients do not come back together.
 */
export function retryDelayMs(tried: number, answer: Answer | null, nowMs: number, random = Math.random): number {
  const asked = answer ? retryAfterMs(answer.headers, nowMs) : null;
  if (asked !== null) return asked;
  const full = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (tried - 1));
  return full / 2 + (full / 2) * random();
}
