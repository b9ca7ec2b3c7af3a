import { expect, test } from 'vitest';
import type { TokenOperation } from '../doors/described.ts';
import { contractWith } from './contract-client.ts';
import { FORM, JSON_TYPE, LEAD, sandboxWith, send } from './sandbox-client.ts';

const GRANT = { grant_type: 'client_credentials' };

async function tokenService(token: Partial<TokenOperation>, tokenTtlSeconds = 3600) {
  const sandbox = await sandboxWith({ contract: contractWith({ token }), tokenTtlSeconds });
  const { baseUrl, clientId, clientSecret } = sandbox;
  const inBody = { ...GRANT, client_id: clientId, client_secret: clientSecret };
  const ask = (headers: Record<string, string>, body: string) =>
    send('POST', `${baseUrl}${token.path ?? '/oauth/token'}`, headers, body);
  const askForm = (params: Record<string, string>, headers = {}) =>
    ask({ ...FORM, ...headers }, new URLSearchParams(params).toString());
  const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  return { sandbox, inBody, ask, askForm, authorization: basic(clientId, clientSecret) };
}

test('the sandbox accepts credentials as Basic where the description has that, and nowhere else', async () => {
  const { sandbox, inBody, askForm, authorization } = await tokenService({ auth: 'basic' });
  expect((await askForm(GRANT, { authorization })).status).toBe(200);
  expect((await askForm(inBody)).status).toBe(401);
  expect((await askForm(inBody, { authorization: 'Basic eDp5' })).status).toBe(401);
  expect(sandbox.requests()[0]?.params).toEqual({ ...GRANT, client_id: sandbox.clientId });
  const documented = await tokenService({});
  expect((await documented.askForm(GRANT, { authorization: documented.authorization })).status).toBe(401);
});

test('the sandbox accepts a token request in JSON where the description has that, at its path', async () => {
  const { inBody, ask, askForm } = await tokenService({ encoding: 'json', path: '/auth' });
  expect((await ask(JSON_TYPE, JSON.stringify({ ...inBody, client_id: Number(inBody.client_id) }))).status).toBe(200);
  expect((await askForm(inBody)).status).toBe(415);
  expect((await ask(JSON_TYPE, '{')).status).toBe(400);
});

test('the sandbox puts the token where the page has it, and the token is good', async () => {
  const { sandbox, inBody, askForm } = await tokenService({ answer: '/data/token' }, 90);
  const answer = await askForm(inBody);
  const { data, expires_in: seconds } = JSON.parse(answer.text);
  expect([seconds, answer.headers['cache-control']]).toEqual([90, 'no-store']);
  const headers = { ...FORM, authorization: `Bearer ${data.token}` };
  const created = await send(
    'POST',
    `${sandbox.baseUrl}/v1/request/create`,
    headers,
    new URLSearchParams({ ...LEAD }).toString(),
  );
  expect(created.status).toBe(201);
});
