import { existsSync } from 'node:fs';
import { describe, expect, inject } from 'vitest';
import { test } from '../helpers/desk.ts';
import { startProgram } from '../helpers/run-srq.ts';

/** Runs srq in a shell that redirects its output, after `before`. */
function redirected(env: Readonly<Record<string, string>>, script: string) {
  return startProgram(['sh', '-c', script, 'sh', process.execPath, inject('srqProgram')], { env }).ended;
}

describe.skipIf(!existsSync('/dev/full'))('standard output for which the disk has no room', () => {
  test('a command whose standard output is full ends with exit code 1 and says so', async ({ desk }) => {
    const { code, stderr } = await redirected(desk.env, '"$1" "$2" markets > /dev/full');
    expect([code, stderr]).toEqual([1, expect.stringContaining('could not be written completely (ENOSPC)')]);
  });

  test('a command whose standard output is full keeps an exit code other than 0', async ({ desk }) => {
    expect(await redirected(desk.env, '"$1" "$2" bulk none.csv --json > /dev/full')).toMatchObject({ code: 2 });
  });

  test('a full standard output is noticed if a part of a chunk could be written', async ({ desk }) => {
    // The size limit of a file is in blocks of 512 bytes, and a shell that ignores its signal passes that on.
    const script = `trap '' XFSZ; ulimit -f 8; "$1" "$2" help --json > '${desk.work}/help.json'`;
    const { code, stderr } = await redirected(desk.env, script);
    expect([code, stderr]).toEqual([1, expect.stringContaining('could not be written completely (EFBIG)')]);
  });
});
