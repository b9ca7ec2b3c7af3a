import type { LogRecord } from '../../model/ports.ts';
import type { NotedInRun, RunBegin } from '../../model/run-note.ts';
import type { RunRow } from '../../model/run-row.ts';
import { type Counts, noCounts } from '../../model/status.ts';
import { generalised, Reasons } from './reasons.ts';
import { RowList } from './row-list.ts';
import { TimeBuckets } from './time-buckets.ts';

const LISTED_ROWS = 20_000;
/** With the cells of the input a row takes several times the room. */
const LISTED_ROWS_WITH_INPUT = 5_000;
const LISTED_DOUBTS = 200;
/** Markets come from a file that others may have written. */
const MOST_MARKETS = 50;
const NO_MARKET = 'not known';

/** All that a report tells of a run, gathered row by row and record by record in bounded memory. */
export class RunFigures {
  readonly counts = noCounts();
  readonly markets = new Map<string, Counts>();
  readonly course = new TimeBuckets();
  readonly doubts: RunRow[] = [];
  begin: (RunBegin & { readonly at: string; readonly run: string }) | null = null;
  end: { readonly at: string; readonly stopped: string | null } | null = null;
  /** Names of the input's columns, if its cells are shown. */
  readonly columns: readonly string[] | null;
  readonly #reasons = new Reasons();
  readonly #list: RowList;
  #gathered = 0;

  constructor(columns: readonly string[] | null) {
    this.columns = columns;
    this.#list = new RowList(columns === null ? LISTED_ROWS : LISTED_ROWS_WITH_INPUT);
  }

  get reasons() {
    return this.#reasons.all;
  }

  get listed() {
    return this.#list.rows();
  }

  /** Rows and requests that were gathered one by one; the others are only counted. */
  get gathered(): number {
    return this.#gathered;
  }

  get rows(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** A row or request with what became of it. */
  add(row: RunRow): void {
    this.#gathered += 1;
    this.counts[row.status] += 1;
    this.#marketOf(row)[row.status] += 1;
    if (row.status === 'unknown' && this.doubts.length < LISTED_DOUBTS) this.doubts.push(row);
    const isPrivate = this.columns === null && row.status === 'invalid' && row.message !== null;
    const message = isPrivate ? generalised(row.message) : row.message;
    this.#list.add({ ...row, message, reasons: this.#reasons.add(row) });
  }

  /** A line that the run added to the log. */
  record(record: LogRecord): void {
    this.course.ended(record);
  }

  note(note: NotedInRun): void {
    const { at } = note;
    if (note.event === 'begin') this.begin = note;
    if (note.event === 'end') this.end = note;
    if (note.event === 'refused') this.course.refused(at, note.count, note.pauseMs);
    else if (note.event === 'breaker') this.course.broke(at, note.pauseMs);
    else this.course.seen(at);
  }

  /**
   * Counts what the run never touched, where only its log is read: rows that the plan found repeated, invalid or known as
   * duplicates, and those not sent. Doubts are settled after all has been sent, so what is left of the plan's is untouched.
   */
  addUntouched(): void {
    if (!this.begin) return;
    const { counts, rows } = this.begin;
    for (const status of ['repeated', 'invalid', 'duplicate'] as const) this.counts[status] += counts[status];
    const left = Math.max(0, rows - this.rows);
    const doubts = Math.min(left, counts.unknown);
    this.counts.unknown += doubts;
    this.counts[this.end ? 'failed' : 'ready'] += left - doubts;
  }

  #marketOf({ market }: RunRow): Counts {
    const wanted = market ?? NO_MARKET;
    const name = this.markets.has(wanted) || this.markets.size < MOST_MARKETS ? wanted : NO_MARKET;
    const counts = this.markets.get(name) ?? noCounts();
    this.markets.set(name, counts);
    return counts;
  }
}
