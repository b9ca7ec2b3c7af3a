import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('each guard that npm run mutate takes out stands in the sources as it looks for it', () => {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/mutate-guards.mjs', '--list'], { encoding: 'utf8' });
  expect(stdout).not.toContain('does not hold');
  expect(status).toBe(0);
  expect(stdout.trim().split('\n').length).toBeGreaterThan(40);
});
