import { RunFigures } from '../../../src/report/page/run-figures.ts';
import type { RunRow } from '../../../src/request/log/import-plan.ts';
import type { RecordedNote } from '../../../src/request/log/log-store.ts';
import { noCounts } from '../../../src/request/log/status.ts';
import type { LogRecord } from '../../../src/request/ports.ts';

const STARTED_MS = Date.UTC(2026, 10, 21, 10);

/** A time so many seconds after the start of the run. */
export const second = (seconds: number): string => new Date(STARTED_MS + seconds * 1000).toISOString();

export function rowOf(row: number, changes: Partial<RunRow> = {}): RunRow {
  const key = row.toString(16).padStart(32, '0');
  const ids = { request_id: `9${String(row).padStart(19, '0')}` };
  const base = { row, ref: `L-${row}`, key, market: 'PT', status: 'created', ids, http: 201 } as const;
  return { ...base, message: null, reason: null, at: second(row), problems: [], ...changes };
}

export function recordOf(at: string, changes: Partial<LogRecord> = {}): LogRecord {
  const base = { key: '0'.repeat(32), row: 1, ref: null, event: 'created', at, run: 'r', ids: {}, http: 201 } as const;
  return { ...base, ms: 40, message: null, raw: null, by: null, again: false, ...changes };
}

export function beginOf(rows: number, changes: object = {}): Extract<RecordedNote, { event: 'begin' }> {
  const service = 'api.example.com';
  const known = { event: 'begin', version: '1.0.0', file: 'leads.csv', profile: 'default', live: true } as const;
  const counts = { ...noCounts(), ready: rows };
  return { ...known, run: 'r', at: second(0), service, rows, counts, settings: { '--rate': 'auto' }, ...changes };
}

/** A finished run of all kinds of rows. */
export function mixedFigures(rows: number): RunFigures {
  const figures = new RunFigures();
  figures.note(beginOf(rows));
  for (let row = 1; row <= rows; row++) {
    const at = second(row / 20);
    figures.add(rowOf(row, { at, ...kindOf(row) }));
    figures.record(recordOf(at, { ms: 20 + (row % 50) }));
  }
  figures.note({ event: 'refused', http: 429, count: 12, pauseMs: 3000, run: 'r', at: second(2) });
  figures.note({ event: 'breaker', pauseMs: 2000, run: 'r', at: second(6) });
  figures.note({ event: 'end', stopped: null, run: 'r', at: second(rows / 20) });
  return figures;
}

function kindOf(row: number): Partial<RunRow> {
  if (row % 50 === 7)
    return { status: 'unknown', ids: {}, http: null, message: 'The line failed after it was written.' };
  if (row % 20 === 3) {
    const message = `The service refused it (HTTP 422). Location ${row} is "unknown".`;
    return { status: 'rejected', market: 'DE', ids: {}, http: 422, message };
  }
  if (row % 25 !== 9) return {};
  const problem = {
    code: 'phone.invalid',
    severity: 'error',
    field: 'phone',
    column: 'Phone',
    message: `"${row}" is no number.`,
    value: String(row),
  } as const;
  return { status: 'invalid', key: null, ids: {}, http: null, at: null, message: problem.message, problems: [problem] };
}
