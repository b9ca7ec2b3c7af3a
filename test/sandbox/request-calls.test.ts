import { beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { FORM, grantedToken, JSON_TYPE, LEAD, partnerOf, sandboxWith, send } from './sandbox-client.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await sandboxWith();
});

const get = (call: string) => send('GET', `${sandbox.baseUrl}/_sandbox/${call}`);
const got = async (call: string) => JSON.parse((await get(call)).text);

describe('one request in full', () => {
  test('one request in the inbox has what was received and answered', async () => {
    const { create } = await partnerOf(sandbox);
    const reply = await create(LEAD);
    const { exchange, ...request } = await got('requests/2');
    expect(request).toEqual(sandbox.requests()[1]);
    expect(exchange).toMatchObject({ method: 'POST', path: '/v1/request/create' });
    expect(exchange.body).toBe(new URLSearchParams(LEAD).toString());
    expect(exchange.headers).toContainEqual(['content-type', FORM['content-type']]);
    expect(exchange.answer).toMatchObject({ status: 201, body: reply.text });
  });
});

describe('secrets', () => {
  test.each(['form', 'json'])('secrets of a token request that came as %s are shown nowhere', async (encoding) => {
    const asked = {
      grant_type: 'client_credentials',
      client_id: sandbox.clientId,
      client_secret: sandbox.clientSecret,
    };
    const [type, body] =
      encoding === 'json' ? [JSON_TYPE, JSON.stringify(asked)] : [FORM, new URLSearchParams(asked).toString()];
    await send('POST', `${sandbox.baseUrl}/oauth/token?secret=${sandbox.clientSecret}`, type, body);
    for (const call of ['requests', 'requests/1', 'requests/1/body']) {
      expect((await get(call)).text).not.toContain(sandbox.clientSecret);
    }
    const { exchange } = await got('requests/1');
    expect(exchange.body).toBeNull();
  });

  test('tokens that were granted are not in the answer as it is shown', async () => {
    const token = await grantedToken(sandbox);
    const { text } = await get('requests/1');
    expect(text).not.toContain(token);
    expect(JSON.parse(JSON.parse(text).exchange.answer.body)).toMatchObject({ access_token: '***', expires_in: 3600 });
  });

  test('secrets in headers are masked, except the scheme', async () => {
    const token = await grantedToken(sandbox);
    const headers = { ...FORM, authorization: `Bearer ${token}`, cookie: 'a=canary', 'x-api-key': 'canary' };
    await send('POST', `${sandbox.baseUrl}/v1/request/create`, headers, new URLSearchParams(LEAD).toString());
    const { text } = await get('requests/2');
    expect(text).not.toContain(token);
    expect(text).not.toContain('canary');
    expect(JSON.parse(text).exchange.headers).toContainEqual(['authorization', 'Bearer ***']);
  });
});
