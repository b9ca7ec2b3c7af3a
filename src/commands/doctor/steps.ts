import { isIP, type Socket } from 'node:net';
import type { Connection } from '../../account/connection.ts';
import type { Context } from '../../cli/context.ts';
import { finishOnSignal, recordingsBeside } from '../../cli/session.ts';
import { prepareDraft } from '../../delivery/prepare.ts';
import { type Submission, submitRequest } from '../../delivery/submit.ts';
import { duration } from '../../report/output.ts';
import { contractName } from '../../report/terminal/contract-text.ts';
import { type Contract, withJudges } from '../../request/contract/contract.ts';
import { operationsOf } from '../../request/contract/operations.ts';
import type { Destination, Draft } from '../../request/lead/service-request.ts';
import type { RowResult } from '../../request/log/outcome.ts';
import type { Status } from '../../request/log/status.ts';
import type { CachedToken, TracedCall, ValidateResult } from '../../request/ports.ts';
import type { ErrorReason } from '../../request/words/error-codes.ts';
import { SrqError } from '../../request/words/errors.ts';
import { connectTimeoutOf } from '../../service/network/connector.ts';
import {
  hostOf,
  openConnection,
  openTunnel,
  resolveHost,
  type ServiceCertificate,
  tlsHandshake,
} from '../../service/network/probe.ts';
import type { Examination, Found } from './examination.ts';

const SKEW_WARNING_MS = 60_000;

/** The clock of the service, as seen in its last answer. */
export class ClockReading {
  /** How far the service's clock is ahead of the local one, or null if it is unknown. */
  skewMs: number | null = null;
  /** Duration of the call in milliseconds, which is the uncertainty of the reading. */
  ms = 0;

  note({ answer, ms }: TracedCall, nowMs: number): void {
    const atMs = Date.parse(answer?.headers['date'] ?? '');
    if (Number.isNaN(atMs)) return;
    this.skewMs = atMs - (nowMs - ms / 2);
    this.ms = ms;
  }
}

/** Checks the service: its clock, the credentials, and whether validate can be understood. */
export async function takeServiceSteps(
  context: Context,
  examination: Examination,
  { api, destination, proveCredentials }: Connection,
  reading: ClockReading,
): Promise<void> {
  const contract = await context.contract();
  const startedMs = context.clock.monotonicMs();
  const proof = examination.failure ? null : await proveCredentials().catch(asFailure);
  const ms = Math.round(context.clock.monotonicMs() - startedMs);
  await examination.runStep('clock', () => judgedClock(reading));
  await examination.runStep('token', () => judgedToken(proof, ms, contract));
  await examination.runStep('validate', async () => {
    if (contract.validate === null) return { result: 'skip', message: 'The contract says there is none.', value: null };
    const submission = await madeUpRequest(destination, contract, context.clock.nowMs()).catch(asFailure);
    if (submission instanceof SrqError) return untried(submission);
    return judgedVerdict(await api.validate(submission.request));
  });
}

function asFailure(error: unknown): SrqError {
  if (error instanceof SrqError) return error;
  throw error;
}

function judgedClock({ skewMs, ms }: ClockReading): Found<null> {
  if (skewMs === null) return { result: 'skip', message: 'The service did not tell its time.', value: null, ms };
  const away = duration(Math.abs(skewMs));
  if (Math.abs(skewMs) <= SKEW_WARNING_MS) {
    return { result: 'ok', message: `This clock and the service's agree within ${away}.`, value: null, ms };
  }
  const message = `This clock is ${away} ${skewMs > 0 ? 'behind' : 'ahead of'} the service's.`;
  const hint = 'Set the clock of this machine, preferably by NTP: the log and the lifetime of tokens depend on it.';
  return { result: 'warn', message, hint, reason: 'clock.wrong', value: null, ms };
}

function judgedToken(proof: CachedToken | SrqError | null, ms: number, contract: Contract): Found<null> {
  if (proof instanceof SrqError) throw proof;
  if (proof === null) {
    const proven = contract.validate === null ? 'The first create proves the credentials.' : PROVEN_BELOW;
    return { result: 'skip', message: `The service issues no tokens. ${proven}`, value: null };
  }
  const lifeMs = proof.expiresAtMs === null ? null : proof.expiresAtMs - proof.obtainedAtMs;
  const life = lifeMs === null ? 'the service does not say for how long' : `valid for ${duration(lifeMs)}`;
  return { result: 'ok', message: `The credentials work: a token was granted, ${life}.`, value: null, ms };
}

const PROVEN_BELOW = 'The answer of validate will show whether the credentials are accepted.';

/** Returns a warning that a step was not tried, because the contract may require values that srq cannot make up. */
function untried({ message, hint, reason }: SrqError): Found<null> {
  return { result: 'warn', message: `${message} Validate was not asked.`, hint: hint ?? '', reason, value: null };
}

