import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, type TestContext } from 'vitest';

/** Stands in front of a service and lets nothing through on one path before it is opened. */
export interface Gate {
  readonly baseUrl: string;
  /** Resolves once so many requests are held. */
  holding(count: number): Promise<void>;
  open(): void;
}

/** `atEnd`: a test that runs beside others hands over its own `onTestFinished`: vitest's may be that of a neighbour. */
export async function gateBefore(
  serviceUrl: string,
  heldPath: string,
  atEnd: TestContext['onTestFinished'] = onTestFinished,
): Promise<Gate> {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let held = 0;
  let arrived = () => {};
  const server = createServer(async (incoming, outgoing) => {
    if (incoming.url === heldPath) {
      held += 1;
      arrived();
      await opened;
    }
    const { method = '', url = '', headers } = incoming;
    const { host: _, ...forwarded } = headers;
    // A connection of its own: a kept one may be cut by the service, which would be a fault of ours.
    const onwards = request(serviceUrl + url, { method, headers: forwarded, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onwards.on('error', () => outgoing.destroy());
    incoming.pipe(onwards);
  });
  // A busy machine may leave a connection idle for longer than the usual five seconds; its end would be a fault of ours.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    open,
    holding: async (count) => {
      while (held < count) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    },
  };
}
