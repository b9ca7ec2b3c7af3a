import { afterEach, beforeEach, describe, expect } from 'vitest';
import { trustValidate } from '../helpers/delivery.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { PostgresPair } from '../helpers/postgres-pair.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';

const ROWS = 180;
const WORKERS = 3;
const PATIENCE_MS = 300_000;
const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;

describe.skipIf(postgresIsMissing !== null)(`Workers whose server is replaced${why}`, { timeout: PATIENCE_MS }, () => {
  let pair: PostgresPair;
  beforeEach(async () => {
    pair = await PostgresPair.start();
  }, 120_000);
  afterEach(() => pair?.end());

  test.for([
    ['that has each commit, named as one of two', true] as const,
    ['that lacks the last commits, behind one address', false] as const,
  ])(
    'by one %s: create each row once, are in doubt of none, and end by themselves',
    async ([, isSynchronous], { desk, openSandbox }) => {
      const sandbox = await openSandbox({ latencyMs: 60 });
      desk.use(sandbox);
      Object.assign(desk.env, { SRQ_STORE: isSynchronous ? pair.listed : pair.behindOne, PGPASSWORD: STORE_PASSWORD });
      trustValidate(desk, sandbox);
      const leads = desk.write('leads.csv', leadsCsv(ROWS));
      expect(documentOf(await desk.run('enqueue', leads, '--yes', '--json'))).toMatchObject({ queued: ROWS });
      if (isSynchronous) await pair.synchronize();
      const args = ['work', '--no-validate', '--until-empty', '--concurrency', '4', '--json'];
      const workers = Array.from({ length: WORKERS }, () => desk.start(args, { timeoutMs: PATIENCE_MS }));
      const [first] = workers;
      if (!first) throw new Error('no worker');
      await createdAtLeast(sandbox, ROWS / 6, first);
      await pair.caughtUp();
      if (!isSynchronous) pair.heard.silence();
      const { created: before } = await statsOf(sandbox);
      await createdAtLeast(sandbox, before + ROWS / 6, first);
      pair.replace();
      const ended = await Promise.all(workers.map((worker) => worker.ended));
      for (const each of ended) expect(each.code, JSON.stringify(each)).toBe(0);
      expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
      const text = 'select state::text, count(*)::integer as count from srq.state group by state';
      expect(await pair.standby.query(pair.url, text)).toEqual([{ state: 'created', count: ROWS }]);
      const putBack = ended.filter(({ stderr }) => /had lost \d+ records of this process/.test(stderr)).length;
      if (isSynchronous) expect(putBack).toBe(0);
      else expect(putBack).toBeGreaterThan(0);
    },
  );
});
