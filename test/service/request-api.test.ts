import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type KnownAnswers, NOTHING_KNOWN } from '../../src/request/contract/known-answers.ts';
import { documentedContract } from '../../src/request/contract/public-api.ts';
import type { ServiceRequest } from '../../src/request/lead/service-request.ts';
import type { CachedToken, CreateTerms, TokenCache } from '../../src/request/ports.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import type { RequestApi } from '../../src/service/client.ts';
import type { Http } from '../../src/service/wire/http.ts';
import { knownValidate } from '../doors/answer.ts';
import { type ClientSetup, clientOf, httpTo } from '../doors/client.ts';
import { type VirtualClock, virtualClock } from '../helpers/api-client.ts';
import { type Script, startScriptedService } from '../helpers/scripted-service.ts';
import { contractWith } from '../sandbox/contract-client.ts';
import { LEAD, sandboxWith } from '../sandbox/sandbox-client.ts';

const request: ServiceRequest = { params: LEAD, audio: null, ref: 'A-17' };
const CACHED: CachedToken = { accessToken: 'cached-token', obtainedAtMs: Date.UTC(2026, 10, 21), expiresAtMs: null };

const KNOWN_FLAG = knownValidate({ duplicate: false }, { duplicate: true });
const isOfRequest = ({ body }: { body: string }) => body.includes('torneira');
const TERMS: CreateTerms = { key: 'this request', idempotencyKey: '0123456789abcdef0123456789abcdef' };

interface Setup extends Partial<ClientSetup> {
  readonly http?: Http;
}

function apiOf(baseUrl: string, setup: Setup = {}): RequestApi {
  const { concurrency = 16, http = httpTo(baseUrl, { connections: concurrency }), clock = virtualClock() } = setup;
  return clientOf(http, { ...setup, ...{ concurrency, clock } }).api;
}

/** An intent that counts how often it is asked. */
function intent(allowed = true) {
  const intend = () => {
    intend.times += 1;
    return Promise.resolve(allowed);
  };
  intend.times = 0;
  return intend;
}

const refused401: Script = () => ({ status: 401, body: { error: 'invalid_token' } });
const bearer = (calls: readonly { headers: { authorization?: string | undefined } }[]) =>
  calls.map(({ headers }) => headers.authorization);

describe('create', () => {
  test('create sends once, after the intent, with the token', async () => {
    const service = await startScriptedService({});
    const intend = intent();
    const sent = await apiOf(service.baseUrl).create(
      request,
      () => {
        expect(service.creates()).toHaveLength(0);
        return intend();
      },
      TERMS,
    );
    expect(sent).toMatchObject({
      stop: null,
      outcome: { status: 'created', ids: { id: '4711' }, http: 201, raw: null },
    });
    expect(bearer(service.creates())).toEqual(['Bearer token-1']);
    expect(intend.times).toBe(1);
  });

  test('create writes nothing if the intent says no', async () => {
    const service = await startScriptedService({});
    expect(await apiOf(service.baseUrl).create(request, intent(false), TERMS)).toBeNull();
    expect(service.creates()).toHaveLength(0);
  });

  test.each([new SrqError('log.unwritable', 'disk full'), new Error('a fault')])(
    'create writes nothing if the intent fails: %s',
    async (error) => {
      const service = await startScriptedService({});
      await expect(apiOf(service.baseUrl).create(request, () => Promise.reject(error), TERMS)).rejects.toBe(error);
      expect(service.creates()).toHaveLength(0);
    },
  );

  test('create waits for a slow intent before it writes', async () => {
    const service = await startScriptedService({});
    let durable = false;
    await apiOf(service.baseUrl).create(
      request,
      async () => {
        // What was written before would have arrived by the time that other calls are answered.
        for (const path of ['/one', '/another']) await fetch(service.baseUrl + path);
        expect(service.creates()).toHaveLength(0);
        durable = true;
        return true;
      },
      TERMS,
    );
    expect([durable, service.creates().length]).toEqual([true, 1]);
  });
});

