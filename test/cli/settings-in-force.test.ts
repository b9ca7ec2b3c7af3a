import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GlobalOptions } from '../../src/cli/command.ts';
import { type Input, keepMapping, readInput, rememberMapping } from '../../src/cli/input.ts';
import { forgetProfile, profileInForce, profileKind, warnOfUnknownProfile } from '../../src/cli/profiles.ts';
import { recordingsBeside } from '../../src/cli/session.ts';
import { confirmDeletion } from '../../src/commands/confirm-deletion.ts';
import { RunHealth } from '../../src/commands/health.ts';
import { noCounts } from '../../src/request/status.ts';
import { contextOf } from '../helpers/command-context.ts';

const STORE = 'postgres://leads@127.0.0.1/leads';
const SHOP = { baseUrl: 'https://api.example.com', clientId: 'id', clientSecret: 'secret' };

describe('The log of a command is kept', () => {
  test.each<[GlobalOptions, Record<string, string>, string, boolean]>([
    [{}, {}, 'state/default.ndjson', false],
    [{ profile: 'shop' }, {}, 'state/shop.ndjson', false],
    [{}, { SRQ_PROFILE: 'shop' }, 'state/shop.ndjson', false],
    [{ profile: 'shop' }, { SRQ_PROFILE: 'other' }, 'state/shop.ndjson', false],
    [{ log: '/a/b.ndjson' }, {}, '/a/b.ndjson', true],
    [{ log: '/a/b.ndjson' }, { SRQ_STORE: STORE }, '/a/b.ndjson', true],
    [{ log: '/a/b.ndjson', sandbox: true }, {}, '/a/b.ndjson', true],
  ])('with the flags %j and the environment %j at %s', async (options, env, path, isGiven) => {
    const { context, home } = contextOf({ options, env });
    const at = path.startsWith('/') ? path : join(home, path);
    expect(await context.logPlace()).toEqual({ kind: 'file', path: at, isGiven });
    expect((await context.paths()).log).toBe(at);
    expect(await context.lastingLog()).toBe(at);
  });

  test('in a folder of its own in a rehearsal, whatever the environment says, and later where the last one is', async () => {
    const { context, home } = contextOf({ options: { sandbox: true }, env: { SRQ_STORE: STORE } });
    const place = await context.logPlace();
    const path = place.kind === 'file' ? place.path : '';
    expect(path).toMatch(/srq-sandbox-[^/\\]+[/\\]sandbox\.ndjson$/);
    expect(await context.lastingLog()).toBe(join(home, 'state', 'rehearsal', 'sandbox.ndjson'));
    const reading = contextOf({ options: { sandbox: true } });
    reading.context.readLastRehearsal();
    const last = join(reading.home, 'state', 'rehearsal', 'sandbox.ndjson');
    expect(await reading.context.logPlace()).toMatchObject({ path: last });
  });

  test.each<[GlobalOptions, Record<string, string>, string]>([
    [{ store: STORE }, {}, STORE],
    [{}, { SRQ_STORE: STORE }, STORE],
    [{ store: STORE }, { SRQ_STORE: 'postgres://other@127.0.0.1/other' }, STORE],
    [{ store: STORE, sandbox: true }, {}, STORE],
    [{ store: STORE, freshStore: true }, {}, STORE],
  ])('with the flags %j and the environment %j in the store', async (options, env, url) => {
    const { context } = contextOf({ options, env });
    const place = await context.logPlace();
    expect(place).toMatchObject({ kind: 'store', url, name: url, isEncrypted: false, password: null });
    const file = options.sandbox ? /sandbox\.ndjson$/ : /state[/\\]default\.ndjson$/;
    expect(place.kind === 'store' && place.file).toMatch(file);
  });

  test.each<[GlobalOptions, Record<string, string>, string]>([
    [{ log: 'a', store: STORE }, {}, 'flags.contradict'],
    [{ freshStore: true }, {}, 'flags.incomplete'],
    [{ freshStore: true, sandbox: true }, { SRQ_STORE: STORE }, 'flags.incomplete'],
    [{ store: 'postgres://leads:word@127.0.0.1/leads' }, {}, 'store.password-shown'],
    [{ profile: '../a' }, {}, 'profile.bad-name'],
    [{}, { SRQ_PROFILE: 'a b' }, 'profile.bad-name'],
  ])('nowhere with the flags %j and the environment %j', async (options, env, reason) => {
    await expect(contextOf({ options, env }).context.logPlace()).rejects.toMatchObject({ reason });
  });

  test('in a store elsewhere by an encrypted connection, unless its address says otherwise', async () => {
    const encrypted = async (store: string) => {
      const place = await contextOf({ options: { store } }).context.logPlace();
      return place.kind === 'store' && place.isEncrypted;
    };
    expect(await encrypted('postgres://leads@db.example/leads')).toBe(true);
    expect(await encrypted('postgres://leads@db.example/leads?sslmode=disable')).toBe(false);
  });

  test('nowhere with a password that everybody can see, which is shown no further', async () => {
    const { context } = contextOf({ options: { store: 'postgres://leads:w0rd@127.0.0.1/leads' } });
    const { message, hint } = await context.logPlace().catch((error) => error);
    expect(`${message} ${hint}`).not.toContain('w0rd');
    expect([hint, context.redacted('w0rd')]).toEqual([expect.stringContaining(`--store '${STORE}'`), '***']);
  });

  test('in the store of the profile, whose password its command prints, and no other', async () => {
    const open = async (options: GlobalOptions, env: Record<string, string> = {}) => {
      const { context } = contextOf({ options: { profile: 'shop', ...options }, env });
      const storePasswordCommand = `${process.execPath} -p "'printed'"`;
      await (await context.profiles()).set('shop', { ...SHOP, store: STORE, storePasswordCommand });
      const place = await context.logPlace();
      if (place.kind === 'file') return [place.kind];
      return [place.url, place.password && (await place.password())];
    };
    const other = 'postgres://other@127.0.0.1/other';
    expect(await open({})).toEqual([STORE, 'printed']);
    expect(await open({}, { SRQ_STORE: STORE })).toEqual([STORE, 'printed']);
    expect(await open({}, { PGPASSWORD: 'given' })).toEqual([STORE, 'given']);
    expect(await open({ store: other })).toEqual([other, null]);
    expect(await open({}, { SRQ_STORE: other })).toEqual([other, null]);
    expect(await open({ sandbox: true })).toEqual(['file']);
  });

  test('and a password in the address of the environment is shown nowhere', async () => {
    const { context } = contextOf({ env: { SRQ_STORE: 'postgres://leads:w%C3%B6rd@127.0.0.1/leads' } });
    expect(await context.logPlace()).toMatchObject({ name: STORE });
    const encoded = Buffer.from('wörd').toString('base64');
    expect(context.redacted(`a wörd, w%C3%B6rd, ${encoded}, word`)).toBe('a ***, ***, ***, word');
  });
});

