import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ResolveOptions, resolve } from '../../src/commands/resolve/run.ts';
import type { SrqError } from '../../src/request/errors.ts';
import { contextOf } from '../helpers/command-context.ts';
import { fullKey, type WrittenRecord, writeLog } from '../helpers/log-file.ts';

const [ONE, TWO, SENT, DONE] = ['aaaaaa1', 'aaaaaa2', 'bbbbbb', 'cccccc'].map(fullKey) as [
  string,
  string,
  string,
  string,
];
const RECORDS: readonly WrittenRecord[] = [
  { key: 'aaaaaa1', event: 'unknown', row: 6, ref: 'L-5', message: 'No answer.' },
  { key: 'aaaaaa2', event: 'unknown', row: 7, ref: 'L-5', run: '3f9a7c' },
  { key: 'bbbbbb', event: 'sending', row: 8, ref: 'L-6' },
  { key: 'cccccc', row: 9, ref: 'L-7' },
];

type Scene = Parameters<typeof contextOf>[0] & { readonly records?: readonly WrittenRecord[] };

function sceneOf({ records = RECORDS, ...scene }: Scene = {}) {
  const of = contextOf({ argv: ['resolve'], ...scene });
  const log = join(of.home, 'state', 'default.ndjson');
  if (records.length > 0) writeLog(log, records);
  const run = (keys: readonly string[], flags: Partial<ResolveOptions> = {}) => resolve(of.context, keys, flags);
  const refused = (keys: readonly string[], flags: Partial<ResolveOptions>): Promise<SrqError> =>
    run(keys, flags).then(
      () => Promise.reject(new Error('It was expected to be refused.')),
      (error: SrqError) => error,
    );
  /** What was recorded besides what was there. */
  const added = () =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .slice(records.length)
      .map((line) => JSON.parse(line));
  return { ...of, run, refused, added };
}

describe('srq resolve', () => {
  test.each<[Partial<ResolveOptions>, boolean]>([
    [{}, true],
    [{ created: true }, true],
    [{ notCreated: true }, true],
    [{ created: true, notCreated: true }, false],
  ])('does one thing at a time: %j', async (flags, isOne) => {
    const { run } = sceneOf();
    const done = run(Object.keys(flags).length === 0 ? [] : [ONE], flags);
    if (isOne) expect(await done).toBe(0);
    else await expect(done).rejects.toThrow('Choose one of --created and --not-created.');
  });

  test('lists what is unknown, and says what to do with the flags of this command', async () => {
    const { run, stdout, stderr } = sceneOf({ options: { profile: 'default' } });
    expect(await run([])).toBe(0);
    const lines = stdout().trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^aaaaaa111111 .* 6 +L-5 +No answer\.$/),
      expect.stringMatching(/^aaaaaa222222 .* 7 +L-5 +The process ended before an answer was recorded\.$/),
      expect.stringMatching(/^bbbbbbbbbbbb .* 8 +L-6 /),
    ]);
    expect(stderr()).toContain('  srq resolve --profile default KEY --created [ID]\n');
    const json = sceneOf({ options: { json: true } });
    await json.run([]);
    expect(JSON.parse(json.stdout()).unknown).toMatchObject([
      { key: ONE, row: 6, ref: 'L-5', message: 'No answer.', reason: expect.any(String) },
      { key: TWO, row: 7 },
      { key: SENT, row: 8, message: expect.stringMatching(/^Sent, and no outcome is recorded/) },
    ]);
  });

  test.each<[readonly string[], Partial<ResolveOptions>, readonly number[]]>([
    [['aaaaaa1'], {}, [6]],
    [['aaaaaa'], {}, [6, 7]],
    [[], { ref: 'L-5' }, [6, 7]],
    [[], { run: '3f9a' }, [7]],
    [[], { run: '3f9a', ref: 'L-6' }, []],
    [['bbbbbb'], { ref: 'L-5' }, []],
    [['cccccc'], {}, []],
  ])('lists those of %j and %j', async (keys, flags, rows) => {
    const { run, stdout } = sceneOf({ options: { json: true } });
    await run(keys, flags);
    expect(JSON.parse(stdout()).unknown.map(({ row }: { row: number }) => row)).toEqual(rows);
  });

  test('with nothing unknown says so, and warns of a profile that is not known', async () => {
    const empty = sceneOf({ records: [] });
    expect(await empty.run([])).toBe(0);
    expect([empty.stdout(), empty.stderr()]).toEqual(['No request has an unknown outcome.\n', '']);
    const { context, run, stderr } = sceneOf({ records: [], options: { profile: 'shopp' } });
    await (await context.profiles()).set('shop', { baseUrl: 'http://127.0.0.1:9', clientId: '1' });
    await run([]);
    expect(stderr()).toMatch(/There is no profile "shopp"\. Did you mean shop\?/);
  });
});

