import type { Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { CachedToken, TokenCache } from '../../src/request/ports.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import type { Tokens } from '../../src/service/token/token.ts';
import type { Http } from '../../src/service/wire/http.ts';
import { httpTo, Secret, tokensOf as tokensAt } from '../doors/client.ts';
import { type VirtualClock, virtualClock } from '../helpers/api-client.ts';
import { startRawService } from '../helpers/raw-service.ts';
import { type Script, type ScriptedService, startScriptedService } from '../helpers/scripted-service.ts';

const SECRET = 'S3cr3t+Value/&=';

function memoryCache(): TokenCache {
  let kept: CachedToken | null = null;
  return {
    read: () => kept,
    write: (token) => {
      kept = token;
    },
    forget: (accessToken) => {
      if (kept?.accessToken === accessToken) kept = null;
    },
  };
}

interface Setup {
  readonly cache?: TokenCache;
  readonly clock?: VirtualClock;
  readonly clientSecret?: string;
  readonly stopping?: AbortSignal;
  readonly http?: Http;
}

function tokensOf(baseUrl: string, setup: Setup = {}): Tokens {
  const {
    cache = memoryCache(),
    clock = virtualClock(),
    clientSecret = SECRET,
    stopping,
    http = httpTo(baseUrl),
  } = setup;
  const credentials = { clientId: '700100', clientSecret };
  return tokensAt(http, { ...{ cache, clock, credentials }, ...(stopping && { stopping }) });
}

/** Every token lives so many seconds and is named by its number. */
const living =
  (expires_in: unknown): Script =>
  ({ number }) => ({ status: 200, body: { access_token: `token-${number}`, expires_in } });

async function failureOf(call: Promise<unknown>): Promise<SrqError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SrqError)) throw new Error(`expected an SrqError, got ${error}`);
  return error;
}

describe('over the life of a token', () => {
  /** Asks once every so many seconds, and tells how old each token was when it was handed out. */
  async function agesOver(service: ScriptedService, everyMs: number, times: number) {
    const clock = virtualClock();
    const tokens = tokensOf(service.baseUrl, { clock });
    const bornMs = new Map<string, number>();
    const ages: number[] = [];
    for (let time = 0; time < times; time++) {
      const token = await tokens.get();
      if (!bornMs.has(token)) bornMs.set(token, clock.monotonicMs());
      const ageMs = clock.monotonicMs() - (bornMs.get(token) ?? 0);
      ages.push(ageMs);
      clock.passMs(everyMs);
    }
    return ages;
  }

  test.each([
    { life: 3600, everyMs: 60_000, times: 180, atMost: 5 },
    { life: '3600', everyMs: 60_000, times: 120, atMost: 3 },
    { life: 20, everyMs: 1_000, times: 120, atMost: 9 },
    { life: 1, everyMs: 100, times: 60, atMost: 16 },
  ])('a token that lives for $life s is not used at its end, and none is fetched too early', async (life) => {
    const service = await startScriptedService({ token: living(life.life) });
    const seconds = Number(life.life);
    const ages = await agesOver(service, life.everyMs, life.times);
    expect(Math.max(...ages)).toBeLessThan(seconds * 1000);
    expect(service.tokens().length).toBeGreaterThan(1);
    expect(service.tokens().length).toBeLessThanOrEqual(life.atMost);
  });

  test.each([
    { of: 'unknown life', script: {} },
    { of: 'a life beyond all dates', script: { token: living('9223372036854775807') } },
  ])('a token of $of is used until it is refused', async ({ script }) => {
    const clock = virtualClock();
    const service = await startScriptedService(script);
    const tokens = tokensOf(service.baseUrl, { clock });
    expect(await tokens.get()).toBe('token-1');
    clock.passMs(86_400_000);
    expect(await tokens.get()).toBe('token-1');
    tokens.refused('token-1');
    expect(await tokens.get()).toBe('token-2');
  });

  test('a token that sixteen calls find refused is replaced once', async () => {
    const service = await startScriptedService({ token: living(3600) });
    const tokens = tokensOf(service.baseUrl);
    await tokens.get();
    const renewed = Array.from({ length: 16 }, async () => {
      tokens.refused('token-1');
      return tokens.get();
    });
    expect(new Set(await Promise.all(renewed))).toEqual(new Set(['token-2']));
    expect(service.tokens()).toHaveLength(2);
  });

  test('a proof of the credentials asks for a new token, beside a call with its own from the cache', async () => {
    const service = await startScriptedService({ token: living(3600) });
    const cache = memoryCache();
    const tokens = tokensOf(service.baseUrl, { cache });
    expect(await tokens.get()).toBe('token-1');
    await cache.write({ accessToken: 'of-another', obtainedAtMs: Date.UTC(2026, 10, 21), expiresAtMs: null });
    tokens.refused('token-1');
    const [got, proven] = await Promise.all([tokens.get(), tokens.prove()]);
    expect([got, proven.accessToken, service.tokens().length]).toEqual(['of-another', 'token-2', 2]);
  });
});

