import { expect, test } from 'vitest';
import type { Contract } from '../../src/request/contract/contract.ts';
import { contractWith } from './contract-client.ts';
import { FORM, LEAD, sandboxWith, send } from './sandbox-client.ts';

const SECRET = 'a:b secret';
const LEAD_FORM = new URLSearchParams({ ...LEAD }).toString();
const encoded = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

async function serviceWith(auth: Contract['auth']) {
  const contract = { ...contractWith({}), ...(auth && { auth }) };
  const sandbox = await sandboxWith({ contract, clientId: '7', clientSecret: SECRET });
  const create = async (headers: Record<string, string>, query = '') => {
    const reply = await send(
      'POST',
      `${sandbox.baseUrl}/v1/request/create${query}`,
      { ...FORM, ...headers },
      LEAD_FORM,
    );
    return reply.status;
  };
  return { sandbox, create };
}

test('HTTP Basic lets in the partner and nobody else, and there are no tokens', async () => {
  const { sandbox, create } = await serviceWith({ kind: 'basic' });
  expect(await create({ authorization: encoded(`7:${SECRET}`) })).toBe(201);
  for (const wrong of [encoded('7:other'), encoded(`8:${SECRET}`), encoded(''), 'Basic', `Bearer ${SECRET}`]) {
    expect(await create({ authorization: wrong }), wrong).toBe(401);
  }
  expect(await create({})).toBe(401);
  expect((await send('POST', `${sandbox.baseUrl}/oauth/token`, FORM, 'grant_type=client_credentials')).status).toBe(
    404,
  );
});

test('a key in a header lets in the partner: the key in the description, or else the secret', async () => {
  const auth = { kind: 'apiKey', in: 'header', name: 'X-Partner', prefix: '', value: null } as const;
  const { create } = await serviceWith(auth);
  expect([await create({ 'x-partner': SECRET }), await create({ 'x-partner': 'other' }), await create({})]).toEqual([
    201, 401, 401,
  ]);
  const own = await serviceWith({ ...auth, value: 'own-key' });
  expect([await own.create({ 'x-partner': 'own-key' }), await own.create({ 'x-partner': SECRET })]).toEqual([201, 401]);
});

test('a token that stays is sent behind the word that the description puts before it', async () => {
  const { create } = await serviceWith({
    kind: 'apiKey',
    in: 'header',
    name: 'Authorization',
    prefix: 'Bearer ',
    value: null,
  });
  expect([await create({ authorization: `Bearer ${SECRET}` }), await create({ authorization: SECRET })]).toEqual([
    201, 401,
  ]);
});

test('a key in the query is not part of the request, and is kept nowhere', async () => {
  const { sandbox, create } = await serviceWith({
    kind: 'apiKey',
    in: 'query',
    name: 'partner',
    prefix: '',
    value: 'k9y',
  });
  expect([await create({}, '?partner=k9y'), await create({}, '?partner=other'), await create({})]).toEqual([
    201, 401, 401,
  ]);
  expect(JSON.stringify(sandbox.requests())).not.toContain('k9y');
  const kept = await send('GET', `${sandbox.baseUrl}/_sandbox/requests/1`, {});
  expect([kept.status, kept.text.includes('k9y'), kept.text.includes('partner=***')]).toEqual([200, false, true]);
});

test('a key in a header is kept nowhere, whatever it is called', async () => {
  const { sandbox, create } = await serviceWith({
    kind: 'apiKey',
    in: 'header',
    name: 'X-Partner',
    prefix: '',
    value: 'k9y',
  });
  expect(await create({ 'x-partner': 'k9y' })).toBe(201);
  const kept = await send('GET', `${sandbox.baseUrl}/_sandbox/requests/1`, {});
  expect([kept.status, kept.text.includes('k9y')]).toEqual([200, false]);
});
