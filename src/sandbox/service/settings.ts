import { z } from 'zod';
import { SrqError } from '../../request/words/errors.ts';

const settingsSchema = z.strictObject({
  /** Delay that is added to every answer of the three operations. */
  latencyMs: z.int().min(0).max(600_000),
  /** Maximum number of creates and validates a second, above which 429 is answered. Null for no limit. */
  ratePerSecond: z.number().positive().max(1_000_000).nullable(),
  /** Lifetime of tokens that are granted from now on. */
  tokenTtlSeconds: z.int().min(1).max(31_536_000),
});

/** The settings that can be changed while the sandbox runs, apart from faults. */
export type SandboxSettings = z.output<typeof settingsSchema>;

/** Changes the given settings and leaves the others. Throws `SrqError('usage')` if one cannot be understood. */
export function changeSettings(settings: SandboxSettings, given: unknown): void {
  const { success, data, error } = settingsSchema.partial().safeParse(given);
  if (!success) {
    throw new SrqError('sandbox.bad-call', `Cannot understand the settings: ${z.prettifyError(error)}`);
  }
  Object.assign(settings, data);
}
