import type { Marketplace, MarketplaceOptions } from './api.ts';
import { LibraryMarketplace } from './marketplace.ts';
import { settingsOf } from './settings.ts';

export type { LogEntry, LogSelection } from '../request/log/log-store.ts';
export type { Identifiers, RowReason, RowResult } from '../request/log/outcome.ts';
export type { Status } from '../request/log/status.ts';
export type { ErrorCode, ErrorReason } from '../request/words/error-codes.ts';
export { SrqError } from '../request/words/errors.ts';
export type { FindingCode, Problem } from '../request/words/finding.ts';
export type * from './api.ts';

declare const SRQ_VERSION: string;

/**
 * Opens a marketplace with its log. Nothing is sent, and no file is opened, before the first call that needs it. Throws
 * {@link SrqError} with the code `usage` or `settings` if the options cannot be used.
 */
export async function openMarketplace(options: MarketplaceOptions): Promise<Marketplace> {
  return new LibraryMarketplace(settingsOf(options), SRQ_VERSION);
}