describe('a 429', () => {
  test('a 429 is waited out as asked, and the request goes again on an intent of its own', async () => {
    const sentAtMs: number[] = [];
    const clock = virtualClock();
    const service = await startScriptedService({
      create: ({ number }) => {
        sentAtMs.push(clock.monotonicMs());
        return number <= 2 ? { status: 429, headers: { 'retry-after': '30' } } : { status: 201, body: { id: '1' } };
      },
    });
    const intend = intent();
    const sent = await apiOf(service.baseUrl, { clock }).create(request, intend, TERMS);
    expect(sent?.outcome.status).toBe('created');
    expect([service.creates().length, intend.times]).toEqual([3, 3]);
    const [first = 0, second = 0, third = 0] = sentAtMs;
    expect(second - first).toBeGreaterThanOrEqual(30_000);
    expect(third - second).toBeGreaterThanOrEqual(30_000);
    expect(third - first).toBeLessThan(150_000);
  });

  test('a 429 that asks for more than 15 minutes ends the run, and says until when', async () => {
    const service = await startScriptedService({ create: () => ({ status: 429, headers: { 'retry-after': '3600' } }) });
    const clock = virtualClock();
    const sent = await apiOf(service.baseUrl, { clock }).create(request, intent(), TERMS);
    expect(sent?.outcome.status).toBe('failed');
    expect(sent?.stop).toMatchObject({ code: 'service', message: expect.stringContaining('2026-11-21T01:') });
    expect(service.creates()).toHaveLength(1);
    expect(clock.monotonicMs()).toBeLessThan(60_000);
  });
});

describe('a validate that calls everything clear', () => {
  test.each([
    ['proves a creation', [{ pointer: '/id' }], { outcome: { status: 'created' }, stop: null }],
    ['is needed where the description does not say where requests are named', [], null],
  ])('beside it the API description %s', async (_, identifiers, proof) => {
    const service = await startScriptedService({ validate: () => ({ status: 200, body: { duplicate: false } }) });
    const api = apiOf(service.baseUrl, { contract: contractWith({ create: { identifiers } }) });
    const cleared = await api.validate(request);
    const sent = await api.create(request, intent(), { ...TERMS, cleared });
    if (!sent?.unproven) throw new Error('It is proven at once.');
    expect([cleared.verdict, sent.outcome.status]).toEqual(['clear', 'unknown']);
    const found = await api.prove(request, TERMS.key, sent.unproven, cleared);
    if (proof === null) expect(found).toBeNull();
    else expect(found).toMatchObject(proof);
  });
});

test('a validate that answers 404, also about what was created, is not asked as if it called everything clear', async () => {
  const service = await startScriptedService({ validate: () => ({ status: 404, body: { message: 'no route' } }) });
  const contract = contractWith({ create: { identifiers: [{ pointer: '/id' }] } });
  const api = apiOf(service.baseUrl, { contract });
  const cleared = await api.validate(request);
  const sent = await api.create(request, intent(), { ...TERMS, cleared });
  if (!sent?.unproven) throw new Error('It is proven at once.');
  const proof = await api.prove(request, TERMS.key, sent.unproven, cleared);
  expect(proof).toMatchObject({ outcome: { status: 'created' } });
  await expect(api.validate(request)).rejects.toMatchObject({ reason: 'service.wrong-address' });
});

