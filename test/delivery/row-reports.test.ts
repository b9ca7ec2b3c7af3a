import { describe, expect, test } from 'vitest';
import { runRowOf } from '../../src/delivery/report-rows.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { Row } from '../../src/request/lead/table.ts';
import type { RowReport } from '../../src/request/log/import-plan.ts';
import type { LogRecord } from '../../src/request/ports.ts';
import { submissionOf } from './leads.ts';

const NOTHING = { map: {}, set: {} };
const AT = '2026-11-20T08:00:00.000Z';

const recordOf = (need: string, changes: Partial<LogRecord> = {}): LogRecord => ({
  ...{
    key: submissionOf(need).key,
    row: 1,
    ref: 'A-1',
    event: 'created',
    at: AT,
    run: 'r',
    ids: { id: 'R-1' },
    http: 201,
  },
  ...{ ms: 1, message: null, raw: null, by: null, again: false },
  ...changes,
});

describe('A row of the run report', () => {
  const MAPPING = planMapping(['country', 'phone', 'request_text', 'ref'], NOTHING);
  const report = (changes: Partial<RowReport> = {}, row: Partial<Row> = {}): RowReport => ({
    row: { number: 4, line: 5, cells: [' Portugal ', '+351912345678', 'Pintar', ' L-4 '], problem: null, ...row },
    ...{
      status: 'rejected',
      ids: { id: '1' },
      message: 'No.',
      reason: 'request.rejected',
      problems: [],
      isKept: false,
    },
    record: recordOf('a', { http: 422 }),
    ...changes,
  });

  test('An invalid row of the report holds no text of its cells, even of four letters', () => {
    const problem = {
      ...({
        code: 'audio_file.unusable',
        severity: 'error',
        field: 'audio_file',
        column: 'Audio',
        value: 'Anabela',
      } as const),
      message: 'Anabela and Ana and Anab cannot be read',
    };
    const cells = ['Ana', 'Anab', ' Anabela ', ''];
    const invalid = report({ status: 'invalid', message: 'x', problems: [problem] }, { cells });
    const hidden = runRowOf(invalid, MAPPING, false);
    expect(hidden.message).toBe('Audio: … and Ana and … cannot be read');
    expect(hidden.problems).toEqual([{ ...problem, message: '… and Ana and … cannot be read', value: null }]);
    expect(runRowOf(invalid, MAPPING, true)).toMatchObject({ message: 'x', problems: [problem] });
    expect(runRowOf({ ...invalid, message: null }, MAPPING, false).message).toBeNull();
    // What the service said of a row is no text of ours, and stays.
    expect(runRowOf(report({ message: 'No Anabela.' }, { cells }), MAPPING, false).message).toBe('No Anabela.');
  });
});
