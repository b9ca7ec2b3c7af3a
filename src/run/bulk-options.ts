import type { SubmitOptions } from '../delivery/submit.ts';
import type { PlanOptions } from './agree.ts';

/** The flags of `bulk`, as commander parses them. */
export interface BulkOptions extends PlanOptions, SubmitOptions {
  /** The rate. It is adaptive by default, and the sandbox inside this process is not rate limited. */
  readonly rate?: 'auto' | 'max' | number;
  readonly concurrency: number;
  readonly maxErrors?: { readonly count: number; readonly percent: boolean };
  /** Age in seconds that a request in doubt must have before validate is asked about it. */
  readonly settle?: number;
  readonly inDoubt: 'park' | 'validate';
  /** Path of the results. */
  readonly results?: string;
  /** File to which the report is written. */
  readonly report?: string;
  /** File to which the events of the run are written, or `-` for standard output. */
  readonly events?: string;
  /** Whether the inbox of the sandbox in this process stays open after the run. */
  readonly keep?: boolean;
}
