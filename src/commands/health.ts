import { createServer, type Server } from 'node:http';
import type { Context } from '../cli/context.ts';
import type { WorkOptions } from '../cli/table/options.ts';
import type { Metrics, ProcessState, ProcessView } from '../report/metrics.ts';
import { SrqError, systemCode } from '../request/words/errors.ts';

/** The health of a process that sends, for monitoring. */
export interface Health {
  readonly state: ProcessState;
  readonly at: string;
  readonly since: string;
  readonly inFlight: number;
  /** The reason why the process ends by itself, or null. */
  readonly reason: string | null;
}

/** What a process tells of itself. */
export interface WatchedProcess {
  readonly health: Health;
  readonly view: ProcessView;
}

/**
 * Serves `/livez` (200 as long as the process is not stuck), `/healthz` (200 while it can work, 503 while it waits for the
 * database or is stopping) and `/metrics` until the command ends. Returns the metrics, or null without a port. Throws
 * `SrqError('usage')` if the port cannot be used.
 */
export async function serveHealth(
  context: Context,
  { healthPort, healthHost }: Pick<WorkOptions, 'healthPort' | 'healthHost'>,
  watched: WatchedProcess,
): Promise<Metrics | null> {
  if (healthPort === undefined) return null;
  const { Metrics } = await import('../report/metrics.ts');
  const metrics = new Metrics(() => watched.view, context.clock);
  const server = createServer(async ({ url }, response) => {
    // A worker goes on, even if its metrics cannot be told.
    const failed = { status: 500, type: 'text/plain', text: '' };
    const page = async () => ({ status: 200, ...(await metrics.page()) });
    const { status, type, text } = url === '/metrics' ? await page().catch(() => failed) : healthAnswer(url, watched);
    response.writeHead(status, { 'content-type': type }).end(text);
  });
  await listening(server, healthPort, healthHost);
  context.onClose(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return metrics;
}

function healthAnswer(url: string | undefined, { health }: WatchedProcess) {
  const isKnown = url === '/healthz' || url === '/livez';
  const isWell = url === '/livez' || health.state === 'working' || health.state === 'idle';
  const text = `${JSON.stringify(isKnown ? health : {})}\n`;
  return { status: isKnown ? (isWell ? 200 : 503) : 404, type: 'application/json', text };
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Each further error, such as that no file can be opened, is one of a call that nobody answers.
    server.on('error', (error) => {
      const message = `Cannot listen on ${host}, port ${port} (${systemCode(error)}).`;
      reject(new SrqError('port.unavailable', message, 'Choose another one: --health-port PORT', error));
    });
    server.listen(port, host, resolve);
  });
}
