import type { DocumentOf } from './types.ts';

/** The results of all steps. `ok` is true if no step failed, and `error` is the one that did. */
export type Diagnosis = DocumentOf<'doctor'>;

/**
 * The result of a step. `warn` means that it works, but not as well as it should, or not for long. `skip` means that
 * there was nothing to try, or that an earlier failure makes the step pointless.
 */
export type Step = Diagnosis['steps'][number];
export type StepName = Step['name'];
