import { randomUUID } from 'node:crypto';
import { isTaken, type LoggedState } from '../request/log/status.ts';
import type { LogRecord, LogView } from '../request/ports.ts';
import { expected } from '../request/words/errors.ts';
import type { PassDeps } from './send-rows.ts';
import { type Finality, heldBack, loggedStatus, References, type TakenRecords } from './sent-before.ts';
import {
  inDoubt,
  recorded,
  type Sent,
  type Submission,
  type SubmitOptions,
  subjectOf,
  submitRequest,
  unsent,
} from './submit.ts';
import { withdrawCreation } from './withdraw.ts';
import { type SentTime, sentTime } from './witness.ts';

type KeyDeps = Pick<PassDeps, 'api' | 'log'>;

/** A row whose outcome is unknown, with the last record of its request. */
export interface UnknownRow {
  readonly submission: Submission;
  readonly record: LogRecord;
  readonly seen: LoggedState;
}

/** Reads what the log knows of a row. Returns its result if it is not open, or may still be under way elsewhere. */
export async function openRow(submission: Submission, { log }: Pick<KeyDeps, 'log'>): Promise<UnknownRow | Sent> {
  const { key } = submission;
  await log.prefetch([key]);
  const seen = log.lookup(key);
  const record = await log.read(key);
  if (await log.mayBeUnderWay(key)) return { ...unsent(submission, 'unknown', UNDER_WAY), reason: 'log.under-way' };
  return record && (seen === 'sending' || seen === 'unknown') ? { submission, record, seen } : inDoubt(submission);
}

/** The message of a row that another process has in hand, or had until it was killed. */
const UNDER_WAY = 'It is still under way, or its outcome is unknown; it is not sent again until that is settled.';

/** Tells whether the service still remembers the idempotency key of a request. */
export function mayRepeat({ record }: UnknownRow, { firstMs }: SentTime, { api, log }: KeyDeps): boolean {
  // The first try may have been written by another contract, and the service would not recognise its repetition.
  if (record.again || (record.wireForm ?? null) !== api.wireForm) return false;
  const ageMs = log.nowMs() - firstMs;
  return api.idempotencyWindowMs !== null && ageMs >= 0 && ageMs < api.idempotencyWindowMs;
}

/**
 * Sends one request as an import would. If its outcome is unknown, before or after, it is repeated under its idempotency key:
 * there are no witnesses for validate.
 *
 * Throws `SrqError('log')` if nothing was sent and the log cannot say whether the request is unknown, or cannot record the
 * intent.
 */
export async function submitOne(submission: Submission, deps: KeyDeps, chosen: SubmitOptions): Promise<Sent> {
  const { api, log } = deps;
  // A process may send the same request on purpose several times, and a service that is idempotent must not take the
  // last one for the one before.
  const options = { ...chosen, occasion: randomUUID() };
  await log.prefetch([submission.key]);
  const isKnown = loggedStatus(log.lookup(submission.key), options) === 'unknown';
  const first = isKnown ? inDoubt(submission) : await submitRequest(submission, api, log, options);
  if (!isKnown && (api.idempotencyWindowMs === null || !isOpen(first))) return first;
  try {
    const row = await openRow(submission, deps);
    if ('status' in row) return isKnown ? row : first;
    const sent = sentTime(row.record, log.nowMs());
    return sent && mayRepeat(row, sent, deps) ? await repeatUnderKey(row, sent, deps) : first;
  } catch (error) {
    return { ...first, stop: expected(error) };
  }
}

/** Tells whether a request was sent just now, and nothing but another answer can tell what became of it. */
function isOpen({ status, isFromLog, stop, unproven, unrecorded }: Sent): boolean {
  return status === 'unknown' && !isFromLog && stop === null && unproven === null && !unrecorded;
}

/**
 * Finds those of a few different requests whose reference was taken under other content, or may have been, and says what became of
 * them. They are not sent. `taken` yields what was sent before, or only that with a reference.
 */
export async function heldByReference(
  submissions: readonly Submission[],
  options: Finality,
  { log, taken }: { readonly log: Pick<LogView, 'lookup' | 'read'>; readonly taken: (ref?: string) => TakenRecords },
): Promise<ReadonlyMap<number, Sent>> {
  const [refs, named, rows] = [new References(), new Set<string>(), new Map<number, Submission>()];
  for (const submission of options.again ? [] : submissions) {
    const { row, key, request } = submission;
    if (request.ref === null || loggedStatus(log.lookup(key), options) !== null) continue;
    refs.add(row, request.ref);
    rows.set(row, submission);
    named.add(request.ref);
  }
  const [only, ...more] = named;
  if (only === undefined) return new Map();
  const view = { status: () => 'ready' as const, key: (row: number) => rows.get(row)?.key ?? null };
  const before = await refs.takenBefore(taken(more.length > 0 ? undefined : only), view);
  const held = new Map<number, Sent>();
  for (const [row, { key, as }] of before) {
    const submission = rows.get(row);
    const told = heldBack({ as }, await log.read(key));
    if (submission) held.set(row, { ...unsent(submission, told.status, null), ...told });
  }
  return held;
}

/**
 * Sends a request again under its idempotency key. Nobody knows whether the earlier try was taken, so no licence is given,
 * as that could outlive the service's memory of the key. The request is parked from the first byte on and stays unknown
 * until the service reports its outcome.
 */
export async function repeatUnderKey(row: UnknownRow, sent: SentTime, { api, log }: KeyDeps): Promise<Sent> {
  const { submission, seen } = row;
  const { key } = submission;
  const subject = subjectOf(submission);
  let [intended, state] = [false, seen];
  const intend = async () => {
    // The key may have expired while the request waited for its turn.
    if (!mayRepeat(row, sent, { api, log })) return false;
    if (!(await log.sending(subject, state, { by: 'idempotency' }))) return false;
    [intended, state] = [true, 'parked'];
    return true;
  };
  const result = await api.create(submission.request, intend, {
    key,
    idempotencyKey: key,
    writeLeaseMs: log.writeLeaseMs,
  });
  if (!result || !intended) return { ...inDoubt(submission), stop: result?.stop ?? null };
  const { status, message } = result.outcome;
  const unknown = { ...result.outcome, status: 'unknown', message: `${EARLIER} ${message ?? ''}`.trim() } as const;
  const outcome = isTaken(status) ? result.outcome : unknown;
  const withdrawn = await withdrawCreation(result, log, api.wireForm);
  return recorded(submission, outcome, withdrawn, log);
}

const EARLIER = 'An earlier try may have been taken.';
