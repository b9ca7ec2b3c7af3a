import { existsSync } from 'node:fs';
import { mkdtemp, rm, rmdir, statfs } from 'node:fs/promises';
import { isIP, type Socket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { Connection } from '../../account/connection.ts';
import { connect } from '../../cli/connect.ts';
import type { Context } from '../../cli/context.ts';
import { finishOnSignal, recordingsBeside } from '../../cli/session.ts';
import { prepareDraft } from '../../delivery/prepare.ts';
import { type Submission, submitRequest } from '../../delivery/submit.ts';
import { duration } from '../../report/output.ts';
import { contractName, secretAddressText } from '../../report/terminal/contract-text.ts';
import { type Contract, withJudges } from '../../request/contract/contract.ts';
import { operationsOf } from '../../request/contract/operations.ts';
import type { StepName } from '../../request/documents/diagnosis.ts';
import type { Destination } from '../../request/lead/service-request.ts';
import type { Status } from '../../request/log/status.ts';
import { makeFolder } from '../../request/make-folder.ts';
import type { CachedToken, TracedCall } from '../../request/ports.ts';
import type { ErrorReason } from '../../request/words/error-codes.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import { requireWritable } from '../../run/outputs.ts';
import { connectTimeoutOf, targetOf } from '../../service/network/connector.ts';
import { openConnection, openProxied, resolveHost, tlsHandshake } from '../../service/network/probe.ts';

/** What a check has found, if it did not fail. */
interface Found {
  readonly message: string;
  readonly warning?: { readonly reason: ErrorReason; readonly hint: string };
  readonly isSkipped?: boolean;
  /** The time to show if it is not that of the check. */
  readonly ms?: number;
}

/** One step. An `SrqError` that it throws is its failure, after which no other step is taken. */
export interface Check {
  readonly name: StepName;
  readonly onlyWith?: 'store' | 'create';
  /** Whether it sees to its own time. */
  readonly isBounded?: true;
  readonly look: (examination: Examination) => Promise<Found>;
}

/** The time of a step. A call that is under way then is still waited for, which takes at most as long as a call may. */
const STEP_MS = 10_000;
/** The time of a call, unless --timeout says another. */
const CALL_MS = 8_000;

/** What the steps hand to those after them. */
export class Examination {
  readonly context: Context;
  /** Set by the first step. */
  connection!: Connection;
  contract!: Contract;
  socket: Socket | null = null;
  proof: CachedToken | SrqError | null = null;
  proofMs = 0;
  /** How far the service's clock is ahead of this one, by its last answer, and how long that took. */
  skew: { readonly ms: number; readonly withinMs: number } | null = null;
  #lastStatus: number | null = null;

  constructor(context: Context) {
    this.context = context;
  }

  get timeoutMs(): number {
    return (this.context.options.timeout ?? CALL_MS / 1000) * 1000;
  }

  note({ answer, ms }: TracedCall): void {
    this.#lastStatus = answer?.status ?? null;
    const atMs = Date.parse(answer?.headers['date'] ?? '');
    if (!Number.isNaN(atMs)) this.skew = { ms: atMs - (this.context.clock.nowMs() - ms / 2), withinMs: ms };
  }

  /** Ends with the work, or with an error once the time of a step is over. Nothing is sent or repeated after that. */
  async within<Result>(work: Promise<Result>): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.context.halt.abort();
        reject(this.#tooLate());
      }, STEP_MS);
    });
    try {
      return await Promise.race([work, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  #tooLate(): SrqError {
    const limit = duration(STEP_MS);
    if (this.#lastStatus === null || this.#lastStatus < 300) {
      return new SrqError('service.unreachable', `No answer came within ${limit}.`, SILENT);
    }
    const message = `No usable answer came within ${limit}. The last one was HTTP ${this.#lastStatus}.`;
    return new SrqError('service.failed', message, TRY_LATER);
  }
}

const SILENT = 'Check the base URL (srq status), the network and, if there is one, the proxy.';
const TRY_LATER =
  'Try again later. If that does not help, send the marketplace what srq doctor --json prints; it holds no secret.';
const FALSE_DUPLICATE =
  'If it does not know the phone number from an earlier srq doctor --create, srq misreads duplicates: srq contract show';
const OWN_REQUEST = 'Try a request of your own: srq validate --file request.json';
const SKEW_WARNING_MS = 60_000;
const DAY_MS = 24 * 3600 * 1000;
const EXPIRY_WARNING_DAYS = 14;

const skipped = (message: string): Found => ({ message, isSkipped: true });
const BY_PROXY = skipped('The proxy does that.');

/** The steps in their order: from this machine to the service, then what an import needs here. */
export const CHECKS: readonly Check[] = [
  { name: 'settings', look: settings },
  { name: 'store', onlyWith: 'store', look: ({ context }) => store(context) },
  { name: 'proxy', look: proxy },
  { name: 'dns', look: name },
  { name: 'tcp', look: port },
  { name: 'tls', look: certificate },
  { name: 'clock', isBounded: true, look: clock },
  { name: 'token', look: token },
  { name: 'validate', look: validate },
  { name: 'log', look: ({ context }) => log(context) },
  { name: 'disk', look: ({ context }) => disk(context) },
  { name: 'results', look: ({ context }) => results(context.process.cwd()) },
  { name: 'create', onlyWith: 'create', isBounded: true, look: create },
  {
    name: 'contract',
    look: async ({ contract }) =>
      contract.source ? { message: `${contractName(contract)}.` } : skipped('No contract was learned.'),
  },
];

async function settings(examination: Examination): Promise<Found> {
  const { context, timeoutMs } = examination;
  const { live, profile, secret } = await context.settings();
  examination.connection = await connect(context, {
    ...{ rate: 'auto', concurrency: 1, audio: recordingsBeside('-'), isAlone: true, timeoutMs },
    watch: (call) => examination.note(call),
  });
  examination.contract = await context.contract();
  const { baseUrl, clientId } = examination.connection.destination;
  const address = secretAddressText(examination.contract, baseUrl);
  // Connecting has read the secret, so a locked keychain would have failed this step.
  const kept = secret.state === 'keychain' ? ' The keychain gave the secret.' : '';
  const kind = live ? 'live' : 'test';
  return { message: `Profile ${profile.value} (${kind}): ${baseUrl} as client ${clientId}. ${address}${kept}` };
}

async function store(context: Context): Promise<Found> {
  const opened = await context.postgresStore();
  const { server, role, isBehind, replication, dangers } = await opened.examine();
  const unknown = await context.unknownLog();
  if (unknown !== null) throw new SrqError(unknown.reason, unknown.message, unknown.hint);
  const message = `${opened.name} as ${role}: ${server}. ${replication}`;
  if (dangers.length > 0) {
    const [words, hint] = [dangers.map((each) => each.message).join(' '), dangers.map((each) => each.hint).join(' ')];
    return { message: `${message} ${words}`, warning: { reason: 'store.unsafe', hint } };
  }
  if (!isBehind) return { message };
  const hint = 'The next command that sends does that, if this role may. To do it now: srq store migrate';
  const behind = `${message} Its tables have to be created or updated.`;
  return { message: behind, warning: { reason: 'store.not-ready', hint } };
}

const addressOf = ({ connection }: Examination) => new URL(connection.destination.baseUrl);

async function proxy(examination: Examination): Promise<Found> {
  const { network } = examination.connection;
  const { env } = examination.context.process;
  const url = addressOf(examination);
  if (network.proxy) {
    const tunnel = { ...network, proxy: network.proxy };
    examination.socket = await openProxied(url, tunnel, connectTimeoutOf(examination.timeoutMs));
    return { message: `${network.proxy.url} connects to ${url.host}.` };
  }
  if (url.protocol === 'http:') return { message: 'None: the service is on this machine.' };
  const isSet = env['HTTPS_PROXY'] || env['https_proxy'];
  return { message: `None: ${isSet ? 'NO_PROXY lists the service' : 'HTTPS_PROXY is not set'}.` };
}

async function name(examination: Examination): Promise<Found> {
  if (examination.connection.network.proxy) return BY_PROXY;
  const host = targetOf(addressOf(examination)).hostname;
  if (isIP(host)) return { message: `${host} is an address; there is no name to look up.` };
  return { message: `${host} is at ${(await resolveHost(host)).join(', ')}.` };
}

async function port(examination: Examination): Promise<Found> {
  if (examination.connection.network.proxy) return BY_PROXY;
  const socket = await openConnection(addressOf(examination), connectTimeoutOf(examination.timeoutMs));
  examination.socket = socket;
  return { message: `Connected to ${socket.remoteAddress}, port ${socket.remotePort}.` };
}

async function certificate(examination: Examination): Promise<Found> {
  const { socket, context, connection, timeoutMs } = examination;
  const url = addressOf(examination);
  try {
    if (url.protocol === 'http:' || !socket) return skipped('Plain http, which does not leave this machine.');
    const shown = await tlsHandshake(socket, url, connection.network.secureContext, connectTimeoutOf(timeoutMs));
    const days = Math.floor((shown.expiresAtMs - context.clock.nowMs()) / DAY_MS);
    const until = new Date(shown.expiresAtMs).toISOString().slice(0, 10);
    const message = `${shown.protocol}, certificate by ${shown.issuer}, valid until ${until} (${days} days).`;
    if (days >= EXPIRY_WARNING_DAYS) return { message };
    const hint = 'Tell the marketplace that its certificate expires soon; srq sends nothing after that.';
    return { message, warning: { reason: 'service.certificate-ends', hint } };
  } finally {
    socket?.destroy();
  }
}

/** The clock is read from the answer to the request for a token. The step after this one judges that answer. */
async function clock(examination: Examination): Promise<Found> {
  const { context, connection } = examination;
  const startedMs = context.clock.monotonicMs();
  examination.proof = await examination.within(connection.proveCredentials()).catch(asFailure);
  examination.proofMs = Math.round(context.clock.monotonicMs() - startedMs);
  const { skew } = examination;
  if (skew === null) return { ...skipped('The service did not tell its time.'), ms: 0 };
  const away = duration(Math.abs(skew.ms));
  const ms = skew.withinMs;
  if (Math.abs(skew.ms) <= SKEW_WARNING_MS) {
    return { message: `This clock and the service's agree within ${away}.`, ms };
  }
  const hint = 'Set the clock of this machine, preferably by NTP: the log and the lifetime of tokens depend on it.';
  const message = `This clock is ${away} ${skew.ms > 0 ? 'behind' : 'ahead of'} the service's.`;
  return { message, warning: { reason: 'clock.wrong', hint }, ms };
}

function asFailure(error: unknown): SrqError {
  if (error instanceof SrqError) return error;
  throw error;
}

async function token({ proof, proofMs, contract }: Examination): Promise<Found> {
  if (proof instanceof SrqError) throw proof;
  if (proof === null) {
    const proven =
      contract.validate === null
        ? 'The first create proves the credentials.'
        : 'The answer of validate will show whether the credentials are accepted.';
    return skipped(`The service issues no tokens. ${proven}`);
  }
  const lifeMs = proof.expiresAtMs === null ? null : proof.expiresAtMs - proof.obtainedAtMs;
  const life = lifeMs === null ? 'the service does not say for how long' : `valid for ${duration(lifeMs)}`;
  return { message: `The credentials work: a token was granted, ${life}.`, ms: proofMs };
}

/** An import asks validate about every row, so whatever is no verdict would stop it. */
async function validate({ context, connection, contract }: Examination): Promise<Found> {
  if (contract.validate === null) return skipped('The contract says there is none.');
  const { api, destination } = connection;
  const made = await madeUpRequest(destination, contract, context.clock.nowMs()).catch(asFailure);
  // The contract may require values that srq cannot make up.
  if (made instanceof SrqError) {
    const { message, reason } = made;
    return { message: `${message} Validate was not asked.`, warning: { reason, hint: OWN_REQUEST } };
  }
  const { verdict, refused, http, message } = await api.validate(made.request);
  const said = (word: string) => `Validate says "${word}" about a made-up request`;
  if (verdict === 'clear') return { message: `${said(verdict)}.` };
  // It calls this one a duplicate, whether or not it says the same of every other one.
  if (verdict === 'duplicate' || (refused === null && message !== null)) {
    const words = `${said('duplicate')}, which nobody can have sent before.`;
    return { message: words, warning: { reason: 'service.false-duplicate', hint: FALSE_DUPLICATE } };
  }
  if (refused === 'failed') throw new SrqError('service.no-verdict', message ?? 'Validate did not answer.', TRY_LATER);
  const why = `Validate refused a made-up request. ${message ?? ''}`.trim();
  if (refused !== null && http === 403) throw new SrqError('auth.denied', why, DENIED);
  if (refused !== null) throw new SrqError('request.rejected', why, REFUSED);
  const unread = `Validate answered HTTP ${http}, but srq finds no verdict in the answer.`;
  throw new SrqError('answer.unreadable', unread, UNREAD);
}

const DENIED = 'Ask the marketplace whether this client may use the request API.';
const REFUSED = `If it wants more fields, learn its API description: srq contract learn FILE    If not, try a request of your own: srq validate --file request.json`;
const UNREAD =
  'Check the base URL: srq status    If it is right, ask the marketplace how validate answers. Until srq can read it, requests are only created with --no-validate.';

/** Creates one request that says it is a test. It is sent and logged like any other. */
async function create({ context, connection, contract }: Examination): Promise<Found> {
  const made = await madeUpRequest(connection.destination, contract, context.clock.nowMs());
  const opened = await context.openLog('doctor', false);
  await finishOnSignal(context);
  const options = { validate: false, onDuplicate: 'skip', again: false } as const;
  // What is under way then is finished and recorded, so it is not left like the other steps.
  const timer = setTimeout(() => context.halt.abort(), STEP_MS);
  const sent = await submitRequest(made, connection.api, opened, options).finally(() => clearTimeout(timer));
  const { stop, status, ids, message } = sent;
  if (stop) throw stop;
  const told = [...Object.entries(ids).map((pair) => pair.join('=')), ...(message === null ? [] : [message])].join(' ');
  if (status === 'created') return { message: `A test request was created. ${told}`.trim() };
  if (status === 'duplicate') {
    const words = `The service considers the test request a duplicate. ${told}`.trim();
    return { message: words, warning: { reason: 'service.false-duplicate', hint: FALSE_DUPLICATE } };
  }
  const lookUp = `Look it up at the service, then: srq resolve ${made.key.slice(0, 12)}`;
  const why = `The test request is ${status}. ${told}`.trim();
  throw new SrqError(REASON_OF[status] ?? 'service.failed', why, status === 'unknown' ? lookUp : TRY_LATER);
}

/** The reason of failure for each status of a test request. */
const REASON_OF: Partial<Readonly<Record<Status, ErrorReason>>> = {
  invalid: 'request.rejected',
  rejected: 'request.rejected',
  repeated: 'request.is-duplicate',
  unknown: 'request.in-doubt',
};

/**
 * Makes up a request that cannot be taken for a real one. All its texts say that it is a test, and its phone number is
 * libphonenumber's example, which belongs to nobody. The text differs each time, so that a service that remembers the
 * last one accepts it. Throws `SrqError('input')` if the local checks refuse it.
 */
async function madeUpRequest(destination: Destination, contract: Contract, nowMs: number): Promise<Submission> {
  const operations = operationsOf({ validate: true });
  const judged = await withJudges(contract);
  const preparation = { destination, audio: recordingsBeside('-'), contract: judged, operations, strict: false };
  const prepared = await prepareDraft(
    { row: 1, fields: madeUpFields(new Date(nowMs).toISOString()) },
    null,
    preparation,
  );
  if (prepared.request) return prepared;
  const problems = prepared.problems.map(({ message }) => message).join(' ');
  throw new SrqError('request.invalid', `A made-up request does not pass the local checks. ${problems}`, OWN_REQUEST);
}

function madeUpFields(time: string): Readonly<Record<string, string>> {
  return {
    ...{ country: 'PT', lang: 'pt', location: '1200-109 Lisboa', ref: 'srq-doctor' },
    ...{ fullname: 'srq doctor (test)', email: 'srq-doctor@example.com', phone: '+351912345678' },
    request_text: `TEST by srq doctor at ${time}. Nobody needs anything: please ignore.`,
  };
}

/**
 * Opens the log like an import, and closes it again. A log that does not exist is not created; its folder is tested
 * instead.
 */
async function log(context: Context): Promise<Found> {
  const place = await context.logPlace();
  if (place.kind === 'store') return skipped('The store keeps it.');
  const { path, isGiven } = place;
  const { lockFacts } = await import('../../store/file/lock.ts');
  const { kernelLockName } = await import('../../store/file/kernel-lock.ts');
  // A log that is missing is not new if it was used for sending, and an import would be refused.
  if (!existsSync(path) && lockFacts(path) === null) {
    await requireFolderForLog(context, path, isGiven);
    return { message: `The first import creates ${path}; its lock, ${kernelLockName()}, works there.` };
  }
  const opened = await (await context.logStore()).open('doctor', true);
  await opened.close();
  return { message: `${path} can be written, and its lock, ${kernelLockName()}, works.` };
}

/** Opens a log in a temporary folder beside the path, and removes both. Throws `SrqError('log')` if that fails. */
async function requireFolderForLog({ clock, run, uid }: Context, path: string, isGiven: boolean): Promise<void> {
  const { openFileStore } = await import('../../store/file/file-store.ts');
  const { requireOwnFolder } = await import('../../store/file/log-access.ts');
  const user = { uid, isInStateFolder: !isGiven };
  const folder = dirname(resolve(path));
  let trial: string | null = null;
  let outermost: string | undefined;
  try {
    outermost = makeFolder(folder);
    requireOwnFolder(path, user);
    trial = await mkdtemp(join(folder, '.srq-doctor-'));
    const opened = openFileStore({ path: join(trial, 'trial.ndjson'), clock, run, holder: () => 'srq doctor', user });
    await (await opened.open('doctor', true)).close();
  } catch (error) {
    if (error instanceof SrqError) throw error;
    const message = `The log ${path} cannot be created (${systemCode(error)}).`;
    const hint = 'Name another file with --log FILE, or another folder in SRQ_STATE_DIR.';
    throw new SrqError('log.unwritable', message, hint, error);
  } finally {
    if (trial !== null) await rm(trial, { recursive: true, force: true });
    // Only what was made for this is removed, and only if nothing else is in it.
    for (let made = folder; outermost !== undefined && made.length >= outermost.length; made = dirname(made)) {
      await rmdir(made).catch(() => {});
    }
  }
}

const MIB = 2 ** 20;
const MIN_FREE_BYTES = 100 * MIB;

/** Checks the free space where the log and the results are. An import that fills the disk stops. */
async function disk(context: Context): Promise<Found> {
  const place = await context.logPlace();
  const here = context.process.cwd();
  const folders = place.kind === 'file' ? [nearest(dirname(resolve(place.path))), here] : [here];
  try {
    const spaces = await Promise.all(folders.map(async (folder) => ({ folder, ...(await statfs(folder)) })));
    const [least] = spaces.toSorted((one, other) => one.bavail * one.bsize - other.bavail * other.bsize);
    const free = (least?.bavail ?? 0) * (least?.bsize ?? 0);
    const shown = free < 1024 * MIB ? `${Math.floor(free / MIB)} MiB` : `${(free / 1024 / MIB).toFixed(1)} GiB`;
    const message = `${shown} are free in ${least?.folder}.`;
    if (free >= MIN_FREE_BYTES) return { message };
    const hint = 'Free some space before a large import: srq stops as soon as the log cannot be written.';
    return { message, warning: { reason: 'disk.nearly-full', hint } };
  } catch (error) {
    return skipped(`The system does not report the free space (${systemCode(error)}).`);
  }
}

const nearest = (folder: string): string => (existsSync(folder) ? folder : nearest(dirname(folder)));

/** Only warns, because the file of leads, and with it the results, may be elsewhere. */
async function results(folder: string): Promise<Found> {
  try {
    await requireWritable(join(folder, 'leads.results.csv'), 'results file', '--results');
    return { message: `Results files can be written in ${folder}.` };
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    const hint =
      'This matters only if your leads are in this folder. If so, name another place: srq bulk FILE --results FILE';
    const message = `No results file can be written in ${folder} (${systemCode(error.cause)}).`;
    return { message, warning: { reason: error.reason, hint } };
  }
}
