import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type DoctorOptions, doctor, judgedSpace } from '../../src/commands/doctor/run.ts';
import type { Step } from '../../src/request/diagnosis.ts';
import type { SrqError } from '../../src/request/errors.ts';
import { contextOf, type Typed } from '../helpers/command-context.ts';
import { writeLog } from '../helpers/log-file.ts';
import { type Script, startScriptedService } from '../helpers/scripted-service.ts';

const STEPS = ['settings', 'proxy', 'dns', 'tcp', 'tls', 'clock', 'token', 'validate', 'log', 'disk', 'results'];
const LIVE = { SRQ_BASE_URL: 'https://api.example.com', SRQ_CLIENT_ID: '1', SRQ_CLIENT_SECRET: 'very-own-word' };

type Scene = Parameters<typeof contextOf>[0] & {
  readonly script?: Partial<Record<'token' | 'create' | 'validate', Script>>;
};

async function sceneOf({ script = {}, ...scene }: Scene = {}) {
  const service = await startScriptedService(script);
  const env = {
    SRQ_BASE_URL: service.baseUrl,
    SRQ_CLIENT_ID: '4711',
    SRQ_CLIENT_SECRET: 'very-own-word',
    ...scene.env,
  };
  const of = contextOf({ ...scene, env });
  const here = join(of.home, 'here');
  mkdirSync(here);
  Object.assign(of.context.process, { cwd: () => here });
  const run = (flags: DoctorOptions = {}) => doctor(of.context, flags);
  const refused = (flags: DoctorOptions): Promise<SrqError> =>
    run(flags).then(
      () => Promise.reject(new Error('It was expected to be refused.')),
      (error: SrqError) => error,
    );
  const steps = (): Step[] => JSON.parse(of.stdout()).steps;
  const step = (name: string) => steps().find((each) => each.name === name);
  return { ...of, service, here, run, refused, steps, step, at: (name: string) => join(of.home, name) };
}

describe('srq doctor', () => {
  test('tries each step in its order, and creates nothing', async () => {
    const { run, steps, step, service, here } = await sceneOf({ options: { json: true } });
    expect(await run()).toBe(0);
    expect(steps().map(({ name }) => name)).toEqual([...STEPS, 'contract']);
    expect(steps().filter(({ result }) => result === 'fail')).toEqual([]);
    expect(step('settings')?.message).toBe(
      `Profile default (test): ${service.baseUrl} as client 4711. The client secret goes to ${service.baseUrl}/oauth/token for a token.`,
    );
    expect(step('clock')).toMatchObject({ result: 'ok', message: expect.stringMatching(/agree within/) });
    expect(step('results')?.message).toBe(`Results files can be written in ${here}.`);
    expect([service.creates().length, service.validates().length, readdirSync(here)]).toEqual([0, 2, []]);
  });

  test('says to a person what comes next, with the flags of this command', async () => {
    const well = await sceneOf({ options: { profile: 'shop' } });
    await well.run();
    expect(well.stdout()).toMatch(/\nEverything works\. Next: srq bulk --profile shop FILE --dry-run\n$/);
    const refusal = () => ({ status: 401, body: { error: 'invalid_client' } });
    const refused = await sceneOf({ options: { profile: 'shop' }, script: { token: refusal } });
    expect(await refused.run()).toBe(4);
    expect(refused.stdout()).toMatch(/\nNot ready\. Correct what failed, then run: srq doctor --profile shop\n$/);
    expect(refused.stdout()).toContain('srq login --profile shop');
  });

  test('without a login ends at once', async () => {
    const { run, steps } = await sceneOf({ env: { SRQ_CLIENT_SECRET: '' }, options: { json: true, profile: 'shop' } });
    expect(await run()).toBe(4);
    expect(steps().map(({ result }) => result)).toEqual(['fail', ...STEPS.map(() => 'skip')]);
    expect(steps()[0]?.hint).toBe(
      'Log in with: srq login --profile shop    Or try it without an account: srq bulk --profile shop FILE --sandbox',
    );
  });

  test('with --create sends one request, and logs it', async () => {
    const { run, steps, step, service, at } = await sceneOf({ options: { json: true } });
    expect(await run({ create: true })).toBe(0);
    expect(steps().map(({ name }) => name)).toEqual([...STEPS, 'create', 'contract']);
    expect(step('create')?.message).toBe('A test request was created. id=4711');
    expect(service.creates()).toHaveLength(1);
    expect(readFileSync(at('state/default.ndjson'), 'utf8')).toContain('"event":"created"');
  });

  test('that is interrupted keeps the code of the signal', async () => {
    const { context, run } = await sceneOf();
    vi.spyOn(context.interruption, 'code', 'get').mockReturnValue('interrupted');
    expect(await run()).toBe(130);
  });
});

