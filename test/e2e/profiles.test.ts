import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { logIn, storedProfiles } from '../helpers/login.ts';
import { documentOf } from '../helpers/run-srq.ts';

describe.concurrent('a login changes no profile that others rely on', () => {
  test('a login that names no profile replaces no live one that leads elsewhere', async ({
    desk,
    sandbox,
    openSandbox,
  }) => {
    const other = await openSandbox();
    await logIn(desk, sandbox);
    const settings = join(desk.config, 'config.json');
    writeFileSync(settings, readFileSync(settings, 'utf8').replaceAll(sandbox.baseUrl, 'https://live.example.com'));
    const refused = await logIn(desk, other);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(
        /default is in force and belongs to another account[\s\S]*--profile NAME[\s\S]*--profile default/,
      ),
    ]);
    expect(other.requests()).toEqual([]);
    expect(storedProfiles(desk)['default']).toMatchObject({ baseUrl: 'https://live.example.com' });
    expect(await logIn(desk, other, '--profile', 'default')).toMatchObject({ code: 0 });
    expect(storedProfiles(desk)['default']).toMatchObject({ baseUrl: other.baseUrl });
    // A test service is not what cron sends its leads to.
    expect(await logIn(desk, sandbox)).toMatchObject({ code: 0 });
    expect(storedProfiles(desk)['default']).toMatchObject({ baseUrl: sandbox.baseUrl });
  });

  test('a login with --sandbox changes no profile, for the sandbox has none', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox, '--profile', 'shop');
    await logIn(desk, sandbox, '--profile', 'office');
    const before = storedProfiles(desk);
    for (const words of [['logout'], ['profile', 'use', 'office']]) {
      const ended = await desk.call(...words, '--sandbox', '--json');
      const error = { code: 'usage', reason: 'flags.contradict', message: expect.stringContaining('no profile') };
      expect([words, ended.code, documentOf(ended)]).toMatchObject([words, 2, { error }]);
    }
    expect(storedProfiles(desk)).toEqual(before);
    expect(documentOf(await desk.call('status', '--json'))).toMatchObject({
      profile: 'shop',
      token: { state: 'valid' },
    });
  });
});

describe.concurrent('nothing that was found out at one service is used at another', () => {
  test('a token of one service is not used or shown at another where the profile now leads', async ({
    desk,
    sandbox,
    openSandbox,
  }) => {
    const other = await openSandbox();
    await logIn(desk, sandbox);
    await desk.call('create', ...requestFor('aqui'));
    const settings = join(desk.config, 'config.json');
    const moved = readFileSync(settings, 'utf8').replaceAll(sandbox.baseUrl, other.baseUrl);
    writeFileSync(settings, moved.replaceAll(sandbox.clientId, other.clientId));
    expect(documentOf(await desk.call('status', '--json'))).toMatchObject({ token: { state: 'none' } });
    expect(await desk.call('create', ...requestFor('aqui'))).toMatchObject({ code: 0 });
    const answered = other.requests().filter(({ operation }) => operation !== 'validate');
    expect(answered.map(({ operation, status }) => [operation, status])).toEqual([
      ['token', 200],
      ['create', 201],
    ]);
  });

  test('the log of one service does not count at another: what was created there is sent here all the same', async ({
    desk,
    sandbox,
    openSandbox,
  }) => {
    const other = await openSandbox();
    const leads = desk.write('leads.csv', leadsCsv(3));
    const run = async () => documentOf(await desk.call('bulk', leads, '--rate', 'max', '--json'));
    desk.use(sandbox);
    expect(await run()).toMatchObject({ created: 3 });
    desk.use(other);
    expect(await run()).toMatchObject({ created: 3, repeated: 0 });
    desk.use(sandbox);
    expect(await run()).toMatchObject({ created: 0, repeated: 3 });
  });
});
