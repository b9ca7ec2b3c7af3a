import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from '../../src/request/words/errors.ts';

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

test.each([
  ['leads.csv', 'leads.csv'],
  ['C:\\leads\\a.csv', 'C:\\leads\\a.csv'],
  ['C:\\my leads\\a.csv', '"C:\\my leads\\a.csv"'],
  ["it's", `"it's"`],
  ['', "''"],
  ['a,b', '"a,b"'],
  ['@a', '"@a"'],
  ['location={City} {Zip}', '"location={City} {Zip}"'],
  ['$100', "'$100'"],
  ['50 % off', "'50 % off'"],
  ["it's `$5`", "'it''s `$5`'"],
  ['“a” ’b', "'“a” ’’b'"],
])('for PowerShell %j is written %s', (word, written) => {
  expect(shellWord(word, 'win32')).toBe(written);
});
