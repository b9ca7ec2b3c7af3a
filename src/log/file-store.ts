import type { LogStore } from '../model/log-store.ts';
import type { Clock } from '../model/ports.ts';
import { FileLog } from './file-log.ts';
import { followLog } from './follow-log.ts';
import { openLogReader, readLog, readRecords } from './read-log.ts';
import { openRunNotes, readRunNotes } from './run-notes.ts';

export interface FileStoreOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly run: string;
  /** Who we are, to whoever finds the log in use. */
  readonly holder: (command: string) => string;
}

/** A log in a file, for one machine (FORMAT.md). */
export function openFileStore({ path, clock, run, holder }: FileStoreOptions): LogStore {
  return {
    name: path,
    open: (command, exclusive) => FileLog.open({ path, clock, run, exclusive, holder: holder(command) }),
    openReader: () => openLogReader(path),
    latest: () => positioned(readLog(path)),
    records: () => positioned(readRecords(path)),
    follow: ({ end }, stop) => followLog(path, end, clock, stop),
    notes: () => readRunNotes(path),
    openNotes: (noted) => openRunNotes(path, noted, clock),
  };
}

async function* positioned<Item>(items: AsyncGenerator<Item, number>): AsyncGenerator<Item, { readonly end: number }> {
  return { end: yield* items };
}
