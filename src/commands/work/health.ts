import { once } from 'node:events';
import { createServer } from 'node:http';
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
  server.listen(healthPort, healthHost);
  await once(server, 'listening').catch((error: unknown) => {
    const message = `Cannot listen on ${healthHost}, port ${healthPort} (${systemCode(error)}).`;
    throw new SrqError('port.unavailable', message, 'Choose another one: --health-port PORT', error);
  });
  // Each further error, such as that no file can be opened, is one of a call that nobody answers.
  server.on('error', () => {});
  context.onClose(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
}

function healthAnswer(url: string, { state, inHand, reason }: WorkerView) {
  const isKnown = url === '/healthz' || url === '/livez';
  const isWell = url === '/livez' || state === 'working' || state === 'idle';
  const text = `${JSON.stringify(isKnown ? { state, inHand, reason } : {})}\n`;
  return { status: isKnown ? (isWell ? 200 : 503) : 404, type: 'application/json', text };
}
