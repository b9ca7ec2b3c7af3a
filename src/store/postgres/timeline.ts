import { SrqError } from '../../request/errors.ts';
import type { Query } from './database.ts';
import type { ConfirmedRecord, RecentRecords } from './recent-records.ts';

/** A process without a sign of life for this time before a fail-over had nothing under way. */
const SILENCE_S = 60;
/** The time for which processes are waited for that may have died, if they cannot have known more than the new server. */
const PATIENCE_S = 30;
const MAX_RECORDS = 2_000;

/** What a process found missing on a server, and put back. */
export interface PutBack {
  readonly records: number;
  /** Number of requests that somebody else had begun again before. */
  readonly late: number;
  /** False if more is missing than the process remembers. */
  readonly isWhole: boolean;
}

/** Says that this server has come into use. Returns since when it is, by its clock. */
export async function joinTimeline(query: Query, timeline: number | null, isLossy = false): Promise<string> {
  const [row] = await query<{ since: string }>('select srq.join_timeline($1, $2)::text as since', [timeline, isLossy]);
  return row?.since ?? '';
}

/** Returns null if sending may go on, or the names of the processes that are waited for. */
export async function missingProcesses(query: Query, timeline: number | null): Promise<readonly string[] | null> {
  const text = 'select settled, missing from srq.settle_timeline($1, $2, $3)';
  const [row] = await query<{ settled: boolean; missing: string[] }>(text, [timeline, SILENCE_S, PATIENCE_S]);
  return row?.settled === false ? row.missing : null;
}

/** Returns the error of whoever must not send before the missing processes are back. It passes. */
export function heldBack(shown: string, missing: readonly string[]): SrqError {
  return new SrqError(
    'log',
    `The store ${shown} has failed over to a server that may lack the last commits. It waits for what these processes know: ${missing.join('; ')}. If they will not come back: srq store resume.`,
    'Start nothing by hand that they may have sent.',
    Object.assign(new Error('held back after a fail-over'), { code: '08006' }),
  );
}

/** Puts back the records of a process that a server has not heard of, which is usually none. */
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

/** Commits are kept or lost in their order: a server that knows a record knows all that were confirmed before it. */
async function knows(query: Query, record: ConfirmedRecord | undefined): Promise<boolean> {
  if (!record) return true;
  const text = 'select 1 from srq.record where id = $1 and key = $2';
  return (await query(text, [record.id, record.key])).length > 0;
}

/** What a person's word to go on has done. */
export interface Resumed {
  /** The processes that are not waited for any more. */
  readonly missing: readonly string[];
  /** Number of requests that are in doubt now, because one of these processes had them in hand. */
  readonly doubtful: number;
}

const IN_HAND =
  'A process that ended as the server lost its last commits had this in hand, and may have sent it. Look it up at the service.';

/** Lets sending go on without the processes that have not come back. */
export async function resume(query: Query): Promise<Resumed> {
  const [row] = await query<Resumed>('select missing, doubtful from srq.resume_timeline($1, $2)', [SILENCE_S, IN_HAND]);
  return row ?? { missing: [], doubtful: 0 };
}
