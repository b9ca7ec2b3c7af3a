import type { SubmitOptions } from '../../delivery/submit.ts';
import type { PlanOptions } from './agreement.ts';
import type { ResultsOption } from './results-place.ts';

/** The flags of `bulk`, as commander parses them. */
export interface BulkOptions extends PlanOptions, SubmitOptions {
  /** Adaptive by default. The sandbox inside this process is not rate limited. */
  readonly rate?: 'auto' | 'max' | number;
  readonly concurrency: number;
  readonly maxErrors?: { readonly count: number; readonly percent: boolean };
  /** Age in seconds that a request in doubt must have before validate is asked about it. */
  readonly settle?: number;
  readonly inDoubt: 'park' | 'validate';
  readonly results?: ResultsOption;
  /** File to which the report is written. */
  readonly report?: string;
  readonly includeInput?: boolean;
}
