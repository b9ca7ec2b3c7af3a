import type { SubmitOptions } from '../../pipeline/submit-request.ts';

/** The flags of `bulk`, as commander hands them over. */
export interface BulkOptions extends SubmitOptions {
  readonly format?: 'csv' | 'json' | 'ndjson';
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly skipLines: number;
  readonly map: readonly (readonly [string, string])[];
  readonly set: readonly (readonly [string, string])[];
  readonly mapping?: string;
  readonly saveMapping?: string;
  readonly dryRun?: boolean;
  readonly limit?: number;
  readonly skip: number;
  readonly strict?: boolean;
  /** Adaptive if left out; the sandbox inside this process needs no pacing. */
  readonly rate?: 'auto' | 'max' | number;
  readonly concurrency: number;
  readonly maxErrors?: { readonly count: number; readonly percent: boolean };
  readonly results?: string;
  readonly yes?: boolean;
}
