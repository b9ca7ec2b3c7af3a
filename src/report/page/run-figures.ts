import type { LogRecord } from '../../model/ports.ts';
import type { RecordedNote, RunBegin } from '../../model/run-note.ts';
import type { RunRow } from '../../model/run-row.ts';
import { type Counts, noCounts } from '../../model/status.ts';
import { generalised, Reasons } from './reasons.ts';
import { RowList } from './row-list.ts';
import { TimeBuckets } from './time-buckets.ts';

const MAX_LISTED_ROWS = 20_000;
/** Maximum number of listed rows with the cells of the input. Such a row takes several times the room. */
const MAX_LISTED_ROWS_WITH_INPUT = 5_000;
const MAX_LISTED_DOUBTS = 200;
/** Maximum number of markets. They come from a file that others may have written, so their number must be bounded. */
const MAX_MARKETS = 50;
const NO_MARKET = 'not known';

/** Collects all figures of a report, row by row and record by record, in bounded memory. */
export class RunFigures {
  readonly counts = noCounts();
  readonly markets = new Map<string, Counts>();
  readonly course = new TimeBuckets();
  readonly doubts: RunRow[] = [];
  begin: (RunBegin & { readonly at: string; readonly run: string }) | null = null;
  end: { readonly at: string; readonly stopped: string | null } | null = null;
  /** The names of the input's columns if the report shows its cells; else null. */
  readonly columns: readonly string[] | null;
  readonly #reasons = new Reasons();
  readonly #list: RowList;
  #gathered = 0;

  constructor(columns: readonly string[] | null) {
    this.columns = columns;
    this.#list = new RowList(columns === null ? MAX_LISTED_ROWS : MAX_LISTED_ROWS_WITH_INPUT);
  }

  get reasons() {
    return this.#reasons.all;
  }

  get listed() {
    return this.#list.rows();
  }

  /** The number of rows and requests that were added one by one. All others are only counted. */
  get gathered(): number {
    return this.#gathered;
  }

  get rows(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** Adds a row or request with its outcome. */
  add(row: RunRow): void {
    this.#gathered += 1;
    this.counts[row.status] += 1;
    this.#marketOf(row)[row.status] += 1;
    if (row.status === 'unknown' && this.doubts.length < MAX_LISTED_DOUBTS) this.doubts.push(row);
    const isPrivate = this.columns === null && row.status === 'invalid' && row.message !== null;
    const message = isPrivate ? generalised(row.message) : row.message;
    this.#list.add({ ...row, message, reasons: this.#reasons.add(row) });
  }

  /** Adds a record that the run wrote to the log. */
  record(record: LogRecord): void {
    this.course.ended(record);
  }

  note(note: RecordedNote): void {
    const { at } = note;
    if (note.event === 'begin') this.begin = note;
    if (note.event === 'end') this.end = note;
    if (note.event === 'refused') this.course.refused(at, note.count, note.pauseMs);
    else if (note.event === 'breaker') this.course.broke(at, note.pauseMs);
    else this.course.seen(at);
  }

  /**
   * Counts the rows that the run never touched, for a report from the log alone: rows that were repeated, invalid or
   * duplicate in the plan, and rows that were not sent. A run settles doubts only after it has sent all rows, so the
   * doubts of the plan that are left are untouched, too.
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
    const name = this.markets.has(wanted) || this.markets.size < MAX_MARKETS ? wanted : NO_MARKET;
    const counts = this.markets.get(name) ?? noCounts();
    this.markets.set(name, counts);
    return counts;
  }
}
