import { expect, test } from 'vitest';
import { painter } from '../../src/report/output.ts';
import { summaryText } from '../../src/report/terminal/summary-text.ts';
import type { ImportSummary } from '../../src/request/import-plan.ts';
import { noCounts } from '../../src/request/status.ts';

const SENT: ImportSummary['asides'] = { withoutIdentifier: 0 };

function summary(
  rows: number,
  counts: Partial<ImportSummary['counts']>,
  asides: ImportSummary['asides'] = SENT,
): string {
  const files = { log: 'x.ndjson', results: [], exportCommand: null, advice: null, next: null };
  const given = { rows, counts: { ...noCounts(), ...counts }, notTried: 0, asides, seconds: 2, stopped: null };
  return summaryText({ ...files, ...given }, painter(false));
}

test('an import of one row is told of one row', () => {
  expect(summary(1, { created: 1 })).toMatch(/^Done: 1 row in 2\.0 s\n/);
  expect(summary(1200, { created: 1200 })).toMatch(/^Done: 1,200 rows in /);
});

test('a dry run is not told as done', () => {
  expect(summary(3, { ready: 3 }, null)).toMatch(/^Checked: 3 rows in 2\.0 s; nothing was sent\n/);
});

test('what failed is said to go with the next run', () => {
  expect(summary(446, { failed: 446 })).toContain('  446  failed     not taken; the next run sends them\n');
});