/** Tells whether validate calls the made-up request a duplicate, whether or not it says the same of every other one. */
const isFalseDuplicate = ({ verdict, refused, message }: ValidateResult): boolean =>
  verdict === 'duplicate' || (verdict === 'unknown' && refused === null && message !== null);

function judgedVerdict(answer: ValidateResult): Found<null> {
  const { verdict, refused, http, message } = answer;
  const said = (word: string) => `Validate says "${word}" about a made-up request`;
  if (verdict === 'clear') return { result: 'ok', message: `${said(verdict)}.`, value: null };
  if (isFalseDuplicate(answer))
    return {
      result: 'warn',
      message: `${said('duplicate')}, which nobody can have sent before.`,
      hint: UNTRUE_DUPLICATE,
      reason: 'service.false-duplicate',
      value: null,
    };
  if (refused === 'failed') throw new SrqError('service.no-verdict', message ?? 'Validate did not answer.', TRY_LATER);
  if (refused === 'rejected') {
    const hint = 'Its rules may not allow made-up data. Try a request of your own: srq validate --file request.json';
    return {
      result: 'warn',
      message: `Validate refused a made-up request. ${message ?? ''}`.trim(),
      hint,
      reason: 'request.rejected',
      value: null,
    };
  }
  const hint =
    'Ask the marketplace how validate answers. Until srq can read it, requests are only created with --no-validate.';
  return {
    result: 'warn',
    message: `Validate answered HTTP ${http}, but srq finds no verdict in the answer.`,
    hint,
    reason: 'service.no-verdict',
    value: null,
  };
}

const UNTRUE_DUPLICATE =
  'If it does not know the phone number from an earlier srq doctor --create, srq misreads duplicates: srq contract show';
const TRY_LATER =
  'Try again later: srq doctor. If that does not help, send the report to the marketplace: srq doctor --json';

/** Creates one request that says it is a test. It is sent and logged like any other. */
export async function takeCreateStep(
  context: Context,
  examination: Examination,
  { api, destination }: Connection,
): Promise<void> {
  await examination.runStep('create', async () => {
    const submission = await madeUpRequest(destination, await context.contract(), context.clock.nowMs());
    const log = await context.openLog('doctor', false);
    await finishOnSignal(context);
    const options = { validate: false, onDuplicate: 'skip', again: false } as const;
    const sent = await submitRequest(submission, api, log, options);
    if (sent.stop) throw sent.stop;
    return judgedCreate(sent, submission);
  });
}

function judgedCreate(result: RowResult, { key }: Submission): Found<null> {
  const ids = Object.entries(result.ids).map(([name, value]) => `${name}=${value}`);
  const told = [...ids, ...(result.message === null ? [] : [result.message])].join(' ');
  if (result.status === 'created') {
    return { result: 'ok', message: `A test request was created. ${told}`.trim(), value: null };
  }
  if (result.status === 'duplicate') {
    const message = `The service considers the test request a duplicate. ${told}`.trim();
    return { result: 'warn', message, hint: UNTRUE_DUPLICATE, reason: 'service.false-duplicate', value: null };
  }
  const hint =
    result.status === 'unknown' ? `Look it up at the service, then: srq resolve ${key.slice(0, 12)}` : TRY_LATER;
  throw new SrqError(
    REASON_OF[result.status] ?? 'service.failed',
    `The test request is ${result.status}. ${told}`.trim(),
    hint,
  );
}

/** The reason of failure for each status of a test request. */
const REASON_OF: Partial<Readonly<Record<Status, ErrorReason>>> = {
  invalid: 'request.rejected',
  rejected: 'request.rejected',
  repeated: 'request.is-duplicate',
  unknown: 'request.in-doubt',
};

/** Names the contract that the steps before have tried. */
export async function takeContractStep(context: Context, examination: Examination): Promise<void> {
  await examination.runStep('contract', async (): Promise<Found<null>> => {
    const contract = await context.contract();
    if (!contract.source) return { result: 'skip', message: 'No contract was learned.', value: null };
    return { result: 'ok', message: `${contractName(contract)}.`, value: null };
  });
}

/**
 * Makes up a request that cannot be taken for a real one. All its texts say that it is a test, and its phone number is
 * libphonenumber's example, which belongs to nobody. The text differs each time, so that a service that remembers the
 * last one accepts it. Throws `SrqError('input')` if the local checks refuse it.
 */
async function madeUpRequest(destination: Destination, contract: Contract, nowMs: number): Promise<Submission> {
  const operations = operationsOf({ validate: true });
  const judged = await withJudges(contract);
  const preparation = { destination, audio: recordingsBeside('-'), contract: judged, operations, strict: false };
  const prepared = await prepareDraft(draftAt(new Date(nowMs).toISOString()), null, preparation);
  if (prepared.request) return prepared;
  const problems = prepared.problems.map(({ message }) => message).join(' ');
  const hint = 'Try a request of your own: srq validate --file request.json';
  throw new SrqError('request.invalid', `A made-up request does not pass the local checks. ${problems}`, hint);
}

