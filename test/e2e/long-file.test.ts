import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';

/** `npm run bench -- --only million` does the same with a million rows; the memory is that of 200,000 and what the ledger adds. */
test.skipIf(!existsSync('/proc/self/status'))('a dry run of 200,000 rows keeps below 200 MiB', async ({ desk }) => {
  const leads = join(desk.work, 'leads.csv');
  execFileSync(process.execPath, ['scripts/make-leads.mjs', '200000', leads]);
  const running = desk.start(['bulk', leads, '--dry-run', '--json']);
  let peakKib = 0;
  const watch = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${running.process.pid}/status`, 'utf8');
      peakKib = Math.max(peakKib, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {}
  }, 20);
  const ended = await running.ended;
  clearInterval(watch);
  expect(documentOf(ended)).toMatchObject({ rows: 200_000, ready: 200_000 });
  expect(peakKib).toBeGreaterThan(50 * 1024);
  expect(peakKib).toBeLessThan(200 * 1024);
});
