import { text } from 'node:stream/consumers';
import { commandLine } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import type { SandboxOptions } from '../../cli/table/options.ts';
import { aligned, printable } from '../../report/output.ts';
import { contractName, secretAddressText } from '../../report/terminal/contract-text.ts';
import { type Contract, withTokenAtService } from '../../request/contract/contract.ts';
import { DOCUMENTED_CONTRACT } from '../../request/contract/public-api.ts';
import { SrqError, shellWord } from '../../request/words/errors.ts';
import { proposalFrom, readSource, saidOperations } from '../../run/contract-files.ts';
import { startSandbox } from '../../sandbox/server.ts';

/** Runs the local marketplace until Ctrl-C. It is ready when its address is printed. */
export async function sandbox(context: Context, options: SandboxOptions): Promise<number> {
  const contract =
    options.contract === undefined ? null : await contractOf(context, options.contract, options.operation);
  const clientSecret = options.clientSecretStdin ? await givenSecret(context) : undefined;
  const running = await startSandbox({
    ...(options.clientId === undefined ? {} : { clientId: options.clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    port: options.port,
    latencyMs: options.latency,
    ratePerSecond: options.rate ?? null,
    tokenTtlSeconds: options.tokenTtl,
    faults: options.fault,
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

/**
 * Learns the contract from a document. Questions that only the partner can answer stay open, because the sandbox
 * accepts any value for them. The operations must be known, however.
 */
async function contractOf(context: Context, file: string, operations: SandboxOptions['operation']): Promise<Contract> {
  const source = await readSource([file]);
  const said = { values: {}, operations: saidOperations(operations) };
  const around = { baseUrl: null, nowMs: context.clock.nowMs() };
  const { contract, questions } = await proposalFrom(source, said, DOCUMENTED_CONTRACT, around);
  const open = questions.find(({ name, unanswered }) => name.startsWith('operation:') && unanswered === undefined);
  if (!open) return contract;
  throw new SrqError(
    'document.undecided',
    `${printable(file)} does not tell which operations are meant. ${printable(open.text)}`,
    `Answer in the command: ${commandLine(context.process.argv.slice(2))} ${printable(open.answer)}`,
  );
}
