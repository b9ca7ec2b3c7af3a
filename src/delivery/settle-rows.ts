import { customersOf } from '../request/lead/service-request.ts';
import type { ImportPlan } from '../request/log/import-plan.ts';
import type { Ledger } from '../request/log/ledger.ts';
import { isSuccess, outcomeOf } from '../request/log/outcome.ts';
import type { DeliveryLog, LogRecord } from '../request/ports.ts';
import { type RereadOptions, rereadRows } from './read-rows.ts';
import type { PassDeps } from './send-rows.ts';
import { mayRepeat, openRow, repeatUnderKey, type UnknownRow } from './settle-by-key.ts';
import { inDoubt, type Sent, type Submission, type SubmitOptions, subjectOf, submitRequest, unsent } from './submit.ts';
import { ageMs } from './withdraw.ts';
import { type Asked, askRound, NEIGHBOURS, sentTime, type Testimony, withNeighbours } from './witness.ts';

/** Least age of a request before it may be sent again, if the process that sent it is gone or a proxy is in between. */
const LEAST_WAIT_MS = 4 * 60_000;
/**
 * The same if this process has reset the connection, so that no copy of the request is left on this machine. Linux goes on
 * to deliver what a dead process wrote for about 100 s.
 */
const LEAST_WAIT_RESET_MS = 60_000;
/** Time for which Linux goes on to deliver what a dead process wrote. */
const MAX_LATE_MS = 100_000;
/** Least time between two rounds. If the service runs on several machines, one may not know of the request yet. */
const LEAST_GAP_MS = 10_000;
/**
 * Longest sleep. After it the rows are looked up again, because the process that sent one may have settled it. Their age is
 * computed again, because the machine may sleep, or its clock may be set.
 */
const MAX_SLEEP_MS = 5_000;
/** Maximum number of rows that are settled together. */
const BATCH_ROWS = 200;

export interface SettleOptions {
  /** Options for sending a request that was not taken. */
  readonly resend: SubmitOptions;
  /** Whether validate is asked. */
  readonly byValidate: boolean;
  /** The user's `--settle` in milliseconds, or null for the least waits. */
  readonly settleMs: number | null;
  /** Whether there is a proxy in between. It may still deliver a request after srq has closed the connection. */
  readonly isProxied: boolean;
  /** Called with the time that rows are going to wait before validate is asked, and before it is asked again. */
  readonly waiting: (waitMs: number) => void;
}

/** A row about which validate is asked. */
type AskedRow = UnknownRow & Asked;

/**
 * Settles the rows whose outcome is unknown, of this run and of earlier ones, and yields the result of each.
 *
 * A request with a documented idempotency key is sent once more under it, as long as the service remembers the key. Of all
 * others validate is asked, in two rounds with witnesses. Duplicate in both: it was taken, provided that validate had called
 * it clear before it was sent. Clear in both, and old enough: it was not taken, and gets one licence to be sent again, unless
 * validate calls a request clear to which the service answered with a success. In all other cases a person has to decide.
 */
