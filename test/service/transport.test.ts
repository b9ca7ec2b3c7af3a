import type { Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import type { Exchange } from '../../src/service/network/exchange.ts';
import type { Http } from '../../src/service/wire/http.ts';
import { httpTo } from '../doors/client.ts';
import { certificateMaker, trusted } from '../helpers/certificate.ts';
import fc from '../helpers/fast-check.ts';
import { startProxy } from '../helpers/proxy-service.ts';
import { type RawService, rawAnswer, startRawService } from '../helpers/raw-service.ts';
import { startTlsFront } from '../helpers/tls-front.ts';

const OK = rawAnswer('201 Created', '{"id":"4711"}');
const CREATE = '/v1/request/create';
const post = (http: Http, body = 'country=PT'): Promise<Exchange> => http.send('POST', CREATE, {}, body);
const make = certificateMaker();

/** Where the line splits an answer differs from run to run. */
const SEED = Number(process.env['SRQ_TEST_SEED'] ?? Date.now() % 1_000_000);

type Way = 'directly' | 'directly, with TLS' | 'through a proxy' | 'through a proxy with TLS';
/** All but the first need openssl. */
const WAYS: readonly Way[] = make ? ['directly', 'directly, with TLS', 'through a proxy'] : ['directly'];
const ALL_WAYS: readonly Way[] = make ? [...WAYS, 'through a proxy with TLS'] : WAYS;

interface Route {
  readonly service: RawService;
  readonly http: (timeoutMs?: number) => Http;
  /** How the client ended the connections that it made itself. */
  readonly endings: () => readonly string[];
}

/** A service that is reached in this way. */
async function routeTo(
  way: Way,
  respond: Parameters<typeof startRawService>[0],
  connected?: (socket: Socket) => void,
): Promise<Route> {
  const pair = way === 'directly' ? undefined : make?.('service');
  if (pair) trusted(pair);
  const service = await startRawService(respond, {
    ...(connected ? { connected } : {}),
    ...(pair ? { tls: pair } : {}),
  });
  const proxy = way.startsWith('through a proxy') ? await startProxy() : null;
  const proxyUrl =
    proxy && (pair && way.endsWith('with TLS') ? await startTlsFront(proxy.url, { ...pair }) : proxy.url);
  const by = proxyUrl === null ? null : { url: proxyUrl, authorization: null };
  const baseUrl = `${pair ? 'https' : 'http'}://127.0.0.1:${service.port}`;
  return {
    service,
    http: (timeoutMs) => httpTo(baseUrl, { proxy: by, connections: 1, timeoutMs: timeoutMs ?? null }),
    endings: () => proxy?.errors ?? service.endings(),
  };
}

describe('one deadline covers the whole answer', () => {
  test('one deadline covers the answer: a body that comes drop by drop is cut there', async () => {
    const { service, http } = await routeTo('directly', (socket) => {
      socket.write('HTTP/1.1 201 Created\r\ncontent-length: 100000\r\n\r\n');
      drip(socket, ' ');
    });
    const { answer } = await post(http(1_000));
    expect(answer).toMatchObject({ status: 201, complete: false, body: expect.stringMatching(/^ +$/) });
    expect(service.requests()).toHaveLength(1);
  });

  test.each([
    'HTTP/1.1 103 Early Hints\r\n\r\n',
    'HTTP/1.1 102 Processing\r\n\r\n',
    'HTTP/1.1 201 Created\r\nx-a: b\r\n',
    'x',
  ])('one deadline covers the answer: a head without an end is no answer, %j again and again', async (piece) => {
    const { http } = await routeTo('directly', (socket) => drip(socket, piece));
    const { answer, error, written } = await post(http(1_000));
    expect([answer, written]).toEqual([null, true]);
    // A head that grows too large ends by that.
    expect(error?.message).toMatch(/^no whole answer within 1 s$|^Response does not match|Overflow/i);
  });

  test('one deadline covers the answer: silence is no answer, and the error says so', async () => {
    const { http } = await routeTo('directly', () => {});
    const { error, written } = await post(http(1_000));
    expect([error, written]).toMatchObject([{ message: 'no whole answer within 1 s', code: 'ANSWER_TIMEOUT' }, true]);
  });

  test('a deadline further away than a timer can reach does not pass at once', async () => {
    const { http } = await routeTo('directly', (socket) => setTimeout(() => socket.write(OK), 50));
    expect((await post(http(40 * 86_400_000))).answer?.status).toBe(201);
  });

  test('the next call on the same connection has a deadline of its own', async () => {
    const { service, http } = await routeTo('directly', (socket) => setTimeout(() => socket.write(OK), 300));
    // All of them together take longer than one may.
    const client = http(3_000);
    for (let call = 1; call <= 11; call++) expect((await post(client)).answer?.complete).toBe(true);
    expect(service.connections()).toBe(1);
  });
});

describe.each(ALL_WAYS)('interim answers are passed over (%s)', (way) => {
  const INTERIM =
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 Go on\r\nx-a: 1\r\n\r\n';
  const FINAL = rawAnswer('201 Created', '{"id":"4711","said":"HTTP/1.1 100 Continue"}', { 'x-b': '2' });

  const TEXT = INTERIM + FINAL;
  const SPLITS = fc.sample(fc.integer({ min: 1, max: TEXT.length - 1 }), { numRuns: 20, seed: SEED });

  test(`interim answers on one connection are passed over, wherever the line splits them (seed ${SEED})`, async () => {
    const { service, http } = await routeTo(way, async (socket, { number }) => {
      socket.setNoDelay(true);
      await sent(socket, TEXT.slice(0, SPLITS[number - 1]));
      await sent(socket, TEXT.slice(SPLITS[number - 1]));
    });
    const client = http();
    for (const at of SPLITS) {
      const { answer } = await post(client);
      expect([at, answer]).toMatchObject([at, { status: 201, complete: true, headers: { 'x-b': '2' } }]);
      expect(answer?.body).toBe('{"id":"4711","said":"HTTP/1.1 100 Continue"}');
      expect(answer?.headers['x-a']).toBeUndefined();
    }
    expect([service.requests().length, service.connections()]).toEqual([SPLITS.length, 1]);
  });

  test('a connection that ends after interim answers leaves the request unknown', async () => {
    const { http } = await routeTo(way, (socket) => socket.end(INTERIM));
    expect(await post(http())).toMatchObject({ answer: null, written: true });
  });
});

test('no encoding is asked for', async () => {
  const { service, http } = await routeTo('directly', (socket) => socket.write(OK));
  await http().send('POST', CREATE, { 'accept-encoding': 'gzip, br' }, '');
  expect(service.requests()[0]?.head.match(/^accept-encoding: .*$/gim)).toEqual(['accept-encoding: identity']);
});

describe.each(WAYS)('a request without a whole answer stays in no queue: its connection is reset (%s)', (way) => {
  const LONG = 'a'.repeat(1 << 20);
  const isDirect = way !== 'through a proxy';

  test('a connection is reset when time runs out before the service has read the request', async () => {
    let held: Socket | undefined;
    const { service, http, endings } = await routeTo(
      way,
      () => {},
      (socket) => {
        held = socket.pause();
      },
    );
    const exchange = await post(http(1_000), LONG);
    expect(exchange).toMatchObject({ answer: null, written: true });
    held?.resume();
    // What had reached it is read before the end, and the end itself is then told in either way.
    await vi.waitFor(() => expect(service.endings()).toHaveLength(1), 20_000);
    if (isDirect) expect(service.bytesRead()).toBeLessThan(LONG.length);
    if (isDirect) expect(service.requests()).toEqual([]);
    else expect(endings()).toEqual(['ECONNRESET']);
  });

  test('a connection is reset when the client is closed without a whole answer', async () => {
    const { service, http, endings } = await routeTo(way, () => {});
    const client = http();
    const call = post(client);
    await vi.waitFor(() => expect(service.requests()).toHaveLength(1), 20_000);
    await client.close();
    expect(await call).toMatchObject({ answer: null, written: true });
    await vi.waitFor(() => expect(endings()).toEqual(['ECONNRESET']), 20_000);
  });

  test.each<[string, (socket: Socket) => void]>([
    ['is no HTTP', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'stops within the body',
      (socket) => socket.write('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"id":"4711"}'),
    ],
    ['is too long', (socket) => socket.write(rawAnswer('201 Created', 'a'.repeat(2 << 20)))],
  ])('a connection is reset when the answer %s', async (_, respond) => {
    const { http, endings } = await routeTo(way, (socket) => respond(socket));
    const { answer, written } = await post(http(1_000));
    expect([written, answer?.complete ?? false]).toEqual([true, false]);
    await vi.waitFor(() => expect(endings()).toEqual(['ECONNRESET']), 20_000);
  });

  test('a connection with a whole answer is closed in the ordinary way', async () => {
    const { service, http } = await routeTo(way, (socket, { number }) =>
      socket.write(number === 1 ? rawAnswer('201 Created', '{}', { connection: 'close' }) : OK),
    );
    const client = http();
    for (const call of [1, 2, 3]) expect([call, (await post(client)).answer?.complete]).toEqual([call, true]);
    await client.close();
    await vi.waitFor(() => expect(service.endings()).toEqual(['FIN', 'FIN']), 20_000);
  });
});

/** Writes a piece again and again until the connection ends. */
function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 10);
  socket.on('close', () => clearInterval(timer));
}

/** Resolves when the piece has been given to the network, and some turns later. */
async function sent(socket: Socket, piece: string): Promise<void> {
  if (piece !== '') await new Promise((resolve) => socket.write(piece, resolve));
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
}
