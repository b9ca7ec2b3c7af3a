import type { LogEvent, LoggedState, LogRecord } from './ports.ts';

/** Every state that a log can know a key in; both kinds of log keep them by this order. */
export const LOGGED_STATES: readonly LoggedState[] = [
  'none',
  'sending',
  'created',
  'duplicate',
  'rejected',
  'failed',
  'unknown',
  'licensed',
  'parked',
];

/** A licence is used up by the next send; what is in doubt after it, or after validate contradicted itself, stays so. */
export function nextState(before: LoggedState, event: LogEvent, by: LogRecord['by']): LoggedState {
  if (event === 'licence') return 'licensed';
  if (event === 'sending' && by === 'idempotency') return 'parked';
  const licenceUsed = before === 'licensed' || before === 'parked';
  if (licenceUsed && (event === 'sending' || event === 'unknown')) return 'parked';
  // Certainly not taken: the licence is as good as before, and still the only one.
  if (licenceUsed && (event === 'failed' || event === 'rejected')) return 'licensed';
  return event === 'unknown' && by === 'validate' ? 'parked' : event;
}
