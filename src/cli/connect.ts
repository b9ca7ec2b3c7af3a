import { type ConnectedAccount, type Connection, type ConnectOptions, openConnection } from '../account/connection.ts';
import { duration, MIN_ANNOUNCED_MS } from '../report/output.ts';
import { type Contract, isElsewhere } from '../request/contract/contract.ts';
import type { Destination } from '../request/lead/service-request.ts';
import { SrqError } from '../request/words/errors.ts';
import type { Secret } from '../request/words/secret.ts';
import type { Refused } from '../service/pacing/rate-limiter.ts';
import type { Context } from './context.ts';
import { destinationOf } from './session.ts';
import { keepParserPlain } from './v8-flags.ts';

/** The options for connecting. `watch` is called with every call. `timeoutMs` is that of --timeout unless given. */
type CommandConnectOptions = ConnectOptions & {
  readonly watch?: ConnectedAccount['traces'][number];
  readonly timeoutMs?: number;
};

/** Connects to the service of the profile in use. Nothing is sent yet. */
export async function connect(context: Context, options: CommandConnectOptions): Promise<Connection> {
  const settings = await context.settings();
  const destination = destinationOf(settings);
  return connectTo(context, destination, () => settings.secret.read(), options);
}

/** Connects to a service as flags and environment say. Nothing is sent yet. */
export async function connectTo(
  context: Context,
  destination: Destination,
  readSecret: () => Promise<Secret>,
  { watch, timeoutMs, ...options }: CommandConnectOptions,
): Promise<Connection> {
  const { timeout, verbose } = context.options;
  const { env, stderr } = context.process;
  if (options.concurrency === 1) keepParserPlain();
  // Each call is printed as a whole when it has ended, so that concurrent calls do not mix.
  const printed = verbose ? await import('../report/terminal/call-text.ts') : null;
  const print: ConnectedAccount['traces'] = printed ? [(call) => stderr.write(printed.callText(call))] : [];
  const account: ConnectedAccount = {
    ...{ destination, readSecret },
    contract: await contractFor(context, destination.baseUrl),
    timeoutMs: timeoutMs ?? (timeout === undefined ? null : timeout * 1000),
    traces: [...(watch ? [watch] : []), ...print],
    proxies: {
      https: env['https_proxy'] || env['HTTPS_PROXY'] || null,
      no: env['no_proxy'] || env['NO_PROXY'] || null,
    },
  };
  return openConnection(context, account, { ...options, refused: toldPauses(context, options.refused) });
}

/** Tells the user of each long pause that the service asks for, once: its answers in flight all ask for the same one. */
function toldPauses({ clock, reporter }: Context, refused: ConnectOptions['refused']): Refused {
  let toldUntilMs = Number.NEGATIVE_INFINITY;
  return (http, pauseMs) => {
    refused?.(http, pauseMs);
    const nowMs = clock.monotonicMs();
    if (pauseMs < MIN_ANNOUNCED_MS || nowMs < toldUntilMs) return;
    toldUntilMs = nowMs + pauseMs;
    reporter.say(() => `The service asks to slow down (HTTP ${http}): waiting for ${duration(pauseMs)}.`);
  };
}

/**
 * Loads the contract for a base URL. Throws `SrqError('settings')` if the contract was learned for another base URL and
 * holds keys, or sends the client secret to another host.
 */
export async function contractFor(context: Context, baseUrl: string): Promise<Contract> {
  const contract = await context.contract(baseUrl);
  const { profile, ownBaseUrl } = await context.settings();
  if (ownBaseUrl === null || ownBaseUrl === baseUrl) return contract;
  const { holdsSecrets } = await import('../contract/secrets.ts');
  const isKept = !holdsSecrets(contract);
  if (isKept && !isElsewhere(contract.token)) return contract;
  throw new SrqError(
    'contract.other-service',
    isKept
      ? `The API description of profile ${profile.value} gets the tokens for ${ownBaseUrl} from ${contract.token.origin}; the secret for ${baseUrl} is not sent there.`
      : `The API description of profile ${profile.value} holds keys for ${ownBaseUrl}; they are not sent to ${baseUrl}.`,
    'Use a profile of its own for each address, and learn the API description for it: srq contract learn FILE --profile NAME',
  );
}
