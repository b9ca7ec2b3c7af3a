import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { commandLine, onlyOptions, withoutOptions, withProfileFlags } from '../../src/cli/command-line.ts';
import { callSrq } from '../doors/call-srq.ts';
import fc from '../helpers/fast-check.ts';

/** The words that a shell makes of a command line, the program's name left out. */
function wordsOf(line: string): string[] {
  const script = `srq() { printf '%s\\0' "$@"; }\n${line}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

describe.skipIf(process.platform === 'win32')('A command line pasted into a shell', () => {
  test('A command line pasted into a shell is the same words again, whatever they are', () => {
    const word = fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
        expect(wordsOf(commandLine(words))).toEqual(words);
      }),
      { seed: 20261121, numRuns: 60 },
    );
  });
});

/** Commands that neither a profile nor a log changes. */
const APART: ReadonlySet<string> = new Set([
  ...['profile list', 'profile use'],
  ...['template', 'markets', 'completion', 'schema', 'help'],
]);

describe('The commands in a hint', () => {
  const here = { profile: 'my shop', log: 'a.ndjson' };

  test('The commands in a hint name the profile of this command, except those for which it means nothing', async () => {
    const { commands } = JSON.parse((await callSrq(['help', '--json'], { env: {}, cwd: null })).stdout);
    const names: string[] = commands.map(({ name }: { name: string }) => name);
    const plain = names.filter((name) => withProfileFlags(`srq ${name}`, here) === `srq ${name}`);
    expect(plain.sort()).toEqual([...APART].sort());
  });

  test.each([
    ['Log in again: srq login', "Log in again: srq login --profile 'my shop'"],
    ['srq resolve KEY --created [ID]', "srq resolve --profile 'my shop' --log a.ndjson KEY --created [ID]"],
    [
      'Check it (srq status). Then: srq doctor',
      "Check it (srq status --profile 'my shop'). Then: srq doctor --profile 'my shop' --log a.ndjson",
    ],
    ['Learn it: srq contract learn FILE', "Learn it: srq contract learn --profile 'my shop' FILE"],
    ['srq export leads.csv', "srq export --profile 'my shop' --log a.ndjson leads.csv"],
    ['See: srq bulk --help', 'See: srq bulk --help'],
    ['Or: srq login --profile shop', 'Or: srq login --profile shop'],
    [
      'srq sends nothing. See what there is: srq profile list',
      'srq sends nothing. See what there is: srq profile list',
    ],
  ])('The commands in a hint, %j, name the profile and the log of this command', (hint, expected) => {
    expect(withProfileFlags(hint, here)).toBe(expected);
    expect(withProfileFlags(hint, {})).toBe(hint);
  });

  test('The commands in a hint name the store of this command', () => {
    const here = { store: 'postgres://owner@db.example/leads' };
    expect(withProfileFlags('srq queue, or: srq resolve KEY. See srq status', here)).toBe(
      'srq queue --store postgres://owner@db.example/leads, or: srq resolve --store postgres://owner@db.example/leads KEY. See srq status',
    );
    const hint = 'Name it: srq work --store postgres://USER@HOST/DATABASE';
    expect(withProfileFlags(hint, here)).toBe(hint);
  });
});

test('options are taken out, or kept alone, with their values, in every way of writing them', () => {
  const words = ['bulk', 'a.csv', '--map', 'A=b', '--map=C=d', '--mapping', 'm.json', '--maps', 'x'];
  expect(withoutOptions(words, ['--map', '--mapping'])).toEqual(['bulk', 'a.csv', '--maps', 'x']);
  expect(onlyOptions(words, ['--map', '--mapping'])).toEqual(['--map', 'A=b', '--map=C=d', '--mapping', 'm.json']);
});
