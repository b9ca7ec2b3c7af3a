import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { MarketplaceOptions } from '../../src/library/api.ts';
import { LibraryMarketplace } from '../../src/library/marketplace.ts';
import { settingsOf } from '../../src/library/settings.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { sandboxWith } from '../sandbox/sandbox-client.ts';

/** A marketplace with a log of its own at a sandbox, both in the process of the test. */
export async function openAt(given: Partial<MarketplaceOptions> = {}) {
  const sandbox = await sandboxWith();
  const stateFolder = folderOfTest();
  return { sandbox, marketplace: marketplaceAt(sandbox, { stateFolder, ...given }) };
}

/** A folder that is removed with the test. */
export function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'srq-library-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A marketplace at this sandbox, closed with the test. */
export function marketplaceAt(
  { baseUrl, clientId, clientSecret }: Sandbox,
  given: Partial<MarketplaceOptions> & Pick<MarketplaceOptions, 'stateFolder'>,
): LibraryMarketplace {
  const settings = settingsOf({ baseUrl, clientId, clientSecret, rate: 'max', ...given });
  const marketplace = new LibraryMarketplace(settings, 'of a test');
  onTestFinished(() => marketplace.close());
  return marketplace;
}
