import { text } from 'node:stream/consumers';
import type { Context } from '../../cli/context.ts';
import type { SandboxOptions } from '../../cli/table/options.ts';
import { aligned } from '../../report/output.ts';
import { contractName, secretAddressText } from '../../report/terminal/contract-text.ts';
import { withTokenAtService } from '../../request/contract/contract.ts';
import { SrqError, shellWord } from '../../request/words/errors.ts';
import { startSandbox } from '../../sandbox/server.ts';

/**
 * Runs the local marketplace until Ctrl-C. It behaves as the API description of the profile says, and is ready when its
 * address is printed.
 */
export async function sandbox(context: Context, options: SandboxOptions): Promise<number> {
  const contract = await (await context.contracts()).read();
  const running = await startSandbox({
    clientId: options.clientId,
    clientSecret: options.clientSecretStdin ? await givenSecret(context) : undefined,
    port: options.port,
    latencyMs: options.latency,
    ratePerSecond: options.rate ?? null,
    tokenTtlSeconds: options.tokenTtl,
    faults: Object.fromEntries(options.fault.map(([kind, probability]) => [kind, Number(probability)])),
    seed: options.seed,
    contract,
    hasInbox: true,
    now: context.clock.nowMs,
  });
  context.onClose(() => running.close());
  const { baseUrl, clientId } = running;
  const { signal } = context.interruption.halt;
  const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  context.interruption.listen(() => {});
  const follows = contract ? contractName(contract) : null;
  const document = { baseUrl, clientId, clientSecret: running.clientSecret, contract: contract?.source ?? null };
  const login = `srq login --profile sandbox --base-url ${baseUrl} --client-id ${shellWord(clientId)}`;
  await context.reporter.result('sandbox', document, (paint) =>
    [
      `${paint.green('✓')} A marketplace to try things on is running. What it receives stays on this machine.`,
      ...aligned([
        ['base URL', baseUrl],
        ['client id', clientId],
        ['client secret', running.clientSecret],
        ['inbox', `${baseUrl}/`],
        ...(follows === null ? [] : [['contract', follows] as const]),
      ]),
      ...(contract ? [secretAddressText(withTokenAtService(contract), baseUrl)] : []),
      'Log in to it from another terminal:',
      `  SRQ_CLIENT_SECRET=${shellWord(running.clientSecret)} ${login}`,
      'or in PowerShell:',
      `  $env:SRQ_CLIENT_SECRET='${running.clientSecret.replaceAll("'", "''")}'; ${login}`,
      ...(contract ? ['That profile needs the same API description: srq contract learn FILE --profile sandbox'] : []),
      'Stop it with Ctrl-C.',
    ].join('\n'),
  );
  await ended;
  return 0;
}

/** Reads the secret from the first line of standard input. */
async function givenSecret({ process }: Context): Promise<string> {
  const [secret = ''] = (await text(process.stdin)).split(/\r?\n/, 1);
  if (secret !== '') return secret;
  throw new SrqError('login.incomplete', 'Standard input holds no client secret.', 'Write it into its first line.');
}
