import type { LearnContractOptions } from '../../src/contract/learn.ts';

/** Options of a learner that nobody told anything. */
export function learnOptions(options: Partial<LearnContractOptions> = {}): LearnContractOptions {
  return {
    constants: {},
    operations: {},
    environment: null,
    baseUrl: null,
    learnedAt: '2026-11-21T12:00:00.000Z',
    ...options,
  };
}
