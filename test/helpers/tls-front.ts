import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';

/** Ends a server and all its open connections when the test ends. */
export function endWithTest(server: Server): void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  });
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
}

/** Passes data between two sockets in both directions, until one of them ends. */
export function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
    from.pipe(to);
  }
}

/**
 * Starts a TLS server in front of a service on 127.0.0.1, like a load balancer. Returns its base URL. It ends with the
 * test.
 */
export async function startTlsFront(
  serviceUrl: string,
  options: TlsOptions,
  host: '127.0.0.1' | '::1' = '127.0.0.1',
): Promise<string> {
  const servicePort = Number(new URL(serviceUrl).port);
  const server = createServer(options, (secure) => join(secure, connect(servicePort, '127.0.0.1')));
  server.on('tlsClientError', () => {});
  endWithTest(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return `https://${host === '::1' ? '[::1]' : host}:${port}`;
}
