import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { logIn, storedProfiles } from '../helpers/login.ts';
import { documentOf } from '../helpers/run-srq.ts';

describe.concurrent('logout', () => {
  test('forgets credentials and token; the log stays', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox);
    await desk.run('create', ...requestFor('antes de sair'));
    const before = desk.records();
    expect(documentOf(await desk.run('logout', '--json'))).toMatchObject({ profile: 'default', removed: true });
    expect(readFileSync(join(desk.config, 'config.json'), 'utf8')).not.toContain(sandbox.clientId);
    expect(desk.files()).not.toContain('state/default.token.json');
    expect(desk.records()).toEqual(before);
    expect(await desk.run('create', ...requestFor('depois de sair'))).toMatchObject({ code: 4 });
    expect(await desk.run('logout')).toMatchObject({ code: 0 });
  });

  test('forgets the named profile alone', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox, '--profile', 'one');
    await logIn(desk, sandbox, '--profile', 'two');
    await desk.run('logout', '--profile', 'one');
    expect(Object.keys(storedProfiles(desk))).toEqual(['two']);
  });
});

describe.concurrent('status', () => {
  test('says what is there on a fresh machine, and how to begin', async ({ desk }) => {
    const ended = await desk.run('status');
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('srq login');
    expect(desk.files().filter((name) => /^(?:config|state)/.test(name))).toEqual([]);
  });

  test('and all else leaves no settings folder behind where the environment says all', async ({ partner }) => {
    expect(await partner.run('create', ...requestFor('sem pasta'))).toMatchObject({ code: 0 });
    expect(partner.files().filter((name) => name.startsWith('config'))).toEqual([]);
  });

  test('gives profile, address, token and paths', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox);
    await desk.run('create', ...requestFor('para o estado'));
    expect(documentOf(await desk.run('status', '--json'))).toMatchObject({
      profile: 'default',
      baseUrl: sandbox.baseUrl,
      clientId: sandbox.clientId,
      secret: 'stored',
      token: { state: 'valid', expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
      paths: {
        config: join(desk.config, 'config.json'),
        state: desk.state,
        log: join(desk.state, 'default.ndjson'),
      },
    });
  });

  test('says where each value comes from: flag, environment, profile', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox, '--profile', 'shop');
    const sourcesOf = async (args: string[], env: Record<string, string> = {}) =>
      documentOf(await desk.start(['status', '--json', ...args], { env }).ended)['sources'];
    expect(await sourcesOf([])).toEqual({ profile: 'profile', baseUrl: 'profile', clientId: 'profile' });
    expect(await sourcesOf(['--profile', 'shop'], { SRQ_PROFILE: 'other' })).toMatchObject({ profile: 'flag' });
    expect(await sourcesOf([], { SRQ_PROFILE: 'shop', SRQ_CLIENT_ID: '7' })).toEqual({
      profile: 'env',
      baseUrl: 'profile',
      clientId: 'env',
    });
  });

  test('does not give a stored secret to an address it was not stored for', async ({ desk, sandbox, openSandbox }) => {
    const other = await openSandbox();
    await logIn(desk, sandbox);
    const env = { SRQ_BASE_URL: other.baseUrl };
    expect(documentOf(await desk.start(['status', '--json'], { env }).ended)).toMatchObject({ secret: 'missing' });
    expect(await desk.start(['create', ...requestFor('desviado')], { env }).ended).toMatchObject({ code: 4 });
    expect(other.requests()).toEqual([]);
  });
});

const BROKEN_SETTINGS = ['{"profiles": {', '[]', '{"profiles": {"default": {"baseUrl": 7}}}'];

describe.concurrent('a broken settings file', () => {
  test.for(BROKEN_SETTINGS)('is named, with exit code 2, and left alone: %s', async (text, { desk }) => {
    mkdirSync(desk.config);
    const path = join(desk.config, 'config.json');
    writeFileSync(path, text);
    const leads = desk.write('leads.csv', leadsCsv(1));
    for (const args of [['status'], ['create', ...requestFor('x')], ['logout'], ['bulk', leads]]) {
      const ended = await desk.run(...args);
      expect([args[0], ended.code, ended.stderr]).toEqual([args[0], 2, expect.stringContaining(path)]);
    }
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});
