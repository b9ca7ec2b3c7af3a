import type { Sandbox } from '../../src/sandbox/server.ts';
import type { MarketplaceStats } from '../../src/sandbox/service/marketplace.ts';
import { JSON_TYPE, send } from '../sandbox/sandbox-client.ts';
import type { Running } from './run-srq.ts';

/** How the creates of a sandbox add up. */
export async function statsOf({ baseUrl }: Sandbox): Promise<MarketplaceStats> {
  return JSON.parse((await send('GET', `${baseUrl}/_sandbox/stats`)).text);
}

/**
 * Resolves when the sandbox has created so many: progress that the service has seen. Rejects when srq ends before that.
 */
export async function createdAtLeast({ baseUrl }: Sandbox, count: number, { ended }: Running): Promise<void> {
  const seen = send('GET', `${baseUrl}/_sandbox/wait?created=${count}&timeoutMs=120000`);
  const first = await Promise.race([seen, ended]);
  if ('status' in first && JSON.parse(first.text).reached) return;
  throw new Error(`The sandbox was never asked for ${count} creates: ${JSON.stringify(first)}`);
}

/**
 * Sets how long the sandbox takes for each answer from now on. A run that something has to befall goes slowly until it has:
 * as slowly as a busy machine needs, at no cost to the time of the test.
 */
export async function setLatency({ baseUrl }: Sandbox, latencyMs: number): Promise<void> {
  await send('PUT', `${baseUrl}/_sandbox/settings`, JSON_TYPE, JSON.stringify({ latencyMs }));
}
