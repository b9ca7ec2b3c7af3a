import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeProgram } from '../../src/cli/program.ts';
import { COMPLETION_SCRIPTS, candidatesFor } from '../../src/commands/completion/run.ts';
import { callSrq } from '../helpers/call-srq.ts';

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
    ['--profile=s', ['--profile=shop']],
    ['bulk --in-doubt=P', ['--in-doubt=park']],
    ['bulk --nonsense=', []],
    ['bulk --mapping=', []],
    ['bulk --mapping=x --dry', ['--dry-run']],
    ['report -o x --inp', ['--input']],
    ['bulk -q --dry', ['--dry-run']],
    ['profile use shop ', []],
    ['profile list u', []],
    ['log bulk --lim', ['--limit']],
    ['completion bash ', []],
    ['bulk a.csv b.csv ', [':files']],
    ['resolve --created --ref', ['--ref']],
    ['template csv --mar', ['--market']],
    ['TEMPLATE', ['template']],
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

describe('a shell is told', () => {
  /** What is answered to a shell whose cursor is at the word number `count`. */
  async function told(count: number, words: readonly string[], config?: string): Promise<string> {
    const home = mkdtempSync(join(tmpdir(), 'srq-completion-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    if (config !== undefined) writeFileSync(join(home, 'config.json'), config, { mode: 0o600 });
    const env = { SRQ_CONFIG_DIR: home, SRQ_STATE_DIR: home };
    const { code, stdout, stderr } = await callSrq(['__complete', String(count), '--', ...words], { env, cwd: null });
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  }
  const profile = { baseUrl: 'https://api.example.com', clientId: 'id' };
  const PROFILES = JSON.stringify({ profiles: { shop: profile, 'a\u0007b': profile, office: profile } });

  test('each word with what it means, and whether files fit', async () => {
    expect(await told(0, ['mark'])).toMatch(/^markets\tlist the \d+ markets: code, name, calling code, languages\n$/);
    expect(await told(1, ['bulk', 'le'])).toBe(':files\n');
    expect(await told(1, ['template', ''])).toBe('csv\t\njson\t\n');
    expect(await told(2, ['template', 'csv', '--market'])).toMatch(/^--market\t\S/);
    expect(await told(0, ['--hel'])).toBe('--help\tprint help\n');
    expect(await told(3, ['create', '--country', '=', 'PT'])).toBe('PT\tPortugal\n');
  });

  test('the words up to the cursor alone, and nothing of a lone sign of bash', async () => {
    expect(await told(0, ['mark', 'bulk', 'x'])).toMatch(/^markets\t/);
    expect(await told(2, ['bulk', '--in-doubt', '='])).toBe('park\t\nvalidate\t\n');
    expect(await told(1, ['bulk'])).toBe(':files\n');
  });

  test('the profiles that can be typed, and none of settings that cannot be used', async () => {
    expect(await told(1, ['--profile', ''], PROFILES)).toBe('shop\tprofile\noffice\tprofile\n');
    expect(await told(2, ['profile', 'use', 'of'], PROFILES)).toBe('office\tprofile\n');
    expect(await told(1, ['--profile', ''], '{')).toBe('\n');
    expect(await told(1, ['--profile', ''])).toBe('\n');
  });
});

test.each(Object.entries(COMPLETION_SCRIPTS))(
  'the script for %s is printed as it is, and as a document',
  async (shell, script) => {
    const printed = await callSrq(['completion', shell], { env: {}, cwd: null });
    expect([printed.code, printed.stdout]).toEqual([0, `${script}\n`]);
    const { stdout } = await callSrq(['completion', shell, '--json'], { env: {}, cwd: null });
    expect(JSON.parse(stdout)).toEqual({ schemaVersion: 1, shell, script });
  },
);

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
