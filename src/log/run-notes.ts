import { appendFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { RunNotes } from '../model/log-store.ts';
import type { Clock } from '../model/ports.ts';
import { gatherNotes, type NotedInRun, readNote } from '../model/run-note.ts';
import { readLines } from './lines.ts';

/** Where the notes on the runs of a log are kept (FORMAT.md). */
const notesPath = (log: string): string => `${log}.runs`;

/** Adds notes on one run. They only inform, so a failure to keep them is no failure. */
export function openRunNotes(log: string, run: string, clock: Pick<Clock, 'nowMs'>): RunNotes {
  const notes = gatherNotes((note, atMs) => {
    const line = JSON.stringify({ run, at: new Date(atMs).toISOString(), ...note });
    try {
      appendFileSync(notesPath(log), `${line}\n`, { mode: 0o600 });
    } catch {}
  }, clock.nowMs);
  return { ...notes, flush: async () => {} };
}

/** All notes of a log's runs, oldest first. What cannot be read, the file or a line of it, is passed over. */
export async function* readRunNotes(log: string): AsyncGenerator<NotedInRun> {
  const file = await open(notesPath(log), 'r').catch(() => null);
  if (!file) return;
  try {
    for await (const lines of readLines(file, 0)) {
      for (const { text } of lines) {
        const note = decodeNote(text);
        if (note) yield note;
      }
    }
  } finally {
    await file.close();
  }
}

function decodeNote(line: string | null): NotedInRun | null {
  try {
    return readNote(JSON.parse(line ?? ''));
  } catch {
    return null;
  }
}
