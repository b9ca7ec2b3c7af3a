import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GlobalOptions } from '../../src/cli/command.ts';
import { type ResolveOptions, resolve } from '../../src/commands/resolve/run.ts';
import { requestKind } from '../../src/delivery/visibility-prober.ts';
import { contractFingerprint, DOCUMENTED_CONTRACT } from '../../src/request/contract.ts';
import type { SrqError } from '../../src/request/errors.ts';
import { contentKey } from '../../src/request/service-request.ts';
import { LearnedFile } from '../../src/settings/account-files.ts';
import { contextOf } from '../helpers/command-context.ts';
import { fullKey, type WrittenRecord, writeLog } from '../helpers/log-file.ts';
import { type Script, startScriptedService } from '../helpers/scripted-service.ts';

const READING = { skipLines: 0, map: [], set: [] } as const;
const [ONE, TWO, SENT, DONE] = ['aaaaaa1', 'aaaaaa2', 'bbbbbb', 'cccccc'].map(fullKey) as [
  string,
  string,
  string,
  string,
];
const RECORDS: readonly WrittenRecord[] = [
  { key: 'aaaaaa1', event: 'unknown', row: 6, ref: 'L-5', message: 'No answer.' },
  { key: 'aaaaaa2', event: 'unknown', row: 7, ref: 'L-5' },
  { key: 'bbbbbb', event: 'sending', row: 8, ref: 'L-6' },
  { key: 'cccccc', row: 9, ref: 'L-7' },
];
const ACCOUNT = { SRQ_BASE_URL: 'http://127.0.0.1:9', SRQ_CLIENT_ID: '4711', SRQ_CLIENT_SECRET: 'word' };

type Scene = Parameters<typeof contextOf>[0] & { readonly records?: readonly WrittenRecord[] };