describe('A live service gets a test request', () => {
  const sceneOfLive = (scene: Scene = {}) => sceneOf({ ...scene, env: { ...LIVE, HTTPS_PROXY: 'http://127.0.0.1:1' } });

  test('by a word alone: --yes, or a yes on a terminal', async () => {
    expect(await (await sceneOfLive()).refused({ create: true })).toMatchObject({
      ...{ reason: 'live.not-confirmed', hint: 'To send it anyway: srq doctor --create --yes' },
    });
    const asked = (answer: string): Typed[] => [
      [/Send a test request to https:\/\/api\.example\.com\? \[y\/N\] /, `${answer}\r`],
    ];
    const declined = await sceneOfLive({ typed: asked('n') });
    expect(await declined.refused({ create: true })).toMatchObject({
      ...{ reason: 'prompt.declined', hint: 'Without a test request: srq doctor' },
    });
    // What was agreed to goes on: to a proxy that is not there.
    expect(await (await sceneOfLive({ typed: asked('y') })).run({ create: true })).toBe(5);
    for (const flags of [{ create: true, yes: true }, {}]) {
      const unasked = await sceneOfLive({ typed: [] });
      expect(await unasked.run(flags)).toBe(5);
      expect([unasked.stderr().includes('[y/N]'), unasked.stdout()]).toEqual([
        false,
        expect.stringMatching(/^✓ settings +Profile default \(live\)/),
      ]);
    }
  });
});

describe('The report of srq doctor', () => {
  test('has what the support needs, and no secret', async () => {
    const { run, at, service, stderr } = await sceneOf();
    const output = at('report.json');
    for (const _ of [1, 2]) expect(await run({ output })).toBe(0);
    expect(stderr()).toBe(`Wrote a report without secrets: ${output}\n`.repeat(2));
    const text = readFileSync(output, 'utf8');
    expect([text.includes('very-own-word'), statSync(output).mode & 0o777]).toEqual([false, 0o600]);
    expect(JSON.parse(text)).toMatchObject({
      ...{ version: 'of a test', node: `${process.version}, ${process.platform} ${process.arch}` },
      ...{ at: expect.stringMatching(/^\d{4}-.*Z$/), baseUrl: service.baseUrl, clientId: '4711', ok: true },
    });
  });

  test('is written of settings that cannot be used, too', async () => {
    const env = { SRQ_BASE_URL: 'http://api.example.com' };
    const { run, at } = await sceneOf({ env });
    expect(await run({ output: at('report.json') })).toBe(2);
    expect(JSON.parse(readFileSync(at('report.json'), 'utf8'))).toMatchObject({
      ok: false,
      baseUrl: null,
      clientId: null,
    });
  });

  test('replaces nothing else, which is said before anything is tried', async () => {
    const { refused, at, service } = await sceneOf();
    writeFileSync(at('mine.csv'), 'ref\n');
    expect((await refused({ output: at('mine.csv') })).reason).toBe('output.not-replaced');
    expect((await refused({ output: '-' })).reason).toBe('flags.contradict');
    expect((await refused({ output: at('state/default.ndjson') })).reason).toBe('flags.contradict');
    expect(service.calls()).toEqual([]);
  });

  test('that cannot be written is named', async () => {
    const { refused, at } = await sceneOf();
    expect(await refused({ output: at('none/report.json') })).toMatchObject({
      ...{ reason: 'output.unwritable', message: `The report ${at('none/report.json')} cannot be written (ENOENT).` },
    });
  });
});

