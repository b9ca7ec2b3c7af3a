import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

test('a state folder that cannot be made costs only time, where the log is elsewhere', async ({ partner, sandbox }) => {
  partner.env['SRQ_STATE_DIR'] = join(partner.write('file', ''), 'state');
  const log = ['--log', join(partner.config, 'log.ndjson')];
  const created = await partner.call('create', ...requestFor('antes'), ...log);
  expect([created.code, created.stderr]).toEqual([0, expect.not.stringContaining('error in srq')]);
  const leads = partner.write('leads.csv', leadsCsv(3));
  for (const counts of [{ created: 3 }, { created: 0, repeated: 3 }]) {
    const ended = await partner.call('bulk', leads, '--yes', '--json', ...log);
    expect([ended.code, documentOf(ended)]).toEqual([0, expect.objectContaining(counts)]);
  }
  expect((await partner.call('validate', ...requestFor('depois'))).code).toBe(0);
  expect((await partner.call('logout')).code).toBe(0);
  expect(await partner.call('bulk', leads, '--sandbox')).toMatchObject({ code: 0 });
  expect(creates(sandbox)).toHaveLength(4);
});
