import type { TlsOptions } from 'node:tls';
import { describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { CANARY } from '../helpers/canary-secret.ts';
import { certificateMaker, type Pair } from '../helpers/certificate.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { requestFor } from '../helpers/leads.ts';
import { loginTo, storedProfiles } from '../helpers/login.ts';
import { startProxy } from '../helpers/proxy-service.ts';
import { closedPort, startRawService } from '../helpers/raw-service.ts';
import { startTlsFront } from '../helpers/tls-front.ts';

const make = certificateMaker();

/** Puts TLS before the sandbox and has the environment lead there. */
async function secured(desk: Desk, sandbox: Sandbox, options: TlsOptions, host?: '::1'): Promise<Sandbox> {
  const service = { ...sandbox, baseUrl: await startTlsFront(sandbox.baseUrl, options, host) };
  desk.use(service);
  return service;
}

describe.skipIf(!make)('TLS (needs openssl)', () => {
  test('a private authority is trusted where --ca-file names it, and a login keeps that', async ({ desk, sandbox }) => {
    const ca = make?.('Office CA') as Pair;
    const service = await secured(desk, sandbox, { ...make?.('service', { signedBy: ca }) });
    const refused = await desk.run('create', ...requestFor('sem autoridade'));
    expect(refused.code).toBe(5);
    expect(refused.stderr).toMatch(/not signed by an authority that this machine trusts[\s\S]*--ca-file FILE/);
    expect(await desk.run('create', ...requestFor('com autoridade'), '--ca-file', ca.certFile)).toMatchObject({
      code: 0,
    });

    for (const name of ['SRQ_BASE_URL', 'SRQ_CLIENT_ID', 'SRQ_CLIENT_SECRET']) delete desk.env[name];
    desk.write('ca.pem', ca.cert);
    const login = loginTo(service, '--client-secret-stdin', '--ca-file', 'ca.pem');
    expect(await desk.start(login, { stdin: CANARY }).ended).toMatchObject({ code: 0 });
    expect(storedProfiles(desk)['default']).toMatchObject({ caFile: `${desk.work}/ca.pem` });
    // A later login needs no flag for that, neither to prove the credentials nor to keep it.
    expect(await desk.start(loginTo(service, '--client-secret-stdin'), { stdin: CANARY }).ended).toMatchObject({
      code: 0,
    });
    expect(storedProfiles(desk)['default']).toMatchObject({ caFile: `${desk.work}/ca.pem` });
    const elsewhere = desk.start(['create', ...requestFor('noutra pasta')], { cwd: desk.folder });
    expect(await elsewhere.ended).toMatchObject({ code: 0 });
  });

  test('a client certificate is shown to a service that wants one, its key opened by a passphrase', async ({
    desk,
    sandbox,
  }) => {
    const pair = make?.('service') as Pair;
    const ours = make?.('partner', { signedBy: pair, passphrase: 'open sesame' }) as Pair;
    await secured(desk, sandbox, { ...pair, ca: pair.cert, requestCert: true, rejectUnauthorized: true });
    const files = ['--ca-file', pair.certFile, '--cert', ours.certFile, '--key', ours.keyFile];
    const env = { SRQ_KEY_PASSPHRASE: 'open sesame' };
    const created = desk.start(['create', ...requestFor('com certificado'), ...files, '--verbose'], { env });
    const ended = await created.ended;
    expect([ended.code, ended.stdout + ended.stderr]).toEqual([0, expect.not.stringContaining('open sesame')]);

    const locked = await desk.run('create', ...requestFor('x'), ...files);
    expect([locked.code, locked.stderr]).toEqual([2, expect.stringContaining('SRQ_KEY_PASSPHRASE')]);
    const without = await desk.run('doctor', '--ca-file', pair.certFile);
    expect([without.code, without.stdout]).toEqual([5, expect.stringMatching(/✗ tls .*asks for a client certificate/)]);
  });

  test('a service at an IPv6 address is reached', async ({ desk, sandbox }) => {
    const pair = make?.('service') as Pair;
    const { baseUrl } = await secured(desk, sandbox, { ...pair }, '::1');
    expect(baseUrl).toMatch(/^https:\/\/\[::1\]:\d+$/);
    expect(await desk.run('create', ...requestFor('por IPv6'), '--ca-file', pair.certFile)).toMatchObject({ code: 0 });
    const diagnosed = await desk.run('doctor', '--ca-file', pair.certFile);
    expect([diagnosed.code, diagnosed.stdout]).toEqual([0, expect.stringMatching(/✓ tls .*TLSv1\.3/)]);
  });

  test('a proxy is used with user and password, which nothing shows, and NO_PROXY goes past it', async ({
    desk,
    sandbox,
  }) => {
    const pair = make?.('service') as Pair;
    const { baseUrl } = await secured(desk, sandbox, { ...pair });
    const proxy = await startProxy({ user: `ana:${CANARY}` });
    const address = proxy.url.replace('//', `//ana:${encodeURIComponent(CANARY)}@`);
    const run = (need: string, env: Record<string, string>, ...more: string[]) =>
      desk.start(['create', ...requestFor(need), '--ca-file', pair.certFile, ...more], { env }).ended;

    expect(await run('pelo proxy', { HTTPS_PROXY: address }, '--verbose')).toMatchObject({ code: 0 });
    expect(new Set(proxy.targets)).toEqual(new Set([baseUrl.replace('https://', '')]));
    const before = proxy.targets.length;
    expect(await run('sem proxy', { HTTPS_PROXY: address, NO_PROXY: '127.0.0.1' })).toMatchObject({ code: 0 });
    expect(proxy.targets).toHaveLength(before);

    const wrong = await run('x', { HTTPS_PROXY: address.replace('ana', 'eva') });
    expect([wrong.code, wrong.stderr]).toEqual([5, expect.stringContaining('The proxy wants to know who you are')]);
    const port = await closedPort();
    const gone = await run('x', { HTTPS_PROXY: `http://127.0.0.1:${port}` });
    expect([gone.code, gone.stderr]).toEqual([5, expect.stringContaining(`The proxy 127.0.0.1:${port} could not be`)]);
  });
});

describe('nothing is sent to a store where the check of certificates is turned off', () => {
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };

  test.for([
    '',
    '?sslmode=prefer',
    '?sslmode=require',
    '?sslmode=verify-ca',
    '?sslmode=verify-full',
    '?sslmode=no-verify',
  ])('nothing is sent to a store of another machine without a check of certificates, %s', async (mode, { desk }) => {
    const store = `postgres://ana@store.invalid/leads${mode}`;
    const { code, stderr } = await desk.start(['log', '--store', store], { env }).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining('turns off the check of certificates')]);
    expect(stderr).toContain('?sslrootcert=FILE');
  });

  test('nothing is sent to an encrypted store here without a check of certificates', async ({ desk, sandbox }) => {
    desk.use(sandbox);
    const server = await startRawService((socket) => socket.end());
    const store = `postgres://ana@127.0.0.1:${server.port}/leads`;
    for (const command of [
      ['log'],
      ['create', ...requestFor('x')],
      ['queue'],
      ['work'],
      ['resolve'],
      ['store', 'migrate'],
    ]) {
      const { code } = await desk.start([...command, '--store', `${store}?sslmode=require`], { env }).ended;
      expect([command[0], code]).toEqual([command[0], 2]);
    }
    expect(server.connections()).toBe(0);
    const plain = await desk.start(['log', '--store', store], { env }).ended;
    expect([plain.code, server.connections() > 0]).toEqual([9, true]);
    expect(await desk.start(['status', '--store', `${store}?sslmode=require`], { env }).ended).toMatchObject({
      code: 0,
    });
  });
});
