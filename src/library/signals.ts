import { setMaxListeners } from 'node:events';
import { SrqError } from '../request/errors.ts';

/** Returns a controller that is aborted with the signal, or by itself. */
export function haltWith(signal: AbortSignal): AbortController {
  const halt = new AbortController();
  // Every request in flight may listen to this signal.
  setMaxListeners(0, halt.signal);
  if (signal.aborted) halt.abort();
  signal.addEventListener('abort', () => halt.abort(), { once: true });
  return halt;
}

/** Returns the reason why something was not sent that was still to be sent when a signal fired. */
export function endedBySignal(): SrqError {
  return new SrqError('interrupted', 'Ended by the signal before it was sent.');
}
