import { randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';
import type { Contract } from '../../request/contract/contract.ts';
import { SrqError } from '../../request/words/errors.ts';
import { type FaultRates, Instructions, parseFaultRates, seededRandom } from '../service/faults.ts';
import type { ServiceInterface } from '../service/interface.ts';
import { LocalMarketplace, TokenBucket } from '../service/marketplace.ts';
import type { Service } from '../service/routes.ts';
import { ReceivedRequests } from './received-requests.ts';

export interface SandboxOptions {
  /** The port, or 0 for a free one. */
  readonly port: number;
  /** A number, as in the API's example. If it or the secret is left out, it is random. */
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
  /** Maximum number of requests that are kept, for tests. */
  readonly keep?: number;
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
}

const KEEP = 10_000;

/** Creates the initial state. Throws `SrqError('usage')` for an unknown fault. */
export function openState(options: SandboxOptions, offered: ServiceInterface, closing: AbortSignal): SandboxState {
  const { hasInbox, latencyMs, now } = options;
  const random = seededRandom(options.seed);
  const service: Service = {
    offered,
    credentials: {
      clientId: options.clientId ?? String(randomInt(100_000, 1_000_000)),
      clientSecret: options.clientSecret ?? randomBytes(24).toString('base64url'),
    },
    marketplace: new LocalMarketplace(options.tokenTtlSeconds, random),
    rateLimit: options.ratePerSecond === null ? null : new TokenBucket(options.ratePerSecond, now()),
  };
  return {
    service,
    hasInbox,
    instructions: new Instructions(),
    received: new ReceivedRequests(options.keep ?? KEEP),
    faultRates: parseFaultRates(options.faults),
    random,
    latencyMs,
    now,
    closing,
  };
}

/** Forgets all received requests. What was created is forgotten with them, so that it is no duplicate any more. */
export function forgetRequests({ received, service }: SandboxState): void {
  received.clear();
  service.marketplace.forgetRequests();
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
