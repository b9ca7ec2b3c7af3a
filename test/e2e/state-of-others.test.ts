import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

describe.skipIf(process.platform === 'win32')('a state file that others may have written', () => {
  test('of what was learned of the service: is not used, not changed, and is named', async ({ partner, sandbox }) => {
    expect((await partner.call('create', ...requestFor('antes'))).code).toBe(0);
    const learned = join(partner.state, 'default.learned.json');
    chmodSync(learned, 0o666);
    const before = readFileSync(learned, 'utf8');
    const ended = await partner.call('create', ...requestFor('depois'));
    expect(ended.code).toBe(0);
    expect(ended.stderr.split(`chmod 600 ${learned}`)).toHaveLength(2);
    expect(readFileSync(learned, 'utf8')).toBe(before);
    expect(creates(sandbox)).toHaveLength(2);
  });

  test('of the token: is named, and a token asked for', async ({ partner, sandbox }) => {
    expect((await partner.call('create', ...requestFor('antes'))).code).toBe(0);
    const cached = join(partner.state, 'default.token.json');
    chmodSync(cached, 0o664);
    const tokens = () => sandbox.requests().filter(({ operation }) => operation === 'token').length;
    const before = tokens();
    const ended = await partner.call('create', ...requestFor('depois'));
    expect([ended.code, tokens()]).toEqual([0, before + 1]);
    expect(ended.stderr.split(`chmod 600 ${cached}`)).toHaveLength(2);
  });

  test('of the contract: stops every command that would send', async ({ partner, sandbox }) => {
    const contract = join(partner.config, 'contracts', 'default.json');
    mkdirSync(join(partner.config, 'contracts'), { recursive: true });
    writeFileSync(contract, '{}');
    chmodSync(contract, 0o666);
    const ended = await partner.call('create', ...requestFor('x'), '--json');
    expect([ended.code, documentOf(ended)]).toEqual([
      2,
      {
        error: expect.objectContaining({
          code: 'settings',
          message: expect.stringContaining('other users (mode 0666)'),
        }),
      },
    ]);
    expect(creates(sandbox)).toEqual([]);
  });
});

test('a state folder that is none costs time only, where the log is elsewhere', async ({ partner, sandbox }) => {
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
