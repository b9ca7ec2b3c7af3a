import type { RunRow } from '../../model/run-row.ts';
import { STATUS, type Status } from '../../model/status.ts';
import { adviceOn } from '../problem-advice.ts';

const MAX_REASONS = 200;
const SHOWN_ROWS = 20;
const OTHER = 'Other reasons';
const DENIED = 'Ask the marketplace whether this client may create requests in these markets.';

/** A group of rows that were not taken for the same reason. */
export interface Reason {
  readonly status: Status;
  readonly text: string;
  readonly advice: string;
  count: number;
  /** The numbers of the first rows with this reason. */
  readonly rows: number[];
}

/** Groups the rows that were not taken by their reasons, in bounded memory. */
export class Reasons {
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
