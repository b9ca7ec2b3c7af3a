import { type LogEntry, logEntryOf, type RecordedNote, type RunBegin } from '../../request/log/log-store.ts';
import { countReason, type ReasonCounts } from '../../request/log/outcome.ts';
import { noCounts, STATUS, statusOfEvent } from '../../request/log/status.ts';
import type { LogRecord } from '../../request/ports.ts';
import { Course } from './course.ts';

const MAX_LISTED_ROWS = 20_000;

/** A request as the page lists it. */
export type ListedRow = Pick<LogEntry, 'row' | 'ref' | 'key' | 'status' | 'ids' | 'http' | 'message' | 'at'>;

/** Collects the figures of a page from the log, record by record, in bounded memory. */
export class RunFigures {
  readonly counts = noCounts();
  /** The rows by the codes of their reasons, as far as they were added one by one. */
  readonly rowsByReason: ReasonCounts = {};
  readonly course = new Course();
  begin: (RunBegin & { readonly at: string; readonly run: string }) | null = null;
  end: Extract<RecordedNote, { event: 'end' }> | null = null;
  /** The number of rows that were added one by one. All others are only counted. */
  gathered = 0;
  readonly #listed: ListedRow[][] = [[], [], [], []];

  get rows(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** The rows of the list: what needs somebody comes first, and stays if there are more rows than a page can hold. */
  get listed(): readonly ListedRow[] {
    return this.#listed.flatMap((rows) => rows.toSorted((a, b) => a.row - b.row));
  }

  /** Adds a request with its last record. */
  add(last: LogRecord): void {
    const { row, ref, key, status, ids, http, message, at, reason } = logEntryOf(last);
    this.gathered += 1;
    this.counts[status] += 1;
    countReason(this.rowsByReason, reason);
    this.#listed[STATUS[status].rank]?.push({ row, ref, key, status, ids, http, message, at });
    if (this.gathered > MAX_LISTED_ROWS) this.#listed.findLast((rows) => rows.length > 0)?.pop();
  }

  /** Adds a record that the run wrote to the log. */
  record({ event, at, ms }: LogRecord): void {
    if (event === 'sending' || event === 'licence') return;
    const slot = this.course.at(at);
    if (statusOfEvent(event) === 'created') slot.created += 1;
    else slot.others += 1;
    if (ms !== null) this.course.answered(slot, ms);
  }

  note(note: RecordedNote): void {
    if (note.event === 'begin') this.begin = note;
    if (note.event === 'end') this.end = note;
    const slot = this.course.at(note.at);
    if (note.event === 'refused') slot.slowed += note.count;
    if (note.event === 'breaker') slot.slowed += 1;
  }

  /**
   * Counts the rows that the run never touched: what the plan found repeated, invalid or duplicate, and what was not sent. A run settles unknown rows only after it has sent all others, so those that are
   * left of the plan are untouched, too.
   */
  addUntouched(): void {
    if (!this.begin) return;
    const { counts, rows } = this.begin;
    for (const status of ['repeated', 'invalid', 'duplicate'] as const) this.counts[status] += counts[status];
    const left = Math.max(0, rows - this.rows);
    const unknown = Math.min(left, counts.unknown);
    this.counts.unknown += unknown;
    // Another process may have created rows while the run was under way. The run found them repeated.
    const foundLater = Math.max(0, (this.end?.counts?.repeated ?? 0) - counts.repeated);
    const repeated = Math.min(left - unknown, foundLater);
    this.counts.repeated += repeated;
    this.counts[this.end ? 'failed' : 'ready'] += left - unknown - repeated;
  }
}
