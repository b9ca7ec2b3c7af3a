import type { LogStore } from '../model/log-store.ts';
import type { Clock } from '../model/ports.ts';
import { FileLog } from './file-log.ts';
import { followLog } from './follow-log.ts';
import type { LogUser } from './log-access.ts';
import { openLogReader, readLog, readRecords } from './read-log.ts';
import { openRunNotes, readRunNotes } from './run-notes.ts';

export interface FileStoreOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly run: string;
  /** Names this process while it runs the command, for whoever finds the log in use. */
  readonly holder: (command: string) => string;
  /** The user who must own the log, or null to accept any owner. */
  readonly user?: LogUser | null;
}

/** Returns the store of a log that lies in a file, for one machine (FORMAT.md). */
export function openFileStore({ path, clock, run, holder, user = null }: FileStoreOptions): LogStore {
  return {
    name: path,
    open: (command, exclusive) => FileLog.open({ path, clock, run, exclusive, holder: holder(command), user }),
    openReader: () => openLogReader(path, user),
    latest: () => positioned(readLog(path, user)),
    records: () => positioned(readRecords(path, user)),
    follow: ({ end }, stop) => followLog(path, end, clock, stop),
    notes: () => readRunNotes(path),
    openNotes: (noted) => openRunNotes(path, noted, clock),
  };
}

/** Yields the items, and returns the offset that the generator returns as a log position. */
async function* positioned<Item>(items: AsyncGenerator<Item, number>): AsyncGenerator<Item, { readonly end: number }> {
  return { end: yield* items };
}
