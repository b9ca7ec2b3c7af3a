import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { bulkArgs, leadsCsv, REQUEST, withOwnPhones } from '../helpers/leads.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';

describe.concurrent('a create whose answer is lost', () => {
  test('a create whose answer is lost is unknown, exit code 7, and is not sent again', async ({ partner, sandbox }) => {
    sandbox.setInstructions([{ on: 'create', fault: 'reset-after' }]);
    const ended = await partner.call('create', ...REQUEST, '--json');
    expect(ended.code).toBe(7);
    expect(documentOf(ended)).toMatchObject({ status: 'unknown', ids: {}, http: null });
    expect(await statsOf(sandbox)).toMatchObject({ created: 1 });
    for (const more of [[], ['--no-validate'], ['--again'], ['--on-duplicate', 'create']]) {
      const again = await partner.call('create', ...REQUEST, '--json', ...more);
      expect([more, again.code, documentOf(again)['status']]).toEqual([more, 7, 'unknown']);
    }
    expect(await statsOf(sandbox)).toMatchObject({ created: 1, doubled: 0 });
    const log = documentsOf(await partner.call('log', '--status', 'unknown', '--json'));
    expect(log).toMatchObject([{ status: 'unknown', ids: {} }]);
  });
});

describe.concurrent('an unknown outcome', () => {
  /** Enough for validate to be tested by those that are known to be created. */
  const ROWS = 14;
  const SETTLING = ['--rate', 'max', '--settle', '1', '--json'];
  const parked = async (desk: Desk, fault: 'reset-after' | 'reset-before', sandbox: Sandbox) => {
    sandbox.setInstructions([{ on: 'create', fault, match: { request_text: 'Pintar a sala 5' } }]);
    const leads = desk.write('leads.csv', withOwnPhones(leadsCsv(ROWS)));
    const ended = await desk.call(...bulkArgs(leads, '--json'));
    expect(documentOf(ended)).toMatchObject({ created: ROWS - 1, unknown: 1 });
    return leads;
  };

  test('an unknown outcome is settled by validate: taken requests are created', async ({ partner, sandbox }) => {
    const leads = await parked(partner, 'reset-after', sandbox);
    const ended = await partner.call('bulk', leads, ...SETTLING);
    expect(ended.code).toBe(0);
    expect(documentOf(ended)).toMatchObject({ created: 1, repeated: ROWS - 1, unknown: 0 });
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, doubled: 0 });
  });

  test('an unknown outcome is settled by validate: what was not taken is sent once', async ({ partner, sandbox }) => {
    const leads = await parked(partner, 'reset-before', sandbox);
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS - 1 });
    expect(await partner.call('bulk', leads, ...SETTLING)).toMatchObject({ code: 0 });
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
  });

  test('an unknown outcome is waited for until a time that srq says, and left to the next run by Ctrl-C', async ({
    partner,
    sandbox,
  }) => {
    const leads = await parked(partner, 'reset-before', sandbox);
    const running = partner.start(['bulk', leads, '--rate', 'max', '--json']);
    await running.until(/Waiting for .*, then asking validate\. Ctrl-C leaves this to the next run/);
    running.process.kill('SIGINT');
    const ended = await running.ended;
    expect([ended.code, documentOf(ended)]).toEqual([130, expect.objectContaining({ unknown: 1, repeated: ROWS - 1 })]);
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS - 1 });
  });

  test('an unknown outcome dated tomorrow is not waited for: it stays unknown, and srq says so', async ({
    partner,
    sandbox,
  }) => {
    const leads = await parked(partner, 'reset-before', sandbox);
    const tomorrow = new Date(Date.now() + 24 * 60 * 60_000).toISOString();
    const path = join(partner.state, 'default.ndjson');
    const log = readFileSync(path, 'utf8');
    writeFileSync(path, log.replace(/("event":"unknown","at":")[^"]*(?=[^\n]*"ref":"L-5")/, `$1${tomorrow}`));
    const ended = await partner.call('bulk', leads, ...SETTLING);
    expect([ended.code, documentOf(ended)]).toEqual([7, expect.objectContaining({ unknown: 1, repeated: ROWS - 1 })]);
    expect(ended.stderr).toMatch(/1 stays unknown: Its record in the log is dated \d{4}-.*contradicts/);
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS - 1 });
  });
});