describe('a 401', () => {
  test('a 401 is answered with a new token and the request goes once more on an intent of its own', async () => {
    const service = await startScriptedService({
      create: (call) => (call.number === 1 ? refused401(call) : { status: 201, body: { id: '1' } }),
    });
    const intend = intent();
    const sent = await apiOf(service.baseUrl).create(request, intend, TERMS);
    expect(sent?.outcome.status).toBe('created');
    expect(bearer(service.creates())).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect([service.tokens().length, intend.times]).toEqual([2, 2]);
  });

  test('a second 401, for a new token, leaves the request unknown and stops the run', async () => {
    const service = await startScriptedService({ create: refused401, validate: refused401 });
    const intend = intent();
    const sent = await apiOf(service.baseUrl).create(request, intend, TERMS);
    expect(sent).toMatchObject({ outcome: { status: 'unknown', http: 401, ids: {} }, unproven: null });
    expect(sent?.stop).toMatchObject({ reason: 'auth.token-refused', hint: expect.stringContaining('srq login') });
    expect([service.creates().length, service.tokens().length, intend.times]).toEqual([2, 2, 2]);
    await expect(apiOf(service.baseUrl).validate(request)).rejects.toMatchObject({ code: 'auth' });
  });

  test.each([
    ['still clear', { duplicate: false }, 'created', 2],
    ['a duplicate now', { duplicate: true }, 'unknown', 1],
    ['neither', { session: 'ended' }, 'unknown', 1],
  ])(
    'a 401 is followed by a second send only if validate, where it is known, calls it %s',
    async (_, body, status, creates) => {
      const service = await startScriptedService({
        create: (call) => (call.number === 1 ? refused401(call) : { status: 201, body: { id: '1' } }),
        validate: (call) => ({ status: 200, body: isOfRequest(call) ? body : { duplicate: false } }),
      });
      const sent = await apiOf(service.baseUrl, { known: KNOWN_FLAG }).create(request, intent(), TERMS);
      expect(sent).toMatchObject({ outcome: { status }, stop: null });
      expect(service.creates()).toHaveLength(creates);
      expect(service.validates().length).toBeGreaterThan(0);
    },
  );

  test.each([
    ['the secret was changed', 401, 'failed', null],
    ['the token endpoint cannot say', 404, 'unknown', 401],
  ])(
    'a request that was refused with a 401 and gets no new token, as %s (HTTP %i), is %s',
    async (_, at, status, http) => {
      const service = await startScriptedService({
        create: refused401,
        token: ({ number }) =>
          number === 1 ? { status: 200, body: { access_token: 'token-1' } } : { status: at, body: { error: 'late' } },
      });
      const sent = await apiOf(service.baseUrl).create(request, intent(), TERMS);
      expect(sent).toMatchObject({ outcome: { status, http } });
      expect(sent?.stop).not.toBeNull();
      expect(service.creates()).toHaveLength(1);
    },
  );

  test('a 401 for a token that another process fetched, as old as the first, is the second one', async () => {
    let kept: CachedToken | null = CACHED;
    const cache: TokenCache = {
      read: () => kept,
      write: (token) => {
        kept = token;
      },
      forget: (accessToken) => {
        if (kept?.accessToken === accessToken) kept = null;
      },
    };
    const service = await startScriptedService({
      create: (call) => {
        // Meanwhile the other process has put its own there.
        if (call.number === 1) kept = { ...CACHED, accessToken: 'of-another-process' };
        return call.headers.authorization === 'Bearer token-1' ? { status: 201, body: { id: '1' } } : refused401(call);
      },
    });
    const sent = await apiOf(service.baseUrl, { cache }).create(request, intent(), TERMS);
    expect(sent).toMatchObject({ outcome: { status: 'unknown' }, stop: { reason: 'auth.token-refused' } });
    expect(bearer(service.creates())).toEqual(['Bearer cached-token', 'Bearer of-another-process']);
  });
});

