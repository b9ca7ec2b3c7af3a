import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { longLog } from '../helpers/long-log.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const logOf = (desk: Desk) => join(desk.state, 'default.ndjson');
const bulk = (desk: Desk, ...args: string[]) => desk.call('bulk', '--rate', 'max', ...args);

describe.concurrent('log', () => {
  test('srq log shows nothing of the person a request is about', async ({ partner }) => {
    await bulk(partner, partner.write('leads.csv', leadsCsv(3)));
    await partner.call('create', ...requestFor('segredo da cozinha'), '--lang', 'no idea', '--no-validate');
    const text = readFileSync(logOf(partner), 'utf8');
    for (const personal of ['Ana', 'ana1@', '912345678', 'Pintar', 'Inês', 'segredo', 'Lisboa'])
      expect(text).not.toContain(personal);
  });

  const AT = '2026-11-20T10:00:00.000Z';

  test('srq log --run lists also the requests that a later run has settled', async ({ desk }) => {
    mkdirSync(desk.state);
    const line = (digit: string, run: string, event: string) =>
      `${JSON.stringify({ key: digit.repeat(32), event, at: AT, run, row: 1, ref: `L-${digit}` })}\n`;
    const records = [line('1', 'first', 'unknown'), line('1', 'second', 'created'), line('2', 'third', 'created')];
    writeFileSync(logOf(desk), records.join(''));
    for (const run of ['first', 'second', 'fir'])
      expect(documentsOf(await desk.call('log', '--json', '--run', run))).toMatchObject([
        { ref: 'L-1', run: 'second' },
      ]);
  });

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
