import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { openEvents } from '../../src/run/events.ts';
import { contextOf } from '../helpers/command-context.ts';

const opened = new PassThrough();
vi.mock('../../src/run/outputs.ts', async (load) => ({
  ...(await load<typeof import('../../src/run/outputs.ts')>()),
  openNew: async () => ({ createWriteStream: () => opened }),
}));

test('an events file that can no longer be written is mentioned once and stops nothing', async () => {
  const { context } = contextOf();
  const told: string[] = [];
  Object.assign(context, { reporter: { warn: (message: string) => told.push(message) } });
  const events = await openEvents(context, { events: join(tmpdir(), 'events.ndjson') });
  opened.destroy(Object.assign(new Error('full'), { code: 'ENOSPC' }));
  events.noted({ event: 'breaker', pauseMs: 2_000 });
  events.noted({ event: 'breaker', pauseMs: 2_000 });
  await context.close();
  expect(told).toEqual([expect.stringContaining('can no longer be written (ENOSPC). The run goes on.')]);
});
