import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished, type TestContext } from 'vitest';
import { freePort } from '../../scripts/postgres-server.mjs';

/** One request as its bytes arrived. */
interface RawRequest {
  readonly head: string;
  readonly body: string;
  /** The number of the request at this service, from 1. */
  readonly number: number;
  /** The number of the request on this connection, from 1. */
  readonly onConnection: number;
}

export interface RawService {
  readonly port: number;
  /** Returns the complete requests that were read. */
  requests(): readonly RawRequest[];
  connections(): number;
  /** Returns the number of bytes read, including incomplete requests. */
  bytesRead(): number;
  /** Returns how its clients ended their connections, in order: `FIN`, or the code of the error. */
  endings(): readonly string[];
}

type Respond = (socket: Socket, request: RawRequest) => void;

interface RawOptions {
  /** Called for every connection before anything is read. */
  readonly connected?: (socket: Socket) => void;
  /** Key and certificate in PEM form. The service uses TLS if they are set. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /**
   * A test that runs concurrently with others must pass its own function, because vitest's may be that of another test.
   */
  readonly atEnd?: TestContext['onTestFinished'];
}

/**
 * Starts a service on 127.0.0.1 that answers with bytes, so that it can break every rule. It is closed at the end of
 * the test.
 */
export async function startRawService(
  respond: Respond,
  { connected, tls, atEnd = onTestFinished }: RawOptions = {},
): Promise<RawService> {
  const requests: RawRequest[] = [];
  const endings: string[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  let bytesRead = 0;
  const serve = (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('end', () => endings.push('FIN')).on('error', (error) => endings.push(String(Object(error).code)));
    connected?.(socket);
    let read = Buffer.alloc(0);
    let onConnection = 0;
    socket.on('data', (chunk: Buffer) => {
      bytesRead += chunk.length;
      read = Buffer.concat([read, chunk]);
      for (let whole = splitRequest(read); whole; whole = splitRequest(read)) {
        read = Buffer.from(whole.rest);
        onConnection += 1;
        const request = { head: whole.head, body: whole.body, number: requests.length + 1, onConnection };
        requests.push(request);
        respond(socket, request);
      }
    });
  };
  const server = tls ? createTlsServer(tls, serve).on('tlsClientError', () => {}) : createServer(serve);
  const port = await listen(server);
  atEnd(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port,
    requests: () => requests,
    connections: () => connections,
    bytesRead: () => bytesRead,
    endings: () => endings,
  };
}

/** Returns a port on 127.0.0.1 at which nothing listens. */
export function closedPort(): Promise<number> {
  return freePort();
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

function splitRequest(read: Buffer): { head: string; body: string; rest: Buffer } | null {
  const end = read.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = read.subarray(0, end).toString('latin1');
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  if (read.length < end + 4 + length) return null;
  const body = read.subarray(end + 4, end + 4 + length).toString('utf8');
  return { head, body, rest: read.subarray(end + 4 + length) };
}

/** Returns a complete HTTP/1.1 answer as text. */
export function rawAnswer(statusLine: string, body = '', headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers });
  return `HTTP/1.1 ${statusLine}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
