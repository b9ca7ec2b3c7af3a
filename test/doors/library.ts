import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { LogKeeper } from '../../src/account/program.ts';
import type { MarketplaceOptions } from '../../src/library/api.ts';
import { LibraryMarketplace } from '../../src/library/marketplace.ts';
import { settingsOf } from '../../src/library/settings.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { sandboxWith } from '../sandbox/sandbox-client.ts';

/*
 * The door to the library: a program's calls go in, and what it is told comes out.
 */

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

/** From now on the disk is full for one kind of records of every log. It ends with `vi.restoreAllMocks`. */
export function diskIsFullFor(records: 'sending' | 'outcome'): void {
  const open = LogKeeper.prototype.open;
  vi.spyOn(LogKeeper.prototype, 'open').mockImplementation(async function (this: LogKeeper, ...words) {
    const error = new SrqError('log.unwritable', 'The log cannot be written.', 'Make room.');
    return Object.assign(await open.apply(this, words), { [records]: () => Promise.reject(error) });
  });
}

/** Makes a call of a program with what it gives. Returns why it is refused before anything is done, or null. */
export async function refusalOf(call: Call, given: unknown): Promise<string | null> {
  const options = {
    baseUrl: 'http://127.0.0.1:9',
    clientId: 'id',
    clientSecret: 'secret',
    stateFolder: folderOfTest(),
  };
  const over = new AbortController();
  over.abort();
  // What is not refused ends at once.
  const program = () => new LibraryMarketplace(settingsOf({ ...options, signal: over.signal }), 'of a test');
  const calls: Readonly<Record<Call, () => Promise<unknown>>> = {
    openMarketplace: async () => settingsOf(typeof given === 'object' ? { ...options, ...given } : (given as never)),
    validate: () => program().validate({}, given as never),
    create: () => program().create({}, given as never),
    importRows: () => program().importRows([], given as never),
    'importRows, its rows': () => program().importRows(given as never, { signal: over.signal }),
    log: () =>
      program()
        .log(given as never)
        .next(),
    'resolve, its word': () => program().resolve([], given as never),
    'resolve, its keys': () => program().resolve(given as never, 'created'),
  };
  return calls[call]().then(
    () => null,
    (error: unknown) => {
      if (!(error instanceof SrqError)) throw error;
      if (error.reason !== 'arguments.invalid') return null;
      return error.hint === 'See docs/library.md.' ? error.message : `${error.message} ${error.hint}`;
    },
  );
}

export type Call =
  | 'openMarketplace'
  | 'validate'
  | 'create'
  | 'importRows'
  | 'importRows, its rows'
  | 'log'
  | 'resolve, its word'
  | 'resolve, its keys';
