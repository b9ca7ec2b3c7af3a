import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventStream, openEventFile, type RunEvent } from '../../src/report/event-stream.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'srq-events-'));
  path = join(folder, 'events.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true }));

const AT_MS = Date.parse('2026-11-20T08:00:00Z');
const EVENT = { event: 'breaker', pauseMs: 2_000 } as unknown as RunEvent;
const LINE = '{"schemaVersion":1,"event":"breaker","at":"2026-11-20T08:00:00.000Z","run":"run-7","pauseMs":2000}\n';
const lost = (code: string) => expect.fail(`It was lost: ${code}`);

test('an event is one line for programs, with its time and its run, safe on a terminal', async () => {
  const to = new PassThrough();
  const stream = new EventStream(
    to,
    () => 'run-7',
    () => AT_MS,
  );
  await stream.tell(EVENT);
  expect(String(to.read())).toBe(LINE);
  await stream.tell({ ...EVENT, text: '\u001b' } as unknown as RunEvent);
  expect(String(to.read())).toContain('\\u001b');
});

test('the events of a later run are appended to those of an earlier one, for their owner alone', async () => {
  for (const run of ['run-7', 'run-8']) {
    const file = await openEventFile(path, null, lost);
    await new EventStream(
      file.stream,
      () => run,
      () => AT_MS,
    ).tell(EVENT);
    await file.close();
    expect(file.stream.writableFinished).toBe(true);
  }
  expect(readFileSync(path, 'utf8')).toBe(LINE + LINE.replace('run-7', 'run-8'));
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a file that holds anything else is left as it was', async () => {
  for (const text of ['Name,Phone\n', '{"schemaVersion":1,"error":{}}\n', ` ${LINE}`]) {
    writeFileSync(path, text);
    await expect(openEventFile(path, null, lost)).rejects.toMatchObject({
      reason: 'output.not-replaced',
      message: expect.stringContaining('(events of a run)'),
      hint: 'Name another file: --events FILE',
    });
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
});

test('a place where no file can be is an error before anything is sent', async () => {
  await expect(openEventFile(join(folder, 'none', 'events'), null, lost)).rejects.toMatchObject({
    reason: 'output.unwritable',
    message: expect.stringContaining('(ENOENT). Nothing was sent.'),
    hint: 'Name another place: --events FILE',
  });
});

test('a file that can no longer be written is told once and stops nobody', async () => {
  const told: string[] = [];
  const file = await openEventFile(path, null, (code) => told.push(code));
  file.stream.destroy(Object.assign(new Error('full'), { code: 'ENOSPC' }));
  await new EventStream(
    file.stream,
    () => 'run-7',
    () => AT_MS,
  ).tell(EVENT);
  await file.close();
  expect(told).toEqual(['ENOSPC']);
});
