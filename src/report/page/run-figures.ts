import type { RunRow } from '../../request/log/import-plan.ts';
import type { RecordedNote, RunBegin } from '../../request/log/log-store.ts';
import { countReason, type ReasonCounts } from '../../request/log/outcome.ts';
import { type Counts, noCounts, STATUS, type Status } from '../../request/log/status.ts';
import type { LogRecord } from '../../request/ports.ts';
import { adviceOn } from '../../request/words/finding.ts';
import { TimeBuckets } from './time-buckets.ts';

const MAX_LISTED_ROWS = 20_000;
/** Maximum number of markets. They come from a file that others may have written, so their number must be bounded. */
const MAX_MARKETS = 50;
/** The name under which rows without a known market are counted. */
export const NO_MARKET = 'not known';

/** Collects all figures of a report, row by row and record by record, in bounded memory. */
export class RunFigures {
  readonly counts = noCounts();
  /** The rows that were only counted from the plan, because the log has no record of them. */
  readonly untouched = noCounts();
  /** The rows by the codes of their reasons, as far as they were added one by one. */
  readonly rowsByReason: ReasonCounts = {};
  readonly markets = new Map<string, Counts>();
  readonly course = new TimeBuckets();
  begin: (RunBegin & { readonly at: string; readonly run: string }) | null = null;
  end: { readonly at: string; readonly stopped: string | null } | null = null;
  readonly #reasons = new Reasons();
  readonly #list = new RowList(MAX_LISTED_ROWS);
  #gathered = 0;

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
    countReason(this.rowsByReason, row.reason);
    this.#marketOf(row)[row.status] += 1;
    const message = row.status === 'invalid' && row.message !== null ? generalised(row.message) : row.message;
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
   * duplicate in the plan, and rows that were not sent. A run settles rows in doubt only after it has sent all rows, so
   * those that are left of the plan are untouched, too.
   */
  addUntouched(): void {
    if (!this.begin) return;
    const { counts, rows } = this.begin;
    for (const status of ['repeated', 'invalid', 'duplicate'] as const) this.#addUntouched(status, counts[status]);
    const left = Math.max(0, rows - this.rows);
    const doubts = Math.min(left, counts.unknown);
    this.#addUntouched('unknown', doubts);
    this.#addUntouched(this.end ? 'failed' : 'ready', left - doubts);
  }

  #addUntouched(status: Status, count: number): void {
    this.counts[status] += count;
    this.untouched[status] += count;
  }

  #marketOf({ market }: RunRow): Counts {
    const wanted = market ?? NO_MARKET;
    const name = this.markets.has(wanted) || this.markets.size < MAX_MARKETS ? wanted : NO_MARKET;
    const counts = this.markets.get(name) ?? noCounts();
    this.markets.set(name, counts);
    return counts;
  }
}

/** A row of the list with the indexes of its reasons. */
export interface ListedRow extends RunRow {
  readonly reasons: readonly number[];
}

/**
 * Keeps at most `limit` rows for the page. Rows that a person must look at are kept first, and of rows with equal
 * priority the last ones.
 */
export class RowList {
  readonly #limit: number;
  readonly #ranks: ListedRow[][] = [[], [], [], []];
  /** The number of rows at the front of each rank that are dropped but not yet removed. */
  readonly #dropped = [0, 0, 0, 0];
  #kept = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(row: ListedRow): void {
    this.#ranks[STATUS[row.status].rank]?.push(row);
    this.#kept += 1;
    if (this.#kept > this.#limit) this.#dropOne();
  }

  /** Returns the kept rows in the order of their row numbers. */
  rows(): ListedRow[] {
    return this.#ranks.flatMap((rows, rank) => rows.slice(this.#dropped[rank])).sort((a, b) => a.row - b.row);
  }

  #dropOne(): void {
    for (let rank = this.#ranks.length - 1; rank >= 0; rank--) {
      const rows = this.#ranks[rank] ?? [];
      const dropped = this.#dropped[rank] ?? 0;
      if (rows.length === dropped) continue;
      this.#kept -= 1;
      // Removing the front at each row would take time quadratic in the number of rows.
      if (dropped + 1 > this.#limit / 8) {
        rows.splice(0, dropped + 1);
        this.#dropped[rank] = 0;
      } else this.#dropped[rank] = dropped + 1;
      return;
    }
  }
}

const MAX_REASONS = 200;
const SHOWN_ROWS = 20;
const OTHER = 'Other reasons';
const DENIED = 'Ask the marketplace whether this client may create requests in these markets.';

/** A group of rows that were not taken for the same reason. */
interface Reason {
  readonly status: Status;
  readonly text: string;
  readonly advice: string;
  count: number;
  /** The numbers of the first rows with this reason. */
  readonly rows: number[];
}

/** Groups the rows that were not taken by their reasons, in bounded memory. */
class Reasons {
  readonly #numbers = new Map<string, number>();
  readonly #reasons: Reason[] = [];

  get all(): readonly Reason[] {
    return this.#reasons;
  }

  /** Counts a row and returns the indexes of its reasons in {@link all}. */
  add({ row, status, http, message, problems }: RunRow): readonly number[] {
    if (status === 'invalid' && problems.length > 0) {
      return problems.map((problem) => {
        const where = problem.column === null ? '' : `${problem.column}: `;
        return this.#count(row, status, where + generalised(problem.message), adviceOn(problem));
      });
    }
    const { advice } = STATUS[status];
    if (advice === null) return [];
    const text = generalised(message ?? 'No reason was recorded.');
    return [this.#count(row, status, text, http === 403 ? DENIED : advice)];
  }

  #count(row: number, status: Status, text: string, advice: string): number {
    const known = this.#numbers.get(`${status} ${text}`);
    const isNew = known === undefined;
    if (isNew && this.#reasons.length >= MAX_REASONS && text !== OTHER) return this.#count(row, status, OTHER, advice);
    const number = known ?? this.#reasons.push({ status, text, advice, count: 0, rows: [] }) - 1;
    if (isNew) this.#numbers.set(`${status} ${text}`, number);
    const reason = this.#reasons[number];
    if (reason) {
      reason.count += 1;
      if (reason.rows.length < SHOWN_ROWS && !reason.rows.includes(row)) reason.rows.push(row);
    }
    return number;
  }
}

/**
 * Removes from a message all that differs from row to row or is a value of the row: quoted texts, addresses,
 * identifiers and numbers. The HTTP status of an answer stays. A value may contain quotes itself, so all text between
 * the first and the last double quote is removed.
 */
export function generalised(message: string): string {
  return message
    .replace(/".*"|“[^”]*”|`[^`]*`|(?<![\p{L}\d])'[^']*'(?![\p{L}\d])/gsu, '“…”')
    .replace(/[^\s@]+@[^\s@]+/g, '…')
    .replace(/\b(?=[0-9a-f-]*\d)[0-9a-f]{8}[0-9a-f-]*\b/gi, '#')
    .replace(/(?<!HTTP \d*)\d+(?:[.,:/-]\d+)*/g, '#');
}
