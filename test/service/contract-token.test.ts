import { describe, expect, test } from 'vitest';
import type { TokenOperation } from '../../src/request/contract/contract.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import type { CachedToken } from '../../src/request/ports.ts';
import { tokenRequest } from '../../src/service/token/token.ts';
import { httpTo, Secret, tokensOf } from '../doors/client.ts';
import { virtualClock } from '../helpers/api-client.ts';
import { type Script, startScriptedService } from '../helpers/scripted-service.ts';

const CREDENTIALS = { clientId: 'partner:1', clientSecret: new Secret('a b+c%ü') };
const operationOf = (changes: Partial<TokenOperation>): TokenOperation => ({
  ...DOCUMENTED_CONTRACT.token,
  ...changes,
});

async function prove(changes: Partial<TokenOperation>, token: Script) {
  const service = await startScriptedService({ token });
  const contract = { ...DOCUMENTED_CONTRACT, token: operationOf(changes) };
  const setup = { contract, credentials: CREDENTIALS, clock: virtualClock() };
  const tokens = tokensOf(httpTo(service.baseUrl), setup);
  const proven: CachedToken = await tokens.prove();
  const lifeSeconds = proven.expiresAtMs && (proven.expiresAtMs - proven.obtainedAtMs) / 1000;
  return { token: proven.accessToken, lifeSeconds };
}

describe('Credentials go', () => {
  test('Credentials go into the body as a form, unless the description says otherwise', () => {
    const { path, headers, body } = tokenRequest(DOCUMENTED_CONTRACT.token, CREDENTIALS);
    expect([path, headers]).toEqual([
      '/oauth/token',
      { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json, */*;q=0.1' },
    ]);
    expect(body).toBe('grant_type=client_credentials&client_id=partner%3A1&client_secret=a+b%2Bc%25%C3%BC');
  });

  test('Credentials in the header are form-encoded first, and then not in the body', () => {
    const operation = operationOf({ auth: 'basic', path: '/t', extra: { scope: 'leads write' } });
    const { path, headers, body } = tokenRequest(operation, CREDENTIALS);
    const [kind, encoded = ''] = (headers['authorization'] ?? '').split(' ');
    expect([path, kind, Buffer.from(encoded, 'base64').toString()]).toEqual([
      '/t',
      'Basic',
      'partner%3A1:a+b%2Bc%25%C3%BC',
    ]);
    expect(body).toBe('grant_type=client_credentials&scope=leads+write');
  });

  test('Credentials go into a JSON body with what else is asked for', () => {
    const { headers, body } = tokenRequest(operationOf({ encoding: 'json', extra: { audience: 'api' } }), CREDENTIALS);
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body)).toEqual({
      grant_type: 'client_credentials',
      client_id: 'partner:1',
      client_secret: 'a b+c%ü',
      audience: 'api',
    });
  });
});

describe('Token and life are read', () => {
  const documented = { answer: '/data/jwt' };

  test('Token and life are read where the description has them', async () => {
    const body = { data: { jwt: 'right' }, access_token: 'wrong', expires_in: 120 };
    expect(await prove(documented, () => ({ status: 200, body }))).toEqual({ token: 'right', lifeSeconds: 120 });
  });

  test('Token and life are read where they usually are, if the documented place is empty', async () => {
    const body = { access_token: 'usual', expires_in: 999 };
    expect(await prove(documented, () => ({ status: 200, body }))).toEqual({ token: 'usual', lifeSeconds: 999 });
  });
});

test('a service that repeats the header in its refusal gives nothing away', async () => {
  const refusing: Script = ({ headers }) => ({ status: 401, body: { message: `bad ${headers.authorization}` } });
  const error = await prove({ auth: 'basic' }, refusing).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain('refused the credentials');
  expect(String(error)).not.toContain(Buffer.from('partner%3A1').toString('base64').slice(0, 10));
});