describe('an intent that holds for 20 s', () => {
  /** Between the intent and the write so much time passes, the first so many times. */
  const heldUp = (clock: VirtualClock, ms: number, times: number) => {
    const intend = () => {
      intend.times += 1;
      if (intend.times <= times) clock.passMs(ms);
      return Promise.resolve(true);
    };
    intend.times = 0;
    return intend;
  };

  test('an expired intent writes nothing, and the request is intended anew', async () => {
    const service = await startScriptedService({});
    const clock = virtualClock();
    const intend = heldUp(clock, 20_000, 9);
    const sent = await apiOf(service.baseUrl, { clock }).create(request, intend, { ...TERMS, writeLeaseMs: 20_000 });
    expect(sent).toMatchObject({ outcome: { status: 'created' }, stop: null });
    expect([service.creates().length, intend.times]).toEqual([1, 10]);
  });

  test('an intent that expires each time leaves a request that was certainly not sent', async () => {
    const service = await startScriptedService({});
    const clock = virtualClock();
    const intend = heldUp(clock, 20_000, 99);
    const sent = await apiOf(service.baseUrl, { clock }).create(request, intend, { ...TERMS, writeLeaseMs: 20_000 });
    const message = expect.stringContaining('This machine or the log was too slow');
    expect(sent).toMatchObject({ outcome: { status: 'failed', http: null, message }, stop: null });
    expect([service.creates().length, intend.times]).toEqual([0, 10]);
  });

  test.each([
    ['the wall clock alone runs on, as in a machine that slept', 'nowMs'],
    ['the monotonic clock alone runs on, as where the time is set back', 'monotonicMs'],
  ] as const)('an intent that holds for 20 s expires also where %s', async (_, running) => {
    const service = await startScriptedService({});
    const clock = virtualClock();
    const still = { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
    const one = { nowMs: () => still.nowMs, monotonicMs: () => still.monotonicMs, [running]: () => clock[running]() };
    const intend = heldUp(clock, 20_000, 1);
    await apiOf(service.baseUrl, { clock: { ...clock, ...one } }).create(request, intend, {
      ...TERMS,
      writeLeaseMs: 20_000,
    });
    expect([service.creates().length, intend.times]).toEqual([1, 2]);
  });

  test('an intent is good for as long as it holds, and one without an end for ever', async () => {
    const service = await startScriptedService({});
    const clock = virtualClock();
    const api = apiOf(service.baseUrl, { clock });
    await api.create(request, heldUp(clock, 19_999, 1), { ...TERMS, writeLeaseMs: 20_000 });
    await api.create(request, heldUp(clock, 86_400_000, 1), TERMS);
    expect(service.creates()).toHaveLength(2);
  });
});

describe('validate', () => {
  test.each([500, 502, 503, 408, 429])('validate is repeated after HTTP %d until it is answered', async (status) => {
    const service = await startScriptedService({
      validate: (call) =>
        call.number < 6
          ? { status }
          : { status: 200, body: isOfRequest(call) ? { duplicate: true, request_id: '9' } : { duplicate: false } },
    });
    const known = knownValidate({ duplicate: false }, { duplicate: true, request_id: '7' });
    const result = await apiOf(service.baseUrl, { known }).validate(request);
    expect(result).toMatchObject({ verdict: 'duplicate', ids: { request_id: '9' }, refused: null });
    // The last ones are about requests that cannot exist: the one of this run, and one with the data of this request.
    expect(service.validates().map(isOfRequest)).toEqual([true, true, true, true, true, true, false, false]);
  });

  test.each([500, null])('validate is repeated at most six times (%s)', async (status) => {
    const service = await startScriptedService({ validate: () => (status === null ? null : { status }) });
    const result = await apiOf(service.baseUrl).validate(request);
    expect(result).toMatchObject({ verdict: 'unknown', refused: 'failed', http: status });
    expect(service.validates()).toHaveLength(6);
  });

  test('validate is asked again for as long as a service that was there cannot be reached', async () => {
    const service = await startScriptedService({});
    const line = httpTo(service.baseUrl, { connections: 1 });
    const away = { answer: null, error: new Error('nobody listens'), written: false, ms: 1 } as const;
    let refusals = 0;
    const send: Http['send'] = (...call) => (refusals-- > 0 ? Promise.resolve(away) : line.send(...call));
    const clock = virtualClock();
    const waitsMs: number[] = [];
    const sleep: typeof clock.sleep = (ms, signal) => {
      waitsMs.push(ms);
      return clock.sleep(ms, signal);
    };
    const api = apiOf(service.baseUrl, { http: { send } as Http, known: KNOWN_FLAG, clock: { ...clock, sleep } });
    await api.validate(request);
    refusals = 10;
    expect(await api.validate(request)).toMatchObject({ verdict: 'clear' });
    // It is back soon after it can be reached again.
    expect(waitsMs).toHaveLength(10);
    expect(Math.max(...waitsMs)).toBeLessThanOrEqual(4_000);
  });

  test('validate leaves nothing on a signal that many calls share', async () => {
    const service = await startScriptedService({});
    const api = apiOf(service.baseUrl, { known: KNOWN_FLAG });
    const { signal } = new AbortController();
    for (let call = 0; call < 12; call += 1) await api.until(signal).validate(request);
    expect(service.validates()).toHaveLength(12);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('validate keeps what it cannot read, masked, and does not ask again', async () => {
    const service = await startScriptedService({
      validate: (call) => ({
        status: 200,
        body: isOfRequest(call)
          ? { score: 0.7, seen: call.body, by: call.headers.authorization }
          : { duplicate: false },
      }),
    });
    const { verdict, raw, refused } = await apiOf(service.baseUrl, { known: KNOWN_FLAG }).validate(request);
    expect([verdict, refused]).toEqual(['unknown', null]);
    expect(service.validates().filter(isOfRequest)).toHaveLength(1);
    for (const part of ['Exemplo', 'ines', '912345678', 'torneira', 'token-1']) expect(raw).not.toContain(part);
    expect(raw).toContain('"score":0.7');
  });
});

test('an answer that shows what was sent, token and recording included, leaves none of it in the outcome', async () => {
  const recording = Buffer.alloc(900, 'voice').toString('base64');
  const service = await startScriptedService({
    create: ({ body, headers }) => ({
      status: 200,
      body: { seen: Object.fromEntries(new URLSearchParams(body)), headers },
    }),
  });
  const api = apiOf(service.baseUrl);
  const file = { path: 'a.wav', sizeBytes: 900, sha256: '00', mediaType: 'audio/wav' };
  const recorded = { ...request, audio: { ...file, base64: async () => recording } };
  const sent = await api.create(recorded, intent(), TERMS);
  expect(service.creates()[0]?.body).toContain(encodeURIComponent(recording).slice(0, 100));
  const told = JSON.stringify(sent);
  for (const part of ['Exemplo', 'ines@', '912345678', 'torneira', 'token-1', recording.slice(0, 20)]) {
    expect(told).not.toContain(part);
  }
});

test.each([
  ['form', 'application/x-www-form-urlencoded'],
  ['json', 'application/json'],
] as const)('as %s the sandbox receives exactly what was sent', async (encoding, type) => {
  const sandbox = await sandboxWith();
  const service = await startScriptedService({});
  await apiOf(service.baseUrl, { contract: documentedContract(encoding) }).create(request, intent(), TERMS);
  expect(service.creates()[0]?.headers).toMatchObject({ 'content-type': type, accept: 'application/json, */*;q=0.1' });
  expect(service.creates()[0]?.headers['idempotency-key']).toBeUndefined();
  const api = apiOf(sandbox.baseUrl, { contract: documentedContract(encoding), credentials: sandbox });
  const cleared = await api.validate(request);
  expect(cleared.verdict).toBe('clear');
  const sent = await api.create(request, intent(), { ...TERMS, cleared });
  if (sent?.unproven == null) throw new Error('It was not tried out.');
  const proof = await api.prove(request, TERMS.key, sent.unproven, cleared);
  expect(proof).toMatchObject({ outcome: { status: 'created', ids: sent.unproven.ids, message: null } });
  const received = sandbox.requests().filter(({ operation }) => operation === 'create');
  expect(received).toMatchObject([{ encoding, params: LEAD, status: 201 }]);
  expect(Object.values(sent.unproven.ids)).toContain(received[0]?.requestId);
  expect((await api.validate(request)).verdict).toBe('duplicate');
});

describe('when the run is being stopped', () => {
  test('when the run is stopped, what waits for its turn is failed, and what is in flight is waited for', async () => {
    const stopping = new AbortController();
    let letGo: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const service = await startScriptedService({
      create: async () => {
        stopping.abort();
        await held;
        return { status: 201, body: { id: '4711' } };
      },
    });
    const api = apiOf(service.baseUrl, { stopping: stopping.signal, concurrency: 1 });
    const first = api.create(request, intent(), TERMS);
    const intend = intent();
    const second = await api.create(request, intend, TERMS);
    expect(second).toMatchObject({
      stop: null,
      outcome: { status: 'failed', message: expect.stringContaining('stopped') },
    });
    expect(intend.times).toBe(0);
    letGo();
    expect((await first)?.outcome.status).toBe('created');
    expect(service.creates()).toHaveLength(1);
  });
});

describe('A service without validate', () => {
  test('A service without validate is not asked', async () => {
    const service = await startScriptedService({});
    const api = apiOf(service.baseUrl, { contract: contractWith({ hasValidate: false }) });
    expect(await api.validate(request)).toMatchObject({ verdict: 'unknown', refused: 'failed', http: null });
    expect([...service.validates(), ...service.tokens()]).toEqual([]);
  });
});

describe('what validate says', () => {
  /** Asks validate, where it answers about the request and about one that cannot exist like this. */
  async function asked(own: object, control: object | number, setup: Setup = {}) {
    const service = await startScriptedService({
      validate: (call) => {
        if (isOfRequest(call)) return { status: 200, body: own };
        return typeof control === 'number' ? { status: control } : { status: 200, body: control };
      },
    });
    const { verdict } = await apiOf(service.baseUrl, setup).validate(request);
    return { verdict, controls: service.validates().filter((call) => !isOfRequest(call)) };
  }
  test.each<[string, object, object | number, Setup, string, number]>([
    [
      'a duplicate, while one that cannot exist is clear',
      { duplicate: true },
      { duplicate: false },
      { known: KNOWN_FLAG },
      'duplicate',
      2,
    ],
    ['a duplicate of all', { duplicate: true }, { duplicate: true }, { known: KNOWN_FLAG }, 'unknown', 1],
    ['a duplicate, of one that cannot exist nothing', { duplicate: true }, 422, { known: KNOWN_FLAG }, 'unknown', 1],
    ['clear', { duplicate: false }, { duplicate: false }, { known: KNOWN_FLAG }, 'clear', 0],
    ['the same to all, at an unknown service', { vapaa: 1 }, { vapaa: 1 }, {}, 'clear', 1],
    [
      'something else than of one that cannot exist, at an unknown service',
      { vapaa: 1 },
      { vapaa: 0 },
      {},
      'unknown',
      2,
    ],
  ])(
    'what validate says of a request, %s, gives the right verdict',
    async (_, own, control, setup, verdict, controls) => {
      const said = await asked(own, control, setup);
      expect([said.verdict, said.controls.length]).toEqual([verdict, controls]);
      // It looks like the request, and names neither its customer nor its text.
      for (const { body } of said.controls) {
        expect(body).not.toMatch(/ines%40|912345678|torneira/);
        expect(new URLSearchParams(body).get('request_text')).toHaveLength(LEAD['request_text']?.length ?? 0);
      }
    },
  );
});

describe('an answer to create', () => {
  test('an answer to create with the identifier of another request leaves both unknown, and stops', async () => {
    const service = await startScriptedService({ create: () => ({ status: 201, body: { id: '4711' } }) });
    const api = apiOf(service.baseUrl);
    expect((await api.create(request, intent(), { ...TERMS, key: 'one' }))?.outcome.status).toBe('created');
    expect(await api.create(request, intent(), { ...TERMS, key: 'another' })).toMatchObject({
      outcome: { status: 'unknown', ids: {} },
      stop: { reason: 'answer.same-identifier' },
      sameAs: 'one',
    });
    // The same content may be answered with what it was given before.
    expect((await api.create(request, intent(), { ...TERMS, key: 'one' }))?.outcome.status).toBe('created');
  });

  test.each([
    ['a creation', 200, 'created', 'Taken, as validate shows; the answer names no identifier.'],
    ['a conflict', 409, 'duplicate', 'The service answered HTTP 409, and validate shows that it has this request.'],
  ])('an answer without an identifier is %s where validate shows it', async (_, status, is, message) => {
    const known = new Set<string>();
    const service = await startScriptedService({
      create: ({ body }) => {
        known.add(body);
        return { status, body: { vastaus: 'kyllä' } };
      },
      validate: ({ body }) => ({ status: 200, body: { tuttu: known.has(body) } }),
    });
    const api = apiOf(service.baseUrl);
    const cleared = await api.validate(request);
    const sent = await api.create(request, intent(), { ...TERMS, cleared });
    if (!sent?.unproven) throw new Error('It is proven at once.');
    const proof = await api.prove(request, TERMS.key, sent.unproven, cleared);
    expect(proof?.outcome).toMatchObject({ status: is, http: status, ids: {}, message });
  });

  test('an answer to create proves nothing if it has a value that the first creation had, where such values differ', async () => {
    const known = new Set<string>();
    const values = ['koivu', 'mänty', 'kuusi', 'koivu'];
    const service = await startScriptedService({
      create: ({ body }) => {
        if (values.length > 1) known.add(body);
        return { status: 200, body: { vastaus: 'kyllä', arvo: values.shift() } };
      },
      validate: ({ body }) => ({ status: 200, body: { tuttu: known.has(body) } }),
    });
    const api = apiOf(service.baseUrl);
    const created = async (key: string): Promise<string | undefined> => {
      const next = { ...request, params: { ...LEAD, request_text: key } };
      const cleared = await api.validate(next);
      const sent = await api.create(next, intent(), { ...TERMS, key, cleared });
      const proof = sent?.unproven && (await api.prove(next, key, sent.unproven, cleared));
      return (proof ?? sent)?.outcome.status;
    };
    expect([await created('one'), await created('two'), await created('three')]).toEqual(Array(3).fill('created'));
    expect(await created('four')).toBe('unknown');
  });

  test.each([
    ['a client', false],
    ['clients of their own', true],
  ])(
    'an answer to create proves nothing where validate looks at the customer alone: two sends by %s',
    async (_, isApart) => {
      const known = new Set<string | null>();
      const part = (body: string, name: string) => new URLSearchParams(body).get(name);
      const service = await startScriptedService({
        create: ({ body }) => {
          const isTaken = part(body, 'request_text') === 'first';
          if (isTaken) known.add(part(body, 'email'));
          return { status: 200, body: { vastaus: isTaken ? 'kyllä' : 'ei' } };
        },
        validate: ({ body }) => ({ status: 200, body: { tuttu: known.has(part(body, 'email')) } }),
      });
      const api = apiOf(service.baseUrl);
      const both = ['first', 'second'].map((key) => ({
        ...{ key, request: { ...request, params: { ...LEAD, request_text: key } } },
        client: isApart ? api.until(new AbortController().signal) : api,
      }));
      const tried = await Promise.all(
        both.map(async (each) => ({ ...each, cleared: await each.client.validate(each.request) })),
      );
      for (const each of tried) {
        const sent = await each.client.create(each.request, intent(), { ...TERMS, ...each });
        expect(sent?.outcome.status).toBe('unknown');
        if (each.key === 'first' || sent?.unproven == null) continue;
        expect(await each.client.prove(each.request, each.key, sent.unproven, each.cleared)).toBeNull();
      }
    },
  );

  test('an answer to create that the API description shows waits for validate once, not in each process', async () => {
    const service = await startScriptedService({
      create: ({ number }) => ({ status: 201, body: { id: `R-${number}` } }),
      validate: () => ({ status: 200, body: { tuttu: false } }),
    });
    const contract = contractWith({ create: { identifiers: [{ pointer: '/id' }] } });
    const waitedMs: number[] = [];
    let known = NOTHING_KNOWN;
    for (const key of ['first', 'second', 'third']) {
      const clock = virtualClock();
      const beganMs = clock.nowMs();
      const remember = (answers: KnownAnswers) => {
        known = answers;
      };
      const api = apiOf(service.baseUrl, { clock, contract, known, remember });
      const own = { ...request, params: { ...LEAD, request_text: key } };
      const cleared = await api.validate(own);
      const sent = await api.create(own, intent(), { ...TERMS, key, cleared });
      const proof = sent?.unproven ? await api.prove(own, key, sent.unproven, cleared) : sent;
      expect(proof?.outcome.status).toBe('created');
      waitedMs.push(clock.nowMs() - beganMs);
    }
    expect(waitedMs.map((ms) => ms > 30_000)).toEqual([true, false, false]);
  });

  test.each([
    ['the only request of its customer', 0, 'created'],
    ['of a customer whose requests are not counted any more', 10_000, undefined],
  ])(
    'an answer to create %s is proven by a validate that looks at customers only if it is that',
    async (_, others, is) => {
      const known = new Set<string | null>();
      const email = (body: string) => new URLSearchParams(body).get('email');
      const service = await startScriptedService({
        create: ({ body }) => {
          known.add(email(body));
          return { status: 200, body: { vastaus: 'kyllä' } };
        },
        validate: ({ body }) => ({ status: 200, body: { tuttu: known.has(email(body)) } }),
      });
      const api = apiOf(service.baseUrl);
      for (let at = 0; at < others; at++)
        api.noteSent({ ...request, params: { ...LEAD, phone: '', email: `c${at}@example.com` } });
      const cleared = await api.validate(request);
      const sent = await api.create(request, intent(), { ...TERMS, cleared });
      if (!sent?.unproven) throw new Error('It is proven at once.');
      expect((await api.prove(request, TERMS.key, sent.unproven, cleared))?.outcome.status).toBe(is);
    },
  );
});
