import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';

const READING: readonly (readonly [flag: string, value: string])[] = [
  ['--format', 'json'],
  ['--encoding', 'utf-8'],
  ['--delimiter', ';'],
  ['--skip-lines', '1'],
  ['--sheet', 'Leads'],
  ['--map', 'Nr=ref'],
  ['--set', 'country=PT'],
  ['--mapping', 'a.json'],
  ['--save-mapping', 'b.json'],
];

describe('flags about reading are refused where nothing is read', () => {
  test.for(READING)('%s', async (given, { desk }) => {
    for (const [command, told] of [
      [['export'], given[0] === '--format' ? '--json' : 'srq export FILE'],
      [['report', '-o', 'run.html'], '--input FILE'],
    ] as const) {
      const ended = await desk.call(...command, ...given, '--json');
      expect([command, ended.code, documentOf(ended)]).toMatchObject([
        command,
        2,
        {
          error: {
            reason: 'flags.incomplete',
            message: expect.stringContaining(given[0]),
            hint: expect.stringContaining(told),
          },
        },
      ]);
    }
    expect(existsSync(join(desk.work, 'run.html'))).toBe(false);
  });

  test('but not their defaults', async ({ desk }) => {
    expect((await desk.call('export', '--skip-lines', '0')).code).toBe(0);
  });
});
