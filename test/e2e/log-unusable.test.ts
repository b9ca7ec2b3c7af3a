import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const logOf = (desk: Desk) => join(desk.state, 'default.ndjson');

/** What root alone can try. */
const OWNED: [string, (desk: Desk) => void, string][] = [
  ['the log of another user', (desk) => chownSync(logOf(desk), 4711, 4711), 'belongs to another user'],
  ['the state folder of another user', (desk) => chownSync(desk.state, 4711, 4711), 'belongs to another user'],
];

describe.concurrent('a log that cannot be used: exit code 9 and nothing sent', () => {
  test('a full disk under the log stops the run; what was created is in the log, on the screen or unknown', async ({
    partner,
    sandbox,
  }) => {
    const leads = partner.write('leads.csv', leadsCsv(60));
    // No file may grow over 8 KiB: the log is full after some twenty rows. Results of 60 rows might be larger as well.
    const under = ['sh', '-c', 'ulimit -f 16; exec "$0" "$@"'];
    const env = { NODE_OPTIONS: '--import=data:text/javascript,process.on(%22SIGXFSZ%22,()=>{})' };
    const full = ['bulk', leads, '--rate', 'max', '--concurrency', '4', '--limit', '40', '--json'];
    const ended = await partner.start(full, { under, env }).ended;
    expect(ended.code).toBe(9);
    expect(documentOf(ended)).toMatchObject({ rows: 40, stopped: { message: expect.stringContaining('EFBIG') } });
    const created = creates(sandbox).filter(({ requestId }) => requestId !== null);
    expect(created.length).toBeGreaterThan(5);
    expect(created.length).toBeLessThan(40);
    const lost = created.filter(
      ({ requestId }) =>
        !readFileSync(logOf(partner), 'utf8').includes(`${requestId}`) && !ended.stderr.includes(`${requestId}`),
    );
    expect(lost).toEqual([]);
    // A single request that was not sent is not told as one that may have been taken.
    // Its unfinished last line is cut off first, so what is before it fills the disk.
    const whole = readFileSync(logOf(partner)).lastIndexOf('\n');
    const brim = ['sh', '-c', `ulimit -f ${Math.floor(whole / 512)}; exec "$0" "$@"`];
    const one = await partner.start(['create', ...requestFor('novo'), '--json'], { under: brim, env }).ended;
    expect(one.code).toBe(9);
    expect(documentOf(one)).toMatchObject({ error: { code: 'log', message: expect.stringContaining('EFBIG') } });
    const again = await partner.call('bulk', leads, '--rate', 'max', '--in-doubt', 'park', '--json');
    expect(documentOf(again)).toMatchObject({ rows: 60, failed: 0 });
    expect(new Set(creates(sandbox).map(({ key }) => key)).size).toBe(creates(sandbox).length);
  });

  describe.skipIf(process.platform === 'win32')('others may change it', () => {
    test.for<[string, (desk: Desk) => void, string]>([
      ['the log', (desk) => chmodSync(logOf(desk), 0o666), 'can be changed by other users (mode 0666)'],
      ['its group, the log', (desk) => chmodSync(logOf(desk), 0o660), 'can be changed by other users (mode 0660)'],
      ['the state folder', (desk) => chmodSync(desk.state, 0o777), 'can be written by every user (mode 0777)'],
      ...(process.getuid?.() === 0 ? OWNED : []),
    ])('nothing is sent where others may change %s', async ([, change, words], { partner, sandbox }) => {
      await partner.call('create', ...requestFor('antes'));
      const before = creates(sandbox).length;
      const [leads, text] = [partner.write('leads.csv', leadsCsv(1)), readFileSync(logOf(partner), 'utf8')];
      change(partner);
      for (const args of [
        ['create', ...requestFor('depois')],
        ['bulk', leads],
        ['bulk', leads, '--dry-run'],
        ['log'],
      ]) {
        const ended = await partner.call(...args, '--json');
        expect([args[0], ended.code]).toEqual([args[0], 9]);
        expect(documentOf(ended)).toMatchObject({
          error: { code: 'log', message: expect.stringContaining(words), hint: expect.stringMatching(/ch(mod|own) /) },
        });
      }
      expect([creates(sandbox).length, readFileSync(logOf(partner), 'utf8')]).toEqual([before, text]);
    });

    if (process.getuid?.() !== 0) test.skip('a log of another user is not tried, which needs root', () => {});

    test('a log that was named may lie in a folder that its group can write', async ({ partner }) => {
      const folder = join(partner.work, 'shared');
      mkdirSync(folder);
      chmodSync(folder, 0o775);
      const ended = await partner.call('create', ...requestFor('x'), '--log', join(folder, 'log.ndjson'));
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
    });
  });
});
