import type { Answer } from './exchange.ts';
import { readRateHeaders } from './rate-headers.ts';

/** How often a call that does no harm is tried. */
export const TRIES = 6;

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * Wait before the try after number `tried` (1 for the first): what Retry-After asks for, else twice as long each time,
 * half of it by chance so that many clients do not come back together.
 */
export function retryDelayMs(tried: number, answer: Answer | null, nowMs: number, random = Math.random): number {
  const asked = answer ? readRateHeaders(answer.headers, nowMs).pauseMs : null;
  if (asked !== null) return asked;
  const full = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (tried - 1));
  return full / 2 + (full / 2) * random();
}

/** Whether the answer says itself how long to wait. */
export function asksToWait(answer: Answer | null): boolean {
  return answer !== null && readRateHeaders(answer.headers, 0).pauseMs !== null;
}
