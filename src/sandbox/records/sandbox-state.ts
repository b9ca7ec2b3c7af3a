import { randomBytes, randomInt } from 'node:crypto';
import type { Contract } from '../../request/contract/contract.ts';
import { Instructions, parseFaultRates, seededRandom } from '../service/faults.ts';
import type { ServiceInterface } from '../service/interface.ts';
import { LocalMarketplace, TokenBucket } from '../service/marketplace.ts';
import type { SandboxSettings, Service } from '../service/routes.ts';
import { receivedRequests } from './received-requests.ts';

/** What is left out is quiet: a free port, no delay, limit or fault, a token for an hour, the public document, no inbox. */
export interface SandboxOptions extends Readonly<Partial<SandboxSettings>> {
  readonly port?: number;
  /** A number, as in the API's example. If it or the secret is left out, it is random. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Probability by kind of fault, validated at the start. */
  readonly faults?: Readonly<Record<string, number>>;
  /**
   * The seed of faults and identifiers, which are the same for the same seed and order of requests. Tokens and secrets
   * are always random.
   */
  readonly seed?: number;
  /** Maximum number of requests that are kept, for tests. */
  readonly keep?: number;
  /** The contract that the operations follow, or null for the public document. */
  readonly contract?: Contract | null;
  /**
   * Whether there are the inbox at `/` and the calls by which everybody on this machine may inspect and change it.
   * Without them only the three operations are answered.
   */
  readonly hasInbox?: boolean;
  /** Returns the wall-clock time in milliseconds. */
  readonly now: () => number;
}

/** The state of a running sandbox. Faults may be changed while it runs. */
export type SandboxState = ReturnType<typeof openState>;

const KEEP = 10_000;

/** Creates the initial state. `closing` fires when the sandbox closes. Throws `SrqError('usage')` for an unknown fault. */
export function openState(options: SandboxOptions, offered: ServiceInterface, closing: AbortSignal) {
  const { hasInbox = false, latencyMs = 0, ratePerSecond = null, tokenTtlSeconds = 3600, now } = options;
  const random = seededRandom(options.seed ?? 1);
  const service: Service = {
    offered,
    credentials: {
      clientId: options.clientId ?? String(randomInt(100_000, 1_000_000)),
      clientSecret: options.clientSecret ?? randomBytes(24).toString('base64url'),
    },
    marketplace: new LocalMarketplace(random),
    settings: { latencyMs, ratePerSecond, tokenTtlSeconds },
    rateLimit: new TokenBucket(),
  };
  return {
    ...service,
    ...{ hasInbox, random, now, closing },
    instructions: new Instructions(),
    received: receivedRequests(options.keep ?? KEEP),
    faultRates: parseFaultRates(options.faults ?? {}),
  };
}
