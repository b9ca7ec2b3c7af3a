import type { ErrorReason } from '../words/error-codes.ts';
import type { Failure } from '../words/errors.ts';

/** The steps of `doctor` in their order. `create` runs only if it is asked for, and `store` only if there is one. */
export const STEP_NAMES = [
  'settings',
  'store',
  'proxy',
  'dns',
  'tcp',
  'tls',
  'clock',
  'token',
  'validate',
  'log',
  'disk',
  'results',
  'create',
  'contract',
] as const;
export type StepName = (typeof STEP_NAMES)[number];

/**
 * The result of a step. `warn` means that it works, but not as well as it should, or not for long. `skip` means that
 * there was nothing to try, or that an earlier failure makes the step pointless.
 */
export interface Step {
  readonly name: StepName;
  readonly result: 'ok' | 'warn' | 'fail' | 'skip';
  readonly ms: number;
  readonly message: string;
  /** What the user should do, or null. */
  readonly hint: string | null;
  /** The stable code of the failure or the warning, or null. */
  readonly reason: ErrorReason | null;
}

/** The results of all steps. `ok` is true if no step failed, and `error` is the one that did. */
export interface Diagnosis {
  readonly ok: boolean;
  readonly steps: readonly Step[];
  readonly error?: Failure;
}
