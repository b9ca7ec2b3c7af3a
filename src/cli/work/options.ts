import type { SubmitOptions } from '../../pipeline/submit-request.ts';

/** The flags of `work`. */
export interface WorkOptions extends Omit<SubmitOptions, 'again'> {
  readonly concurrency: number;
  readonly rate?: 'auto' | 'max' | number;
  readonly untilEmpty?: boolean;
  readonly inDoubt: 'park' | 'validate';
  /** Seconds after a doubtful send before validate is asked. */
  readonly settle?: number;
  /** Seconds without a sign of life after which others get what a worker has in hand. */
  readonly missing: number;
  readonly healthFile?: string;
  readonly healthPort?: number;
  readonly healthHost: string;
}