describe('A command', () => {
  test.each<[GlobalOptions, Record<string, string>, boolean]>([
    [{}, {}, true],
    [{ input: true }, { CI: '' }, true],
    [{ input: false }, {}, false],
    [{}, { CI: 'true' }, false],
  ])('with the flags %j and the environment %j can ask: %j', (options, env, canAsk) => {
    expect(contextOf({ options, env, typed: [] }).context.interactive).toBe(canAsk);
    expect(contextOf({ options, env }).context.interactive).toBe(false);
    for (const stream of ['stdin', 'stderr'] as const) {
      const { context } = contextOf({ options, env, typed: [] });
      Object.assign(context.process[stream], { isTTY: false });
      expect([stream, context.interactive]).toEqual([stream, false]);
    }
  });

  test('closes what it opened last first, and once', async () => {
    const { context } = contextOf();
    const closed: number[] = [];
    for (const number of [1, 2, 3]) context.onClose(async () => void closed.push(number));
    await context.close();
    await context.close();
    expect(closed).toEqual([3, 2, 1]);
  });

  test('tells of a file that cannot be trusted once', async () => {
    const { context, stderr } = contextOf();
    for (const { onDistrusted } of [await context.trust(), await context.trust()]) onDistrusted('Not yours.');
    expect(stderr().match(/Not yours\./g)).toHaveLength(1);
  });

  test('shows the stack of a fault with --verbose alone, without secrets', async () => {
    const shown = async (options: GlobalOptions) => {
      const { context, stderr } = contextOf({ options });
      context.addSecret('s3cret');
      context.addSecret('');
      await context.showStack(new TypeError('with s3cret in it'));
      return stderr();
    };
    expect(await shown({})).toBe('');
    expect(await shown({ verbose: true })).toMatch(/^TypeError: with \*\*\* in it\n\s+at /);
  });

  test('that needs several processes takes no sandbox, and needs a store', async () => {
    const needs = (options: GlobalOptions) => contextOf({ options }).context.requireStore('work');
    await expect(needs({ sandbox: true, store: STORE })).rejects.toMatchObject({ reason: 'sandbox.own-process' });
    await expect(needs({})).rejects.toMatchObject({ reason: 'store.missing' });
  });

  test('that deletes needs a yes: of a person, or of the flag', async () => {
    const words = { question: 'Forget 3 rows?', look: 'srq queue' };
    const ended = (yes: boolean | undefined, typed?: string) => {
      const { context } = contextOf(typed === undefined ? {} : { typed: [[/Forget 3 rows\? /, `${typed}\r`]] });
      return confirmDeletion(context, yes === undefined ? {} : { yes }, words).then(
        () => 'confirmed',
        ({ reason }: { reason: string }) => reason,
      );
    };
    expect([await ended(true), await ended(undefined, 'y')]).toEqual(['confirmed', 'confirmed']);
    expect([await ended(undefined), await ended(false)]).toEqual(Array(2).fill('deletion.not-confirmed'));
    expect(await ended(undefined, '')).toBe('prompt.declined');
  });

  test('tells its health: it starts, works, waits for the store, and stops', async () => {
    const { context } = contextOf();
    const run = await RunHealth.open(context, { healthHost: '127.0.0.1' });
    const plan = (created: number) => ({ ledger: { counts: () => ({ ...noCounts(), created }) } }) as never;
    expect([run.health.state, run.health.inFlight, run.view.connection]).toEqual(['starting', 0, null]);
    run.plans = [plan(2), plan(3)];
    run.connection = { view: () => ({ inFlight: 4 }) } as never;
    expect([run.health.state, run.health.inFlight, run.view.imported?.created]).toEqual(['working', 4, 5]);
    Object.defineProperty(context, 'isStoreAway', { value: true });
    expect(run.health.state).toBe('waiting-for-database');
    context.halt.abort();
    expect([run.health.state, run.view.state]).toEqual(['stopping', 'stopping']);
  });
});

