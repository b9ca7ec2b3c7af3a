import type { Socket } from 'node:net';
import { bodyText, type Http } from '../../src/service/wire/http.ts';
import { closedPort, startRawService } from '../helpers/raw-service.ts';
import { httpTo } from './client.ts';

/*
 * The door to the wire: bytes come through a real socket, and what srq takes them for comes out. The client is closed at the
 * end of the test.
 */

/** The text of a body, or null if it cannot be read. */
export { bodyText };

export interface Line {
  /** Sends one call. Returns `201 whole` or `201 cut` with the body, or whether a call without an answer was written. */
  readonly call: () => Promise<string>;
  readonly connections: () => number;
  readonly requests: () => number;
}

/** A service that answers each call with these pieces, and then does what is told. */
export async function lineTo(
  pieces: readonly (string | Buffer)[],
  then: 'stays' | 'ends' | 'resets' = 'stays',
): Promise<Line> {
  const service = await startRawService(async (socket) => {
    socket.setNoDelay(true);
    for (const piece of pieces) await written(socket, piece);
    if (then === 'ends') socket.end();
    if (then === 'resets') socket.resetAndDestroy();
  });
  return lineOf(
    httpTo(service.port, { connections: 1, timeoutMs: 5_000 }),
    service.connections,
    () => service.requests().length,
  );
}

/** A line to a port where nobody listens. */
export async function deadLine(): Promise<Line> {
  const none = () => 0;
  return lineOf(httpTo(await closedPort()), none, none);
}

function lineOf(http: Http, connections: () => number, requests: () => number): Line {
  const call = async () => {
    const { answer, written: isWritten } = await http.send('POST', '/v1/request/create', {}, 'country=PT');
    if (answer === null) return isWritten ? 'nothing, written' : 'nothing, not written';
    return `${answer.status} ${answer.complete ? 'whole' : 'cut'} ${answer.body}`.trim();
  };
  return { call, connections, requests };
}

/** Each piece arrives alone, because nothing else is written before it was read. */
function written(socket: Socket, piece: string | Buffer): Promise<void> {
  return new Promise((resolve) => socket.write(piece, () => setTimeout(resolve, 2)));
}
