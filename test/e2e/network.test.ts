import type { TlsOptions } from 'node:tls';
import { describe, expect } from 'vitest';
import type { Step } from '../../src/request/documents/diagnosis.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { CANARY } from '../helpers/canary-secret.ts';
import { certificateMaker, type Pair } from '../helpers/certificate.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { requestFor } from '../helpers/leads.ts';
import { startProxy } from '../helpers/proxy-service.ts';
import { startRawService } from '../helpers/raw-service.ts';
import { documentOf, type Ended } from '../helpers/run-srq.ts';
import { startTlsFront } from '../helpers/tls-front.ts';

const make = certificateMaker();

/** Puts TLS before the sandbox and has the environment lead there. */
async function secured(desk: Desk, sandbox: Sandbox, options: TlsOptions, host?: '::1'): Promise<Sandbox> {
  const service = { ...sandbox, baseUrl: await startTlsFront(sandbox.baseUrl, options, host) };
  desk.use(service);
  return service;
}

const stepOf = (ended: Ended, name: string) =>
  (documentOf(ended)['steps'] as Step[]).find((step) => step.name === name);

describe.skipIf(!make)('TLS (needs openssl)', () => {
  test('a private authority is trusted where NODE_EXTRA_CA_CERTS names it', async ({ desk, sandbox }) => {
    const ca = make?.('Office CA') as Pair;
    await secured(desk, sandbox, { ...make?.('service', { signedBy: ca }) });
    const refused = await desk.call('create', ...requestFor('sem autoridade'));
    expect([refused.code, refused.stderr]).toEqual([
      5,
      expect.stringMatching(/not signed by an authority that this machine trusts[\s\S]*NODE_EXTRA_CA_CERTS=FILE/),
    ]);

    desk.env['NODE_EXTRA_CA_CERTS'] = ca.certFile;
    expect(await desk.run('create', ...requestFor('com autoridade'))).toMatchObject({ code: 0 });
  });

  test('a service that wants a client certificate: the doctor says that srq has none', async ({ desk, sandbox }) => {
    const pair = make?.('service') as Pair;
    await secured(desk, sandbox, { ...pair, ca: pair.cert, requestCert: true, rejectUnauthorized: true });
    desk.env['NODE_EXTRA_CA_CERTS'] = pair.certFile;
    const ended = await desk.run('doctor');
    expect([ended.code, ended.stdout]).toEqual([5, expect.stringMatching(/✗ token [\s\S]*which srq does not have/)]);
  });

  test('a service at an IPv6 address is reached', async ({ desk, sandbox }) => {
    const pair = make?.('service') as Pair;
    const { baseUrl } = await secured(desk, sandbox, { ...pair }, '::1');
    expect(baseUrl).toMatch(/^https:\/\/\[::1\]:\d+$/);
    desk.env['NODE_EXTRA_CA_CERTS'] = pair.certFile;
    expect(await desk.run('create', ...requestFor('por IPv6'))).toMatchObject({ code: 0 });
  });

  test('the doctor tells issuer and end of the certificate, and warns two weeks before', async ({ desk, sandbox }) => {
    const ca = make?.('Office CA') as Pair;
    desk.env['NODE_EXTRA_CA_CERTS'] = ca.certFile;
    for (const [days, result] of [
      [60, 'ok'],
      [5, 'warn'],
    ] as const) {
      await secured(desk, sandbox, { ...make?.('service', { days, signedBy: ca }) });
      const ended = await desk.run('doctor', '--json');
      expect(stepOf(ended, 'tls')).toMatchObject({
        result,
        reason: result === 'warn' ? 'service.certificate-ends' : null,
        message: expect.stringMatching(/certificate by Office CA, valid until/),
      });
      expect(ended.code).toBe(0);
    }
  });

  test('a proxy is used with user and password, which nothing shows, and NO_PROXY goes past it', async ({
    desk,
    sandbox,
  }) => {
    const pair = make?.('service') as Pair;
    const { baseUrl } = await secured(desk, sandbox, { ...pair });
    const proxy = await startProxy({ user: `ana:${CANARY}` });
    desk.env['HTTPS_PROXY'] = proxy.url.replace('//', `//ana:${encodeURIComponent(CANARY)}@`);
    desk.env['NODE_EXTRA_CA_CERTS'] = pair.certFile;
    expect(await desk.run('create', ...requestFor('pelo proxy'), '--verbose')).toMatchObject({ code: 0 });
    const doctor = await desk.run('doctor', '--json');
    const steps = ['dns', 'tcp', 'tls'].map((name) => stepOf(doctor, name)?.result);
    expect(steps).toEqual(['skip', 'ok', 'ok']);
    expect(new Set(proxy.targets)).toEqual(new Set([baseUrl.replace('https://', '')]));
    const before = proxy.targets.length;
    desk.env['NO_PROXY'] = '127.0.0.1';
    expect(await desk.run('create', ...requestFor('sem proxy'))).toMatchObject({ code: 0 });
    expect(proxy.targets).toHaveLength(before);
    Object.assign(desk.env, { HTTPS_PROXY: proxy.url, NO_PROXY: '' });
    const refused = await desk.run('doctor', '--json');
    expect([refused.code, stepOf(refused, 'tcp')?.message]).toEqual([5, expect.stringContaining('HTTP 407')]);
  });
});

test('nothing is sent to a store where the check of certificates is turned off and the connection is encrypted', async ({
  desk,
  sandbox,
}) => {
  desk.use(sandbox);
  desk.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  const elsewhere = await desk.call('log', '--store', 'postgres://ana@store.invalid/leads?sslmode=no-verify');
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    2,
    expect.stringContaining('turns off the check of certificates'),
  ]);
  expect(elsewhere.stderr).toContain('?sslrootcert=FILE');

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
    const { code } = await desk.call(...command, '--store', `${store}?sslmode=require`);
    expect([command[0], code]).toEqual([command[0], 2]);
  }
  expect(server.connections()).toBe(0);
  const plain = await desk.call('log', '--store', store);
  expect([plain.code, server.connections() > 0]).toEqual([9, true]);
});