describe('A profile', () => {
  test.each([
    ['https://api.example.com', undefined, 'live'],
    ['https://api.example.com', false, 'live'],
    ['https://api.example.com', true, 'test'],
    ['http://127.0.0.1:4010', undefined, 'test'],
    ['http://localhost:4010', undefined, 'test'],
    ['no address', undefined, 'live'],
  ] as const)('of %s that is marked as a test (%j) is %s', (baseUrl, isTest, kind) => {
    expect(profileKind({ baseUrl, test: isTest })).toBe(kind);
  });

  test('is in force if the environment names it or it is the current one, and otherwise it is said what to do', async () => {
    const inForce = async (names: string[], env: Record<string, string> = {}) => {
      const { context } = contextOf({ env });
      for (const name of names) await (await context.profiles()).set(name, SHOP);
      return profileInForce(context);
    };
    expect(await inForce([])).toEqual({ name: null, text: 'No profile is stored. Log in with: srq login' });
    expect(await inForce(['shop', 'other'])).toEqual({
      name: 'shop',
      text: 'Commands without --profile use shop: https://api.example.com as client id (live).',
    });
    expect((await inForce(['shop', 'other'], { SRQ_PROFILE: 'other' })).name).toBe('other');
    expect(await inForce(['shop', 'other'], { SRQ_PROFILE: 'third' })).toMatchObject({
      name: null,
      text: expect.stringContaining('--profile (shop, other)'),
    });
  });

  test.each<[GlobalOptions, Record<string, string>, string[], boolean]>([
    [{ profile: 'shpo' }, {}, ['shop'], true],
    [{ profile: 'shop' }, {}, ['shop'], false],
    [{ profile: 'shpo' }, {}, [], false],
    [{ profile: 'shpo' }, { SRQ_BASE_URL: 'http://127.0.0.1:9' }, ['shop'], false],
    [{ profile: 'shpo', log: 'a.ndjson' }, {}, ['shop'], false],
    [{ profile: 'shpo', sandbox: true }, {}, ['shop'], false],
  ])(
    'of the flags %j and the environment %j, with %j stored, is told as unknown: %j',
    async (options, env, names, isTold) => {
      const { context, stderr } = contextOf({ options, env });
      for (const name of names) await (await context.profiles()).set(name, SHOP);
      await warnOfUnknownProfile(context);
      expect(stderr().includes('There is no profile "shpo". Did you mean shop?')).toBe(isTold);
    },
  );

  test('is forgotten with its token', async () => {
    const { context, home } = contextOf();
    await (await context.profiles()).set('shop', SHOP);
    const token = join(home, 'state', 'shop.token.json');
    mkdirSync(join(home, 'state'));
    writeFileSync(token, '{}');
    expect(await forgetProfile(context, 'shop')).toMatchObject(SHOP);
    expect([existsSync(token), (await context.profiles()).all()]).toEqual([false, {}]);
    expect(await forgetProfile(context, 'shop')).toBeNull();
  });
});

