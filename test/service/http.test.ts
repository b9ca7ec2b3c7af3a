import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/service/network/exchange.ts';
import type { Http } from '../../src/service/wire/http.ts';
import { httpTo } from '../doors/client.ts';
import { certificateMaker } from '../helpers/certificate.ts';
import { closedPort, rawAnswer, startRawService } from '../helpers/raw-service.ts';

const OK = rawAnswer('200 OK', '{"id":"4711"}');
const post = (http: Http): Promise<Exchange> =>
  http.send('POST', '/v1/request/create', { accept: '*/*' }, 'country=PT');

/** Whether a call without an answer was written. */
function unanswered(exchange: Exchange): string {
  expect(exchange.answer).toBeNull();
  return exchange.written ? DOUBT : UNSENT;
}

const UNSENT = 'not written';
const DOUBT = 'written';

describe('before the request is written, nothing can have happened', () => {
  const makeCertificate = certificateMaker();

  test.skipIf(!makeCertificate)('nothing can have happened with a certificate signed by nobody', async () => {
    const tls = makeCertificate?.('nobody');
    const service = await startRawService((socket) => socket.end(OK), tls ? { tls } : {});
    expect(unanswered(await post(httpTo(`https://127.0.0.1:${service.port}`)))).toEqual(UNSENT);
    expect(service.bytesRead()).toBe(0);
  });

  test.each([407, 403, 502])(
    'nothing can have happened where the proxy refuses to connect: HTTP %d',
    async (status) => {
      const proxy = await startRawService((socket) => socket.end(rawAnswer(`${status} No`)));
      const by = { url: `http://127.0.0.1:${proxy.port}`, authorization: 'Basic dTpw' };
      expect(unanswered(await post(httpTo('https://service.example', { proxy: by })))).toEqual(UNSENT);
      expect(proxy.requests()[0]?.head).toMatch(/^CONNECT service\.example:443 /);
      expect(proxy.requests()[0]?.head).toMatch(/^proxy-authorization: Basic dTpw$/im);
      expect(proxy.requests()).toHaveLength(1);
    },
  );

  test('nothing can have happened where the intent ran out before the first byte', async () => {
    const service = await startRawService((socket) => socket.end(OK));
    const http = httpTo(`http://127.0.0.1:${service.port}`);
    const late = await http.send('POST', '/v1/request/create', {}, 'country=PT', undefined, () => false);
    expect(unanswered(late)).toEqual(UNSENT);
    expect(service.requests()).toEqual([]);
    expect(service.bytesRead()).toBe(0);
  });

  test('nothing can have happened where the client was closed', async () => {
    const http = httpTo(await closedPort());
    await http.close();
    expect(unanswered(await post(http))).toEqual(UNSENT);
  });
});