export async function* settleRows(plan: ImportPlan, deps: PassDeps, options: SettleOptions): AsyncGenerator<Sent> {
  const { ledger } = plan;
  const { api, log, clock, halt } = deps;
  const { resend, byValidate, settleMs, isProxied, waiting } = options;
  /**
   * Whether a row that was sent again had no clear answer again. A service that takes what it answers like this does not
   * show it to validate.
   */
  let again = false;

  /** Settles a row about which validate is not asked. Returns any other row with what is needed to ask. */
  async function settledAlone({ doubt: submission, neighbours }: UnknownWithNeighbours): Promise<Sent | AskedRow> {
    const row = await openRow(submission, deps);
    again ||= log.lookup(submission.key) === 'parked' && (await log.read(submission.key))?.event === 'unknown';
    if ('status' in row) return row;
    const sent = sentTime(row.record, log.nowMs());
    if (sent === null) return stays(submission, untimely(row.record));
    if (mayRepeat(row, sent, deps)) return repeatUnderKey(row, sent, deps);
    if (!byValidate) return inDoubt(submission);
    if ((row.record.wireForm ?? null) !== api.wireForm) return stays(submission, OTHER_FORM);
    const asked = await withNeighbours(submission, sent, neighbours, deps);
    return asked === null ? stays(submission, NO_NEIGHBOURS) : { ...row, ...asked };
  }

  /** Asks validate about rows in two rounds, and settles them by what it says. */
  async function* settleBatch(doubts: readonly AskedRow[]): AsyncGenerator<Sent> {
    const { signal } = halt;
    const batch = await openWhenOld(doubts);
    for (const { submission } of doubts.filter((each) => !batch.includes(each))) yield inDoubt(submission);
    if (batch.length === 0) return;
    const first = await askRound(batch, api, signal, false);
    const firstMs = log.nowMs();
    const leastMs = Math.min(LEAST_GAP_MS, settleMs ?? LEAST_GAP_MS);
    const waitMs = Math.max(leastMs, ...batch.map((row) => row.gapMs + lateMs(row)));
    waiting(waitMs);
    await clock.sleep(waitMs, signal);
    const second = await askRound(batch, api, signal, true);
    // A validate that does not know a request to which the service answered with a success may not know others either.
    const isMissed = ({ record }: AskedRow, at: number) =>
      isSuccess(record.http) && (first[at] === 'clear' || second[at] === 'clear');
    const misses = api.hasHiddenSuccess === true || batch.some(isMissed);
    const shared = await sharedCustomers(batch);
    const looksAtCustomers = [...first, ...second].includes('of the customer');
    const lastOtherMs = looksAtCustomers ? await timeOfLastOther() : Number.NEGATIVE_INFINITY;
    for (const [at, row] of batch.entries()) {
      if (signal.aborted) return yield inDoubt(row.submission);
      const rounds = [first[at] ?? 'nothing', second[at] ?? 'nothing'] as const;
      const isShared =
        customersOf(row.submission.request).some((customer) => shared.has(customer)) ||
        (rounds.includes('of the customer') && lastOtherMs >= row.sent.firstMs);
      const against = misses ? MISSES : again ? AGAIN : null;
      const settled = await settleRow(row, rounds, { isShared, against }, [firstMs, log.nowMs()]);
      again ||= settled.status === 'unknown' && !settled.isFromLog;
      yield settled;
    }
  }

  /** Waits until each row is old enough to be sent again. Returns those that nobody else has settled meanwhile. */
  async function openWhenOld(rows: readonly AskedRow[]): Promise<readonly AskedRow[]> {
    let open = rows;
    const leftMs = () => Math.max(...open.map((row) => row.sent.lastMs + leastAgeMs(row) - log.nowMs()));
    if (leftMs() > 0) waiting(leftMs());
    while (leftMs() > 0 && !halt.signal.aborted) {
      await clock.sleep(Math.min(leftMs(), MAX_SLEEP_MS), halt.signal);
      await log.prefetch(open.map(({ submission }) => submission.key));
      open = open.filter(({ submission, seen }) => log.lookup(submission.key) === seen);
    }
    return open;
  }

  function leastAgeMs(row: UnknownRow): number {
    // An intent without an outcome may belong to a process that was cut off, so the intent must have expired first.
    const intentMs = row.seen === 'sending' ? 2 * (log.writeLeaseMs ?? 0) : 0;
    const leastMs = isReset(row) ? LEAST_WAIT_RESET_MS : LEAST_WAIT_MS;
    return Math.max(settleMs ?? leastMs, intentMs);
  }

  /** Returns how long after it was sent a request may still have reached the service. */
  function lateMs(row: UnknownRow): number {
    return isReset(row) ? 0 : Math.min(MAX_LATE_MS, settleMs ?? MAX_LATE_MS);
  }

  /** Tells whether this process has reset the connection, so that nothing of the request is left on its way. */
  function isReset({ seen, record }: UnknownRow): boolean {
    return seen === 'unknown' && record.run === log.run && !isProxied;
  }

  /** Returns the customers of these rows who have other rows in the file. Validate may see one of those. */
  async function sharedCustomers(batch: readonly Asked[]): Promise<ReadonlySet<string>> {
    const shared = new Set<string>();
    const counts = new Map(batch.flatMap(({ submission }) => customersOf(submission.request)).map((each) => [each, 0]));
    const isFirst = (row: number) => ledger.hasKey(row) && ledger.firstRow(row) === row;
    for await (const { request } of rereadRows(plan, deps, isFirst)) {
      for (const customer of customersOf(request)) {
        const count = counts.get(customer);
        if (count !== undefined) counts.set(customer, count + 1);
        if (count === 1) shared.add(customer);
      }
    }
    return shared;
  }

  /**
   * Returns when the last request of another file, or of none, was sent, or had its outcome. Nobody knows its customer, who
   * may be that of a row of this file.
   */
  async function timeOfLastOther(): Promise<number> {
    let lastMs = Number.NEGATIVE_INFINITY;
    for await (const { key, at } of deps.taken?.() ?? [])
      if (at !== undefined && !ledger.hasRequest(key)) lastMs = Math.max(lastMs, Date.parse(at));
    return lastMs;
  }

  /** Settles one row by what validate has said in both rounds. */
  async function settleRow(
    row: AskedRow,
    rounds: readonly [Testimony, Testimony],
    { isShared, against }: { readonly isShared: boolean; readonly against: string | null },
    askedMs: readonly number[],
  ): Promise<Sent> {
    const { submission, record, seen } = row;
    const subject = subjectOf(submission);
    const [one, other] = rounds.map((each) => (each === 'of the customer' ? 'duplicate' : each));
    const says = one === other ? one : 'nothing';
    // The process that sent the request may have lost its connection to the log and have regained it.
    if (log.writeLeaseMs !== null && (await log.mayBeUnderWay(submission.key))) return inDoubt(submission);
    if (says === 'clear' && against === null) {
      if (!(await log.licence(subject, seen, 'validate', { again: record.again }))) return inDoubt(submission);
      return submitRequest(submission, api, log, { ...resend, validate: false, again: false });
    }
    const isTold = says === 'clear' || against === MISSES;
    const why = says === 'duplicate' ? whyNotCreated(record, isShared) : ((isTold ? against : null) ?? UNTOLD);
    if (why === null) {
      if (!(await log.outcome(subject, TAKEN, { seen, by: 'validate' }))) return inDoubt(submission);
      return unsent(submission, 'created', TAKEN.message);
    }
    await noteAsked(row, rounds, askedMs, log);
    return stays(submission, why);
  }

  for await (const doubts of unknownWithNeighbours(plan, deps)) {
    const batch: AskedRow[] = [];
    for (const doubt of doubts) {
      if (halt.signal.aborted) return;
      const found = await settledAlone(doubt);
      if ('status' in found) yield found;
      else batch.push(found);
    }
    if (batch.length > 0) yield* settleBatch(batch);
  }
}

