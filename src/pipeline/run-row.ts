import type { RowReport } from '../model/import-plan.ts';
import { marketFromText } from '../model/markets.ts';
import type { LogRecord } from '../model/ports.ts';
import type { RunRow } from '../model/run-row.ts';
import { statusOfEvent } from '../model/status.ts';
import type { Mapping } from '../model/table.ts';
import { mapRow } from './map-row.ts';

const LEAST_HIDDEN_LETTERS = 4;

/** A row of the input as a report shows it. `withInput`: with its cells, also in findings; they are personal data. */
export function runRowOf(report: RowReport, mapping: Mapping, withInput: boolean): RunRow {
  const { row, status, ids, record } = report;
  const hide = (text: string) => (withInput || status !== 'invalid' ? text : withoutCells(text, row.cells));
  const { country, ref } = row.problem === null ? mapRow(row, mapping).fields : {};
  return {
    row: row.number,
    ref: ref?.trim() || null,
    key: record?.key ?? null,
    market: country === undefined ? null : (marketFromText(country.trim())?.code ?? null),
    status,
    ids,
    http: record?.http ?? null,
    message: report.message === null ? null : hide(report.message),
    at: record?.at ?? null,
    problems: report.problems.map((problem) => ({ ...problem, message: hide(problem.message) })),
    cells: withInput ? row.cells : null,
  };
}

/** Findings name what they found, such as the file of a recording; shorter cells are words of the finding itself. */
function withoutCells(text: string, cells: readonly string[]): string {
  const values = cells.map((cell) => cell.trim()).filter((cell) => cell.length >= LEAST_HIDDEN_LETTERS);
  return values.sort((a, b) => b.length - a.length).reduce((rest, value) => rest.replaceAll(value, '…'), text);
}

/** A request of the log as a report shows it. */
export function runRowOfRecord({ row, ref, key, market, event, ids, http, message, at }: LogRecord): RunRow {
  const status = statusOfEvent(event);
  const told = event === 'sending' ? 'Sent, and no outcome is recorded: it is under way, or in doubt.' : message;
  return { row, ref, key, market: market ?? null, status, ids, http, message: told, at, problems: [], cells: null };
}
