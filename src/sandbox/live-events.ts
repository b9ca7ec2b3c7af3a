import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxState } from './sandbox-state.ts';
import { settingsOf } from './settings.ts';

/** Minimum time between two events to a page, however many requests arrive. */
const MIN_PAUSE_MS = 100;

/**
 * Sends server-sent events: the present state, and again after each change, until the client leaves or the sandbox
 * closes. An event tells how many requests are kept and which ones. The page then fetches only the requests that it
 * shows.
 */
export async function sendEvents(response: ServerResponse, state: SandboxState): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const left = new AbortController();
  response.once('close', () => left.abort());
  const signal = AbortSignal.any([left.signal, state.closing]);
  let wake = (): void => {};
  let hasChanged = true;
  const stopWatching = state.received.watch(() => {
    hasChanged = true;
    wake();
  });
  signal.addEventListener('abort', () => wake(), { once: true });
  while (!signal.aborted) {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (hasChanged) {
      hasChanged = false;
      const isTaken = response.write(`data: ${JSON.stringify(presentState(state))}\n\n`);
      if (!isTaken) await once(response, 'drain', { signal }).catch(() => undefined);
      await pause(MIN_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    } else {
      await woken;
    }
  }
  stopWatching();
  response.end();
}

/** Returns what the page shows beside the list. */
function presentState(state: SandboxState): object {
  const { received, service, faultRates } = state;
  const { first, count } = received.extent;
  return { first, count, created: service.marketplace.created, faults: faultRates, settings: settingsOf(state) };
}
