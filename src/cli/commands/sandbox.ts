import { aligned } from '../../report/output.ts';
import { startSandbox } from '../../sandbox/server.ts';
import type { Context } from '../context.ts';

export interface SandboxCommandOptions {
  readonly port: number;
  readonly latency: number;
  readonly rate?: number;
  readonly tokenTtl: number;
  readonly fault: Readonly<Record<string, number>>;
  readonly seed: number;
  readonly store?: string;
}

/** Runs the local marketplace until Ctrl-C. Ready when it has printed its address. */
export async function sandbox(context: Context, options: SandboxCommandOptions): Promise<number> {
  const running = await startSandbox({
    port: options.port,
    latencyMs: options.latency,
    ratePerSecond: options.rate ?? null,
    tokenTtlSeconds: options.tokenTtl,
    faults: options.fault,
    seed: options.seed,
    storeFile: options.store ?? null,
    now: context.clock.nowMs,
  });
  context.onClose(() => running.close());
  const { baseUrl, clientId, clientSecret } = running;
  const reporter = await context.reporter();
  const { signal } = context.interruption.halt;
  const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  context.interruption.listen(() => {});
  await reporter.result({ baseUrl, clientId, clientSecret }, (paint) =>
    [
      `${paint.green('✓')} A marketplace to try things on is running. What it receives stays on this machine.`,
      ...aligned([
        ['base URL', baseUrl],
        ['client id', clientId],
        ['client secret', clientSecret],
        ['requests', `${baseUrl}/_sandbox/requests`],
      ]),
      'Log in to it from another terminal:',
      `  SRQ_CLIENT_SECRET=${clientSecret} srq login --profile sandbox --base-url ${baseUrl} --client-id ${clientId}`,
      'Stop it with Ctrl-C.',
    ].join('\n'),
  );
  await ended;
  return 0;
}
