import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';

describe.concurrent('two outputs of a command are not written to one file', () => {
  test.for<[args: readonly string[], flags: readonly string[]]>([
    [
      ['--results', 'x', '--report', 'x'],
      ['--report', '--results'],
    ],
    [
      ['--results', './x', '--save-mapping', 'x'],
      ['--results', '--save-mapping'],
    ],
    [
      ['--report', 'link/x', '--events', 'real/x'],
      ['--events', '--report'],
    ],
    [
      ['--log', 'x', '--report', 'x'],
      ['--report', '--log'],
    ],
    [
      ['--log', 'x', '--save-mapping', 'x'],
      ['--save-mapping', '--log'],
    ],
    [
      ['--report', '@LOG'],
      ['--report', 'the log'],
    ],
    [
      ['--events', '@LOG'],
      ['--events', 'the log'],
    ],
    [
      ['--report', 'leads.results.csv'],
      ['--report', 'the results file'],
    ],
  ])('by bulk %j, and nothing is sent', async ([args, flags], { partner, sandbox }) => {
    partner.write('leads.csv', leadsCsv(1));
    mkdirSync(join(partner.work, 'real'));
    symlinkSync('real', join(partner.work, 'link'));
    const words = args.map((word) => word.replace('@LOG', join(partner.state, 'default.ndjson')));
    const ended = await partner.call('bulk', 'leads.csv', '--rate', 'max', '--json', ...words);
    expect(documentOf(ended)).toMatchObject({ error: { reason: 'flags.contradict' } });
    for (const flag of flags) expect(ended.stdout).toContain(flag);
    expect([ended.code, partner.files().some((name) => name.endsWith('/x'))]).toEqual([2, false]);
    expect(existsSync(join(partner.state, 'default.ndjson'))).toBe(false);
    expect((await statsOf(sandbox)).created).toBe(0);
  });

  test.for([
    [['export', 'leads.csv', '-o', 'x', '--save-mapping', 'x']],
    [['report', '--input', 'leads.csv', '-o', 'x', '--save-mapping', 'x']],
    [['doctor', '--output', 'x', '--log', 'x']],
  ])('by %j', async ([args = []], { partner }) => {
    partner.write('leads.csv', leadsCsv(1));
    const ended = await partner.call(...args, '--json');
    expect(documentOf(ended)).toMatchObject({ error: { reason: 'flags.contradict' } });
    expect([ended.code, existsSync(join(partner.work, 'x'))]).toEqual([2, false]);
  });

  test.for([
    [['bulk', 'leads.csv', '--report', '-'], '--report -'],
    [['bulk', 'leads.csv', '--save-mapping', '-'], '--save-mapping -'],
    [['export', 'leads.csv', '--save-mapping', '-'], '--save-mapping -'],
    [['doctor', '--output', '-'], '--output -'],
    [['report', '-o', '-'], '--output -'],
  ] as const)('nor is %j to standard output with the result', async ([args, told], { partner, sandbox }) => {
    partner.write('leads.csv', leadsCsv(1));
    const ended = await partner.call(...args, '--json');
    expect(documentOf(ended)).toMatchObject({
      error: {
        reason: 'flags.contradict',
        message: expect.stringContaining(told),
        hint: expect.stringContaining('FILE'),
      },
    });
    expect([ended.code, existsSync(join(partner.work, '-'))]).toEqual([2, false]);
    expect((await statsOf(sandbox)).created).toBe(0);
  });

  test('but a report alone is printed as the page that it would write', async ({ partner }) => {
    partner.write('leads.csv', leadsCsv(1));
    expect((await partner.call('bulk', 'leads.csv', '--rate', 'max')).code).toBe(0);
    const printed = await partner.call('report', '-o', '-');
    expect([printed.code, printed.stderr, existsSync(join(partner.work, '-'))]).toEqual([0, '', false]);
    expect(printed.stdout).toMatch(/^<!doctype html>.*Import of leads\.csv.*<\/html>\s*$/is);
  });

  test('but each to its own, or to none', async ({ partner }) => {
    partner.write('leads.csv', leadsCsv(1));
    const outputs = [
      '--results',
      'a.csv',
      '--report',
      'b.html',
      '--save-mapping',
      'c.json',
      '--events',
      'd',
      '--log',
      'e',
    ];
    expect((await partner.call('bulk', 'leads.csv', '--rate', 'max', ...outputs)).code).toBe(0);
    for (const name of ['a.csv', 'b.html', 'c.json', 'd', 'e']) expect(existsSync(join(partner.work, name))).toBe(true);
    expect((await partner.call('bulk', 'leads.csv', '--no-results', '--report', 'b.html')).code).toBe(0);
  });
});