describe('What an import needs of this machine', () => {
  test('is a log that can be made, of which nothing is left', async () => {
    const { run, step, at } = await sceneOf({ options: { json: true } });
    await run();
    expect(step('log')).toMatchObject({
      result: 'ok',
      message: expect.stringMatching(/^The first import creates .*default\.ndjson; its lock, \S+, works there\.$/),
    });
    expect(readdirSync(at('state')).filter((name) => !name.endsWith('.json'))).toEqual([]);
    expect(statSync(at('state')).mode & 0o777).toBe(0o700);
  });

  test('is a log that can be opened, if it is there', async () => {
    const { run, step, at } = await sceneOf({ options: { json: true } });
    writeLog(at('state/default.ndjson'), [{ key: 'a' }]);
    await run();
    expect(step('log')?.message).toMatch(/default\.ndjson can be written, and its lock, \S+, works\.$/);
  });

  test('is not a log that is gone, though it was used', async () => {
    const { run, step, at } = await sceneOf({ options: { json: true } });
    mkdirSync(at('state'), { mode: 0o700 });
    writeFileSync(at('state/default.ndjson.lock'), 'a process\n', { mode: 0o600 });
    expect(await run()).toBe(9);
    expect([step('log')?.reason, existsSync(at('state/default.ndjson'))]).toEqual(['log.incomplete', false]);
  });

  test('is a place where a log can be', async () => {
    const { run, step } = await sceneOf({ options: { json: true, log: '/dev/null/log.ndjson' } });
    expect(await run()).toBe(9);
    expect(step('log')).toMatchObject({
      ...{
        result: 'fail',
        reason: 'log.unwritable',
        message: expect.stringContaining('The log /dev/null/log.ndjson cannot be created ('),
      },
      hint: 'Name another file with --log FILE, or another folder in SRQ_STATE_DIR.',
    });
    const open = await sceneOf({ options: { json: true } });
    mkdirSync(open.at('state'));
    chmodSync(open.at('state'), 0o777);
    await open.run();
    expect(open.step('log')?.reason).toBe('log.not-own');
  });

  test('is a folder for the results, if the leads are here', async () => {
    const { context, run, step } = await sceneOf({ options: { json: true } });
    Object.assign(context.process, { cwd: () => '/dev/null' });
    expect(await run()).toBe(0);
    expect(step('results')).toMatchObject({
      ...{
        result: 'warn',
        message: 'No results file can be written in /dev/null (ENOTDIR).',
        reason: 'output.unwritable',
      },
      hint: expect.stringMatching(/srq bulk FILE --results FILE$/),
    });
  });

  test('is space, where the system tells of it', async () => {
    const { run, step } = await sceneOf({ options: { json: true } });
    await run();
    expect(step('disk')).toMatchObject({ message: expect.stringMatching(/^[\d.]+ [MG]iB are free in \/.*\.$/) });
    const none = await sceneOf({ options: { json: true } });
    Object.assign(none.context.process, { cwd: () => '/nowhere' });
    await none.run();
    expect(none.step('disk')).toMatchObject({
      ...{ result: 'skip', message: 'The system does not report the free space (ENOENT).' },
    });
  });

  const MIB = 2 ** 20;

  test.each([
    [100 * MIB - 1, 'warn', '99 MiB'],
    [100 * MIB, 'ok', '100 MiB'],
    [101 * MIB - 1, 'ok', '100 MiB'],
    [1024 * MIB - 1, 'ok', '1023 MiB'],
    [1024 * MIB, 'ok', '1.0 GiB'],
    [51_200 * MIB, 'ok', '50.0 GiB'],
    [0, 'warn', '0 MiB'],
  ])('of which %i bytes are %s', (freeBytes, result, shown) => {
    const found = judgedSpace({ folder: '/srv', freeBytes });
    expect([found.result, found.message]).toEqual([result, `${shown} are free in /srv.`]);
    expect(found.result === 'warn' && found.reason).toBe(result === 'warn' && 'disk.nearly-full');
  });
});
