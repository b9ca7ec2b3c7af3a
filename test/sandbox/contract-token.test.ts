import { expect, test } from 'vitest';
import type { TokenOperation } from '../../src/request/contract.ts';
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

test('credentials come as Basic where the document has that, and nowhere else', async () => {
  const { sandbox, inBody, askForm, authorization } = await tokenService({ auth: 'basic' });
  expect((await askForm(GRANT, { authorization })).status).toBe(200);
  expect((await askForm(inBody)).status).toBe(401);
  expect((await askForm(inBody, { authorization: 'Basic eDp5' })).status).toBe(401);
  expect(sandbox.requests()[0]?.params).toEqual({ ...GRANT, client_id: sandbox.clientId });
  const documented = await tokenService({});
  expect((await documented.askForm(GRANT, { authorization: documented.authorization })).status).toBe(401);
});

test('Basic credentials are form-encoded before they are joined', async () => {
  const clientSecret = 'a:b+c%d é';
  const contract = contractWith({ token: { auth: 'basic' } });
  const { baseUrl } = await sandboxWith({ contract, clientId: '7', clientSecret });
  const encoded = new URLSearchParams({ '': clientSecret }).toString().slice(1);
  const authorization = `Basic ${Buffer.from(`7:${encoded}`).toString('base64')}`;
  const granted = await send(
    'POST',
    `${baseUrl}/oauth/token`,
    { ...FORM, authorization },
    'grant_type=client_credentials',
  );
  expect(granted.status).toBe(200);
});

test('a body in JSON is taken where the document has that, at its path', async () => {
  const { inBody, ask, askForm } = await tokenService({ encoding: 'json', path: '/auth' });
  expect((await ask(JSON_TYPE, JSON.stringify({ ...inBody, client_id: Number(inBody.client_id) }))).status).toBe(200);
  expect((await askForm(inBody)).status).toBe(415);
  expect((await ask(JSON_TYPE, '{')).status).toBe(400);
});

test('further parameters must be as documented', async () => {
  const { inBody, askForm } = await tokenService({ extra: { scope: 'requests', audience: 'market' } });
  const asked = async (params: Record<string, string>) => {
    const { status, text } = await askForm({ ...inBody, ...params });
    return [status, JSON.parse(text).error];
  };
  expect(await asked({ scope: 'requests', audience: 'market' })).toEqual([200, undefined]);
  expect(await asked({ scope: 'all', audience: 'market' })).toEqual([400, 'invalid_scope']);
  expect(await asked({ scope: 'requests' })).toEqual([400, 'invalid_request']);
});

test('the token and its life are where the document has them, and the token is good', async () => {
  const { sandbox, inBody, askForm } = await tokenService(
    { tokenPointer: '/data/token', lifetimePointer: '/data/ttl' },
    90,
  );
  const answer = await askForm(inBody);
  const { data } = JSON.parse(answer.text);
  expect([data.ttl, answer.headers['cache-control']]).toEqual([90, 'no-store']);
  const headers = { ...FORM, authorization: `Bearer ${data.token}` };
  const created = await send(
    'POST',
    `${sandbox.baseUrl}/v1/request/create`,
    headers,
    new URLSearchParams({ ...LEAD }).toString(),
  );
  expect(created.status).toBe(201);
});

test('a life that the document states in place of the answer is not told', async () => {
  const { inBody, askForm } = await tokenService({ lifetimeSeconds: 900 });
  expect(JSON.parse((await askForm(inBody)).text)).toEqual({ access_token: expect.any(String), token_type: 'Bearer' });
});
