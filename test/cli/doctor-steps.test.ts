import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Examination } from '../../src/commands/doctor/examination.ts';
import {
  ClockReading,
  takeContractStep,
  takeCreateStep,
  takeNetworkSteps,
  takeServiceSteps,
  takeStoreStep,
} from '../../src/commands/doctor/steps.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract.ts';
import type { StepName } from '../../src/request/diagnosis.ts';
import { SrqError } from '../../src/request/errors.ts';
import type { TracedCall, ValidateResult } from '../../src/request/ports.ts';
import { certificateMaker } from '../helpers/certificate.ts';
import { contextOf } from '../helpers/command-context.ts';
import { MemoryLog } from '../helpers/memory-log.ts';
import { startProxy } from '../helpers/proxy-service.ts';
import { startTlsFront } from '../helpers/tls-front.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const DESTINATION = { baseUrl: 'http://127.0.0.1:9', clientId: '4711' };
const LEARNED = {
  source: { files: ['api.yaml'], title: 'Leads', kind: 'OpenAPI 3.1', learnedAt: '2026-11-20T00:00:00Z' },
};

function contextWith(members: object = {}, contract: object = {}) {
  return {
    ...{ clock: new VirtualClock(), options: {}, process: { env: {} } },
    contract: async () => ({ ...DOCUMENTED_CONTRACT, ...contract }),
    ...members,
  } as never;
}

const examinationOf = (...names: StepName[]) => new Examination(names, new VirtualClock());

describe('An examination', () => {
  test('keeps the steps in their order, with the time that each took, and passes their values on', async () => {
    const clock = new VirtualClock();
    const examination = new Examination(['settings', 'clock', 'token'], clock);
    const slow = examination.runStep('settings', async () => {
      await clock.sleep(1_234);
      return { result: 'ok', message: 'Fine.', value: 7 };
    });
    expect(await clock.until(slow)).toBe(7);
    const warning = {
      result: 'warn',
      message: 'Late.',
      hint: 'Set it.',
      reason: 'clock.wrong',
      value: 8,
      ms: 5,
    } as const;
    expect(await examination.runStep('clock', () => warning)).toBe(8);
    expect([examination.failure, examination.diagnosis]).toEqual([
      null,
      {
        ok: true,
        steps: [
          { name: 'settings', result: 'ok', ms: 1_234, message: 'Fine.', hint: null, reason: null },
          { name: 'clock', result: 'warn', ms: 5, message: 'Late.', hint: 'Set it.', reason: 'clock.wrong' },
          {
            name: 'token',
            result: 'skip',
            ms: 0,
            message: 'Not tried after the failure above.',
            hint: null,
            reason: null,
          },
        ],
      },
    ]);
  });

  test('ends with the first failure: what comes after it is not looked at', async () => {
    const clock = new VirtualClock();
    const examination = new Examination(['settings', 'clock', 'token'], clock);
    const failing = examination.runStep('settings', async () => {
      await clock.sleep(20);
      throw new SrqError('auth.refused', 'Refused.', 'Log in.');
    });
    expect(await clock.until(failing)).toBeNull();
    const look = vi.fn();
    expect(await examination.runStep('clock', look)).toBeNull();
    expect([examination.failure, look.mock.calls.length]).toEqual(['auth', 0]);
    expect(examination.diagnosis).toMatchObject({
      ok: false,
      steps: [
        { name: 'settings', result: 'fail', ms: 20, message: 'Refused.', hint: 'Log in.', reason: 'auth.refused' },
        { name: 'clock', result: 'skip' },
        { name: 'token', result: 'skip' },
      ],
    });
  });

  test('throws what is no error of srq', async () => {
    const examination = examinationOf('settings');
    const broken = () => Promise.reject(new TypeError('broken'));
    await expect(examination.runStep('settings', broken)).rejects.toThrow(TypeError);
    expect(examination.failure).toBeNull();
  });
});