describe('when the token endpoint refuses or fails', () => {
  test.each([400, 401, 403])(
    'wrong credentials (HTTP %d) end the login at once: it is never repeated',
    async (status) => {
      const service = await startScriptedService({
        token: ({ body }) => ({
          status,
          body: { error: 'invalid_client', error_description: `You sent ${body}`, body },
        }),
      });
      const clock = virtualClock();
      const error = await failureOf(tokensOf(service.baseUrl, { clock }).get());
      expect([error.code, error.hint]).toEqual(['auth', expect.stringContaining('srq login')]);
      expect(error.message).toContain(String(status));
      expect(service.tokens()).toHaveLength(1);
      expect(clock.slept).toEqual([]);
    },
  );

  test.each(['raw', 'url', 'base64', 'upper', 'page'])(
    'the secret is in no message of a refused login: %s',
    async (how) => {
      for (const status of [400, 401, 404, 500]) {
        const shown: Record<string, string> = {
          raw: SECRET,
          url: encodeURIComponent(SECRET),
          base64: Buffer.from(SECRET).toString('base64'),
          upper: SECRET.toUpperCase(),
          page: `<p>${SECRET}</p>`,
        };
        const text = shown[how] ?? '';
        const service = await startScriptedService({
          token: () => ({ status, body: how === 'page' ? text : { message: `bad secret ${text}!` } }),
        });
        const error = await failureOf(tokensOf(service.baseUrl).get());
        const told = `${error.message} ${error.hint} ${JSON.stringify(error)} ${error.stack} ${error.cause}`;
        for (const form of Object.values(shown)) expect(told).not.toContain(form);
        expect(told).not.toMatch(/S3cr3t/i);
      }
    },
  );

  test('a token is asked for six times while the service is down, and then srq says so', async () => {
    const service = await startScriptedService({ token: () => ({ status: 503, body: {} }) });
    const clock = virtualClock();
    const error = await failureOf(tokensOf(service.baseUrl, { clock }).get());
    expect([error.code, error.message]).toEqual(['service', expect.stringContaining('503')]);
    expect(service.tokens()).toHaveLength(6);
    expect(clock.slept).toHaveLength(5);
    for (const [index, ms] of clock.slept.entries()) {
      expect(ms).toBeGreaterThanOrEqual(250 * 2 ** index);
      expect(ms).toBeLessThanOrEqual(500 * 2 ** index);
    }
  });

  test.each([408, 429, 500, 503])('a token comes though the service answers %d for a while', async (status) => {
    const service = await startScriptedService({
      token: (call) => (call.number < 6 ? { status, headers: { 'retry-after': '7' } } : living(60)(call)),
    });
    const clock = virtualClock();
    expect(await tokensOf(service.baseUrl, { clock }).get()).toBe('token-6');
    expect(clock.slept).toEqual([7000, 7000, 7000, 7000, 7000]);
  });

  const whole = JSON.stringify({ access_token: 'a-token-of-20-letters', expires_in: 60 });
  /** Answers with this much of `whole`, and closes the connection. */
  const answerCut = (socket: Socket, length: number) =>
    socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${whole.length}\r\n\r\n${whole.slice(0, length)}`);

  test.each([0, 17, 30, whole.length - 1])(
    'a token comes though its answer breaks off after %d bytes for a while',
    async (length) => {
      const service = await startRawService((socket, { number }) =>
        answerCut(socket, number < 6 ? length : whole.length),
      );
      const clock = virtualClock();
      expect(await tokensOf(`http://127.0.0.1:${service.port}`, { clock }).get()).toBe('a-token-of-20-letters');
      expect([service.requests().length, clock.slept.length]).toEqual([6, 5]);
    },
  );

  test('a pause of over 15 minutes before a token is not waited for', async () => {
    const service = await startScriptedService({ token: () => ({ status: 503, headers: { 'retry-after': '3600' } }) });
    const clock = virtualClock();
    const error = await failureOf(tokensOf(service.baseUrl, { clock }).get());
    expect([error.code, error.message]).toEqual(['service', expect.stringContaining('2026-11-21T01:00:00')]);
    expect([service.tokens().length, clock.slept]).toEqual([1, []]);
  });

  test.each<[string, Script, number]>([
    [
      'a web page',
      () => ({ status: 200, body: '<!doctype html><p>Sign in</p>', headers: { 'content-type': 'text/html' } }),
      1,
    ],
    ['an answer without a token', () => ({ status: 200, body: { ok: true } }), 1],
    ['a redirect', () => ({ status: 302, headers: { location: '/login' } }), 1],
    ['an unknown address', () => ({ status: 404 }), 1],
  ])('%s is the wrong address for tokens, and srq says so', async (_, token, times) => {
    const service = await startScriptedService({ token });
    const error = await failureOf(tokensOf(service.baseUrl).get());
    expect([error.code, error.hint]).toEqual(['service', expect.stringContaining('base URL')]);
    expect(service.tokens()).toHaveLength(times);
  });
});

test('a secret is masked wherever it is shown by mistake', () => {
  const secret = new Secret('c4nary');
  const all = [
    `${secret}`,
    String(secret),
    `the ${secret}`,
    JSON.stringify({ secret }),
    inspect({ within: [secret] }),
    inspect(secret, { showHidden: true, depth: null }),
    Object.values(secret).join(),
    JSON.stringify({ ...secret }),
    new Error(`refused: ${secret}`).stack ?? '',
  ].join('\n');
  expect(all).not.toContain('c4nary');
  expect(all).toContain('***');
  expect(secret.reveal()).toBe('c4nary');
});
