import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Profile } from '../../src/settings/profile-store.ts';
import { requireCertificateCheck, resolveSettings, runSecretCommand } from '../doors/kept.ts';

const SHOP: Profile = { baseUrl: 'https://api.example.com', clientId: '7', clientSecret: 'stored' };

const settingsOf = (profiles: Record<string, Profile>, env: Record<string, string> = {}) =>
  resolveSettings({ value: 'shop', source: 'default' }, profiles, env);

/** A command that prints these lines, without a shell. */
const printing = (...lines: string[]) =>
  `"${process.execPath}" -e 'process.stdout.write(process.argv.slice(1).join("\\n"))' ${lines.map((line) => `'${line}'`).join(' ')}`;

describe('The settings of a command', () => {
  test('The settings of a command come from the environment, and else from the profile', () => {
    expect(settingsOf({ shop: SHOP })).toMatchObject({
      baseUrl: { value: 'https://api.example.com', source: 'profile' },
      clientId: { value: '7', source: 'profile' },
      secret: { state: 'stored' },
      encoding: 'form',
      ownBaseUrl: 'https://api.example.com',
      otherProfiles: [],
    });
    const env = { SRQ_BASE_URL: 'https://api.example.org/v2/', SRQ_CLIENT_ID: '8', SRQ_CLIENT_SECRET: 'given' };
    expect(settingsOf({ shop: { ...SHOP, encoding: 'json' } }, env)).toMatchObject({
      baseUrl: { value: 'https://api.example.org/v2', source: 'env' },
      clientId: { value: '8', source: 'env' },
      secret: { state: 'env' },
      encoding: 'json',
      ownBaseUrl: 'https://api.example.com',
    });
    // A variable that is set to nothing, as in a Compose file, is as good as none.
    expect(settingsOf({ shop: SHOP }, { SRQ_BASE_URL: '', SRQ_CLIENT_ID: '', SRQ_CLIENT_SECRET: '' })).toMatchObject({
      baseUrl: { source: 'profile' },
      clientId: { source: 'profile' },
      secret: { state: 'stored' },
    });
  });

  test('The settings are missing where the profile is not stored, and the message names the other profiles', () => {
    expect(settingsOf({ office: SHOP, depot: SHOP })).toMatchObject({
      baseUrl: null,
      clientId: null,
      ownBaseUrl: null,
      secret: { state: 'missing' },
      otherProfiles: ['office', 'depot'],
    });
    const named = (value: string) => resolveSettings({ value, source: 'flag' }, { shop: SHOP }, {});
    expect(named('constructor').baseUrl).toBeNull();
  });

  test.each([
    ['another base URL', { SRQ_BASE_URL: 'https://api.example.org' }],
    ['another client', { SRQ_CLIENT_ID: '8' }],
  ])("The settings do not send the profile's secret to %s", async (_, env) => {
    const stored: Profile[] = [SHOP, { ...SHOP, clientSecret: undefined, secretCommand: printing('printed') }];
    for (const profile of stored) {
      expect(settingsOf({ shop: profile }).secret.state).not.toBe('missing');
      const elsewhere = settingsOf({ shop: profile }, env);
      expect(elsewhere.secret.state).toBe('missing');
      await expect(elsewhere.secret.read()).rejects.toMatchObject({
        reason: 'auth.missing',
        message: 'You are not logged in: SRQ_CLIENT_SECRET is missing.',
      });
    }
  });

  test.each<[isLive: boolean, profile: Profile, env: Record<string, string>]>([
    [true, SHOP, {}],
    [false, { ...SHOP, test: true }, {}],
    [true, { ...SHOP, test: false }, {}],
    // A profile is a test profile for its own service alone.
    [true, { ...SHOP, test: true }, { SRQ_BASE_URL: 'https://api.example.org' }],
    [true, { ...SHOP, test: true }, { SRQ_CLIENT_ID: '8' }],
    [false, SHOP, { SRQ_BASE_URL: 'http://127.0.0.1:8080' }],
    [false, { ...SHOP, baseUrl: 'http://localhost:8080' }, {}],
  ])('The settings make srq ask before a bulk run where a real service would get it: %s', (isLive, profile, env) => {
    expect(settingsOf({ shop: profile }, env).live).toBe(isLive);
  });
});

