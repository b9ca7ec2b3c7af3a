import { randomBytes, randomInt } from 'node:crypto';
import {
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { z } from 'zod';
import type { Contract } from '../../request/contract/contract.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import { type FaultRates, Instructions, parseFaultRates, seededRandom } from '../service/faults.ts';
import { IdempotencyStore, LocalMarketplace, TokenBucket } from '../service/marketplace.ts';
import type { Service } from '../service/routes.ts';
import type { PartnerCredentials, ServiceInterface } from '../service/service-interface.ts';
import type { Arrival, ReceivedRequest } from './received-request.ts';
import { ReceivedRequests } from './received-requests.ts';

export interface SandboxOptions {
  /** The port, or 0 for a free one. */
  readonly port: number;
  /** A number, as in the API's example. If it and the secret are left out, they are those of the store, or random. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Delay that is added to every answer of the three operations. */
  readonly latencyMs: number;
  /** Maximum number of creates and validates a second, above which 429 is answered. Null for no limit. */
  readonly ratePerSecond: number | null;
  readonly tokenTtlSeconds: number;
  /** Probability by kind of fault, validated at the start. */
  readonly faults: Readonly<Record<string, number>>;
  /**
   * The seed of faults and identifiers, which are the same for the same seed and order of requests. Tokens and secrets
   * are always random.
   */
  readonly seed: number;
  /** File that keeps received requests from one start to the next, or null to keep them in memory only. */
  readonly storeFile: string | null;
  /** The contract that the operations follow, or null for the public document. */
  readonly contract: Contract | null;
  /**
   * Whether there are the inbox at `/` and the calls by which everybody on this machine may inspect and change it.
   * Without them only the three operations are answered, which require the credentials.
   */
  readonly hasInbox: boolean;
  /** Returns the wall-clock time in milliseconds. */
  readonly now: () => number;
}

/** The state of a running sandbox. Faults and latency may be changed while it runs. */
export interface SandboxState {
  readonly service: Service;
  readonly hasInbox: boolean;
  readonly instructions: Instructions;
  readonly received: ReceivedRequests;
  faultRates: FaultRates;
  readonly random: () => number;
  latencyMs: number;
  readonly now: () => number;
  /** Fires when the sandbox closes. */
  readonly closing: AbortSignal;
  /** Records an arrival, in memory and on disk. */
  record(arrival: Arrival): ReceivedRequest;
  /** Forgets all received requests, in memory and on disk. */
  forgetRequests(): void;
  close(): void;
}

/**
 * Creates the initial state, which is empty or has the contents of the store. Throws `SrqError('usage')` for an unknown
 * fault or a store that cannot be used.
 */
export function openState(options: SandboxOptions, offered: ServiceInterface, closing: AbortSignal): SandboxState {
  const faultRates = parseFaultRates(options.faults);
  const random = seededRandom(options.seed);
  const service = openService(options, offered, random);
  const received = new ReceivedRequests();
  const { storeFile } = options;
  const recallHere = (earlier: ReceivedRequest): void => recall(earlier, received, service);
  const store = storeFile === null ? null : openStoreFile(storeFile, recallHere);
  return {
    service,
    hasInbox: options.hasInbox,
    instructions: new Instructions(),
    received,
    faultRates,
    random,
    latencyMs: options.latencyMs,
    now: options.now,
    closing,
    record: (arrival) => {
      const kept = received.add(arrival);
      store?.append(kept);
      return kept;
    },
    forgetRequests: () => {
      received.clear();
      service.marketplace.forgetRequests();
      service.replays?.forget();
      store?.clear();
    },
    close: () => store?.close(),
  };
}

function openService(options: SandboxOptions, offered: ServiceInterface, random: () => number): Service {
  return {
    offered,
    credentials: credentialsOf(options),
    marketplace: new LocalMarketplace(options.tokenTtlSeconds, random),
    replays: offered.idempotencyHeader === null ? null : new IdempotencyStore(offered.idempotencyHeader),
    rateLimit: options.ratePerSecond === null ? null : new TokenBucket(options.ratePerSecond, options.now()),
  };
}

/** Returns the credentials that were given, or those that belong to the store, or fresh ones. */
function credentialsOf({ clientId, clientSecret, storeFile }: SandboxOptions): PartnerCredentials {
  const fresh = {
    clientId: clientId ?? String(randomInt(100_000, 1_000_000)),
    clientSecret: clientSecret ?? randomBytes(24).toString('base64url'),
  };
  const isGiven = clientId !== undefined || clientSecret !== undefined;
  return storeFile === null || isGiven ? fresh : keptCredentials(storeFile, fresh);
}

function recall(request: ReceivedRequest, received: ReceivedRequests, service: Service): void {
  const { marketplace, replays, offered } = service;
  const receivedAtMs = Date.parse(request.receivedAt);
  received.add({ ...request, receivedAtMs });
  const { operation, key, requestId, params, audio } = request;
  if (operation !== 'create' || key === null || requestId === null) return;
  if (replays?.find(params)) {
    replays.repeated();
    return;
  }
  replays?.remember(params, key, marketplace.next());
  const likeness = offered.likeness('create', { params, audio, key });
  marketplace.remember({ key, likeness, requestId, visibleAtMs: receivedAtMs });
}

/** The file of received requests. It has one JSON document per line, and is only appended to. */
interface StoreFile {
  append(request: ReceivedRequest): void;
  clear(): void;
  close(): void;
}

const READ_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Opens or creates the file (mode 0600) and passes the requests of earlier runs to `recall`, one by one. A last line
 * that was cut short is dropped. Throws `SrqError('usage')` if the file cannot be used or holds something else.
 */
function openStoreFile(path: string, recall: (earlier: ReceivedRequest) => void): StoreFile {
  const file = openForWriting(path);
  let end = 0;
  try {
    let wholeBytes = 0;
    let lineNumber = 0;
    for (const line of wholeLines(file)) {
      wholeBytes += line.length + 1;
      lineNumber += 1;
      recall(parseLine(line, `${path}, line ${lineNumber}`));
    }
    ftruncateSync(file, wholeBytes);
    end = wholeBytes;
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return {
    append: (request) => {
      end += writeWhole(file, Buffer.from(`${JSON.stringify(request)}\n`), end);
    },
    clear: () => {
      ftruncateSync(file, 0);
      end = 0;
    },
    close: () => closeSync(file),
  };
}

/** Opens the file so that it can be shortened, which Windows does not do to one that is open for appending. */
function openForWriting(path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (error) {
    const hint = 'Name a file in a directory that exists and can be written to: srq sandbox --store FILE.';
    throw new SrqError('sandbox.store', `Cannot open the store ${path} (${systemCode(error)}).`, hint, error);
  }
}

/**
 * Yields the complete lines of the file. `node:readline` is not used, because it also breaks lines at U+2028, which
 * JSON may hold unescaped.
 */
function* wholeLines(file: number): Generator<Buffer> {
  const piece = Buffer.allocUnsafe(READ_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  for (let position = 0; ; ) {
    const bytes = readSync(file, piece, 0, piece.length, position);
    if (bytes === 0) return;
    position += bytes;
    const text: Buffer = Buffer.concat([rest, piece.subarray(0, bytes)]);
    let start = 0;
    for (let end = text.indexOf(LINE_FEED); end >= 0; end = text.indexOf(LINE_FEED, start)) {
      yield text.subarray(start, end);
      start = end + 1;
    }
    rest = text.subarray(start);
  }
}

function parseLine(line: Buffer, place: string): ReceivedRequest {
  try {
    const value: ReceivedRequest = JSON.parse(line.toString('utf8'));
    // Files of earlier versions have no verdicts.
    const known: ReceivedRequest = { ...value, verdict: value.verdict ?? null };
    if (typeof value.receivedAt === 'string' && typeof value.params === 'object') return known;
  } catch {
    // The error below is the same for a line that is not JSON and for one that is not a request.
  }
  throw new SrqError(
    'sandbox.store',
    `${place} is not a request that the sandbox received.`,
    'Name another file with --store.',
  );
}

/** Writes all the bytes at the position and returns their number. */
function writeWhole(file: number, bytes: Buffer, position: number): number {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written, position + written);
  }
  return bytes.length;
}

const settingsSchema = z.strictObject({
  /** Delay that is added to every answer of the three operations. */
  latencyMs: z.int().min(0).max(600_000),
  /** Limit of creates and validates a second, or null for none. */
  ratePerSecond: z.number().positive().max(1_000_000).nullable(),
  /** Lifetime of tokens that are granted from now on. */
  tokenTtlSeconds: z.int().min(1).max(31_536_000),
});

/** The settings that can be changed while the sandbox runs, apart from faults. */
export type SandboxSettings = z.output<typeof settingsSchema>;

export const settingsOf = ({ latencyMs, service }: SandboxState): SandboxSettings => ({
  latencyMs,
  ratePerSecond: service.rateLimit?.ratePerSecond ?? null,
  tokenTtlSeconds: service.marketplace.tokenTtlSeconds,
});

/** Changes the given settings and leaves the others. Throws `SrqError('usage')` if one cannot be understood. */
export function changeSettings(state: SandboxState, given: unknown): void {
  const parsed = settingsSchema.partial().safeParse(given);
  if (!parsed.success) {
    throw new SrqError('sandbox.bad-call', `Cannot understand the settings: ${z.prettifyError(parsed.error)}`);
  }
  const { latencyMs, ratePerSecond, tokenTtlSeconds } = parsed.data;
  const { service } = state;
  if (latencyMs !== undefined) state.latencyMs = latencyMs;
  if (tokenTtlSeconds !== undefined) service.marketplace.tokenTtlSeconds = tokenTtlSeconds;
  if (ratePerSecond !== undefined && ratePerSecond !== settingsOf(state).ratePerSecond) {
    service.rateLimit = ratePerSecond === null ? null : new TokenBucket(ratePerSecond, state.now());
  }
}

const SCHEMA = z.object({ clientId: z.string().min(1), clientSecret: z.string().min(1) });

/**
 * Returns the credentials in the file beside a store, so that a profile still works after a restart. If there is no
 * such file, `fresh` is stored in it and returned. The credentials open nothing but a sandbox. Throws
 * `SrqError('usage')` if the file cannot be used.
 */
function keptCredentials(storeFile: string, fresh: PartnerCredentials): PartnerCredentials {
  const path = `${storeFile}.credentials`;
  try {
    return SCHEMA.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw unusable(path, error);
  }
  try {
    writeFileSync(path, `${JSON.stringify(fresh)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw unusable(path, error);
  }
  return fresh;
}

function unusable(path: string, error: unknown): SrqError {
  const why = systemCode(error) || 'it holds no credentials';
  return new SrqError(
    'sandbox.store',
    `The credentials ${path} cannot be used (${why}).`,
    `Remove it: rm ${path}`,
    error,
  );
}
