import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from '../doors/words.ts';

const WORDS = [
  'leads.csv',
  '',
  'it’s',
  "it's",
  'a b',
  '$HOME',
  '`x`',
  'a"b',
  '*',
  'a;b',
  'C:\\a b\\c.csv',
  '{Zip} {City}',
];

test.skipIf(process.platform === 'win32')('a POSIX shell reads a quoted word as it was', () => {
  const line = `printf '%s\\n' ${WORDS.map((word) => shellWord(word, 'linux')).join(' ')}`;
  expect(spawnSync('sh', ['-c', line], { encoding: 'utf8' }).stdout).toBe(WORDS.map((word) => `${word}\n`).join(''));
});
