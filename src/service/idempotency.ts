import { type CreateCall, DEFAULT_KEY_LIFE_SECONDS } from '../request/contract/contract.ts';
import type { Outcome } from '../request/log/outcome.ts';
import { isTaken } from '../request/log/status.ts';
import type { Clock, CreateResult } from '../request/ports.ts';
import { stopwatch } from '../request/small.ts';
import { unsent } from './outcomes.ts';

/**
 * Asked when it is a call's turn. Resolves to null if the call must not be written, else to a function that tells at the
 * moment of the first byte whether it still may be.
 */
export type WritePermission = () => Promise<(() => boolean) | null>;

/** Maximum number of repetitions of one create under its key, in one go. */
const MAX_REPETITIONS = 3;

/**
 * Creates a request, and repeats that while its outcome is unknown and the service is sure to know the key of the first
 * try (draft-ietf-httpapi-idempotency-key-header). `repeatMs` is the time for that.
 *
 * Only an answer that the service has the request counts after an unknown outcome: a refusal of a repetition says nothing
 * about the earlier try. The duration of what stays unknown counts from the first try, like the age of the key.
 */
export async function repeatUnderKey(
  create: (permission: WritePermission) => Promise<CreateResult | null>,
  permission: WritePermission,
  { repeatMs, clock, pause }: { repeatMs: number; clock: Clock; pause: (tried: number) => Promise<void> },
): Promise<CreateResult | null> {
  let ageMs = null as (() => number) | null;
  let unknown: Outcome | null = null;
  let isTooLate = false;
  const isInTime = () => unknown === null || (ageMs?.() ?? 0) < repeatMs;
  const inTime: WritePermission = async () => {
    ageMs ??= stopwatch(clock);
    isTooLate = !isInTime();
    const mayWrite = isTooLate ? null : await permission();
    return mayWrite && (() => mayWrite() && isInTime());
  };
  for (let tried = 1; ; tried++) {
    const told = await create(inTime);
    if (told === null && !isTooLate) return null;
    const result = told ?? unsent(FORGOTTEN, null);
    const { outcome, stop, unproven } = result;
    const isOpen = outcome.status === 'unknown' && stop === null && unproven === null;
    if (isOpen && tried <= MAX_REPETITIONS) {
      unknown = outcome;
      await pause(tried);
      if (isInTime()) continue;
    }
    if (unknown === null || isTaken(outcome.status)) return result;
    return { ...result, outcome: { ...unknown, ms: Math.round(ageMs?.() ?? 0) } };
  }
}

const FORGOTTEN = 'The service may have forgotten the idempotency key of the first try.';

/** Share of the key's life that is subtracted for differences between clocks. */
const MARGIN = 1 / 10;
/** Minimum of that margin. Data written when the network drops may arrive this much later. */
const MIN_MARGIN_MS = 2 * 60 * 1000;
const MAX_REPEAT_MS = 5 * 60 * 1000;

/**
 * Returns how long a key is trusted after the first attempt was written, in milliseconds, or null if it cannot be:
 * `repeatMs` while the same call may repeat a create in doubt, and `settleMs` while a later call may begin to repeat it. A
 * repetition must reach the service while it knows the
 * key, counted from the first moment it may have seen it. A later call has its own repetitions, and of a call that died
 * only the last attempt is known, so twice their time is subtracted.
 */
export function keyLife({ again }: CreateCall): { repeatMs: number; settleMs: number } | null {
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
export function idempotencyHeader({ again }: CreateCall, key: string): Record<string, string> {
  if (again === null) return {};
  return { [again.header.toLowerCase()]: again.uuid ? asUuid(key) : key };
}

/** Formats a key as a random UUID (RFC 9562, version 4), which passes every check of that format. */
function asUuid(key: string): string {
  const variant = '89ab'[Number.parseInt(key.charAt(16), 16) % 4];
  const parts = [key.slice(0, 8), key.slice(8, 12), `4${key.slice(13, 16)}`, `${variant}${key.slice(17, 20)}`];
  return [...parts, key.slice(20, 32)].join('-');
}
