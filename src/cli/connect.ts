import { Http } from '../api/http.ts';
import { Pace } from '../api/pace.ts';
import { RequestApi } from '../api/request-api.ts';
import { Tokens } from '../api/token.ts';
import { Turnstile } from '../api/turnstile.ts';
import { LearnedStore } from '../config/learned-store.ts';
import { notLoggedIn, type Settings } from '../config/settings.ts';
import { FileTokenCache, secretMark } from '../config/token-cache.ts';
import type { Contract } from '../model/contract.ts';
import { SrqError } from '../model/errors.ts';
import type { Evidence } from '../model/evidence.ts';
import type { AudioReader, TokenCache } from '../model/ports.ts';
import type { Destination } from '../model/service-request.ts';
import { contradictionText } from '../report/contract-text.ts';
import type { Context } from './context.ts';
import { learnedPath, tokenPath } from './state-paths.ts';

export interface Connection {
  readonly api: RequestApi;
  readonly destination: Destination;
  /** What earlier runs found out about how well validate sees. */
  readonly evidence: Evidence | null;
  /** Keeps what this run found out for the next one. */
  keep(evidence: Evidence | null): void;
}

export interface ConnectOptions {
  readonly rate: 'auto' | 'max' | number;
  readonly concurrency: number;
  readonly audio: AudioReader;
  /** The column that a field came from, for errors that name it. */
  readonly fieldName?: (field: string) => string | null;
}

/** Where the profile in force sends to. Throws `SrqError('auth')` that names everything that is missing. */
export function destinationOf(settings: Settings): Destination {
  const missing = [
    ...(settings.baseUrl ? [] : ['base URL']),
    ...(settings.clientId ? [] : ['client id']),
    ...(settings.secret.state === 'missing' ? ['client secret'] : []),
  ];
  if (!settings.baseUrl || !settings.clientId || missing.length > 0) throw notLoggedIn(missing);
  return { baseUrl: settings.baseUrl.value, clientId: settings.clientId.value };
}

/** Puts the client of the service together. Nothing is sent yet. */
export async function connect(context: Context, options: ConnectOptions): Promise<Connection> {
  const settings = await context.settings();
  const destination = destinationOf(settings);
  const clientSecret = await settings.secret.read();
  context.hide(clientSecret);
  const { clock } = context;
  const { signal: stopping } = context.interruption.halt;
  const http = openHttp(context, destination.baseUrl, options.concurrency);
  const paths = await context.paths();
  const cache = new FileTokenCache(tokenPath(paths, settings), destination, secretMark(clientSecret));
  const contract = await context.contract();
  const credentials = { clientId: destination.clientId, clientSecret };
  const tokens = new Tokens(http, credentials, cache, clock, stopping, contract.token);
  const store = new LearnedStore(learnedPath(paths, settings), destination);
  const learned = store.read();
  const { rate, concurrency, audio } = options;
  const pace = new Pace({ rate, concurrency, random: Math.random, learned: learned.pace });
  const turnstile = new Turnstile(pace, clock, stopping);
  const { fieldName = () => null } = options;
  const secrets = [clientSecret];
  const api = new RequestApi({ http, tokens, turnstile, audio, contract, fieldName, clock, stopping, secrets });
  if (contract.source) context.onClose(() => keepObservations(context, contract, api));
  return {
    api,
    destination,
    evidence: learned.evidence,
    keep: (evidence) => store.write({ evidence, pace: pace.learned() ?? learned.pace }),
  };
}

/** However the command ended, what the answers said of the contract is kept; what speaks against it is told. */
async function keepObservations(context: Context, contract: Contract, api: RequestApi): Promise<void> {
  const seen = api.observations();
  if (Object.keys(seen).length === 0) return;
  (await context.contracts()).observe(contract, seen);
  const against = contradictionText(contract, seen);
  if (against === null) return;
  const advice = 'Ask for the current document and learn it: srq contract learn FILE   or: srq contract forget';
  (await context.reporter()).warn(`${against} ${advice}`);
}

/** Asks the service for a token with credentials that are not stored yet. Throws as `Tokens.prove` does. */
export async function proveCredentials(context: Context, destination: Destination, clientSecret: string) {
  const http = openHttp(context, destination.baseUrl, 1);
  const { signal } = context.interruption.halt;
  const credentials = { clientId: destination.clientId, clientSecret };
  const { token } = await context.contract(destination.baseUrl);
  const tokens = new Tokens(http, credentials, noCache, context.clock, signal, token);
  return tokens.prove();
}

const noCache: TokenCache = { read: () => null, write: () => {}, forget: () => {} };

function openHttp(context: Context, baseUrl: string, connections: number): Http {
  const { env } = context.process;
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new SrqError(
      'settings',
      'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates; srq does not send then.',
      'Unset it. For a private certificate authority, name its file in NODE_EXTRA_CA_CERTS.',
    );
  }
  const { timeout, verbose } = context.options;
  const http = new Http({
    baseUrl,
    connections,
    timeoutMs: timeout === undefined ? null : timeout * 1000,
    proxy: { https: env['https_proxy'] || env['HTTPS_PROXY'] || null, no: env['no_proxy'] || env['NO_PROXY'] || null },
    monotonicMs: context.clock.monotonicMs,
    trace: verbose ? (line) => context.process.stderr.write(`${line}\n`) : null,
  });
  context.onClose(() => http.close());
  return http;
}
