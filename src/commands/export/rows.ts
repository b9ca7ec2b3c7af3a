import type { Input } from '../../cli/input.ts';
import type { Preparation } from '../../delivery/prepare.ts';
import { loggedRows } from '../../delivery/report-rows.ts';
import { saysItIsSettled } from '../../delivery/sent-before.ts';

import type { DocumentOf } from '../../request/documents/types.ts';
import { resultColumnOf } from '../../request/lead/table.ts';
import type { RowReport } from '../../request/log/import-plan.ts';
import type { LogReader, LogStore } from '../../request/log/log-store.ts';
import { mainIdentifier } from '../../request/log/outcome.ts';
import { type Status, statusOfEvent } from '../../request/log/status.ts';
import type { LogRecord } from '../../request/ports.ts';

/** One line of an export. */
export interface ExportRow {
  readonly status: Status;
  /** The texts of its columns, exactly as they are. */
  readonly cells: readonly string[];
  /** Returns the same content for JSON. */
  document(): DocumentOf<'export'>;
}

/** An export: its columns and its lines. */
export interface Exported {
  readonly columns: readonly string[];
  readonly delimiter: string;
  readonly rows: AsyncIterable<ExportRow>;
}

const LOG_COLUMNS = ['ref', 'id', 'ids', 'status', 'at', 'row', 'file', 'run', 'key'] as const;

/** The columns that an export of a file adds to those of the file. */
const OUTCOME_COLUMNS = ['srq_status', 'srq_id', 'srq_at'] as const;

type RecordFilter = (record: LogRecord) => boolean;

/** Exports the last record of every wanted request of the log, the oldest first. */
export function logExport(store: LogStore, wanted: RecordFilter): Exported {
  return { columns: LOG_COLUMNS, delimiter: ',', rows: logRows(store, wanted) };
}

async function* logRows(store: LogStore, wanted: RecordFilter): AsyncGenerator<ExportRow> {
  const files = new Map<string, string>();
  for await (const note of store.notes()) if (note.event === 'begin') files.set(note.run, note.file);
  for await (const record of store.latest()) {
    if (!wanted(record)) continue;
    const { ref, ids, at, row, run, key } = record;
    const status = statusOfEvent(record.event);
    const id = mainIdentifier(ids);
    const all = Object.entries(ids).map(([name, value]) => `${name}=${value}`);
    const file = files.get(run) ?? null;
    yield {
      status,
      cells: [ref ?? '', id, all.join(' '), status, at, String(row), file ?? '', run, key],
      document: () => ({ ref, id: id || null, ids, status, at, row, file, run, key }),
    };
  }
}

/** A file to export, with the dependencies for finding its requests in the log. */
interface FileToExport {
  readonly input: Input;
  readonly preparation: Preparation;
  readonly log: LogReader;
}

/** Facts that are found while the rows of a file are exported. */
export interface FileFindings {
  /** Number of rows with more cells than the file has columns. */
  tooLong: number;
}

/**
 * Exports the rows of a file with the status, the identifier and the time of their requests. `wanted` selects rows by
 * their record, and is null if all are exported. An earlier outcome in the file
 * is replaced, unless the log does not know the content of its row. Every row has as many
 * cells as there are columns, so that each cell is below its column's name.
 */
export function fileExport(file: FileToExport, wanted: RecordFilter | null, findings: FileFindings): Exported {
  const { columns, delimiter } = file.input.table;
  const kept = keptColumns(columns);
  const names = [...kept.map((at) => columns[at] ?? ''), ...OUTCOME_COLUMNS];
  return { columns: names, delimiter: delimiter ?? ',', rows: fileRows(file, wanted, findings, kept, names) };
}

async function* fileRows(
  { input, preparation, log }: FileToExport,
  wanted: RecordFilter | null,
  findings: FileFindings,
  kept: readonly number[],
  names: readonly string[],
): AsyncGenerator<ExportRow> {
  const width = input.table.columns.length;
  const keys = distinct(names);
  for await (const logged of loggedRows(input, preparation, log)) {
    const { row, record } = logged;
    if (wanted && !(record && wanted(record))) continue;
    if (row.cells.length > width) findings.tooLong += 1;
    yield fileRow(logged, kept, keys);
  }
}

function fileRow(logged: RowReport, kept: readonly number[], keys: readonly string[]): ExportRow {
  const { row, record } = logged;
  const own = kept.map((at) => row.cells[at] ?? '');
  const { status, id } = outcomeOf(logged);
  const outcome = { srq_status: status, srq_id: id || null, srq_at: record?.at ?? null };
  return {
    status,
    cells: [...own, status, id, record?.at ?? ''],
    document: () => ({ ...Object.fromEntries(own.map((cell, at) => [keys[at] ?? '', cell])), ...outcome }),
  };
}

/**
 * Returns the status of a row and its identifier. If the log does not know its content, an earlier results file still
 * says what became of it: a spreadsheet may have changed its cells, and it must not pass for one that was never sent.
 */
function outcomeOf({ row, status, record }: RowReport): { readonly status: Status; readonly id: string } {
  if (record) return { status, id: mainIdentifier(record.ids) };
  const { earlier } = row;
  if (earlier?.status === 'unknown') return { status: 'unknown', id: earlier.id };
  if (!earlier || !saysItIsSettled(row)) return { status, id: '' };
  return { status: earlier.status === 'duplicate' ? 'duplicate' : 'created', id: earlier.id };
}

const isOutcome = (name: string) => resultColumnOf(name) !== null || OUTCOME_COLUMNS.some((each) => each === name);

/** Returns the indexes of the columns that hold no earlier outcome. */
function keptColumns(columns: readonly string[]): number[] {
  return columns.flatMap((name, at) => (isOutcome(name) ? [] : [at]));
}

/**
 * Makes names unique, so that they can be the keys of one object. A second `Email` becomes `Email (2)`, and an empty
 * name becomes `column 3`.
 */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name, at) => {
    const base = name === '' ? `column ${at + 1}` : name;
    let key = base;
    for (let times = 2; taken.has(key); times++) key = `${base} (${times})`;
    taken.add(key);
    return key;
  });
}
