import type { SubmitOptions } from '../../pipeline/submit-request.ts';

/** The flags that say how to read a file, as commander hands them over. */
export interface ReadingOptions {
  readonly format?: 'csv' | 'json' | 'ndjson';
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly skipLines: number;
  readonly sheet?: string;
  readonly map: readonly (readonly [string, string])[];
  readonly set: readonly (readonly [string, string])[];
  readonly mapping?: string;
  readonly saveMapping?: string;
}

/** The flags of `bulk`. */
export interface BulkOptions extends ReadingOptions, SubmitOptions {
  readonly dryRun?: boolean;
  readonly limit?: number;
  readonly skip: number;
  readonly strict?: boolean;
  /** Adaptive if left out; the sandbox inside this process needs no pacing. */
  readonly rate?: 'auto' | 'max' | number;
  readonly concurrency: number;
  readonly maxErrors?: { readonly count: number; readonly percent: boolean };
  /** Seconds after a doubtful send before validate is asked. */
  readonly settle?: number;
  readonly inDoubt: 'park' | 'validate';
  readonly results?: string;
  /** Where the run is told as a page. */
  readonly report?: string;
  readonly includeInput?: boolean;
  readonly yes?: boolean;
}

/** Rows among the created of one run. */
export interface Asides {
  /** The service took them and named no identifier. */
  withoutIdentifier: number;
  /** It took them and told of an error besides. */
  withRemark: number;
}

/** The files and the beginning of one run. */
export interface RunFiles {
  /** The input as the user named it. */
  readonly file: string;
  readonly results: string;
  /** The words of the command that does the same again, with what was corrected at the plan. */
  readonly command: readonly string[];
  /** Monotonic time at which the command began. */
  readonly startedMs: number;
}
