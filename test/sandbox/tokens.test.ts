import { expect, test } from 'vitest';
import { askToken, creates, FORM, handClock, LEAD, partnerOf, sandboxWith, send } from './sandbox-client.ts';

test('credentials differ from start to start unless they are given; the identifier is a number', async () => {
  const [one, other] = [await sandboxWith(), await sandboxWith()];
  expect(one.clientId).toMatch(/^\d{6}$/);
  expect(one.clientSecret).not.toBe(other.clientSecret);
  const given = await sandboxWith({ clientId: '42', clientSecret: 'a-given-secret' });
  expect((await askToken(given, { client_id: '42', client_secret: 'a-given-secret' })).status).toBe(200);
});

test.each([
  ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
  ['a wrong identifier', { client_id: '1' }, 401, 'invalid_client'],
  ['another grant', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ['no grant', { grant_type: '' }, 400, 'invalid_request'],
])('the token operation refuses %s', async (_what, changes, status, error) => {
  const reply = await askToken(await sandboxWith(), changes);
  expect([reply.status, JSON.parse(reply.text).error]).toEqual([status, error]);
});

test('calls without a token, with an unknown one or an expired one are refused without any effect', async () => {
  const clock = handClock();
  const sandbox = await sandboxWith({ tokenTtlSeconds: 10, now: clock.now });
  const url = `${sandbox.baseUrl}/v1/request/create`;
  const body = new URLSearchParams(LEAD).toString();
  const bare = await send('POST', url, FORM, body);
  const unknown = await send('POST', url, { ...FORM, authorization: 'Bearer made-up' }, body);
  const { create } = await partnerOf(sandbox);
  clock.passMs(9_999);
  expect((await create(LEAD)).status).toBe(201);
  clock.passMs(1);
  const ended = await create({ ...LEAD, lang: 'en' });
  expect([bare, unknown, ended].map((reply) => reply.status)).toEqual([401, 401, 401]);
  expect(bare.headers['www-authenticate']).toBe('Bearer realm="sandbox"');
  expect(JSON.parse(bare.text).message).toBe('Send Authorization: Bearer, with a token from /oauth/token.');
  expect(ended.headers['www-authenticate']).toContain('invalid_token');
  expect(creates(sandbox).filter((each) => each.requestId !== null)).toHaveLength(1);
});