/** Returns why a request that validate calls a duplicate may not be told as created, or null. */
function whyNotCreated({ again, wasClear }: LogRecord, isShared: boolean): string | null {
  if (again) return MEANS_FIRST;
  if (!wasClear) return NOT_CLEAR_BEFORE;
  return isShared ? OF_CUSTOMER : null;
}

/** Keeps with the request what validate has said of it, for the person who looks it up. */
async function noteAsked(
  { submission, record, seen, sent }: AskedRow,
  rounds: readonly [Testimony, Testimony],
  askedMs: readonly number[],
  log: DeliveryLog,
): Promise<void> {
  const at = askedMs.map((ms) => new Date(ms).toISOString().slice(11, 16)).join(' and ');
  const words = {
    ...{ clear: 'did not know it', duplicate: 'knew it, or one like it', nothing: 'could not tell' },
    'of the customer': 'knew it, or another of its customer',
  } as const;
  const [first, second] = rounds.map((says) => words[says]);
  const said = first === second ? `${first} at ${at} UTC` : `${first}, then ${second} (${at} UTC)`;
  const { http, raw } = record;
  const outcome = outcomeOf('unknown', `Validate ${said}.`, { http, raw, ms: ageMs(log, sent.lastMs) });
  const { again, wireForm = null, wasClear = false } = record;
  await log.outcome(subjectOf(submission), outcome, { seen, again, wireForm, wasClear, looked: true });
}

