import { describe, expect, test } from 'vitest';
import type { CachedToken } from '../../src/request/ports.ts';
import { clientOf as clientAt, httpTo, REAL_CLOCK } from '../doors/client.ts';
import { failureOf } from '../doors/log.ts';
import { CLIENT, type OAuthService, OTHER_CLIENT, startOAuthService } from '../helpers/oauth-service.ts';

const request = { params: { country: 'PT', request_text: 'Pintar a sala' }, audio: null, ref: null };
const intend = () => Promise.resolve(true);
const TERMS = { key: 'this request', idempotencyKey: '0'.repeat(32) };
const CREATED = `/v1/request/create 201`;
const DENIED = `/v1/request/create 401`;

/** Our client of the service, as `srq` puts it together; what it cached is in `kept`. */
function clientOf({ baseUrl }: Pick<OAuthService, 'baseUrl'>, credentials = CLIENT) {
  const http = httpTo(baseUrl, { connections: 16 });
  const kept: CachedToken[] = [];
  const cache = { read: () => null, write: (token: CachedToken) => void kept.push(token), forget: () => {} };
  return { kept, ...clientAt(http, { ...{ credentials, cache }, clock: REAL_CLOCK, concurrency: 16 }) };
}

describe.each(['opaque', 'jwt'] as const)('With a real OAuth server that gives %s tokens', (format) => {
  test('one token from a real OAuth server serves validate and create', async () => {
    const service = await startOAuthService(format, 3600);
    const { api, kept } = clientOf(service);
    expect(await api.validate(request)).toMatchObject({ verdict: 'clear' });
    expect(await api.create(request, intend, TERMS)).toMatchObject({
      outcome: { status: 'created', ids: { id: 'R-1' } },
    });
    // The second validate is about a request that cannot exist.
    expect(service.calls).toEqual(['/oauth/token', `/v1/request/validate 200`, `/v1/request/validate 200`, CREATED]);
    expect(kept).toHaveLength(1);
    expect(kept[0]?.accessToken).toMatch(format === 'jwt' ? /^[\w-]+\.[\w-]+\.[\w-]+$/ : /^[\w-]{43}$/);
    const { obtainedAtMs = 0, expiresAtMs = null } = kept[0] ?? {};
    expect(expiresAtMs).toBe(obtainedAtMs + 3_600_000);
  });

  test('a token that lives for two seconds keeps nothing from being created', async () => {
    const service = await startOAuthService(format, 2);
    const { api } = clientOf(service);
    let sent = 0;
    while (service.count('/oauth/token') < 2) {
      sent += 1;
      expect(await api.create(request, intend, TERMS)).toMatchObject({ outcome: { status: 'created' }, stop: null });
    }
    expect(service.count(CREATED)).toBe(sent);
  });

  test('a token that is revoked under sixteen requests is replaced once, and all are created', async () => {
    const service = await startOAuthService(format, 3600);
    const { api } = clientOf(service);
    await api.validate(request);
    await service.revokeAll();
    const all = await Promise.all(Array.from({ length: 16 }, () => api.create(request, intend, TERMS)));
    expect(all.map((sent) => sent?.outcome.status)).toEqual(Array.from({ length: 16 }, () => 'created'));
    expect([service.count(CREATED), service.count('/oauth/token')]).toEqual([16, 2]);
    expect(service.count(DENIED)).toBeGreaterThan(0);
  });

  test.each<[string, typeof CLIENT, string]>([
    ['a wrong secret', { ...CLIENT, clientSecret: 'not-that-one' }, 'client authentication failed'],
    ['an unknown client', { ...CLIENT, clientId: '4999' }, 'client authentication failed'],
    ['a client that may not ask so', OTHER_CLIENT, 'unauthorized_client|not allowed'],
  ])('%s is refused at once, in the server’s words and without the secret', async (_, credentials, words) => {
    const service = await startOAuthService(format, 3600);
    const { api, tokens } = clientOf(service, credentials);
    const failure = await failureOf(tokens.prove());
    expect(failure).toMatchObject({ code: 'auth', hint: expect.stringContaining('srq login') });
    expect(failure.message).toMatch(new RegExp(words));
    expect(failure.message).not.toContain(credentials.clientSecret);
    expect(service.calls).toEqual(['/oauth/token']);
    // What was never sent is `failed`, and ends the run.
    expect(await api.create(request, intend, TERMS)).toMatchObject({
      outcome: { status: 'failed' },
      stop: { code: 'auth' },
    });
    expect(service.calls).toEqual(['/oauth/token', '/oauth/token']);
  });
});
