import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { logIn } from '../helpers/login.ts';

/** What bash offers behind these words. The last two arguments are those by which a desk starts srq. */
async function offeredByBash(desk: Desk, words: readonly string[]): Promise<string[]> {
  const bin = join(desk.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const path = desk.write('../bin/srq', `#!/bin/sh\nexec '${process.execPath}' '${inject('srqProgram')}' "$@"\n`);
  chmodSync(path, 0o755);
  const ask = `eval "$(srq completion bash)"
COMP_WORDS=("\${@:1:$# - 2}"); COMP_CWORD=$(($# - 3))
_srq && printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { PATH: `${bin}:${process.env['PATH']}` };
  const { stdout } = await desk.start([], { under: ['bash', '-c', ask, 'bash', ...words], env }).ended;
  return stdout.split('\n').filter((line) => line !== '');
}

describe('in bash', () => {
  test('bash completes commands, stored profiles and names of files', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox, '--profile', 'shop');
    desk.write('leads of May.csv', '');
    expect(await offeredByBash(desk, ['srq', 'b'])).toEqual(['bulk']);
    expect(await offeredByBash(desk, ['srq', 'profile', 'use', ''])).toEqual(['shop']);
    expect(await offeredByBash(desk, ['srq', 'bulk', 'lea'])).toEqual(['leads of May.csv']);
  });

  test('completion in bash never runs what is typed', async ({ desk }) => {
    const typed = '$(touch pwned)`touch pwned`';
    await offeredByBash(desk, ['srq', 'bulk', typed, '']);
    await offeredByBash(desk, ['srq', typed]);
    expect(desk.files()).not.toContain('work/pwned');
  });
});