/** Number of created rows before and after a row that may serve as neighbours. */
const MAX_CANDIDATES = 100;

/** A row whose outcome is unknown, with the created rows around it. */
export interface UnknownWithNeighbours {
  readonly doubt: Submission;
  readonly neighbours: readonly Submission[];
}

/**
 * Reads the rows whose outcome is unknown, each with the created rows around it: many in one pass over the file, but not
 * more than memory holds. Those are settled together.
 */
export async function* unknownWithNeighbours(
  plan: ImportPlan,
  reading: RereadOptions,
): AsyncGenerator<readonly UnknownWithNeighbours[]> {
  const { ledger } = plan;
  let row = plan.range.skip;
  while (ledger.has(row + 1)) {
    const around = new Map<number, readonly number[]>();
    while (around.size < BATCH_ROWS && ledger.has(++row))
      if (ledger.status(row) === 'unknown' && ledger.hasKey(row)) around.set(row, createdAround(ledger, row));
    const wanted = new Set([...around].flatMap(([doubt, near]) => [doubt, ...near]));
    if (wanted.size === 0) return;
    const read = new Map<number, Submission>();
    for await (const each of rereadRows(plan, reading, (at) => wanted.has(at))) read.set(each.row, each);
    yield [...around].flatMap(([at, near]) => {
      const doubt = read.get(at);
      return doubt ? [{ doubt, neighbours: near.flatMap((each) => read.get(each) ?? []) }] : [];
    });
  }
}

/** Returns the numbers of the nearest rows before and after a row that were created in this run or an earlier one. */
function createdAround(ledger: Ledger, row: number): readonly number[] {
  const nearest = (step: 1 | -1) => {
    const found: number[] = [];
    for (let at = row + step; ledger.has(at) && found.length < MAX_CANDIDATES; at += step)
      if (/^(?:created|repeated)$/.test(ledger.status(at)) && ledger.firstRow(at) === at && ledger.hasKey(at))
        found.push(at);
    return found;
  };
  return [...nearest(-1).toReversed(), ...nearest(1)];
}

/** Builds the result of a request that stays unknown, with the reason. */
function stays(submission: Submission, why: string): Sent {
  return unsent(submission, 'unknown', `${why} ${LOOK_IT_UP}`);
}

const LOOK_IT_UP = 'Look it up at the service, then: srq resolve KEY --created [ID] or --not-created.';
const MEANS_FIRST =
  'Validate sees a request like it, which may be the one that was sent before (--again, --on-duplicate create).';
const NOT_CLEAR_BEFORE =
  'Validate sees a request like it, but did not call this one clear before, so it may see another one.';
const OF_CUSTOMER =
  'Validate sees a request like it, which may be another one with the same telephone or e-mail, of this file or sent since.';
const MISSES =
  'Validate does not know a request that the service answered with a success, so it may not know this one either.';
const AGAIN =
  'Validate does not know it. But another such row had no clear answer again when it was sent once more, so this one was not.';
const OTHER_FORM =
  'It was sent with an API description other than the one in force, so validate may not see it and is not asked.';
const NO_NEIGHBOURS = `Validate is not asked, because its answer could not be checked: fewer than ${NEIGHBOURS} requests of the same time are known to be created, or none with the same category and kinds of contact.`;
const UNTOLD = 'Validate does not tell created requests from others, or contradicts itself.';

function untimely({ at }: LogRecord): string {
  return `Its record in the log is dated ${at}, which the clock of this machine contradicts, so nobody knows how old it is. Correct the clock if it is wrong.`;
}

const TAKEN = outcomeOf('created', 'Taken, as validate shows; the answer with its identifiers was lost.');
