import { randomBytes, randomInt } from 'node:crypto';
import type { Contract } from '../model/contract.ts';
import { type FaultRates, Instructions, parseFaultRates, seededRandom } from './faults.ts';
import { IdempotencyStore, Marketplace, TokenBucket } from './marketplace.ts';
import type { Arrival, ReceivedRequest } from './received-request.ts';
import { ReceivedRequests } from './received-requests.ts';
import type { Service } from './routes.ts';
import type { ServiceInterface } from './service-interface.ts';
import { openStoreFile } from './store-file.ts';

export interface SandboxOptions {
  /** 0 for a free one. */
  readonly port: number;
  /** A number, as the API's example has it; a random one if left out, as is the secret. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Delay that is added to every answer of the three operations. */
  readonly latencyMs: number;
  /** Creates and validates a second, beyond which 429 is answered; null for no limit. */
  readonly ratePerSecond: number | null;
  readonly tokenTtlSeconds: number;
  /** Probability by kind of fault; checked at the start. */
  readonly faults: Readonly<Record<string, number>>;
  /** Same seed, same order of requests: same faults, same identifiers. Tokens and secrets are always random. */
  readonly seed: number;
  /** Where received requests are kept from one start to the next; null for memory alone. */
  readonly storeFile: string | null;
  /** What the operations demand and answer; null: what the public document says. */
  readonly contract: Contract | null;
  /**
   * The inbox at `/` and the calls by which everybody on this machine may look in and change it. Without them nothing is
   * answered but the three operations, which need the credentials.
   */
  readonly hasInbox: boolean;
  /** Wall clock, milliseconds. */
  readonly now: () => number;
}

/** What a running sandbox answers from. Faults and latency may be changed while it runs. */
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
  /** Keeps what arrived, in memory and on disk. */
  record(arrival: Arrival): ReceivedRequest;
  /** Forgets all received requests, in memory and on disk. */
  forgetRequests(): void;
  /** Lets go of the file. */
  close(): void;
}

/**
 * The state at the start: empty, or with what the store holds. Throws `SrqError('usage')` for an unknown fault or a
 * store that cannot be used.
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
    credentials: {
      clientId: options.clientId ?? String(randomInt(100_000, 1_000_000)),
      clientSecret: options.clientSecret ?? randomBytes(24).toString('base64url'),
    },
    marketplace: new Marketplace(options.tokenTtlSeconds, random),
    replays: offered.idempotencyHeader === null ? null : new IdempotencyStore(offered.idempotencyHeader),
    rateLimit: options.ratePerSecond === null ? null : new TokenBucket(options.ratePerSecond, options.now()),
  };
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
