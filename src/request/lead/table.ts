import type { Status } from '../log/status.ts';
import type { Problem } from '../words/finding.ts';
import { headerForm } from './field-aliases.ts';
import type { Part } from './parts.ts';
import type { Template } from './template.ts';

/** The outcome that a row of a results file states. A spreadsheet may have changed its text. */
export interface EarlierOutcome {
  /** The status, or null if the cell is empty or names no status. */
  readonly status: Status | null;
  readonly id: string;
  readonly message: string;
  /** The number that the row had when the file was written, or null if the number is missing. */
  readonly row: number | null;
  /** The key of the request that the row was, if the file tells it. */
  readonly key?: string | null;
}

/** The problem of a row that a platform has marked as a test of its connection. */
export const TEST_LEAD = 'is a test lead: never sent';

/** One data row of a partner's file. */
export interface Row {
  /** 1-based number that counts only data rows. Users see it as `srq_row`. */
  readonly number: number;
  /** Line in the file where the row begins, if the format has lines. */
  readonly line: number | null;
  /**
   * One text per column of the table, in its order. Nothing is ever converted. A ragged row (it has a problem) keeps
   * exactly its own cells: if it were padded or cut, its row in the results file would look whole when it is read
   * again.
   */
  readonly cells: readonly string[];
  /** Why this row cannot be used although the rest can (ragged row, test lead), or null. */
  readonly problem: string | null;
  /** The outcome that the row itself states, if the file is a results file. */
  readonly earlier?: EarlierOutcome;
}

/** The kinds of text file that a user can name. If none is named, the kind is detected. */
export const TEXT_FORMATS = ['csv', 'json', 'ndjson'] as const;
type TextFormat = (typeof TEXT_FORMATS)[number];

/** The options for reading a file. A member that is null is detected. */
export interface ReadOptions {
  readonly format: TextFormat | null;
  readonly encoding: string | null;
  readonly delimiter: string | null;
  readonly skipLines: number;
  /** The sheet of a workbook, or null for the one with most rows that look like leads. */
  readonly sheet: string | null;
}

/** An open file of a partner: its detected properties, and its rows, which can be read repeatedly. */
export interface Table {
  readonly path: string;
  readonly format: TextFormat | 'xlsx';
  /** Name of the encoding, for people: `UTF-8`, `UTF-16LE`, `Windows-1252`. Null for a workbook. */
  readonly encoding: string | null;
  readonly delimiter: string | null;
  readonly columns: readonly string[];
  /**
   * Sentences for the plan, which say how the encoding was found, and what was left out and why. They are complete
   * after one pass over `rows`.
   */
  readonly notes: readonly string[];
  /**
   * Yields the rows in batches, from the first one on. It takes constant memory, except that a workbook's rows are held
   * in memory. Throws `SrqError('input')`, naming row and line, for damage after which nothing can be trusted: an
   * unclosed quote, a declared encoding that the file does not have, or a file that has changed since it was opened.
   */
  rows(): AsyncIterable<readonly Row[]>;
}

/** The source of one field's text. */
export interface FieldSource {
  readonly field: string;
  /** Column indexes, best first: the first non-empty cell wins. Empty for a constant. */
  readonly columns: readonly number[];
  /** The text that the columns are filled into, or null if the first filled one alone is the text. */
  readonly template: Template | null;
  /** Prefix that the exporting platform writes before the value (`l:` in Meta's ids) and that is removed, or null. */
  readonly prefix: string | null;
  /** The reason, for a person: `known name`, `--map`, `name, 14 of 15 are telephone numbers`. */
  readonly because: string;
  /** How certain the source is. One that is only likely needs a person's agreement, or `--accept-likely`. */
  readonly level: Level;
}

export type Level = 'certain' | 'likely';

/** A column that is left out although it clearly holds something that the request still lacks. */
export interface MissedColumn {
  readonly index: number;
  readonly field: 'phone' | 'email' | 'request_text';
  /** Whether its name says that it belongs to another person, or is something else such as a fax number. */
  readonly isOthers: boolean;
}

