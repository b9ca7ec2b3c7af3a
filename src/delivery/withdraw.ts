import { outcomeOf, type RowResult } from '../request/log/outcome.ts';
import type { CreateResult, DeliveryLog, LogRecord } from '../request/ports.ts';
import { expected } from '../request/words/errors.ts';

/**
 * Makes a request unknown that was told as created, because another one got its identifier. It was sent in the form
 * `wireForm`, as all of this run. Never rejects because of the log, so that the outcome of the other one is still recorded:
 * the error becomes `stop`.
 */
export async function withdrawCreation({ sameAs, stop }: CreateResult, log: DeliveryLog, wireForm: string | null) {
  try {
    return { alsoUnknown: sameAs === null ? null : await withdrawn(sameAs, log, wireForm), stop };
  } catch (error) {
    return { alsoUnknown: null, stop: expected(error) };
  }
}

async function withdrawn(key: string, log: DeliveryLog, wireForm: string | null): Promise<RowResult | null> {
  await log.prefetch([key]);
  const record = await log.read(key);
  if (record?.event !== 'created') return null;
  const { row, ref, again, http } = record;
  const outcome = outcomeOf('unknown', SAME_IDENTIFIER, { http, ms: ageOfSend(record, log) });
  if (!(await log.outcome(record, outcome, { seen: log.lookup(key), again, wireForm, looked: true }))) return null;
  return { row, ref, key, status: 'unknown', ids: {}, http, message: SAME_IDENTIFIER, reason: 'request.in-doubt' };
}

const SAME_IDENTIFIER = 'Another request got the same identifier, so nobody knows which of them was taken.';

/** Returns how long ago something was, in whole milliseconds. */
export function ageMs(log: Pick<DeliveryLog, 'nowMs'>, atMs: number): number {
  return Math.max(0, Math.round(log.nowMs() - atMs));
}

/** Returns how long ago the request of a record was sent. */
export function ageOfSend({ at, ms }: LogRecord, log: Pick<DeliveryLog, 'nowMs'>): number {
  return ageMs(log, Date.parse(at) - (ms ?? 0));
}
