import { createServer, type TlsOptions } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { networkFailure } from '../../src/service/network/network-failure.ts';
import { httpTo } from '../doors/client.ts';
import { certificateMaker, type Pair, trusted } from '../helpers/certificate.ts';
import { closedPort, rawAnswer, startRawService } from '../helpers/raw-service.ts';
import { startTlsFront } from '../helpers/tls-front.ts';

/** Ends the waiting for those who never answer. */
const SOON_MS = 300;
/** Is long enough for a busy machine to make a connection with TLS. */
const USUAL_MS = 30_000;

test('too little memory is not reported as a service that could not be reached', () => {
  const { reason, hint } = networkFailure(new RangeError('WebAssembly.instantiate(): Out of memory: wasm memory'));
  expect([reason, hint]).toEqual([expect.not.stringContaining('reached'), expect.stringContaining('ulimit -v')]);
});

async function failureAt(baseUrl: string, proxyUrl: string | null = null, timeoutMs = USUAL_MS) {
  const proxy = proxyUrl === null ? null : { url: proxyUrl, authorization: null };
  const http = httpTo(baseUrl, { proxy, timeoutMs });
  const { error, written } = await http.send('POST', '/', {}, '');
  if (!error) throw new Error('It was answered.');
  return { ...networkFailure(error), written };
}

const okService = () => startRawService((socket) => socket.write(rawAnswer('200 OK', '{}')));

describe('every failure to reach the service has a sentence and a way out of its own', () => {
  test('a name that nobody knows has a message and a way out of its own', async () => {
    const { reason, hint, final } = await failureAt('https://nobody.invalid');
    expect(reason).toMatch(/name server .*nobody\.invalid/);
    expect([hint, final]).toEqual([expect.stringContaining('srq status'), false]);
  });

  test('a closed port has a message and a way out of its own, by IPv4 and IPv6', async () => {
    const port = await closedPort();
    expect((await failureAt(`https://127.0.0.1:${port}`)).reason).toContain(`nothing listens at 127.0.0.1:${port}`);
    expect((await failureAt(`https://[::1]:${port}`)).reason).toContain(`nothing listens at [::1]:${port}`);
  });

  // A network that drops the first packet looks the same to the client, and cannot be had on loopback.
  test('a connection on which TLS never comes about has a message of its own', async () => {
    const silent = await startRawService(() => {});
    const { reason, written } = await failureAt(`https://127.0.0.1:${silent.port}`, null, SOON_MS);
    expect([reason, written]).toEqual([expect.stringContaining('no connection was made in time'), false]);
  });

  test('a connection that is cut while TLS begins has a message of its own', async () => {
    const rude = await startRawService(() => {}, { connected: (socket) => socket.resetAndDestroy() });
    expect((await failureAt(`https://127.0.0.1:${rude.port}`)).reason).toContain('the connection was cut');
  });
});

const make = certificateMaker();

describe.skipIf(!make)('a certificate that is not accepted says why (needs openssl)', () => {
  const serve = async (options: TlsOptions) => startTlsFront(`http://127.0.0.1:${(await okService()).port}`, options);

  test('a certificate not signed by a known authority: the hint names the variable that adds one', async () => {
    const { reason, hint, final } = await failureAt(await serve({ ...make?.('self') }));
    expect(reason).toContain('not signed by an authority that this machine trusts');
    expect([hint, final]).toEqual([expect.stringContaining('NODE_EXTRA_CA_CERTS=FILE'), true]);
  });

  test('an expired certificate is reported as expired', async () => {
    const ca = make?.('Office CA') as Pair;
    trusted(ca);
    const baseUrl = await serve({ ...make?.('late', { days: -1, signedBy: ca }) });
    const { reason, hint, final } = await failureAt(baseUrl);
    expect([reason, final]).toEqual([expect.stringContaining("The service's certificate has expired"), true]);
    expect(hint).toContain('clock');
  });

  test('a certificate for another host is reported as such', async () => {
    const pair = make?.('other', { names: 'DNS:other.example.com' }) as Pair;
    trusted(pair);
    const { reason, final } = await failureAt(await serve({ ...pair }));
    expect([reason, final]).toEqual([expect.stringContaining('is for another name than 127.0.0.1'), true]);
  });

  test('a service that asks for a client certificate: srq has none, and says so', async () => {
    const pair = make?.('both') as Pair;
    trusted(pair);
    const asking = { ...pair, ca: pair.cert, requestCert: true, rejectUnauthorized: true };
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      const { reason, hint } = await failureAt(await serve({ ...asking, maxVersion }));
      expect([maxVersion, reason + hint]).toEqual([maxVersion, expect.stringContaining('which srq does not have')]);
    }
  });

  test("a certificate of the proxy is reported as the proxy's, not the service's", async () => {
    const pair = make?.('proxy');
    const server = createServer({ ...pair }, (socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const { reason } = await failureAt('https://service.invalid', `https://${host}`);
    server.close();
    expect(reason).toContain(`The proxy ${host}'s certificate`);
  });
});

describe('a proxy that does not let through is never taken for the service', () => {
  test('a closed port of the proxy is not taken for the service', async () => {
    const port = await closedPort();
    const { reason, hint } = await failureAt('https://service.invalid', `http://127.0.0.1:${port}`);
    expect(reason).toContain(`The proxy 127.0.0.1:${port} could not be reached: nothing listens`);
    expect(hint).toContain('HTTPS_PROXY');
  });

  test.each([
    ['a silent proxy', null, 'the proxy did not answer in time'],
    ['a proxy that refuses', 'HTTP/1.1 403 Forbidden\r\n\r\n', '403'],
  ])('%s is not taken for the service, and its connection is closed', async (_, answer, told) => {
    const proxy = await startRawService((socket) => answer && socket.write(answer));
    const { reason, written } = await failureAt('https://service.invalid', `http://127.0.0.1:${proxy.port}`);
    expect([reason, written]).toEqual([expect.stringContaining(told), false]);
    await expect.poll(() => proxy.endings(), { timeout: 20_000 }).not.toEqual([]);
  });
});

test.each([
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'client certificate'],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'client certificate'],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', 'client certificate'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'client certificate'],
  ['CERT_NOT_YET_VALID', 'is not valid yet'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'not signed by an authority'],
  ['EHOSTUNREACH', 'no route to it'],
  ['EAI_AGAIN', 'name server'],
])('the TLS or system failure %s means: %s', (code, words) => {
  expect(networkFailure(Object.assign(new Error('no'), { code })).reason).toContain(words);
});
