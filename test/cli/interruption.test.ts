import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/account/system-clock.ts';
import { Interruption } from '../../src/cli/interruption.ts';

test('ends the waiting of any number of requests, and Node.js warns of nothing', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const { halt } = new Interruption(process);
  const waiting = Array.from({ length: 100 }, () => systemClock.sleep(3_600_000, halt.signal));
  await setImmediate();
  halt.abort();
  await Promise.all(waiting);
  expect(warnings).toEqual([]);
});
