import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { endWithTest, join } from './tls-front.ts';

export interface ProxyService {
  /** The URL without user name and password. */
  readonly url: string;
  /** The targets of its CONNECT requests, in order. */
  readonly targets: readonly string[];
  /** The codes of the errors with which its clients ended their connections. */
  readonly errors: readonly string[];
}

/** Starts an HTTP proxy on 127.0.0.1 that requires the credentials `user` (`name:password`). It ends with the test. */
export async function startProxy({ user }: { readonly user?: string } = {}): Promise<ProxyService> {
  const targets: string[] = [];
  const errors: string[] = [];
  const expected = user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`;
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    client.on('error', (error) => errors.push(String(Object(error).code)));
    if (expected !== undefined && headers['proxy-authorization'] !== expected) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="office"\r\n\r\n');
      return;
    }
    targets.push(url);
    const { hostname, port } = new URL(`http://${url}`);
    const service = connect(Number(port), hostname.replace(/^\[(.*)\]$/, '$1'), () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      join(client, service);
    });
    service.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  });
  endWithTest(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets, errors };
}
