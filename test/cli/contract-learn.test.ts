import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { offerRehearsal } from '../../src/commands/contract/rehearsal.ts';
import { forget, type LearnFlags, learn, show } from '../../src/commands/contract/run.ts';
import type { SrqError } from '../../src/request/errors.ts';
import { contextOf, type Typed } from '../helpers/command-context.ts';
import { contractFile } from '../helpers/contracts.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';

const FORM = contractFile('form-openapi30.yaml');
const NOTHING: LearnFlags = { set: [], operation: [] };
const SOURCE = { files: ['api.yaml'], title: 'Leads', kind: 'OpenAPI 3.1', learnedAt: '2026-01-01T00:00:00.000Z' };
const PLAIN = { ...contractWith({}), source: SOURCE };
const KEY_AUTH = { kind: 'apiKey', in: 'header', name: 'X-Api-Key', prefix: '', value: null } as const;

type Scene = Parameters<typeof contextOf>[0] & {
  /** A contract that is learned, as a file. */
  readonly contract?: object;
  /** The contract that the profile has. */
  readonly kept?: object;
};

function sceneOf({ contract = PLAIN, kept, argv, ...scene }: Scene = {}) {
  const of = contextOf({ argv: argv ?? ['contract', 'learn', 'contract.json'], ...scene });
  const at = (name: string) => join(of.home, name);
  writeFileSync(at('contract.json'), JSON.stringify(contract));
  const stored = join(of.home, 'config', 'contracts', `${scene.options?.profile ?? 'default'}.json`);
  if (kept !== undefined) {
    mkdirSync(dirname(stored), { recursive: true, mode: 0o700 });
    writeFileSync(stored, JSON.stringify(kept), { mode: 0o600 });
  }
  const run = (flags: Partial<LearnFlags> = {}, files = [at('contract.json')]) =>
    learn(of.context, files, { ...NOTHING, ...flags });
  const refused = (flags: Partial<LearnFlags>, files?: string[]): Promise<SrqError> =>
    run(flags, files).then(
      () => Promise.reject(new Error('It was expected to be refused.')),
      (error: SrqError) => error,
    );
  const keptNow = () => (existsSync(stored) ? JSON.parse(readFileSync(stored, 'utf8')) : null);
  const document = () => {
    const { schemaVersion: _, ...rest } = JSON.parse(of.stdout());
    return rest;
  };
  return { ...of, at, run, refused, stored, keptNow, document };
}