function draftAt(time: string): Draft {
  return {
    row: 1,
    fields: {
      country: 'PT',
      lang: 'pt',
      location: '1200-109 Lisboa',
      fullname: 'srq doctor (test)',
      email: 'srq-doctor@example.com',
      phone: '+351912345678',
      request_text: `TEST by srq doctor at ${time}. Nobody needs anything: please ignore.`,
      ref: 'srq-doctor',
    },
  };
}

const DAY_MS = 24 * 3600 * 1000;
const EXPIRY_WARNING_DAYS = 14;

/** Checks the network path to the service: proxy, name, port, certificate. */
export async function takeNetworkSteps(
  context: Context,
  examination: Examination,
  { destination, network }: Connection,
): Promise<void> {
  const url = new URL(destination.baseUrl);
  const { timeout } = context.options;
  const timeoutMs = connectTimeoutOf(timeout === undefined ? null : timeout * 1000);
  const { proxy } = network;
  const tunnel = await examination.runStep('proxy', async (): Promise<Found<Socket | null>> => {
    if (!proxy) return { result: 'ok', message: directly(context, url), value: null };
    const value = await openTunnel(url, { ...network, proxy }, timeoutMs);
    return { result: 'ok', message: `${proxy.url} connects to ${url.host}.`, value };
  });
  await examination.runStep('dns', async () => {
    if (proxy) return BY_PROXY;
    const host = hostOf(url);
    if (isIP(host))
      return { result: 'ok', message: `${host} is an address; there is no name to look up.`, value: null };
    const addresses = await resolveHost(host);
    return { result: 'ok', message: `${host} is at ${addresses.join(', ')}.`, value: null };
  });
  const connection = await examination.runStep('tcp', async (): Promise<Found<Socket | null>> => {
    if (proxy) return BY_PROXY;
    const value = await openConnection(url, timeoutMs);
    return { result: 'ok', message: `Connected to ${value.remoteAddress}, port ${value.remotePort}.`, value };
  });
  const socket = tunnel ?? connection;
  await examination.runStep('tls', async () => {
    if (url.protocol === 'http:' || !socket) {
      return { result: 'skip', message: 'Plain http, which does not leave this machine.', value: null };
    }
    return judgedCertificate(await tlsHandshake(socket, url, network.secureContext, timeoutMs), context.clock.nowMs());
  });
  socket?.destroy();
}

const BY_PROXY: Found<null> = { result: 'skip', message: 'The proxy does that.', value: null };

function directly({ process: { env } }: Context, { protocol }: URL): string {
  if (protocol === 'http:') return 'None: the service is on this machine.';
  return env['HTTPS_PROXY'] || env['https_proxy']
    ? 'None: NO_PROXY lists the service.'
    : 'None: HTTPS_PROXY is not set.';
}

function judgedCertificate({ issuer, expiresAtMs, protocol }: ServiceCertificate, nowMs: number): Found<null> {
  const days = Math.floor((expiresAtMs - nowMs) / DAY_MS);
  const until = new Date(expiresAtMs).toISOString().slice(0, 10);
  const message = `${protocol}, certificate by ${issuer}, valid until ${until} (${days} days).`;
  if (days >= EXPIRY_WARNING_DAYS) return { result: 'ok', message, value: null };
  const hint = 'Tell the marketplace that its certificate expires soon; srq sends nothing after that.';
  return { result: 'warn', message, hint, reason: 'service.certificate-ends', value: null };
}

/** Checks whether the store in PostgreSQL can be reached and used. */
export async function takeStoreStep(context: Context, examination: Examination): Promise<void> {
  await examination.runStep('store', async (): Promise<Found<null>> => {
    const store = await context.postgresStore();
    const { server, role, isBehind, replication, dangers: found } = await store.examine();
    const unknown = await context.unknownLog();
    const dangers = unknown === null ? found : [...found, unknown];
    const message = `${store.name} as ${role}: ${server}. ${replication}`;
    if (dangers.length > 0) {
      const words = [message, ...dangers.map((danger) => danger.message)].join(' ');
      const advice = dangers.map((danger) => danger.hint).join(' ');
      return { result: 'warn', message: words, hint: advice, reason: 'store.unsafe', value: null };
    }
    if (!isBehind) return { result: 'ok', message, value: null };
    const hint = 'The next command that sends does that, if this role may. To do it now: srq store migrate';
    return {
      result: 'warn',
      message: `${message} Its tables have to be created or updated.`,
      hint,
      reason: 'store.not-ready',
      value: null,
    };
  });
}
