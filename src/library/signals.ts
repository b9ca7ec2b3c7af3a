import { setMaxListeners } from 'node:events';
import { SrqError } from '../request/words/errors.ts';

/** Returns a controller that is aborted when the signal fires, and that can also be aborted directly. */
export function haltWith(signal: AbortSignal | undefined): AbortController {
  const halt = new AbortController();
  // Every request in flight may listen to this signal.
  setMaxListeners(0, halt.signal);
  if (signal?.aborted) halt.abort();
  signal?.addEventListener('abort', () => halt.abort(), { signal: halt.signal });
  return halt;
}

/** Returns the error for something that was not sent because a signal fired. */
export function endedBySignal(): SrqError {
  return new SrqError('interrupted.signal', 'Ended by the signal before it was sent.');
}
