import { createServer, type Server } from 'node:http';
import { SrqError, systemCode } from '../../request/errors.ts';
import type { Clock } from '../../request/ports.ts';
import { replaceFile, replaceFileOrThrow } from '../../settings/own-file.ts';

/** Interval at which the health file is written. */
const WRITE_MS = 2_000;

export type WorkerState = 'starting' | 'working' | 'idle' | 'waiting-for-database' | 'stopping';

/** The health of a worker, for monitoring. */
export interface Health {
  readonly state: WorkerState;
  readonly at: string;
  readonly since: string;
  readonly inFlight: number;
  /** The reason why the worker ends by itself, or null. */
  readonly reason: string | null;
}

/**
 * Writes the worker's health to a file every few seconds, as JSON. If the file is older, the worker hangs or has ended
 * without a trace. The file is kept when the worker ends. Throws `SrqError('usage')` if the file cannot be written.
 * Returns the function that stops the writing.
 */
export function keepHealthFile(path: string, health: () => Health, clock: Clock): () => Promise<void> {
  const over = new AbortController();
  const text = () => `${JSON.stringify(health())}\n`;
  const write = () => replaceFile(path, text());
  try {
    replaceFileOrThrow(path, text());
  } catch (error) {
    const message = `The health file ${path} cannot be written (${systemCode(error)}).`;
    throw new SrqError('output.unwritable', message, 'Name another one: --health-file FILE', error);
  }
  const keeping = (async () => {
    while (!over.signal.aborted) {
      await clock.sleep(WRITE_MS, over.signal);
      write();
    }
  })();
  return async () => {
    over.abort();
    await keeping;
  };
}

/**
 * Serves `/livez` (200 as long as the worker is not stuck) and `/healthz` (200 while it can work, 503 while it waits
 * for the database or is stopping). Throws `SrqError('usage')` if the port cannot be used. Returns the function that
 * stops the server.
 */
export async function serveHealth(port: number, host: string, health: () => Health): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const now = health();
    const isKnown = request.url === '/healthz' || request.url === '/livez';
    const isWell = request.url === '/livez' || now.state === 'working' || now.state === 'idle';
    response.writeHead(isKnown ? (isWell ? 200 : 503) : 404, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify(isKnown ? now : {})}\n`);
  });
  await listening(server, port, host);
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const message = `Cannot listen on ${host}, port ${port} (${systemCode(error)}).`;
      reject(new SrqError('port.unavailable', message, 'Choose another one: --health-port PORT', error));
    });
    server.listen(port, host, resolve);
  });
}
