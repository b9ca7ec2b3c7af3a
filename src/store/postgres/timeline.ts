import { SrqError } from '../../request/errors.ts';
import type { Query } from './database.ts';
import type { ConfirmedRecord, RecentRecords } from './recent-records.ts';

/** Time without a sign of life before a fail-over after which a process certainly had nothing under way. */
const SILENCE_S = 60;
/** Time to wait for processes that may have died, if they cannot have known more than the new server. */
const PATIENCE_S = 30;
const MAX_RECORDS = 2_000;

/** The records that a process found missing on a server and has written again. */
export interface PutBack {
  readonly records: number;
  /** Number of requests that another process had begun again before. */
  readonly late: number;
  /** False if more records are missing than the process remembers. */
  readonly isWhole: boolean;
}

/** Records that this server has come into use. Returns the time from which it is in use, by its clock. */
export async function joinTimeline(query: Query, timeline: number | null, isLossy = false): Promise<string> {
  const [row] = await query<{ since: string }>('select srq.join_timeline($1, $2)::text as since', [timeline, isLossy]);
  return row?.since ?? '';
}

/** Returns null if sending may continue, or the names of the processes that are waited for. */
export async function missingProcesses(query: Query, timeline: number | null): Promise<readonly string[] | null> {
  const text = 'select settled, missing from srq.settle_timeline($1, $2, $3)';
  const [row] = await query<{ settled: boolean; missing: string[] }>(text, [timeline, SILENCE_S, PATIENCE_S]);
  return row?.settled === false ? row.missing : null;
}

/** Returns the error for a process that must not send before the missing processes are back. The error is temporary. */
export function heldBack(shown: string, missing: readonly string[]): SrqError {
  return new SrqError(
    'store.failed-over',
    `The store ${shown} has failed over to a server that may lack the last commits. It waits for what these processes know: ${missing.join('; ')}. If they will not come back: srq store resume.`,
    'Start nothing by hand that they may have sent.',
    Object.assign(new Error('held back after a fail-over'), { code: '08006' }),
  );
}

/** Writes the records of a process again that a server lacks. Usually there are none. */
export async function putBack(
  query: Query,
  worker: number,
  timeline: { readonly number: number | null; readonly since: string },
  recent: RecentRecords,
): Promise<PutBack> {
  if (recent.newestId === 0 || (await knows(query, recent.all.at(-1)))) return { records: 0, late: 0, isWhole: true };
  await joinTimeline(query, timeline.number, true);
  const isWhole = recent.isWhole || (await knows(query, recent.all[0]));
  let [records, late] = [0, 0];
  const { all, newestId } = recent;
  for (let from = 0; from < all.length; from += MAX_RECORDS) {
    const group = JSON.stringify(all.slice(from, from + MAX_RECORDS));
    const text = 'select entry, id::float8 as id, is_late from srq.put_back($1, $2, $3, $4)';
    const rows = await query<WrittenAgain>(text, [worker, newestId, timeline.since, group]);
    recent.renumber(new Map(rows.map(({ entry, id }) => [entry, id])));
    late += rows.filter(({ is_late }) => is_late).length;
    records += rows.length;
  }
  return { records, late, isWhole };
}

interface WrittenAgain {
  readonly entry: number;
  readonly id: number;
  readonly is_late: boolean;
}

/**
 * Tells whether the server has a record. Commits are kept or lost in their order, so a server that has a record has all
 * that were confirmed before it.
 */
async function knows(query: Query, record: ConfirmedRecord | undefined): Promise<boolean> {
  if (!record) return true;
  const text = 'select 1 from srq.record where id = $1 and key = $2';
  return (await query(text, [record.id, record.key])).length > 0;
}

/** The effect of a person's decision to continue. */
export interface Resumed {
  /** The processes that are no longer waited for. */
  readonly missing: readonly string[];
  /** Number of requests that are in doubt now, because one of these processes was working on them. */
  readonly doubtful: number;
}

const IN_HAND =
  'A process that ended as the server lost its last commits had this in hand, and may have sent it. Look it up at the service.';

/** Lets sending continue without the processes that have not come back. */
export async function resume(query: Query): Promise<Resumed> {
  const [row] = await query<Resumed>('select missing, doubtful from srq.resume_timeline($1, $2)', [SILENCE_S, IN_HAND]);
  return row ?? { missing: [], doubtful: 0 };
}
