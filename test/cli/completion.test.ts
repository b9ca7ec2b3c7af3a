import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { makeProgram } from '../../src/cli/program.ts';
import { COMPLETION_SCRIPTS, candidatesFor } from '../../src/commands/completion/run.ts';
import { type Desk, test as deskTest } from '../helpers/desk.ts';
import { logIn } from '../helpers/login.ts';

const program = await makeProgram('0.0.0', async () => {}, {});

/** What can stand at the end of a line, which is cut into words at single blanks. */
function at(line: string): string[] {
  const words = line.split(' ');
  const { words: found, files } = candidatesFor(program, words.slice(0, -1), words.at(-1) ?? '', ['shop', 'office']);
  return [...found.map(({ word }) => word), ...(files ? [':files'] : [])];
}

describe('at the cursor there can stand', () => {
  test.each<[string, string[]]>([
    ['re', ['report', 'resolve']],
    ['profile ', ['list', 'use', 'remove']],
    ['profile use ', ['shop', 'office']],
    ['profile remove o', ['office']],
    ['--profile ', ['shop', 'office']],
    ['bulk --profile s', ['shop']],
    ['--profile shop lo', ['login', 'logout', 'log']],
    ['create --country P', ['PT', 'PE']],
    ['create --country pt', ['PT']],
    ['template ', ['csv', 'json']],
    ['template csv --market D', ['DE', 'DO']],
    ['log --status ', ['created', 'duplicate', 'rejected', 'failed', 'unknown']],
    ['bulk --in-doubt=', ['--in-doubt=park', '--in-doubt=validate']],
    ['bulk --in-doubt = v', ['validate']],
    ['bulk --map', ['--map', '--mapping']],
    ['bulk leads.csv --dry', ['--dry-run']],
    ['bulk le', [':files']],
    ['bulk --mapping ', [':files']],
    ['bulk leads.csv --again ', [':files']],
    ['resolve --validate --file ', [':files']],
    ['completion p', ['powershell']],
    ['contract ', ['learn', 'show', 'forget']],
    ['contract learn ', [':files']],
    ['contract learn api.yaml coll', [':files']],
    ['contract learn --environment ', [':files']],
    ['contract learn --op', ['--operation']],
    ['contract show --profile o', ['office']],
    ['report --inp', ['--input']],
    ['report -o ', [':files']],
    ['report --input ', [':files']],
    ['sandbox --contract ', [':files']],
    ['help bul', []],
    ['log --limit ', []],
    ['nothing ', []],
  ])('after "srq %s": %j', (line, expected) => {
    expect(at(line)).toEqual(expected);
  });

  test('every command, but none that is hidden', () => {
    expect(at('')).toEqual(
      program
        .createHelp()
        .visibleCommands(program)
        .map((command) => command.name()),
    );
    expect(at('__')).toEqual([]);
  });

  test('every option, those of all commands included', () => {
    const options = at('bulk --');
    for (const option of ['--map', '--settle', '--no-validate', '--profile', '--ca-file', '--help'])
      expect(options).toContain(option);
  });
});

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
  deskTest('commands, stored profiles and names of files are completed', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox, '--profile', 'shop');
    desk.write('leads of May.csv', '');
    expect(await offeredByBash(desk, ['srq', 'b'])).toEqual(['bulk']);
    expect(await offeredByBash(desk, ['srq', 'profile', 'use', ''])).toEqual(['shop']);
    expect(await offeredByBash(desk, ['srq', 'bulk', 'lea'])).toEqual(['leads of May.csv']);
  });

  deskTest('what is typed is never run', async ({ desk }) => {
    const typed = '$(touch pwned)`touch pwned`';
    await offeredByBash(desk, ['srq', 'bulk', typed, '']);
    await offeredByBash(desk, ['srq', typed]);
    expect(desk.files()).not.toContain('work/pwned');
  });
});

describe('the script for', () => {
  test.for([
    ['bash', ['bash', '-n']],
    ['zsh', ['zsh', '-n']],
    ['fish', ['fish', '--no-execute']],
    ['powershell', ['pwsh', '-NoProfile', '-Command', '[void][scriptblock]::Create([Console]::In.ReadToEnd())']],
  ] as const)('%s has no fault that the shell sees', ([shell, [program = '', ...args]], { skip }) => {
    const found = spawnSync(program, args, { input: COMPLETION_SCRIPTS[shell], encoding: 'utf8', timeout: 30_000 });
    skip(found.error !== undefined, `there is no ${program} here`);
    expect([found.status, found.stderr]).toEqual([0, '']);
  });
});
