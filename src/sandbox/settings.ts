import { z } from 'zod';
import { SrqError } from '../model/errors.ts';
import { TokenBucket } from './marketplace.ts';
import type { SandboxState } from './sandbox-state.ts';

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
    throw new SrqError('usage', `Cannot understand the settings: ${z.prettifyError(parsed.error)}`);
  }
  const { latencyMs, ratePerSecond, tokenTtlSeconds } = parsed.data;
  const { service } = state;
  if (latencyMs !== undefined) state.latencyMs = latencyMs;
  if (tokenTtlSeconds !== undefined) service.marketplace.tokenTtlSeconds = tokenTtlSeconds;
  if (ratePerSecond !== undefined && ratePerSecond !== settingsOf(state).ratePerSecond) {
    service.rateLimit = ratePerSecond === null ? null : new TokenBucket(ratePerSecond, state.now());
  }
}