describe('after the request was written, no status means doubt', () => {
  const endings: Record<string, (socket: Socket) => void> = {
    'the headers of the answer are too large': (socket) =>
      socket.end(rawAnswer('201 Created', '', { 'x-large': 'a'.repeat(40_000) })),
    'the service switches protocols': (socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'),
  };

  test.each(Object.entries(endings))('no status after the request was written means unknown: %s', async (_, end) => {
    const service = await startRawService((socket) => end(socket));
    expect(unanswered(await post(httpTo(service.port)))).toEqual(DOUBT);
    expect(service.requests()).toHaveLength(1);
  });

  test('a reset after the request was written means unknown, even if the service read nothing', async () => {
    const service = await startRawService(() => {}, { connected: (socket) => socket.resetAndDestroy() });
    const exchange = await post(httpTo(service.port));
    // Either way is sound here, depending on what reaches the client first; only `written: false` must be the truth.
    expect(exchange.answer).toBeNull();
    expect(exchange.written || service.bytesRead() === 0).toBe(true);
  });
});

describe('connections that are kept', () => {
  test('a request on a connection that closes meanwhile may have been written', async () => {
    // Closes an idle connection after 0 to 3 turns of its loop, which is about when the client sends again.
    const service = await startRawService((socket, { number }) => {
      socket.write(OK, () => closeAfterTurns(socket, number % 4));
    });
    const http = httpTo(service.port, { connections: 1 });
    let unsent = 0;
    let answered = 0;
    for (let round = 0; round < 400; round++) {
      const before = service.requests().length;
      const exchange = await post(http);
      if (exchange.answer) answered += 1;
      else if (!exchange.written) unsent += 1;
      const arrived = service.requests().length - before;
      expect(arrived).toBeLessThanOrEqual(1);
      if (!exchange.written) expect(arrived).toBe(0);
    }
    expect(answered).toBeGreaterThan(0);
    // Nothing arrived twice, and what was written off as unsent did not arrive later.
    expect(service.requests().length).toBeLessThanOrEqual(400 - unsent);
  });

  test('a request that is cut off on a used connection is unknown, and is not repeated', async () => {
    const service = await startRawService((socket, { onConnection }) => {
      if (onConnection === 1) socket.write(OK);
      else socket.resetAndDestroy();
    });
    const http = httpTo(service.port, { connections: 1 });
    expect((await post(http)).answer?.status).toBe(200);
    expect(unanswered(await post(http))).toEqual(DOUBT);
    expect(service.requests()).toHaveLength(2);
    expect(service.connections()).toBe(1);
  });

  test('two requests are never on one connection at a time', async () => {
    const busy = new Set<Socket>();
    let overlapping = 0;
    const service = await startRawService((socket) => {
      if (busy.has(socket)) overlapping += 1;
      busy.add(socket);
      setTimeout(() => {
        busy.delete(socket);
        socket.write(OK);
      }, 5);
    });
    const http = httpTo(service.port, { connections: 2 });
    const exchanges = await Promise.all(Array.from({ length: 20 }, () => post(http)));
    expect(exchanges.every(({ answer }) => answer?.status === 200)).toBe(true);
    expect(overlapping).toBe(0);
    expect(service.connections()).toBe(2);
  });

  test('requests that wait behind a cut one have not been written and go on a new connection', async () => {
    const service = await startRawService((socket, { number }) => {
      if (number === 1) socket.resetAndDestroy();
      else socket.write(OK);
    });
    const http = httpTo(service.port, { connections: 1 });
    const [first, second] = await Promise.all([post(http), post(http)]);
    expect([first.written, first.answer]).toEqual([true, null]);
    expect(second.answer?.status).toBe(200);
    expect(service.requests()).toHaveLength(2);
  });
});

describe('what was answered', () => {
  test('an answer has status, headers in lower case, those of one name joined, and the exact body', async () => {
    const service = await startRawService((socket) =>
      socket.write('HTTP/1.1 201 Created\r\nX-Request-Id: a\r\nX-REQUEST-ID: b\r\ncontent-length: 3\r\n\r\n\u00e9!'),
    );
    const { answer } = await post(httpTo(service.port));
    expect(answer).toMatchObject({ status: 201, headers: { 'x-request-id': 'a, b' }, body: '\u00e9!', complete: true });
  });

  test('an answer is cut at 1 MiB, and the connection is not used again', async () => {
    const service = await startRawService((socket) => socket.write(rawAnswer('200 OK', 'a'.repeat(3 << 20))));
    const http = httpTo(service.port, { connections: 1 });
    for (const connection of [1, 2]) {
      const { answer } = await post(http);
      expect(answer?.status).toBe(200);
      const length = answer?.body.length ?? 0;
      expect([length > 1 << 19, length <= 1 << 20]).toEqual([true, true]);
      expect(answer?.complete).toBe(false);
      expect(service.connections()).toBe(connection);
    }
    expect(service.requests()).toHaveLength(2);
  });
});

describe('what is sent', () => {
  test('a request goes below the path of the base URL, as HTTP/1.1, with its length and no key', async () => {
    const service = await startRawService((socket) => socket.write(OK));
    await httpTo(`http://127.0.0.1:${service.port}/partner/`).send(
      'POST',
      '/v1/request/create',
      { 'x-a': 'b' },
      'fullname=%C3%A9',
    );
    const [request] = service.requests();
    expect(request?.head).toMatch(/^POST \/partner\/v1\/request\/create HTTP\/1\.1\r\n/);
    expect(request?.head).toMatch(/^content-length: 15$/m);
    expect(request?.head).not.toMatch(/idempotency|^upgrade|^expect/im);
    expect(request?.body).toBe('fullname=%C3%A9');
  });

  test('a header that cannot be sent is a failure before the write, not an exception', async () => {
    const service = await startRawService((socket) => socket.write(OK));
    const exchange = await httpTo(service.port).send('POST', '/', { authorization: 'Bearer a\nb' }, '');
    expect([exchange.answer, exchange.written, service.bytesRead()]).toEqual([null, false, 0]);
  });
});

function closeAfterTurns(socket: Socket, turns: number): void {
  if (turns === 0) socket.destroy();
  else setImmediate(() => closeAfterTurns(socket, turns - 1));
}
