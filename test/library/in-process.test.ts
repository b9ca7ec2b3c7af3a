import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { MarketplaceOptions } from '../../src/library/api.ts';
import { LibraryMarketplace } from '../../src/library/marketplace.ts';
import { settingsOf } from '../../src/library/settings.ts';
import { requestAt } from '../helpers/library.ts';
import { sandboxWith } from '../sandbox/sandbox-client.ts';

/** A marketplace with a log of its own at a sandbox, both in the process of the test. */
async function openAt(given: Partial<MarketplaceOptions> = {}) {
  const sandbox = await sandboxWith();
  const stateFolder = mkdtempSync(join(tmpdir(), 'srq-library-'));
  const { baseUrl, clientId, clientSecret } = sandbox;
  const settings = settingsOf({ baseUrl, clientId, clientSecret, stateFolder, rate: 'max', ...given });
  const marketplace = new LibraryMarketplace(settings, 'of a test');
  onTestFinished(async () => {
    await marketplace.close();
    rmSync(stateFolder, { recursive: true, force: true });
  });
  return { sandbox, marketplace };
}

test('what a person says of a request in doubt is the record that is returned', async () => {
  const { sandbox, marketplace } = await openAt();
  sandbox.setInstructions([{ on: 'create', fault: 'reset-after' }]);
  const { status, key } = await marketplace.create(requestAt(1), { validate: false });
  expect(status).toBe('unknown');
  const settled = await marketplace.resolve(key ?? '', { created: '77' });
  expect(settled).toEqual([expect.objectContaining({ key, status: 'created', ids: { id: '77' } })]);
});

test('nothing is sent for a call with a signal of its own after that of the marketplace fired, nor after its own', async () => {
  for (const ending of ['marketplace', 'own'] as const) {
    const signals = { marketplace: new AbortController(), own: new AbortController() };
    const { sandbox, marketplace } = await openAt({ signal: signals.marketplace.signal });
    const validating = marketplace.validate(requestAt(1), { signal: signals.own.signal });
    signals[ending].abort();
    expect(await validating).toMatchObject({ verdict: 'unknown', http: null });
    expect(sandbox.requests().filter(({ operation }) => operation === 'validate')).toEqual([]);
    const again = await marketplace.validate(requestAt(1));
    expect(again.verdict).toBe(ending === 'own' ? 'clear' : 'unknown');
  }
});

test('rows that are no source of rows and keys that are no texts are refused like wrong options', async () => {
  const { sandbox, marketplace } = await openAt();
  const usage = { name: 'SrqError', code: 'usage', reason: 'arguments.invalid' };
  for (const rows of [undefined, 42]) {
    await expect(marketplace.importRows(rows as never), String(rows)).rejects.toMatchObject(usage);
  }
  for (const keys of [undefined, [undefined]]) {
    await expect(marketplace.resolve(keys as never, 'created'), String(keys)).rejects.toMatchObject(usage);
  }
  expect(sandbox.requests()).toEqual([]);
  expect(await marketplace.importRows(new Set([requestAt(1)]))).toMatchObject({ rows: 1, counts: { created: 1 } });
  expect(await marketplace.resolve([], 'created')).toEqual([]);
});
