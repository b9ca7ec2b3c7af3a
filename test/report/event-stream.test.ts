import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { EventStream, type RunEvent } from '../../src/report/event-stream.ts';
import { RunEvents } from '../../src/run/events.ts';
import { contextOf } from '../helpers/command-context.ts';

const opened = new PassThrough();
vi.mock('../../src/run/outputs.ts', async (load) => ({
  ...(await load<typeof import('../../src/run/outputs.ts')>()),
  openToAppend: async () => ({ createWriteStream: () => opened }),
}));

const AT_MS = Date.parse('2026-11-20T08:00:00Z');
const EVENT = { event: 'breaker', pauseMs: 2_000 } as unknown as RunEvent;
const LINE = '{"schemaVersion":1,"event":"breaker","at":"2026-11-20T08:00:00.000Z","run":"run-7","pauseMs":2000}\n';

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

test('a file that can no longer be written is told once and stops nobody', async () => {
  const { context } = contextOf();
  const told: string[] = [];
  Object.assign(context, { reporter: async () => ({ warn: (message: string) => told.push(message) }) });
  const events = await RunEvents.open(context, { events: join(tmpdir(), 'events.ndjson') });
  opened.destroy(Object.assign(new Error('full'), { code: 'ENOSPC' }));
  events.breakerOpened(2_000);
  events.breakerOpened(2_000);
  await context.close();
  expect(told).toEqual([expect.stringContaining('can no longer be written (ENOSPC). The run goes on.')]);
});
