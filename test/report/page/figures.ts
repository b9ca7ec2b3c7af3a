import { RunFigures } from '../../../src/report/page/run-figures.ts';
import type { RecordedNote } from '../../../src/request/log/log-store.ts';
import { noCounts } from '../../../src/request/log/status.ts';
import type { LogRecord } from '../../../src/request/ports.ts';

const STARTED_MS = Date.UTC(2026, 10, 21, 10);

/** A time so many seconds after the start of the run. */
export const second = (seconds: number): string => new Date(STARTED_MS + seconds * 1000).toISOString();

/** The last record of the request of a row. */
export function rowOf(row: number, changes: Partial<LogRecord> = {}): LogRecord {
  const key = row.toString(16).padStart(32, '0');
  const ids = { request_id: `9${String(row).padStart(19, '0')}` };
  return recordOf(second(row), { row, ref: `L-${row}`, key, market: 'PT', ids, ...changes });
}

export function recordOf(at: string, changes: Partial<LogRecord> = {}): LogRecord {
  const base = { key: '0'.repeat(32), row: 1, ref: null, event: 'created', at, run: 'r', ids: {}, http: 201 } as const;
  return { ...base, ms: 40, message: null, raw: null, by: null, again: false, ...changes };
}

export function beginOf(rows: number, changes: object = {}): Extract<RecordedNote, { event: 'begin' }> {
  const service = 'api.example.com';
  const known = { event: 'begin', version: '1.0.0', file: 'leads.csv', profile: 'default', live: true } as const;
  const counts = { ...noCounts(), ready: rows };
  return { ...known, run: 'r', at: second(0), service, rows, counts, ...changes };
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

function kindOf(row: number): Partial<LogRecord> {
  if (row % 50 === 7)
    return { event: 'unknown', ids: {}, http: null, message: 'The line failed after it was written.' };
  if (row % 20 === 3) {
    const message = `The service refused it (HTTP 422). Location ${row} is "unknown".`;
    return { event: 'rejected', market: 'DE', ids: {}, http: 422, message };
  }
  return row % 25 === 9 ? { event: 'rejected', ids: {}, http: 403, message: 'Not in this market (HTTP 403).' } : {};
}
