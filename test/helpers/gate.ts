import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, type TestContext } from 'vitest';

/** A server in front of a service that holds all requests to one path until it is opened. */
export interface Gate {
  readonly baseUrl: string;
  /** Resolves once this many requests are held. */
  holding(count: number): Promise<void>;
  open(): void;
  /** Holds later requests again. */
  shut(): void;
}

/**
 * Starts a gate that ends with the test. A test that runs concurrently with others must pass its own `onTestFinished`
 * as `atEnd`, because vitest's may be that of another test.
 */
export async function gateBefore(
  serviceUrl: string,
  heldPath: string,
  atEnd: TestContext['onTestFinished'] = onTestFinished,
): Promise<Gate> {
  let open = () => {};
  /** Null where nothing is held. */
  let opened: Promise<void> | null = null;
  const shut = () => {
    opened = new Promise<void>((resolve) => {
      open = resolve;
    });
  };
  shut();
  let held = 0;
  let arrived = () => {};
  const server = createServer(async (incoming, outgoing) => {
    if (incoming.url === heldPath && opened !== null) {
      held += 1;
      arrived();
      await opened;
    }
    const { method = '', url = '', headers } = incoming;
    const { host: _, ...forwarded } = headers;
    // Each request uses a new connection, because the service may cut an idle one, which would be a fault of the gate.
    const onwards = request(serviceUrl + url, { method, headers: forwarded, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onwards.on('error', () => outgoing.destroy());
    incoming.pipe(onwards);
  });
  // On a busy machine a connection may be idle for longer than the default of five seconds. Ending it would be a fault
  // of the gate.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    open: () => {
      opened = null;
      open();
    },
    shut,
    holding: async (count) => {
      while (held < count) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    },
  };
}
