import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { COMPLETION_SCRIPTS } from '../../src/commands/completion/run.ts';
import { callSrq } from '../doors/call-srq.ts';

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

  test('a shell gets each word with its meaning, and whether files fit', async () => {
    expect(await told(0, ['mark'])).toMatch(/^markets\tlist the \d+ markets: code, name, calling code, languages\n$/);
    expect(await told(1, ['bulk', 'le'])).toBe(':files\n');
    expect(await told(1, ['template', ''])).toBe('csv\t\njson\t\n');
    expect(await told(2, ['template', 'csv', '--market'])).toMatch(/^--market\t\S/);
    expect(await told(0, ['--hel'])).toBe('--help\tprint help\n');
    expect(await told(3, ['create', '--country', '=', 'PT'])).toBe('PT\tPortugal\n');
  });

  test('completion looks only at the words up to the cursor, and drops a lone sign of bash', async () => {
    expect(await told(0, ['mark', 'bulk', 'x'])).toMatch(/^markets\t/);
    expect(await told(2, ['bulk', '--in-doubt', '='])).toBe('park\t\nvalidate\t\n');
    expect(await told(1, ['bulk'])).toBe(':files\n');
  });

  test('completion offers the profiles that can be typed, and none from settings that cannot be used', async () => {
    expect(await told(1, ['--profile', ''], PROFILES)).toBe('shop\tprofile\noffice\tprofile\n');
    expect(await told(2, ['profile', 'use', 'of'], PROFILES)).toBe('office\tprofile\n');
    expect(await told(1, ['--profile', ''], '{')).toBe('\n');
    expect(await told(1, ['--profile', ''])).toBe('\n');
  });
});

describe('the script for', () => {
  test.for([
    ['bash', ['bash', '-n']],
    ['zsh', ['zsh', '-n']],
    ['fish', ['fish', '--no-execute']],
    ['powershell', ['pwsh', '-NoProfile', '-Command', '[void][scriptblock]::Create([Console]::In.ReadToEnd())']],
  ] as const)('the shell finds no fault in the script for %s', ([shell, [program = '', ...args]], { skip }) => {
    const found = spawnSync(program, args, { input: COMPLETION_SCRIPTS[shell], encoding: 'utf8', timeout: 30_000 });
    skip(found.error !== undefined, `there is no ${program} here`);
    expect([found.status, found.stderr]).toEqual([0, '']);
  });
});