describe('A secret', () => {
  test('A secret is read from where the profile has it, and from the environment before that', async () => {
    const kinds: [Profile, string, string][] = [
      [SHOP, 'stored', 'stored'],
      [{ ...SHOP, secretCommand: printing('printed') }, 'command', 'printed'],
    ];
    for (const [profile, state, text] of kinds) {
      const { secret } = settingsOf({ shop: profile });
      expect([secret.state, (await secret.read()).reveal()]).toEqual([state, text]);
      const given = settingsOf({ shop: profile }, { SRQ_CLIENT_SECRET: 'given' }).secret;
      expect([given.state, (await given.read()).reveal()]).toEqual(['env', 'given']);
    }
  });

  test('A secret that a command prints is its first line; words in quotes are kept together', async () => {
    expect(await runSecretCommand(printing('s3cret', 'and more', ''))).toBe('s3cret');
    expect(await runSecretCommand(printing('two  words'))).toBe('two  words');
    const windows = `"${process.execPath}" -e 'process.stdout.write("s3cret\\r\\nmore")'`;
    expect(await runSecretCommand(windows)).toBe('s3cret');
  });

  test('A secret is in no message where its command fails after it printed it', async () => {
    const command = `"${process.execPath}" -e 'process.stdout.write("s3" + "cret"); process.exitCode = 3'`;
    const error = await runSecretCommand(command).catch((thrown) => thrown);
    expect(error).toMatchObject({
      reason: 'auth.no-secret',
      message: 'The secret command failed (exit code 3).',
      hint: `Try it by hand: "${process.execPath}" …`,
    });
    expect(inspect(error, { depth: null })).not.toContain('s3cret');
  });
});

test.skipIf(process.platform === 'win32').each([
  ['no-such-program', 'no-such-program'],
  ["no-such-program -H 'Authorization: Bearer t0ken'", 'no-such-program …'],
  ["'no such program' t0ken", "'no such program' …"],
  ['VAULT_TOKEN=t0ken no-such-program', 'VAULT_TOKEN …'],
])('a failed secret command is shown by its program alone, as its words may be secrets: %s', async (command, shown) => {
  const error = await runSecretCommand(command, process.env).catch((thrown) => thrown);
  expect(error).toMatchObject({
    reason: 'auth.no-secret',
    message: 'The secret command failed (exit code 127).',
    hint: `Try it by hand: ${shown}`,
  });
  expect(inspect(error, { depth: null })).not.toContain('t0ken');
});

test.skipIf(process.platform === 'win32')('a secret command may be a pipe', async () => {
  expect(await runSecretCommand("printf 'user\\ns3cret\\n' | tail -n 1")).toBe('s3cret');
});

test.skipIf(process.platform === 'win32')('a secret command does not inherit other secrets', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ['SRQ_CLIENT_SECRET', 'PGPASSWORD']) {
    vi.stubEnv(name, 'open-sesame');
    await expect(runSecretCommand(`printenv ${name}`, process.env)).rejects.toMatchObject({
      reason: 'auth.no-secret',
    });
  }
});

test('nothing is sent where the environment turns the check of certificates off', () => {
  expect(() => requireCertificateCheck({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, ' in NODE_EXTRA_CA_CERTS')).toThrow(
    expect.objectContaining({
      reason: 'certificate.unchecked',
      hint: expect.stringMatching(/name its file in NODE_EXTRA_CA_CERTS$/),
    }),
  );
  requireCertificateCheck({ NODE_TLS_REJECT_UNAUTHORIZED: '1' }, '');
  requireCertificateCheck({}, '');
});
