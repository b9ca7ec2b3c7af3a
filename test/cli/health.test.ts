import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/account/system-clock.ts';
import { type Health, keepHealthFile } from '../../src/commands/health.ts';

const health = (): Health => ({ state: 'idle', at: '', since: '', inFlight: 0, reason: null });

test('a health file that cannot be written is refused at once: whoever watches it would take the worker for dead', () => {
  const folder = mkdtempSync(join(tmpdir(), 'srq-health-'));
  writeFileSync(join(folder, 'file'), '');
  for (const path of [folder, join(folder, 'file', 'health.json')]) {
    expect(() => keepHealthFile(path, health, systemClock)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining(path),
        hint: expect.stringContaining('--health-file'),
      }),
    );
  }
});
