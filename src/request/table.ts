/** One data row of a partner's file. */
export interface Row {
  /** 1-based, counting data rows only: what the user sees as `srq_row`. */
  readonly number: number;
  /** Line in the file where the row begins, if the format has lines. */
  readonly line: number | null;
  /**
   * One text per column of the table, in its order; nothing is ever cast. A ragged row (it has a problem) keeps exactly
   * the cells it has: padded or cut, its results row would look whole when it is read again.
   */
  readonly cells: readonly string[];
  /** Why this row cannot be used although the rest can (ragged row, test lead), or null. */
  readonly problem: string | null;
}

/** How a file is to be read; what is null is found out. */
export interface ReadOptions {
  readonly format: 'csv' | 'json' | 'ndjson' | null;
  readonly encoding: string | null;
  readonly delimiter: string | null;
  readonly skipLines: number;
  /** Of a workbook; null: the first one that is visible. */
  readonly sheet: string | null;
}

/** A partner's file, opened: what was found out about it, and its rows as often as asked. */
export interface Table {
  readonly path: string;
  readonly format: 'csv' | 'json' | 'ndjson' | 'xlsx';
  /** Name of the encoding, for people: `UTF-8`, `UTF-16LE`, `Windows-1252`. Null for a workbook. */
  readonly encoding: string | null;
  readonly delimiter: string | null;
  readonly columns: readonly string[];
  /** Sentences for the plan: how the encoding was found, what was set aside and why. Complete after one pass over `rows`. */
  readonly notes: readonly string[];
  /** The size in bytes, for progress. */
  readonly sizeBytes: number;
  /**
   * The rows from the first on, in batches, in constant memory (a workbook's are held in memory); `readBytes` tells how far the file has been read.
   * Throws `SrqError('input')` that names row and line for damage after which nothing can be trusted (an unclosed quote,
   * undecodable bytes under a declared encoding, a file that changed since it was opened).
   */
  rows(): AsyncIterable<readonly Row[]>;
  readBytes(): number;
}

/** Where one field's text comes from. */
export interface FieldSource {
  readonly field: string;
  /** Column indexes, best first: the first non-empty cell wins. Empty for a constant. */
  readonly columns: readonly number[];
  /** `first`: first non-empty. `join`: the non-empty ones joined by a blank (first and last name, postal code and city). `template`: the parts of `template`. */
  readonly how: 'first' | 'join' | 'template';
  /** Literal texts and column indexes in turn; a template whose columns are all empty gives nothing. */
  readonly template: readonly (string | number)[] | null;
  /** What the exporting platform writes before the value (`l:` in Meta's ids), taken off; or null. */
  readonly prefix: string | null;
  /** For the plan: `alias`, `--map`, `--set`, … */
  readonly because: string;
}

/** Columns that are equally likely one field. */
export interface Tie {
  readonly field: string;
  /** The first that is filled is taken. */
  readonly columns: readonly number[];
  /** Where one of these is filled, none of `columns` is looked at. */
  readonly better: readonly number[];
}

/** What the user says about the columns, in flags or in a mapping file. */
export interface MappingOptions {
  /** Column → field; `-`: leave it out. */
  readonly map: Readonly<Record<string, string>>;
  /** Field → text with {Column}. */
  readonly set: Readonly<Record<string, string>>;
  /** Field → the columns whose texts are joined, where no column of `map` gives one. */
  readonly join: Readonly<Record<string, readonly string[]>>;
}

/** Which column becomes which field. */
export interface Mapping {
  readonly columns: readonly string[];
  /** Best first: of several sources for one field, the first that gives a text wins. */
  readonly sources: readonly FieldSource[];
  /** Columns that become nothing. */
  readonly ignored: readonly string[];
  readonly warnings: readonly string[];
  readonly ties: readonly Tie[];
  /** The columns that hold a postal code, best first, wherever it goes. */
  readonly postalCodes: readonly number[];
}

/** What `srq bulk` adds to the input's columns in a results file. Read again, they are set aside. */
export const RESULT_COLUMNS = ['srq_status', 'srq_id', 'srq_message', 'srq_row'] as const;