describe('What is said of the columns', () => {
  const READING = { skipLines: 0, map: [], set: [] };

  async function deskOf(text = 'Name,Telefon,Notiz\nAna Exemplo,912345678,Hallo\n') {
    const of = contextOf({ env: { SRQ_BASE_URL: 'http://127.0.0.1:9' } });
    const file = join(of.home, 'leads.csv');
    writeFileSync(file, text);
    const read = (options: object = {}): Promise<Input> => readInput(of.context, file, { ...READING, ...options });
    return { ...of, file, read };
  }

  test('in flags goes before what a mapping file says, and that keeps its order', async () => {
    const { home, read } = await deskOf('Name,Telefon,Notiz,7\nAna Exemplo,912345678,Hallo,x\n');
    const mapping = join(home, 'm.json');
    writeFileSync(mapping, JSON.stringify({ map: { Notiz: 'ref', Name: '-' }, set: { lang: 'pt', country: 'PT' } }));
    const { chosen } = await read({
      mapping,
      map: [
        ['Notiz', 'request_text'],
        ['7', '-'],
      ],
      set: [['country', 'ES']],
    });
    expect(chosen).toEqual({
      map: { Notiz: 'request_text', Name: '-', ' 7': '-' },
      set: { lang: 'pt', country: 'ES' },
      join: {},
    });
  });

  test('in a flag replaces what a mapping file says of the column by another spelling', async () => {
    const { home, read } = await deskOf();
    const mapping = join(home, 'm.json');
    writeFileSync(mapping, JSON.stringify({ map: { Notiz: 'request_text' } }));
    const { mapping: planned } = await read({ mapping, map: [['notiz', '-']] });
    expect([planned.sources.some(({ columns }) => columns.includes(2)), planned.leftOut]).toEqual([false, [2]]);
  });

  test('names a column that there is not as it was given', async () => {
    const { read } = await deskOf();
    for (const name of ['7', 'Fax'])
      await expect(read({ map: [[name, 'phone']] })).rejects.toMatchObject({
        reason: 'column.unknown',
        message: expect.stringContaining(`There is no column "${name}".`),
      });
  });

  test.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['another member', '{"map":{},"sett":{}}'],
    ['a number for a field', '{"map":{"Name":1}}'],
    ['a text for columns that are joined', '{"join":{"location":"Stadt"}}'],
    ['nothing', null],
  ])('is not read from a mapping that is %s', async (_, text) => {
    const { home, read } = await deskOf();
    const mapping = join(home, 'm.json');
    if (text !== null) writeFileSync(mapping, text);
    const why = text === null ? '(ENOENT)' : '(it is not {"map"';
    await expect(read({ mapping })).rejects.toMatchObject({
      reason: 'mapping.unusable',
      message: expect.stringContaining(why),
    });
  });

  test('is saved where it can be read again, and over nothing else', async () => {
    const { home, read } = await deskOf();
    const saveMapping = join(home, 'm.json');
    const first = await read({ map: [['Notiz', 'request_text']], saveMapping });
    expect(readFileSync(saveMapping, 'utf8')).toMatch(/^\{\n {2}"map": /);
    const second = await read({ mapping: saveMapping, saveMapping });
    const told = ({ mapping: { sources } }: Input) => sources.map(({ field, columns }) => [field, columns]);
    expect(told(second)).toEqual(told(first));
    writeFileSync(saveMapping, '{"other":1}');
    await expect(read({ saveMapping })).rejects.toMatchObject({ reason: 'output.not-replaced' });
    await expect(keepMapping(join(home, 'none', 'm.json'), first.mapping, first.chosen)).rejects.toMatchObject({
      reason: 'mapping.unwritable',
    });
  });

  test('is remembered for the next file with this header, if the header tells anything', async () => {
    const { context, read } = await deskOf();
    await rememberMapping(context, await read({ map: [['Notiz', 'request_text']] }));
    const again = await read();
    expect(again.chosen.remembered).toMatchObject({ on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), changes: null });
    expect(again.mapping.sources.find(({ field }) => field === 'request_text')?.columns).toEqual([2]);
    const bare = await deskOf('a,b,c\nAna Exemplo,912345678,Hallo\n');
    await rememberMapping(bare.context, await bare.read({ map: [['c', 'request_text']] }));
    expect((await bare.read()).chosen).not.toHaveProperty('remembered');
    expect(existsSync(join(bare.home, 'config', 'mappings'))).toBe(false);
  });

  test('cannot be remembered in a folder that is none: that is a warning', async () => {
    const { context, home, read, stderr } = await deskOf();
    const input = await read({ map: [['Notiz', 'request_text']] });
    writeFileSync(join(home, 'config'), '');
    await rememberMapping(context, input);
    expect(stderr()).toContain('The mapping cannot be remembered for the next file like this (E');
  });

  test('recordings lie beside the file that names them, and one that a flag names lies anywhere', async () => {
    const { home } = contextOf();
    for (const folder of ['here', 'there']) {
      mkdirSync(join(home, folder));
      writeFileSync(join(home, folder, 'call.mp3'), 'ID3');
    }
    const named = join(home, 'there', 'call.mp3');
    const reader = recordingsBeside(join(home, 'here', 'leads.csv'), named);
    const found = await reader.describe('call.mp3');
    expect(JSON.stringify(found)).toContain(JSON.stringify(join(home, 'here')).slice(1, -1));
    expect(JSON.stringify(await reader.describe(named))).toContain('there');
    await expect(recordingsBeside(join(home, 'here', 'leads.csv')).describe(named)).rejects.toThrow();
  });
});