describe('srq contract learn', () => {
  test('keeps what was agreed to, and says what comes next', async () => {
    const { context, run, keptNow, stdout, stderr } = sceneOf({ options: { profile: 'shop' } });
    expect((await context.contract()).source).toBeNull();
    expect(await run({ yes: true })).toBe(0);
    expect(keptNow().source).toMatchObject({ title: 'Leads', files: ['api.yaml'] });
    expect(stdout()).toBe(
      '✓ Profile shop now follows Leads (api.yaml).\nNext: srq bulk --profile shop FILE --sandbox    rehearses against a sandbox made from it\n',
    );
    expect(stderr()).toMatch(/^Learned from Leads \(api\.yaml\), OpenAPI 3\.1\n[\s\S]*The client secret goes to /);
    // What comes after it in the same command follows it, too.
    expect((await context.contract()).source?.title).toBe('Leads');
  });

  test('with --dry-run shows all of it, and keeps nothing', async () => {
    const { run, keptNow, stdout, stderr } = sceneOf();
    expect(await run({ dryRun: true })).toBe(0);
    expect(stdout()).toMatch(
      /^Learned from Leads \(api\.yaml\)[\s\S]*\nThe client secret goes to \/oauth\/token below the base URL for a token\.\n$/,
    );
    expect([keptNow(), stderr()]).toEqual([null, '']);
  });

  test.each([
    [undefined, null],
    ['http://127.0.0.1:9', 'http://127.0.0.1:9/oauth/token'],
  ])('tells a program where the secret goes under the base URL %j: %j', async (baseUrl, tokenAddress) => {
    const env: Record<string, string> = baseUrl === undefined ? {} : { SRQ_BASE_URL: baseUrl };
    for (const flags of [{ dryRun: true }, { yes: true }]) {
      const { run, stored, document } = sceneOf({ env, options: { json: true } });
      await run(flags);
      expect(document()).toMatchObject({
        ...{ profile: 'default', stored: flags.yes === true, file: stored, notes: [], logins: [], questions: [] },
        ...{ auth: 'bearer', tokenAddress, contract: { source: { title: 'Leads' } } },
      });
    }
  });

  test.each<[object, string | undefined, string | null, RegExp]>([
    [
      { token: { ...PLAIN.token, origin: 'https://id.example.com' } },
      undefined,
      'https://id.example.com/oauth/token',
      /another host/,
    ],
    [{ token: { ...PLAIN.token, origin: 'service' } }, undefined, null, /at the host of the base URL/],
    [{ basePath: '/v1' }, 'http://127.0.0.1:9', 'http://127.0.0.1:9/v1/oauth/token', /127\.0\.0\.1:9\/v1\/oauth/],
    [{ auth: { ...KEY_AUTH, value: 'k' } }, 'http://127.0.0.1:9', null, /^The key goes with each request/m],
  ])('of %j under %j says the same', async (changes, baseUrl, tokenAddress, text) => {
    const env: Record<string, string> = baseUrl === undefined ? {} : { SRQ_BASE_URL: baseUrl };
    const scene = { contract: { ...PLAIN, ...changes }, env };
    const json = sceneOf({ ...scene, options: { json: true } });
    await json.run({ dryRun: true });
    expect(json.document().tokenAddress).toBe(tokenAddress);
    const shown = sceneOf(scene);
    await shown.run({ dryRun: true });
    expect(shown.stdout()).toMatch(text);
  });

  test('says nothing of where the secret goes as long as that is a question', async () => {
    const names = ['country', 'lang', 'location', 'fullname', 'phone', 'request_text'];
    const schema = { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
    const post = { requestBody: { content: { 'application/json': { schema } } }, responses: { 201: {} } };
    const api = {
      ...{ openapi: '3.1.0', info: { title: 'Leads' }, paths: { '/leads': { post } }, security: [{ pass: [] }] },
      components: { securitySchemes: { pass: { type: 'mutualTLS' } } },
    };
    const env = { SRQ_BASE_URL: 'http://127.0.0.1:9' };
    for (const json of [true, false]) {
      const { at, run, document, stdout } = sceneOf({ env, options: { json } });
      writeFileSync(at('api.json'), JSON.stringify(api));
      await run({ dryRun: true }, [at('api.json')]);
      if (!json) expect(stdout()).not.toContain('The client secret goes to');
      else
        expect(document()).toMatchObject({
          ...{ tokenAddress: null, questions: [{ name: 'operation:token', option: '--operation', key: 'token' }] },
        });
    }
  });

  test.each<[Partial<LearnFlags>, readonly string[] | null, string, string | RegExp]>([
    [{}, [], 'arguments.missing', 'Which document? None was given.'],
    [{ operation: [['delete', 'x']] }, null, 'operation.unknown', /"delete"/],
    [{ set: [['api_key', 'word']] }, null, 'secret.in-arguments', /^"api_key" is the name of a secret/],
    [{ set: [['a', '@/nowhere/file']] }, null, 'file.unreadable', '/nowhere/file cannot be read (ENOENT).'],
    [{ takenBy: 'a', refusedBy: 'b' }, [], 'flags.contradict', /^Say one thing at a time/],
    [{ takenBy: 'a' }, null, 'flags.contradict', /^Say one thing at a time/],
    [{ refusedBy: 'a' }, null, 'flags.contradict', /^Say one thing at a time/],
    [{ takenBy: 'a', environment: 'e' }, [], 'flags.contradict', /^--environment: that is said of documents/],
    [{ refusedBy: 'a', set: [['a', 'b']] }, [], 'flags.contradict', /^--set: that is said of documents/],
    [
      { takenBy: 'a', environment: 'e', set: [['a', 'b']], operation: [['create', 'x']] },
      [],
      'flags.contradict',
      /^--environment, --set, --operation: that is said/,
    ],
    [{ takenBy: 'a' }, [], 'auth.missing', /not logged in/],
    [{ refusedBy: 'a', dryRun: true }, [], 'auth.missing', /not logged in/],
  ])('with %j of %j is refused: %s', async (flags, files, reason, message) => {
    const { refused, keptNow } = sceneOf();
    const error = await refused({ yes: true, ...flags }, files === null ? undefined : [...files]);
    expect(error).toMatchObject({
      reason,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
    expect(keptNow()).toBeNull();
  });

  test('hands on what is said of an answer, and whether it is only shown', async () => {
    const env = { SRQ_BASE_URL: 'http://127.0.0.1:9', SRQ_CLIENT_ID: '1', SRQ_CLIENT_SECRET: 'word' };
    for (const [flags, shown] of [
      [{ takenBy: 'x' }, /contract learn --taken-by|No answer of this profile waits/],
      [{ refusedBy: 'x' }, /No answer of this profile waits/],
    ] as const)
      expect((await sceneOf({ env }).refused(flags, [])).message).toMatch(shown);
  });

  test.each([
    ['word\nmore', 'word'],
    ['  word \r\nmore', 'word'],
    ['word', 'word'],
  ])('takes a value from the first line of a file: %j', async (text, value) => {
    const contract = { ...PLAIN, create: { ...PLAIN.create, parameters: [parameter('partner_id')] } };
    const { at, run, keptNow } = sceneOf({ contract });
    writeFileSync(at('value'), text);
    await run({ yes: true, set: [['partner_id', `@${at('value')}`]] });
    expect(keptNow().create.parameters[0].constant).toBe(value);
  });

  test.each(['', '\nword', ' \nword'])('takes none from a file that begins with an empty line: %j', async (text) => {
    const { at, refused } = sceneOf();
    writeFileSync(at('value'), text);
    const flags = { set: [['a', `@${at('value')}`]] as const };
    expect(await refused(flags)).toMatchObject({
      ...{ reason: 'file.unreadable', message: `${at('value')} begins with an empty line.` },
    });
  });

  test('a key from a file is kept, and shown nowhere', async () => {
    const contract = { ...PLAIN, auth: { ...KEY_AUTH, value: '<secret>' } };
    const { at, run, keptNow, stdout, stderr } = sceneOf({ contract, options: { json: true } });
    writeFileSync(at('value'), 'very-own-word');
    await run({ yes: true, set: [['X-Api-Key', `@${at('value')}`]] });
    expect(keptNow().auth.value).toBe('very-own-word');
    expect(stdout() + stderr()).not.toContain('very-own-word');
  });

  const server = (name: string, url: string, isTest: boolean | null) => ({
    ...{ name, url, description: name, test: isTest },
  });

  test.each([
    [
      server('Sandbox', 'https://sandbox.example.com/', true),
      'srq login --profile Sandbox --base-url https://sandbox.example.com --test',
    ],
    [
      server('API (EU)!', 'https://api.example.com', false),
      'srq login --profile API-EU- --base-url https://api.example.com',
    ],
    [server('Any', 'https://api.example.com', null), 'srq login --profile Any --base-url https://api.example.com'],
    [server('here', 'http://127.0.0.1:8080', true), 'srq login --profile here --base-url http://127.0.0.1:8080'],
    [server('-.', 'https://api.example.com', null), 'srq login --profile service --base-url https://api.example.com'],
    [
      server('.a_b-c.d', 'https://api.example.com', null),
      'srq login --profile a_b-c.d --base-url https://api.example.com',
    ],
    [
      server('x'.repeat(65), 'https://api.example.com', null),
      `srq login --profile ${'x'.repeat(64)} --base-url https://api.example.com`,
    ],
    [server('plain', 'http://api.example.com', true), null],
    [server('none', 'nonsense', true), null],
  ])('suggests a login for the server %j', async (each, login) => {
    const { run, document } = sceneOf({ contract: { ...PLAIN, servers: [each] }, options: { json: true } });
    await run({ dryRun: true });
    expect(document().logins).toEqual(login === null ? [] : [login]);
  });

  test('suggests to learn the same again for the profile of a login', async () => {
    const contract = {
      ...PLAIN,
      servers: [server('a', 'https://a.example.com', true), server('b', 'https://b.example.com', false)],
    };
    const argv = ['contract', 'learn', 'contract.json', '--dry-run', '--profile', 'shop', '--set', 'a=b'];
    const lines = [
      'Servers in the documents; log in to one with',
      '  srq login --profile a --base-url https://a.example.com --test',
      '  srq login --profile b --base-url https://b.example.com',
      'Then, for that profile: srq contract learn contract.json --set a=b --profile NAME',
    ].join('\n');
    const dry = sceneOf({ contract, argv });
    await dry.run({ dryRun: true });
    expect(dry.stdout().endsWith(`\n${lines}\n`)).toBe(true);
    const kept = sceneOf({ contract, argv });
    await kept.run({ yes: true });
    expect(kept.stdout()).toContain(`\n${lines}\nNext: `);
  });

  test('asks on a terminal, agrees there, and offers a rehearsal unless everything was agreed to beforehand', async () => {
    const typed: Typed[] = [
      [/Keep this contract for profile default\? \[y\/N\] /, 'y\r'],
      [/not now\): /, '\r'],
    ];
    const { run, keptNow, stderr } = sceneOf({ typed });
    expect(await run()).toBe(0);
    expect([keptNow() !== null, stderr().includes('See 3 rows of your file')]).toEqual([true, true]);
    const sure = sceneOf({ typed: [] });
    expect(await sure.run({ yes: true })).toBe(0);
    expect(sure.stderr()).not.toContain('See 3 rows');
    const declined = sceneOf({ typed: [[/\[y\/N\] /, 'n\r']] });
    expect(await declined.refused({})).toMatchObject({ reason: 'prompt.declined' });
    expect(declined.keptNow()).toBeNull();
    expect((await sceneOf().refused({})).reason).toBe('contract.not-confirmed');
  });

  test('fits a terminal, or a wide one where there is none', async () => {
    const wide = sceneOf();
    await wide.run({ dryRun: true }, [FORM]);
    expect(wide.stdout()).toMatch(/^ +setting +value +sure +where$/m);
    const narrow = sceneOf();
    Object.assign(narrow.context.process.stdout, { columns: 119 });
    await narrow.run({ dryRun: true }, [FORM]);
    expect(narrow.stdout()).toMatch(/^ +setting +value +sure$/m);
    const messages = sceneOf();
    Object.assign(messages.context.process.stderr, { columns: 119 });
    await messages.run({ yes: true }, [FORM]);
    expect(messages.stderr()).toMatch(/^ +setting +value +sure$/m);
  });
});

describe('srq contract show', () => {
  test('says that none was learned, and how to learn one', async () => {
    const { context, stdout } = sceneOf({ options: { profile: 'shop' } });
    expect(await show(context)).toBe(0);
    expect(stdout()).toBe(
      'No contract was learned: what the public document says is in force.\nLearn one with: srq contract learn --profile shop FILE\n',
    );
  });

  test('shows the contract, what was observed of it, and where the secret goes, but no key', async () => {
    const kept = { ...PLAIN, auth: { ...KEY_AUTH, value: 'very-own-word' } };
    const observed = { learnedAt: SOURCE.learnedAt, settings: { rate: { confirmed: 2, contradicted: 1 } } };
    for (const json of [false, true]) {
      const { context, home, stdout, document } = sceneOf({ kept, options: { json } });
      mkdirSync(join(home, 'state'), { mode: 0o700 });
      writeFileSync(join(home, 'state', 'default.observed.json'), JSON.stringify(observed), { mode: 0o600 });
      expect(await show(context)).toBe(0);
      expect(stdout()).not.toContain('very-own-word');
      if (json)
        expect(document()).toMatchObject({
          source: SOURCE,
          observations: observed.settings,
          auth: { value: '<secret>' },
        });
      else {
        expect(stdout()).toMatch(/^Contract Leads \(api\.yaml\)[\s\S]*confirmed 2 times, contradicted 1 time\n/);
        expect(stdout()).toMatch(/\nThe key goes with each request to the base URL, in the header X-Api-Key\./);
      }
    }
    const placed = sceneOf({ kept, env: { SRQ_BASE_URL: 'http://127.0.0.1:9' } });
    await show(placed.context);
    expect(placed.stdout()).toContain('with each request to http://127.0.0.1:9, ');
  });
});

describe('srq contract forget', () => {
  test('goes back to the public document, and says whether there was one', async () => {
    const { context, stdout, keptNow } = sceneOf({ kept: PLAIN });
    for (const _ of [1, 2]) expect(await forget(context)).toBe(0);
    expect(keptNow()).toBeNull();
    expect(stdout()).toBe('The contract of profile default is forgotten.\nProfile default had no contract.\n');
    const json = sceneOf({ kept: PLAIN, options: { json: true } });
    await forget(json.context);
    expect(json.document()).toEqual({ profile: 'default', forgotten: true });
  });

  test('as the other two takes no --sandbox', async () => {
    for (const run of [show, forget, (context: Parameters<typeof show>[0]) => learn(context, [FORM], NOTHING)]) {
      const { context, keptNow } = sceneOf({ kept: PLAIN, options: { sandbox: true } });
      await expect(run(context)).rejects.toMatchObject({
        ...{
          reason: 'flags.contradict',
          message: 'A contract belongs to a profile, not to the sandbox inside this process.',
        },
      });
      expect(keptNow()).not.toBeNull();
    }
  });
});

describe('A rehearsal after a contract was learned', () => {
  const HEADER = 'ref,country,fullname,phone,location,request_text,notes';
  const row = (at: number, country = 'PT') => `L-${at},${country},Ana ${at},+351912345678,1200-109,Paint ${at},n`;

  async function rehearsed(rows: readonly string[], scene: Scene = {}, answers?: Typed[]) {
    const env = { SRQ_BASE_URL: 'http://127.0.0.1:9', ...scene.env };
    const of = sceneOf({ kept: PLAIN, ...scene, env, typed: [] });
    const file = of.at('leads.csv');
    writeFileSync(file, [HEADER, ...rows, ''].join('\n'));
    const typed = answers ?? [[/not now\): /, `${file}\r`]];
    const again = contextOf({ ...scene, env, typed });
    mkdirSync(join(again.home, 'config', 'contracts'), { recursive: true, mode: 0o700 });
    const stored = join(again.home, 'config', 'contracts', 'default.json');
    writeFileSync(stored, JSON.stringify(scene.kept ?? PLAIN), { mode: 0o600 });
    await offerRehearsal(again.context);
    return { shown: again.stderr().replace(/[\s\S]*not now\): .*?\n/, ''), all: again.stderr(), file };
  }

  test('shows three rows as they would go out, what is left out, and how to see the others', async () => {
    const { shown, file } = await rehearsed([row(1), row(2), row(3), row(4)]);
    const lines = shown.split('\n');
    expect(lines.filter((line) => line.startsWith('Row'))).toEqual([
      'Row 1: POST http://127.0.0.1:9/v1/request/create',
      'Row 2: POST http://127.0.0.1:9/v1/request/create',
      'Row 3: POST http://127.0.0.1:9/v1/request/create',
    ]);
    expect(shown).toMatch(/^ {2}request_text +Paint 3$/m);
    expect(shown).not.toContain('Paint 4');
    expect(lines).toContain('Left out: notes');
    expect(lines.at(-2)).toBe(`The whole file, with all findings: srq bulk ${file} --dry-run`);
  });

  test('shows of the rows before them that would not go out three, and counts the others', async () => {
    const bad = (count: number) => Array.from({ length: count }, (_, at) => row(at, 'XX'));
    const told = ({ shown }: { shown: string }) => [
      shown.match(/^Row \d+ would not go out: .+$/gm)?.length ?? 0,
      /^… and (.*) more of these rows$/m.exec(shown)?.[1] ?? null,
      shown.includes('No row would go out by this contract.'),
    ];
    expect(told(await rehearsed([row(1)]))).toEqual([0, null, false]);
    expect(told(await rehearsed([...bad(3), row(9)]))).toEqual([3, null, false]);
    expect(told(await rehearsed([...bad(4), row(9)]))).toEqual([3, '1', false]);
    expect(told(await rehearsed(bad(5)))).toEqual([3, '2', true]);
    // Of a long file only the beginning is read.
    expect(told(await rehearsed([...bad(199), row(9)]))).toEqual([3, '196', false]);
    expect(told(await rehearsed([...bad(200), row(9)]))).toEqual([3, '197', true]);
  });

  test('cuts a long value, and shows no key', async () => {
    const key = parameter('X-Api-Key', { in: 'header', path: ['X-Api-Key'], constant: 'very-own-word' });
    const text = parameter('request_text');
    const kept = { ...PLAIN, create: { ...PLAIN.create, parameters: [key, text] } };
    const long = row(1).replace('Paint 1', 'x'.repeat(71));
    const { shown } = await rehearsed([long, row(2).replace('Paint 2', 'y'.repeat(70))], { kept });
    expect(shown).toMatch(/^ {2}request_text +x{69}…$/m);
    expect(shown).toMatch(/^ {2}request_text +y{70}$/m);
    expect(shown).toMatch(/^ {2}[Xx]-[Aa]pi-[Kk]ey +\*\*\*$/m);
    expect(shown).not.toContain('very-own-word');
  });

  test('asks validate of the rows, too, where the service has it', async () => {
    const told = async (hasValidate: boolean | null) => {
      const validate = { ...PLAIN.validate, parameters: [parameter('consent')] };
      const create = { ...PLAIN.create, parameters: [parameter('request_text')] };
      const { shown } = await rehearsed([row(1)], { kept: { ...PLAIN, create, validate, hasValidate } });
      return shown.includes('would not go out');
    };
    expect([await told(true), await told(false)]).toEqual([true, false]);
  });

  test('is asked again where the file cannot be used, and left by Enter or Ctrl-C', async () => {
    const { all } = await rehearsed([row(1)], {}, [
      [/not now\): /, '/nowhere.csv\r'],
      [/nowhere\.csv[\s\S]*not now\): /, '\r'],
    ]);
    expect(all.match(/See 3 rows of your file/g)).toHaveLength(2);
    for (const keys of ['\r', '\u0003'])
      expect((await rehearsed([row(1)], {}, [[/not now\): /, keys]])).all).not.toContain('Row');
  });

  test('is not offered to a program, nor to one who wants no messages', async () => {
    for (const scene of [{ options: { json: true }, typed: [] }, { options: { quiet: true }, typed: [] }, {}]) {
      const { context, stderr } = contextOf(scene);
      await offerRehearsal(context);
      expect(stderr()).toBe('');
    }
  });
});
