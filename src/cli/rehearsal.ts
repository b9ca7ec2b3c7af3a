import type { Program } from '../account/program.ts';
import type { Contract } from '../request/contract/contract.ts';
import { startSandbox } from '../sandbox/server.ts';
import { resolveSettings, type Settings } from '../settings/settings.ts';

/**
 * Starts a marketplace inside this process on a free port, until the command ends, and returns the settings for it. The
 * contract says how it differs from the public document.
 */
export async function startEmbedded(
  program: Pick<Program, 'clock' | 'onClose'>,
  contract: Contract | null,
  hasInbox: boolean,
): Promise<Settings> {
  // Users rehearse with real leads, and every user of the machine can call the port, so the inbox is opened only on
  // request.
  const sandbox = await startSandbox({ contract, hasInbox, now: program.clock.nowMs });
  program.onClose(() => sandbox.close());
  const { baseUrl, clientId, clientSecret } = sandbox;
  const profile = { baseUrl, clientId, clientSecret };
  return {
    ...resolveSettings({ value: 'sandbox', source: 'flag' }, { sandbox: profile }, {}),
    baseUrl: { value: baseUrl, source: 'sandbox' },
    clientId: { value: clientId, source: 'sandbox' },
  };
}
