import { createServer, type Server } from 'node:http';
import { SrqError, systemCode } from '../../request/errors.ts';
import type { Clock } from '../../request/ports.ts';
import { replaceFile, replaceFileOrThrow } from '../../settings/own-file.ts';

/** How often the health file is written. */
const WRITE_MS = 2_000;

export type WorkerState = 'starting' | 'working' | 'idle' | 'waiting-for-database' | 'stopping';

/** What a worker tells those who watch over it. */
export interface Health {
  readonly state: WorkerState;
  readonly at: string;
  readonly since: string;
  readonly inFlight: number;
  /** Why it ends by itself; null: it does not. */
  readonly reason: string | null;
}

/**
 * Keeps a file up to date with the worker's health, as JSON: one that is older than a few seconds is of a worker that hangs
 * or is gone. It stays when the worker has ended. Throws `SrqError('usage')` for one that cannot be written. Returns the end of
 * it.
 */
export function keepHealthFile(path: string, health: () => Health, clock: Clock): () => Promise<void> {
  const over = new AbortController();
  const text = () => `${JSON.stringify(health())}\n`;
  const write = () => replaceFile(path, text());
  try {
    replaceFileOrThrow(path, text());
  } catch (error) {
    const message = `The health file ${path} cannot be written (${systemCode(error)}).`;
    throw new SrqError('usage', message, 'Name another one: --health-file FILE', error);
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
 * Answers `/livez` (200 as long as the worker is not stuck) and `/healthz` (200 while it can work, 503 while it waits for the
 * database or is stopping). Throws `SrqError('usage')` for a port that cannot be had. Returns the end of it.
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
      reject(new SrqError('usage', message, 'Choose another one: --health-port PORT', error));
    });
    server.listen(port, host, resolve);
  });
}
