import type { Contract } from '../model/contract.ts';
import type { Clock } from '../model/ports.ts';
import type { Sandbox } from '../sandbox/server.ts';

/** A marketplace inside this process, on a free port; what it follows beyond the public document is in the contract. */
export async function startEmbedded(clock: Clock, contract: Contract | null): Promise<Sandbox> {
  const { startSandbox } = await import('../sandbox/server.ts');
  return startSandbox({
    port: 0,
    latencyMs: 0,
    ratePerSecond: null,
    tokenTtlSeconds: 3600,
    faults: {},
    seed: 1,
    storeFile: null,
    contract,
    // Real leads are rehearsed here, and every user of the machine can call the port.
    hasInbox: false,
    now: clock.nowMs,
  });
}
