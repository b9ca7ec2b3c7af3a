import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { longLog } from '../helpers/long-log.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const logOf = (desk: Desk) => join(desk.state, 'default.ndjson');
describe.concurrent('log', () => {
  test('srq log ends quietly when its reader goes away', async ({ desk }) => {
    mkdirSync(desk.state);
    writeFileSync(logOf(desk), longLog(2_000));
    const under = ['sh', '-c', '("$@"; echo "code $?" >&2) | head -n 1', 'sh'];
    for (const more of [[], ['--json'], ['--csv']]) {
      const { stdout, stderr } = await desk.start(['log', ...more], { under }).ended;
      expect(stdout.split('\n')).toHaveLength(2);
      expect([more, stderr]).toEqual([more, 'code 0\n']);
    }
  });
});

test('srq bulk finishes when nobody reads its output any more', async ({ partner, sandbox }) => {
  const leads = partner.write('leads.csv', leadsCsv(30));
  const under = ['sh', '-c', '"$@" 2>&1 >out.json | true', 'sh'];
  await partner.start(['bulk', leads, '--rate', 'max', '--json'], { under }).ended;
  expect(JSON.parse(partner.read('out.json'))).toMatchObject({ rows: 30, created: 30 });
  expect(creates(sandbox)).toHaveLength(30);
  const closed = ['sh', '-c', '"$@" 2>&-', 'sh'];
  const again = await partner.start(['bulk', leads, '--rate', 'max', '--json'], { under: closed }).ended;
  expect(again.code).toBe(0);
  expect(documentOf(again)).toMatchObject({ repeated: 30 });
});
