import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RecordedNote, RunBegin } from '../../../src/request/log/log-store.ts';
import { NO_COUNTS, openRunNotes, readRunNotes } from '../log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'srq-notes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const BEGIN: RunBegin = {
  event: 'begin',
  version: '1.0.0',
  file: 'leads.csv',
  profile: 'default',
  live: false,
  service: 'api.example.com',
  rows: 3,
  counts: { ...NO_COUNTS, ready: 3 },
};

async function notesOf(log: string): Promise<RecordedNote[]> {
  const notes: RecordedNote[] = [];
  for await (const note of readRunNotes(log)) notes.push(note);
  return notes;
}

test('notes of a run are read back in their order', async () => {
  const log = join(folder, 'log.ndjson');
  let nowMs = Date.UTC(2026, 10, 21, 10);
  const { note } = openRunNotes(log, 'run-1', { nowMs: () => nowMs });
  note(BEGIN);
  note({ event: 'refused', http: 429, count: 1, pauseMs: 2000 });
  nowMs += 1000;
  note({ event: 'breaker', pauseMs: 2000 });
  note({ event: 'end', stopped: null });
  const at = (seconds: number) => ({ run: 'run-1', at: `2026-11-21T10:00:0${seconds}.000Z` });
  expect(await notesOf(log)).toEqual([
    { ...at(0), ...BEGIN },
    { ...at(0), event: 'refused', http: 429, count: 1, pauseMs: 2000 },
    { ...at(1), event: 'breaker', pauseMs: 2000 },
    { ...at(1), event: 'end', stopped: null },
  ]);
  expect(statSync(`${log}.runs`).mode & 0o777).toBe(0o600);
});

test('notes that cannot be read are passed over: no file, a torn line, another event', async () => {
  const log = join(folder, 'log.ndjson');
  expect(await notesOf(log)).toEqual([]);
  const { note } = openRunNotes(log, 'run-1', { nowMs: () => 0 });
  note({ event: 'end', stopped: 'one' });
  const odd = ['{"run":', 'null', '{"run":"r","at":"x","event":"end"}', '{"run":"r","at":"1970","event":"other"}'];
  appendFileSync(`${log}.runs`, `${odd.join('\n')}\n{"run":"r","at":"1970-01-01","event":"begin","rows":3}\n`);
  note({ event: 'end', stopped: 'two' });
  appendFileSync(`${log}.runs`, '{"run":"r","at":"1970-01-01","event":"end"');
  expect(await notesOf(log)).toMatchObject([{ stopped: 'one' }, { stopped: 'two' }]);
});

test('a note that cannot be kept ends nothing', () => {
  const nowhere = join(folder, 'missing', 'log.ndjson');
  expect(() => openRunNotes(nowhere, 'r', { nowMs: () => 0 }).note(BEGIN)).not.toThrow();
  expect(() => readFileSync(`${nowhere}.runs`)).toThrow();
});