describe('The clock of the service', () => {
  const call = (date: string | undefined, ms: number) =>
    ({ answer: { status: 200, headers: date === undefined ? {} : { date } }, ms }) as unknown as TracedCall;
  const NOW_MS = Date.parse('2026-11-21T12:00:00Z');

  test('is compared with the middle of the call, and an answer without a time changes nothing', () => {
    const reading = new ClockReading();
    expect([reading.skewMs, reading.ms]).toEqual([null, 0]);
    reading.note(call('Sat, 21 Nov 2026 12:00:00 GMT', 400), NOW_MS);
    expect([reading.skewMs, reading.ms]).toEqual([200, 400]);
    for (const date of [undefined, 'now', '']) reading.note(call(date, 90), NOW_MS);
    reading.note({ answer: null, ms: 90 } as never, NOW_MS);
    expect([reading.skewMs, reading.ms]).toEqual([200, 400]);
    reading.note(call('Sat, 21 Nov 2026 11:59:58 GMT', 0), NOW_MS);
    expect([reading.skewMs, reading.ms]).toEqual([-2_000, 0]);
  });

  test.each([
    [null, 'skip', /^The service did not tell its time\.$/],
    [0, 'ok', /agree within 0\.0 s\.$/],
    [60_000, 'ok', /agree within 1 min/],
    [-60_000, 'ok', /agree within 1 min/],
    [60_001, 'warn', /^This clock is 1 min.* behind the service's\.$/],
    [-60_001, 'warn', /^This clock is 1 min.* ahead of the service's\.$/],
  ])('may be a minute away: %j ms are %s', async (skewMs, result, message) => {
    const examination = examinationOf('clock', 'token', 'validate');
    const reading = Object.assign(new ClockReading(), { skewMs, ms: 12 });
    const proveCredentials = async () => null;
    const connection = { api: {}, destination: DESTINATION, proveCredentials } as never;
    await takeServiceSteps(contextWith({}, { hasValidate: false }), examination, connection, reading);
    const [clock] = examination.diagnosis.steps;
    expect(clock).toMatchObject({ result, ms: 12, message: expect.stringMatching(message) });
    expect(clock?.reason).toBe(result === 'warn' ? 'clock.wrong' : null);
  });
});

describe('The steps at the service', () => {
  const verdict = (changes: Partial<ValidateResult>): ValidateResult => ({
    ...{ verdict: 'unknown', form: null, ids: {}, http: 200, message: null, refused: null, raw: null, ...changes },
  });

  async function stepsWith(
    { answer = verdict({ verdict: 'clear' }), prove = async () => null as unknown, contract = {} },
    examination = examinationOf('clock', 'token', 'validate'),
  ) {
    const api = { validate: vi.fn(async (_: unknown) => answer), withdrawVerdict: vi.fn() };
    const connection = { api, destination: DESTINATION, proveCredentials: prove } as never;
    const clock = new VirtualClock();
    const taken = takeServiceSteps(contextWith({ clock }, contract), examination, connection, new ClockReading());
    await clock.until(Promise.all([taken, clock.sleep(1)]));
    const [, token, validate] = examination.diagnosis.steps;
    return { api, token, validate };
  }

  test.each([
    [{ accessToken: 't', obtainedAtMs: 1_000, expiresAtMs: 61_000 }, 'ok', /a token was granted, valid for 1 min\.$/],
    [{ accessToken: 't', obtainedAtMs: 1_000, expiresAtMs: null }, 'ok', /the service does not say for how long\.$/],
    [null, 'skip', /^The service issues no tokens\. The answer of validate will show/],
  ])('tell of the token %j', async (proof, result, message) => {
    const { token } = await stepsWith({ prove: async () => proof });
    expect(token).toMatchObject({ result, message: expect.stringMatching(message) });
  });

  test('say that without tokens and validate the first create is the proof, and ask nothing', async () => {
    const { token, validate, api } = await stepsWith({ contract: { hasValidate: false } });
    expect(token?.message).toBe('The service issues no tokens. The first create proves the credentials.');
    expect(validate).toMatchObject({ result: 'skip', message: 'The contract says there is none.' });
    expect(api.validate).not.toHaveBeenCalled();
  });

  test('end where the credentials are refused', async () => {
    const { token, validate, api } = await stepsWith({
      prove: async () => {
        throw new SrqError('auth.refused', 'Refused.');
      },
    });
    expect([token?.result, validate?.result]).toEqual(['fail', 'skip']);
    expect(api.validate).not.toHaveBeenCalled();
  });

  test('prove nothing after an earlier failure', async () => {
    const prove = vi.fn(async () => null);
    const examination = examinationOf('settings', 'clock', 'token', 'validate');
    await examination.runStep('settings', () => Promise.reject(new SrqError('auth.refused', 'Refused.')));
    const { api } = await stepsWith({ prove }, examination);
    expect([prove.mock.calls.length, api.validate.mock.calls.length]).toEqual([0, 0]);
  });

  test.each<[Partial<ValidateResult>, string, string | null, RegExp]>([
    [{ verdict: 'clear' }, 'ok', null, /^Validate says "clear" about a made-up request\.$/],
    [{ verdict: 'duplicate' }, 'warn', 'service.false-duplicate', /"duplicate".*nobody can have sent before\.$/],
    [{ message: 'Of all.' }, 'warn', 'service.false-duplicate', /^Validate says "duplicate" about a made-up/],
    [{ refused: 'failed', message: 'Down.' }, 'fail', 'service.no-verdict', /^Down\.$/],
    [{ refused: 'failed' }, 'fail', 'service.no-verdict', /^Validate did not answer\.$/],
    [
      { refused: 'rejected', message: 'No.' },
      'warn',
      'request.rejected',
      /^Validate refused a made-up request\. No\.$/,
    ],
    [{ refused: 'rejected' }, 'warn', 'request.rejected', /^Validate refused a made-up request\.$/],
    [{ http: 204 }, 'warn', 'service.no-verdict', /^Validate answered HTTP 204, but srq finds no verdict/],
  ])('judge the verdict %j: %s', async (changes, result, reason, message) => {
    const { api, validate } = await stepsWith({ answer: verdict(changes) });
    const withdrawn = reason === 'service.false-duplicate' ? (changes.verdict === 'duplicate' ? 1 : 2) : 0;
    expect(validate).toMatchObject({ result, reason, message: expect.stringMatching(message) });
    expect(api.withdrawVerdict).toHaveBeenCalledTimes(withdrawn);
    expect(validate?.hint === null).toBe(result === 'ok');
    expect(JSON.stringify(api.validate.mock.calls[0])).toContain('TEST by srq doctor at 1970-01-01T');
  });
});

describe('The test request', () => {
  const OUTCOME = { ids: {}, http: 200, message: null, raw: null, ms: 1 };

  async function created(outcome: object, log = new MemoryLog(() => 0).openAs('run')) {
    const { context } = contextOf();
    const { interruption } = context;
    const members = { openLog: async () => log, interruption, reporter: () => context.reporter() };
    const examination = examinationOf('create');
    const create = async (_: unknown, intend: () => Promise<boolean>) => {
      await intend();
      return { outcome: { ...OUTCOME, ...outcome }, stop: null, unproven: null, hasRemark: false };
    };
    const connection = { api: { create, idempotencyKeyForm: null }, destination: DESTINATION } as never;
    await takeCreateStep(contextWith(members), examination, connection);
    return examination.diagnosis.steps[0];
  }

  test.each<[object, string, string, string | null, RegExp]>([
    [{ status: 'created', ids: { id: '7', code: 'a' } }, 'ok', 'A test request was created. id=7 code=a', null, /^$/],
    [{ status: 'created' }, 'ok', 'A test request was created.', null, /^$/],
    [
      { status: 'duplicate', ids: { id: '7' }, message: 'Known.' },
      'warn',
      'The service considers the test request a duplicate. id=7 Known.',
      'service.false-duplicate',
      /srq contract show/,
    ],
    [
      { status: 'rejected', message: 'Not here.' },
      'fail',
      'The test request is rejected. Not here.',
      'request.rejected',
      /srq doctor --output/,
    ],
    [
      { status: 'failed', message: 'Down.' },
      'fail',
      'The test request is failed. Down.',
      'service.failed',
      /srq doctor --output/,
    ],
    [{ status: 'unknown' }, 'fail', 'The test request is unknown.', 'request.in-doubt', /srq resolve [0-9a-f]{12}$/],
  ])('%j is %s: %s', async (outcome, result, message, reason, hint) => {
    const step = await created(outcome);
    expect(step).toMatchObject({ result, message, reason });
    expect(step?.hint ?? '').toMatch(hint);
  });

  test('that was sent before is no new one', async () => {
    const log = new MemoryLog(() => 0).openAs('run');
    await created({ status: 'created' }, log);
    expect(await created({ status: 'created' }, log)).toMatchObject({ result: 'fail', reason: 'request.is-duplicate' });
  });
});

describe('The contract', () => {
  async function judged(contract: object, seen: object) {
    const examination = examinationOf('contract');
    const connection = { api: { observations: () => seen } } as never;
    await takeContractStep(contextWith({}, contract), examination, connection);
    return examination.diagnosis.steps[0];
  }

  test('is compared with the answers only if one was learned', async () => {
    expect(await judged({}, { x: { confirmed: 0, contradicted: 9 } })).toMatchObject({ result: 'skip' });
  });

  test('is confirmed by the answers to the steps before', async () => {
    const seen = { 'create.success': { confirmed: 1, contradicted: 0 }, token: { confirmed: 1, contradicted: 0 } };
    expect((await judged(LEARNED, seen))?.message).toMatch(/The answers above confirm: create\.success, token\.$/);
    expect(await judged(LEARNED, {})).toMatchObject({
      result: 'ok',
      message: expect.stringMatching(/confirm: nothing of it yet\.$/),
    });
  });

  test('is spoken against by a single answer', async () => {
    const seen = { token: { confirmed: 3, contradicted: 1 } };
    expect(await judged(LEARNED, seen)).toMatchObject({
      result: 'warn',
      reason: 'contract.contradicted',
      message: expect.stringContaining('1 of 4 answers'),
    });
  });
});

describe('The store', () => {
  const danger = (text: string) => ({ message: `${text}.`, hint: `Mend ${text}.` });
  async function judged(changes: object, unknown: object | null = null) {
    const found = { server: 'PostgreSQL 17', role: 'leads', isBehind: false, replication: 'No replica.', dangers: [] };
    const store = { name: 'postgres://here/leads', examine: async () => ({ ...found, ...changes }) };
    const members = { postgresStore: async () => store, unknownFileLog: async () => unknown };
    const examination = examinationOf('store');
    await takeStoreStep(contextWith(members), examination);
    return examination.diagnosis.steps[0];
  }
  const NAMED = 'postgres://here/leads as leads: PostgreSQL 17. No replica.';

  test.each<[string, object, object | null, object]>([
    ['in order', {}, null, { result: 'ok', message: NAMED }],
    ['behind', { isBehind: true }, null, { result: 'warn', reason: 'store.not-ready' }],
    [
      'in danger twice',
      { dangers: [danger('One'), danger('Two')] },
      null,
      { result: 'warn', reason: 'store.unsafe', message: `${NAMED} One. Two.`, hint: 'Mend One. Mend Two.' },
    ],
    [
      'without the log of the file, and behind',
      { isBehind: true },
      danger('Log'),
      { result: 'warn', reason: 'store.unsafe', message: `${NAMED} Log.`, hint: 'Mend Log.' },
    ],
  ])('that is %s is judged so', async (_, changes, unknown, step) => {
    expect(await judged(changes, unknown)).toMatchObject(step);
  });
});

const make = certificateMaker();

describe('The way to the service', () => {
  async function steps(
    baseUrl: string,
    env: Record<string, string>,
    nowMs = Date.now(),
    secureContext: unknown = undefined,
    proxy: unknown = null,
  ) {
    const clock = { nowMs: () => nowMs, monotonicMs: () => 0, sleep: async () => {} };
    const examination = examinationOf('proxy', 'dns', 'tcp', 'tls');
    const connection = { destination: { ...DESTINATION, baseUrl }, network: { proxy, secureContext } } as never;
    await takeNetworkSteps(contextWith({ clock, process: { env } }), examination, connection);
    return examination.diagnosis.steps;
  }

  test.each([
    ['http://127.0.0.1:1', {}, 'None: the service is on this machine.'],
    ['https://127.0.0.1:1', {}, 'None: HTTPS_PROXY is not set.'],
    ['https://127.0.0.1:1', { HTTPS_PROXY: 'http://proxy:1' }, 'None: NO_PROXY lists the service.'],
    ['https://127.0.0.1:1', { https_proxy: 'http://proxy:1' }, 'None: NO_PROXY lists the service.'],
  ])('to %s with %j needs no proxy, and says why', async (baseUrl, env, message) => {
    const [proxy, dns, tcp, tls] = await steps(baseUrl, env);
    expect(proxy).toMatchObject({ result: 'ok', message });
    expect(dns?.message).toBe('127.0.0.1 is an address; there is no name to look up.');
    expect([tcp?.result, tls?.result]).toEqual(['fail', 'skip']);
  });

  /** A server that says nothing, and what its connections come to. */
  async function silentServer() {
    const ended: Promise<unknown>[] = [];
    const server = createServer((socket) => void ended.push(once(socket.resume(), 'close')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return { port: (server.address() as AddressInfo).port, ended };
  }

  test('is looked up by its name, connected, and closed again', async () => {
    const { port, ended } = await silentServer();
    const [proxy, dns, tcp, tls] = await steps(`http://localhost:${port}`, {});
    expect([proxy, dns, tcp, tls].map((step) => step?.result)).toEqual(['ok', 'ok', 'ok', 'skip']);
    expect(dns?.message).toMatch(/^localhost is at (?:[\d.:a-f]+, )*127\.0\.0\.1(?:, [\d.:a-f]+)*\.$/);
    expect(tcp?.message).toBe(`Connected to 127.0.0.1, port ${port}.`);
    expect(tls?.message).toBe('Plain http, which does not leave this machine.');
    expect(ended).toHaveLength(1);
    await Promise.all(ended);
  });

  test('by a proxy is the matter of the proxy', async () => {
    const proxy = { ...(await startProxy()), authorization: null };
    const found = await steps('https://127.0.0.1:1', {}, undefined, undefined, proxy);
    expect(found[0]).toMatchObject({ result: 'fail' });
    expect(found.slice(1).map(({ result }) => result)).toEqual(['skip', 'skip', 'skip']);
    const { port, ended } = await silentServer();
    const reached = await steps(`http://127.0.0.1:${port}`, {}, undefined, undefined, proxy);
    expect(reached.map(({ result, message }) => [result, message])).toEqual([
      ['ok', `${proxy.url} connects to 127.0.0.1:${port}.`],
      ['skip', 'The proxy does that.'],
      ['skip', 'The proxy does that.'],
      ['skip', 'Plain http, which does not leave this machine.'],
    ]);
    await Promise.all(ended);
  });

  test.skipIf(!make)('tells of a certificate that ends in less than fourteen days', async () => {
    const pair = make?.('service', { days: 30 });
    const { createSecureContext } = await import('node:tls');
    const { X509Certificate } = await import('node:crypto');
    const baseUrl = await startTlsFront('http://127.0.0.1:9', { ...pair });
    const endMs = Date.parse(new X509Certificate(pair?.cert ?? '').validTo);
    const context = createSecureContext({ ca: pair?.cert });
    const days = (count: number) => count * 86_400_000;
    for (const [nowMs, result, left] of [
      [endMs - days(14), 'ok', '(14 days)'],
      [endMs - days(14) + 1, 'warn', '(13 days)'],
      [endMs - days(1) + 1, 'warn', '(0 days)'],
    ] as const) {
      const tls = (await steps(baseUrl, {}, nowMs, context))[3];
      expect(tls).toMatchObject({ result, message: expect.stringContaining(left) });
    }
  });
});
