import { appendFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { noCounts } from '../model/outcome.ts';
import type { Clock } from '../model/ports.ts';
import type { NotedInRun, RunBegin, RunNote } from '../model/run-note.ts';
import { readLines } from './lines.ts';

/** Where the notes on the runs of a log are kept (FORMAT.md). */
const notesPath = (log: string): string => `${log}.runs`;

const EVENTS: ReadonlySet<string> = new Set(['begin', 'refused', 'breaker', 'end'] satisfies RunNote['event'][]);

export interface RunNotes {
  note(note: RunNote): void;
  /** An answer 429 or 503. Those of one second become one note, written before the next note of any kind. */
  refused(http: number, pauseMs: number): void;
}

/** Adds notes on one run. They only inform, so a failure to keep them is no failure. */
export function openRunNotes(log: string, run: string, clock: Pick<Clock, 'nowMs'>): RunNotes {
  let held: { readonly atMs: number; readonly note: Extract<RunNote, { event: 'refused' }> } | null = null;
  const append = (note: RunNote, atMs: number) => {
    const line = JSON.stringify({ run, at: new Date(atMs).toISOString(), ...note });
    try {
      appendFileSync(notesPath(log), `${line}\n`, { mode: 0o600 });
    } catch {}
  };
  const release = () => {
    if (held) append(held.note, held.atMs);
    held = null;
  };
  return {
    note: (note) => {
      release();
      append(note, clock.nowMs());
    },
    refused: (http, pauseMs) => {
      const nowMs = clock.nowMs();
      const isSame = held && held.note.http === http && Math.floor(held.atMs / 1000) === Math.floor(nowMs / 1000);
      if (!isSame) release();
      const count = (held?.note.count ?? 0) + 1;
      held = { atMs: held?.atMs ?? nowMs, note: { event: 'refused', http, count, pauseMs: Math.round(pauseMs) } };
    },
  };
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
    const note: NotedInRun | null = JSON.parse(line ?? '');
    if (note === null || typeof note.run !== 'string' || Number.isNaN(Date.parse(note.at))) return null;
    if (note.event === 'begin') return isWhole(note) ? { ...note, counts: { ...noCounts(), ...note.counts } } : null;
    return EVENTS.has(note.event) ? note : null;
  } catch {
    return null;
  }
}

function isWhole({ rows, counts, settings }: RunBegin): boolean {
  return typeof rows === 'number' && [counts, settings].every((each) => typeof each === 'object' && each !== null);
}
