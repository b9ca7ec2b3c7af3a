import { appendFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { RunNotes } from '../model/log-store.ts';
import type { Clock } from '../model/ports.ts';
import { coalesceNotes, parseNote, type RecordedNote } from '../model/run-note.ts';
import { readLines } from './lines.ts';

/** Returns the path of the notes on a log's runs (FORMAT.md). */
const notesPath = (log: string): string => `${log}.runs`;

/** Opens the notes on one run for adding. Notes only inform, so an error while writing one is ignored. */
export function openRunNotes(log: string, run: string, clock: Pick<Clock, 'nowMs'>): RunNotes {
  const notes = coalesceNotes((note, atMs) => {
    const line = JSON.stringify({ run, at: new Date(atMs).toISOString(), ...note });
    try {
      appendFileSync(notesPath(log), `${line}\n`, { mode: 0o600 });
    } catch {}
  }, clock.nowMs);
  return { ...notes, flush: async () => {} };
}

/** Yields all notes on a log's runs, oldest first. A line that cannot be read is skipped, and so is an unreadable file. */
export async function* readRunNotes(log: string): AsyncGenerator<RecordedNote> {
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

function decodeNote(line: string | null): RecordedNote | null {
  try {
    return parseNote(JSON.parse(line ?? ''));
  } catch {
    return null;
  }
}