describe('srq resolve --created', () => {
  test.each<[readonly string[], Partial<ResolveOptions>, string, string]>([
    [[], { created: true }, 'arguments.missing', 'Say which requests to settle.'],
    [[], { notCreated: true }, 'arguments.missing', 'Say which requests to settle.'],
    [[ONE], { created: '' }, 'arguments.invalid', 'The identifier after --created is empty. Nothing was recorded.'],
    [[ONE], { created: ' ' }, 'arguments.invalid', 'The identifier after --created is empty. Nothing was recorded.'],
    [
      [ONE],
      { created: TWO },
      'arguments.invalid',
      `"${TWO}" is the key of a request whose outcome is unknown, not an identifier of the service. Nothing was recorded.`,
    ],
    [[DONE], { created: true }, 'doubt.unknown', 'That names no request with an unknown outcome.'],
    [[], { ref: 'L-7', created: true }, 'doubt.unknown', 'That names no request with an unknown outcome.'],
    [
      [ONE, DONE],
      { created: true },
      'doubt.unknown',
      `No request with an unknown outcome has the key "${DONE}". Nothing was recorded.`,
    ],
    [[], { run: '3f9b', notCreated: true }, 'doubt.unknown', 'That names no request with an unknown outcome.'],
    // What an unset variable of a script gives must not mean every run.
    ...['', '3f9'].map((run): [readonly string[], Partial<ResolveOptions>, string, string] => [
      [],
      { run, notCreated: true },
      'arguments.invalid',
      `--run "${run}" is too short. Nothing was recorded.`,
    ]),
    [[ONE, TWO], { created: '77' }, 'doubt.several', '2 requests are meant; they cannot share one identifier.'],
    [[], { all: true, created: '77' }, 'doubt.several', '3 requests are meant; they cannot share one identifier.'],
  ])('of %j with %j is refused: %s', async (keys, flags, reason, message) => {
    const { refused, added } = sceneOf();
    expect(await refused(keys, flags)).toMatchObject({ reason, message });
    expect(added()).toEqual([]);
  });

  test.each<[readonly string[], Partial<ResolveOptions>, readonly string[], string]>([
    [[ONE], { created: true }, [ONE], '1 noted as created.\n'],
    [['aaaaaa1'], { created: '77' }, [ONE], '1 noted as created.\n'],
    // The key of a request that is settled may be an identifier.
    [[ONE], { created: DONE }, [ONE], '1 noted as created.\n'],
    [[ONE, SENT], { created: true }, [ONE, SENT], '2 noted as created.\n'],
    [[], { ref: 'L-5', created: true }, [ONE, TWO], '2 noted as created.\n'],
    [[], { ref: 'L-6', created: '77' }, [SENT], '1 noted as created.\n'],
    [[], { run: '3f9a', created: true }, [TWO], '1 noted as created.\n'],
    [[], { all: true, created: true }, [ONE, TWO, SENT], '3 noted as created.\n'],
    [[ONE], { notCreated: true }, [ONE], '1 noted as not created: the next run of the same import sends it.\n'],
    [
      [ONE, TWO],
      { notCreated: true },
      [ONE, TWO],
      '2 noted as not created: the next run of the same import sends them.\n',
    ],
  ])('of %j with %j settles %j', async (keys, flags, settled, text) => {
    const { run, added, stdout } = sceneOf();
    expect(await run(keys, flags)).toBe(0);
    const ids = typeof flags.created === 'string' ? { ids: { id: flags.created } } : {};
    const event = flags.notCreated ? 'licence' : 'created';
    expect(added()).toEqual(settled.map((key) => expect.objectContaining({ key, event, by: 'person', ...ids })));
    expect(added().every((record) => 'ids' in record === 'ids' in ids)).toBe(true);
    expect(stdout()).toBe(text);
  });

  test.each<[Partial<ResolveOptions>, string]>([
    [{ created: true }, 'created'],
    [{ notCreated: true }, 'failed'],
  ])('tells a program with %j what became of each: %s', async (flags, status) => {
    const { context, run, stdout } = sceneOf({ options: { json: true } });
    await run([ONE], flags);
    expect(JSON.parse(stdout())).toMatchObject({
      run: context.run,
      resolved: [{ key: ONE, row: 6, ref: 'L-5', status }],
    });
  });
});