/** The user's statements about the columns, in flags or in a mapping file. */
export interface MappingOptions {
  /** Field by column. The value `-` leaves the column out. */
  readonly map: Readonly<Record<string, string>>;
  /** Text by field, with {Column} where a cell is to be filled in. It counts where no column of `map` gives the field. */
  readonly set: Readonly<Record<string, string>>;
  /** What a person has confirmed earlier for a file with this header. The other members take precedence. */
  readonly remembered?: RememberedMapping;
}

/** A mapping that a person confirmed. */
export interface RememberedMapping {
  readonly map: MappingOptions['map'];
  readonly set: MappingOptions['set'];
  /**
   * Columns that the confirmed plan did not use. They remain unused when the file has grown, because the same rows
   * would otherwise become other requests. A column that clearly holds something that the request lacks is asked about
   * all the same.
   */
  readonly unused: readonly string[];
  /** The day on which it was confirmed: `2026-11-20`. */
  readonly on: string;
  /** The columns by which this header differs from the one that was confirmed, or null if it is the same. */
  readonly changes: { readonly added: readonly string[]; readonly gone: readonly string[] } | null;
}

export type PartColumns = Readonly<Partial<Record<Part, readonly number[]>>>;

/** The mapping of columns to fields. */
export interface Mapping {
  readonly columns: readonly string[];
  /** The sources, best first. If a field has several, the first one that gives a text wins. */
  readonly sources: readonly FieldSource[];
  /** The columns that are not used. */
  readonly ignored: readonly string[];
  /** The columns that a person left out with `-`, now or when the mapping was confirmed. */
  readonly leftOut: readonly number[];
  readonly warnings: readonly Problem[];
  /** The day of the remembered mapping that was used, and how its header differed; null if none was. */
  readonly remembered: Pick<RememberedMapping, 'on' | 'changes'> | null;
  /**
   * Columns that are left out although they clearly hold a field that nothing gives. A person has to decide about them.
   */
  readonly missed: readonly MissedColumn[];
  /** The columns that hold a part of the location or of the name, best first, whichever field they are used for. */
  readonly parts: PartColumns;
}

/**
 * The columns that `srq bulk` adds to those of the input in a results file. They are set aside when such a file is
 * read.
 */
export const RESULT_COLUMNS = ['srq_status', 'srq_id', 'srq_message', 'srq_row', 'srq_key'] as const;

/** Returns the cell that holds a key. It begins with a letter, so that no spreadsheet takes it for a number. */
export function keyCell(key: string | null): string {
  return key === null ? '' : `k${key}`;
}

/** Returns the key in a cell, or null if it holds none. See {@link keyCell}. */
export function keyInCell(cell: string): string | null {
  return /^k[0-9a-f]{32}$/i.test(cell) ? cell.slice(1).toLowerCase() : null;
}

export type ResultColumn = (typeof RESULT_COLUMNS)[number];

/**
 * Returns the column of a results file that a name in a header means, or null if it is another column. Case, blanks and
 * invisible marks make no difference, so that rows do not look unsent because somebody has edited the header.
 */
export function resultColumnOf(name: string): ResultColumn | null {
  const form = headerForm(name);
  return RESULT_COLUMNS.find((each) => each === form) ?? null;
}

/** Returns the columns of a results file that a header has, with the place of each. */
export function resultPlaces(columns: readonly string[]): ReadonlyMap<ResultColumn, number> {
  const places = new Map<ResultColumn, number>();
  for (const [at, name] of columns.entries()) {
    const own = resultColumnOf(name);
    if (own !== null && !places.has(own)) places.set(own, at);
  }
  return places;
}

/**
 * Tells whether the rows of a file state their outcomes, because it is a results file. Only the status column is
 * required, because a person may have removed the others.
 */
export function statesOutcomes({ columns }: Pick<Table, 'columns'>): boolean {
  return resultPlaces(columns).has('srq_status');
}

/** Returns the name of a column, or its place where it has none: `column 5`. Either can be given to `--map`. */
export function columnLabel(columns: readonly string[], index: number): string {
  return columns[index] || `column ${index + 1}`;
}

/**
 * Returns a column's name in a form that keeps its order as a key of a JSON object. JavaScript puts keys that are whole
 * numbers first, and loses `__proto__`. Such a name gets a leading blank, which is ignored when it is read.
 */
export function mapKey(name: string): string {
  return /^(?:\d+|__proto__)$/.test(name) ? ` ${name}` : name;
}
