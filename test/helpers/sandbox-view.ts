import type { Sandbox } from '../../src/sandbox/server.ts';
import type { MarketplaceStats } from '../../src/sandbox/service/marketplace.ts';
import { JSON_TYPE, send } from '../sandbox/sandbox-client.ts';
import type { Running } from './run-srq.ts';

/** Returns the totals of a sandbox's creates. */
export async function statsOf({ baseUrl }: Sandbox): Promise<MarketplaceStats> {
  return JSON.parse((await send('GET', `${baseUrl}/_sandbox/stats`)).text);
}

/** Resolves when the sandbox has created this many requests. Rejects if srq ends before that. */
export async function createdAtLeast({ baseUrl }: Sandbox, count: number, { ended }: Running): Promise<void> {
  const seen = send('GET', `${baseUrl}/_sandbox/wait?created=${count}&timeoutMs=120000`);
  const first = await Promise.race([seen, ended]);
  if ('status' in first && JSON.parse(first.text).reached) return;
  throw new Error(`The sandbox was never asked for ${count} creates: ${JSON.stringify(first)}`);
}

/**
 * Sets the time that the sandbox takes for each answer from now on. A run during which something must happen can be
 * slowed down until it has happened. This leaves enough time on a busy machine, and does not slow down the rest of the
 * test.
 */
export async function setLatency({ baseUrl }: Sandbox, latencyMs: number): Promise<void> {
  await send('PUT', `${baseUrl}/_sandbox/settings`, JSON_TYPE, JSON.stringify({ latencyMs }));
}