function sceneOf({ records = RECORDS, ...scene }: Scene = {}) {
  const of = contextOf({ argv: ['resolve'], ...scene });
  const log = join(of.home, 'state', 'default.ndjson');
  if (records.length > 0) writeLog(log, records);
  const run = (keys: readonly string[], flags: Partial<ResolveOptions> = {}) =>
    resolve(of.context, keys, { ...READING, ...flags });
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
    [{ created: 'x', validate: true }, false],
    [{ notCreated: true, validate: true }, false],
  ])('does one thing at a time: %j', async (flags, isOne) => {
    const { run } = sceneOf();
    const done = run(Object.keys(flags).length === 0 ? [] : [ONE], flags);
    if (isOne) expect(await done).toBe(0);
    else await expect(done).rejects.toThrow('Choose one of --created, --not-created and --validate.');
  });

  test.each<[Partial<ResolveOptions>, string]>([
    [{ file: 'a.csv' }, '--file works with --validate.'],
    [{ settle: 1 }, '--settle works with --validate.'],
    [{ file: 'a.csv', settle: 1 }, '--file works with --validate.'],
    [{ map: [['a', 'b']] }, '--map says how to read a file, and none is named.'],
  ])('needs no file to list and to settle by word: %j', async (flags, message) => {
    for (const [more, hint] of [
      [{}, 'Add: --validate --file FILE'],
      [{ created: true }, 'Leave it out: nothing is read for --created and --not-created.'],
      [{ notCreated: true }, 'Leave it out: nothing is read for --created and --not-created.'],
    ] as const)
      expect(await sceneOf().refused([ONE], { ...flags, ...more })).toMatchObject({ message, hint });
  });

  test('lists what is in doubt, and says what to do with the flags of this command', async () => {
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
    [['bbbbbb'], { ref: 'L-5' }, []],
    [['cccccc'], {}, []],
  ])('lists those of %j and %j', async (keys, flags, rows) => {
    const { run, stdout } = sceneOf({ options: { json: true } });
    await run(keys, flags);
    expect(JSON.parse(stdout()).unknown.map(({ row }: { row: number }) => row)).toEqual(rows);
  });

  test('with nothing in doubt says so, and warns of a profile that is not known', async () => {
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
    // The key of a request that is not in doubt may be an identifier.
    [[ONE], { created: DONE }, [ONE], '1 noted as created.\n'],
    [[ONE, SENT], { created: true }, [ONE, SENT], '2 noted as created.\n'],
    [[], { ref: 'L-5', created: true }, [ONE, TWO], '2 noted as created.\n'],
    [[], { ref: 'L-6', created: '77' }, [SENT], '1 noted as created.\n'],
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

describe('srq resolve --validate', () => {
  const look = (key: string, changes: object = {}) => ({
    ...{ key: key.repeat(32), kind: 'PT', createdAtMs: Date.now() - 60_000, end: 'seen', afterMs: 10, ...changes },
  });
  const SEEN = ['1', '2', '3'].map((key) => look(key));

  test.each<[readonly string[], Partial<ResolveOptions>, string]>([
    [[ONE], { file: 'a.csv' }, 'flags.contradict'],
    [[], { file: 'a.csv', ref: 'L-5' }, 'flags.contradict'],
    [[], { file: 'a.csv', all: true }, 'flags.contradict'],
    [[], {}, 'flags.incomplete'],
  ])('of %j with %j is refused: %s', async (keys, flags, reason) => {
    const { refused, added } = sceneOf({ env: ACCOUNT });
    expect(await refused(keys, { ...flags, validate: true })).toMatchObject({ reason });
    expect(added()).toEqual([]);
  });

  test('needs a login', async () => {
    expect(await sceneOf().refused([], { validate: true, file: 'a.csv' })).toMatchObject({ reason: 'auth.missing' });
  });

  test.each<[string, readonly object[], boolean]>([
    ['none', [], false],
    ['two', SEEN.slice(1), false],
    ['three', SEEN, true],
    ['three of several kinds', [...SEEN.slice(1), look('1', { kind: 'ES' })], false],
    ['three of one kind among others', [look('4', { kind: 'ES', end: 'unseen' }), ...SEEN], true],
    ['three and one that was not seen', [...SEEN, look('4', { end: 'unseen' })], false],
  ])('is refused unless validate was seen to see what was created: %s', async (_, looks, isProven) => {
    const { home, refused, stderr } = sceneOf({ env: ACCOUNT });
    const [baseUrl, clientId] = [ACCOUNT.SRQ_BASE_URL, ACCOUNT.SRQ_CLIENT_ID];
    const path = join(home, 'state', 'default.learned.json');
    new LearnedFile(path, { baseUrl, clientId }, contractFingerprint(DOCUMENTED_CONTRACT)).write({
      evidence: { looks },
    });
    const error = await refused([], { validate: true, file: join(home, 'nowhere.csv') });
    expect(error.reason).toBe(isProven ? 'file.missing' : 'validate.unproven');
    expect(stderr()).toBe('To http://127.0.0.1:9 as client 4711 (profile default, test)\n');
  });

  /** A service at which validate was seen to see such requests, and a file with one that is in doubt. */
  async function doubtful(validate: Script, options: GlobalOptions = {}) {
    const { baseUrl, validates } = await startScriptedService({ validate });
    const scene = sceneOf({
      env: { ...ACCOUNT, SRQ_BASE_URL: baseUrl },
      options,
      records: [],
      argv: ['resolve', '--all'],
    });
    const destination = { baseUrl, clientId: ACCOUNT.SRQ_CLIENT_ID };
    const params = { country: 'PT', request_text: 'Paint', phone: '+351912345678', lang: 'pt' };
    const request = { params, audio: null, ref: null };
    const looks = ['1', '2', '3'].map((key) => look(key, { kind: requestKind(request) }));
    const path = join(scene.home, 'state', 'default.learned.json');
    new LearnedFile(path, destination, contractFingerprint(DOCUMENTED_CONTRACT)).write({ evidence: { looks } });
    const key = contentKey(request, destination);
    writeLog(join(scene.home, 'state', 'default.ndjson'), [{ key, event: 'unknown' }]);
    const file = join(scene.home, 'leads.csv');
    writeFileSync(file, 'country,phone,request_text\nPT,+351912345678,Paint\n');
    return { ...scene, validates, settle: () => scene.run([], { validate: true, file }) };
  }

  test('notes what validate sees as created', async () => {
    const { settle, stdout, validates } = await doubtful(() => ({ status: 200, body: { duplicate: true } }));
    expect(await settle()).toBe(0);
    expect(stdout()).toBe('1 asked about: 1 created, 0 not created (the next run sends them), 0 still unknown.\n');
    expect(validates().length).toBeGreaterThan(0);
  });

  test('that cannot go on says why, and what is still unknown', async () => {
    const moved: Script = () => ({ status: 301 });
    const { settle, stdout, stderr } = await doubtful(moved);
    expect(await settle()).toBe(7);
    expect(stdout()).toBe('1 asked about: 0 created, 0 not created (the next run sends them), 1 still unknown.\n');
    expect(stderr()).toMatch(/^! .*301.*srq login --base-url URL$/m);
    const json = await doubtful(moved, { json: true, profile: 'default' });
    expect(await json.settle()).toBe(7);
    const stopped = { code: 'service', hint: expect.stringContaining('srq login --profile default') };
    expect(JSON.parse(json.stdout())).toMatchObject({ asked: 1, unknown: 1, stopped, error: stopped });
  });

  test('that is interrupted says how to go on', async () => {
    const handlers = new Map<string, () => void>();
    const { context, settle, stdout, stderr } = await doubtful(() => {
      handlers.get('SIGINT')?.();
      return { status: 503 };
    });
    Object.assign(context.process, { on: (signal: string, handler: () => void) => handlers.set(signal, handler) });
    expect(await settle()).toBe(130);
    expect(stdout()).toContain('1 still unknown.');
    expect(stderr()).toContain('! Finishing what was sent; press Ctrl-C again to stop at once.\n');
    expect(stderr()).toContain('! Interrupted. To go on: srq resolve --all\n');
  });

  test('has nothing to ask about where nothing of the file is in doubt', async () => {
    for (const json of [false, true]) {
      const { context, home, run, stdout } = sceneOf({ env: ACCOUNT, options: { json } });
      const [baseUrl, clientId] = [ACCOUNT.SRQ_BASE_URL, ACCOUNT.SRQ_CLIENT_ID];
      const path = join(home, 'state', 'default.learned.json');
      const learned = new LearnedFile(path, { baseUrl, clientId }, contractFingerprint(DOCUMENTED_CONTRACT));
      learned.write({ evidence: { looks: SEEN } });
      const file = join(home, 'leads.csv');
      writeFileSync(file, 'country,phone,request_text\nPT,+351912345678,Paint\n');
      expect(await run([], { validate: true, file })).toBe(0);
      if (json)
        expect(JSON.parse(stdout())).toMatchObject({
          ...{ run: context.run, asked: 0, created: 0, notCreated: 0, unknown: 0, stopped: null },
        });
      else
        expect(stdout()).toBe('0 asked about: 0 created, 0 not created (the next run sends them), 0 still unknown.\n');
    }
  });
});
