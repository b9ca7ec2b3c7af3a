import { setTimeout } from 'node:timers/promises';
import type { Sandbox } from '../../src/sandbox/server.ts';
import type { LocalMarketplace } from '../../src/sandbox/service/marketplace.ts';
import { send } from '../sandbox/sandbox-client.ts';
import type { Running } from './run-srq.ts';

/** Returns the totals of a sandbox's creates. */
export async function statsOf({ baseUrl }: Sandbox): Promise<ReturnType<LocalMarketplace['stats']>> {
  return JSON.parse((await send('GET', `${baseUrl}/_sandbox/stats`)).text);
}

/** Resolves when the sandbox has created this many requests. Rejects if srq ends before that. */
export async function createdAtLeast(sandbox: Sandbox, count: number, { ended }: Running): Promise<void> {
  const pause = setTimeout(LOOK_MS, null);
  for (let end = await Promise.race([ended, pause]); (await statsOf(sandbox)).created < count; ) {
    if (end !== null) throw new Error(`The sandbox was never asked for ${count} creates: ${JSON.stringify(end)}`);
    end = await Promise.race([ended, setTimeout(LOOK_MS, null)]);
  }
}

const LOOK_MS = 10;
