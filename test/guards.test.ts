import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { status, stdout } = spawnSync(process.execPath, ['scripts/mutate-guards.mjs', '--list'], { encoding: 'utf8' });

test('each guard that npm run mutate takes out stands in the sources as it looks for it', () => {
  expect(stdout).not.toContain('does not hold');
  expect(status).toBe(0);
  expect(stdout.trim().split('\n').length).toBeGreaterThan(40);
});

test('the page about the proof of delivery names each of them', () => {
  const [, table = ''] = readFileSync('docs/delivery-proof.md', 'utf8').split('| guard taken out |');
  const [, , ...rows] = table.split('\n');
  const named = rows.flatMap((row) => /^\| (.+?) \|/.exec(row)?.[1] ?? []);
  expect(named).toEqual(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/^\S+: /, '')),
  );
});
