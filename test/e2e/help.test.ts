import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';

describe.concurrent('help', () => {
  test('on exit codes says every number once, in order', async ({ desk }) => {
    const { code, stdout } = await desk.run('help', 'exit-codes');
    const numbers = [...stdout.matchAll(/^ *(\d+) {2}\S/gm)].map((found) => Number(found[1]));
    expect([code, numbers]).toEqual([0, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130, 143]]);
    const { exitCodes } = documentOf(await desk.run('help', 'exit-codes', '--json'));
    expect((exitCodes as { code: number }[]).map((each) => each.code)).toEqual(numbers);
  });

  test('of all, with every option that all commands have', async ({ desk }) => {
    const { code, stdout } = await desk.run('help', '--all');
    expect(code).toBe(0);
    for (const option of ['--profile', '--no-input', '--ca-file', '--version']) expect(stdout).toContain(`  ${option}`);
    expect(stdout).toMatch(/^ {2}bulk +import/m);
  });

  test.for<[string[], string, string]>([
    [['bluk'], 'Did you mean bulk?', 'srq --help'],
    [['bulk', 'x.csv', '--dry-rum'], 'Did you mean --dry-run?', 'srq bulk --help'],
    [['bulk', 'x.csv', '--concurency', '3'], 'Did you mean --concurrency?', 'srq bulk --help'],
    [['status', '--quite'], 'Did you mean --quiet?', 'srq status --help'],
    [['template', 'cvs'], 'Did you mean csv?', 'srq template --help'],
    [['profile', 'lits'], 'Did you mean list?', 'srq profile --help'],
    [['profile', 'use'], 'name', 'srq profile use --help'],
    [['log', '--status', 'rejcted'], 'Did you mean rejected?', 'srq log --help'],
    [['--profile', 'shop', 'log', '--limit', 'x'], 'whole number', 'srq log --help'],
    [['help', 'exitcodes'], 'Did you mean exit-codes?', 'srq help --help'],
    [['completion', 'tcsh'], 'bash, zsh, fish, powershell', 'srq completion --help'],
  ])('is pointed to by the mistake %j', async ([args, said, hint], { desk }) => {
    const ended = await desk.run(...args);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toContain(said);
    expect(ended.stderr.trimEnd().endsWith(`See: ${hint}`)).toBe(true);
  });
});
