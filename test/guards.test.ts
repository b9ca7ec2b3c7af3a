import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const { status, stdout } = spawnSync(process.execPath, ['scripts/mutate.mjs', '--list'], { encoding: 'utf8' });

test('each guard that npm run mutate removes is in the sources', () => {
  expect(stdout).not.toContain('does not hold');
  expect(status).toBe(0);
  expect(stdout.trim().split('\n').length).toBeGreaterThan(40);
});
