import { createServer, type Server } from 'node:http';
import type { Context } from '../../cli/context.ts';
import type { WorkOptions } from '../../cli/table/options.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import type { WorkerView } from './metrics.ts';

/**
 * Serves `/livez` (200 as long as the process is not stuck), `/healthz` (200 while it can work, 503 while it waits for the
 * database or is stopping) and `/metrics` until the command ends, if a port is given. Throws `SrqError('usage')` if the
 * port cannot be used.
 */
export async function serveHealth(
  context: Context,
  { healthPort, healthHost }: Pick<WorkOptions, 'healthPort' | 'healthHost'>,
  view: () => WorkerView,
): Promise<void> {
  if (healthPort === undefined) return;
  const { metricsPage } = await import('./metrics.ts');
  const answer = async (url = '') =>
    url === '/metrics' ? { status: 200, ...(await metricsPage(view())) } : healthAnswer(url, view());
  // A worker goes on, even if its state cannot be told.
  const failed = { status: 500, type: 'text/plain', text: '' };
  const server = createServer(async ({ url }, response) => {
    const { status, type, text } = await answer(url).catch(() => failed);
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
}

function healthAnswer(url: string, { state, inHand, reason }: WorkerView) {
  const isKnown = url === '/healthz' || url === '/livez';
  const isWell = url === '/livez' || state === 'working' || state === 'idle';
  const text = `${JSON.stringify(isKnown ? { state, inHand, reason } : {})}\n`;
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
