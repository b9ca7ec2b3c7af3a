import type { RunRow } from '../../request/log/import-plan.ts';
import type { RecordedNote, RunBegin } from '../../request/log/log-store.ts';
import { countReason, type ReasonCounts } from '../../request/log/outcome.ts';
import { noCounts, STATUS, type Status, statusOfEvent } from '../../request/log/status.ts';
import type { LogRecord } from '../../request/ports.ts';
import { adviceOn } from '../../request/words/finding.ts';
import { Course } from './course.ts';

const MAX_LISTED_ROWS = 20_000;
const MAX_REASONS = 200;
const OTHER = 'Other reasons';
const DENIED = 'Ask the marketplace whether this client may create requests in these markets.';

/** A reason for which rows were not taken. */
interface Reason {
  readonly status: Status;
  readonly text: string;
  readonly advice: string;
}

/** A row as the page lists it, with the numbers of its reasons. */
export interface ListedRow extends Omit<RunRow, 'problems' | 'reason'> {
  readonly reasons: readonly number[];
}

/** Collects the figures of a page, row by row and record by record, in bounded memory. */
export class RunFigures {
  readonly counts = noCounts();
  /** The rows by the codes of their reasons, as far as they were added one by one. */
  readonly rowsByReason: ReasonCounts = {};
  readonly reasons: Reason[] = [];
  readonly course = new Course();
  begin: (RunBegin & { readonly at: string; readonly run: string }) | null = null;
  end: { readonly at: string; readonly stopped: string | null } | null = null;
  /** The number of rows that were added one by one. All others are only counted. */
  gathered = 0;
  readonly #numbers = new Map<string, number>();
  readonly #listed: ListedRow[][] = [[], [], [], []];

  get rows(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** The rows of the list: what needs somebody comes first, and stays if there are more rows than a page can hold. */
  get listed(): readonly ListedRow[] {
    return this.#listed.flatMap((rows) => rows.toSorted((a, b) => a.row - b.row));
  }

  /** Adds a row or request with its outcome. */
  add(added: RunRow): void {
    const { problems, reason, ...row } = added;
    this.gathered += 1;
    this.counts[row.status] += 1;
    countReason(this.rowsByReason, reason);
    // What a finding quotes is a cell of the file.
    const message = row.status === 'invalid' && row.message !== null ? generalised(row.message) : row.message;
    this.#listed[STATUS[row.status].rank]?.push({ ...row, message, reasons: this.#reasonsOf(added) });
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
   * Counts the rows that the run never touched, for a page from the log alone: what the plan found repeated, invalid or
   * duplicate, and what was not sent. A run settles unknown rows only after it has sent all others, so those that are
   * left of the plan are untouched, too.
   */
  addUntouched(): void {
    if (!this.begin) return;
    const { counts, rows } = this.begin;
    for (const status of ['repeated', 'invalid', 'duplicate'] as const) this.counts[status] += counts[status];
    const left = Math.max(0, rows - this.rows);
    const unknown = Math.min(left, counts.unknown);
    this.counts.unknown += unknown;
    this.counts[this.end ? 'failed' : 'ready'] += left - unknown;
  }

  #reasonsOf({ status, http, message, problems }: RunRow): number[] {
    if (status === 'invalid' && problems.length > 0) {
      return problems.map((problem) => {
        const where = problem.column === null ? '' : `${problem.column}: `;
        return this.#reason({ status, text: where + generalised(problem.message), advice: adviceOn(problem) });
      });
    }
    const { advice } = STATUS[status];
    if (advice === null) return [];
    const text = generalised(message ?? 'No reason was recorded.');
    return [this.#reason({ status, text, advice: http === 403 ? DENIED : advice })];
  }

  #reason(reason: Reason): number {
    const name = `${reason.status} ${reason.text}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    if (this.reasons.length >= MAX_REASONS && reason.text !== OTHER) return this.#reason({ ...reason, text: OTHER });
    this.#numbers.set(name, this.reasons.length);
    return this.reasons.push(reason) - 1;
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
