import { describe, expect, test } from 'vitest';
import { errorTextPlaces } from '../../src/contract/learn/answer-meaning.ts';
import type { DescribedAnswer } from '../../src/contract/learn/answers.ts';
import { aCollection, anItem, described } from './collections.ts';
import { answer, learnParts } from './describe-request.ts';

interface Token {
  readonly properties?: object;
  readonly words?: string;
  readonly answerWords?: string;
  readonly body?: object;
  readonly operation?: object;
}

const text = { type: 'string' };
const CLIENT = { grant_type: { const: 'client_credentials' }, client_id: text, client_secret: text };

/** What is learned of an operation for tokens that answers so. */
function learnToken({
  properties = { access_token: text },
  words = '',
  answerWords = '',
  body = {},
  operation = {},
}: Token) {
  const schema = { properties: CLIENT, ...body };
  const post = {
    description: words,
    requestBody: { content: { 'application/x-www-form-urlencoded': { schema } } },
    responses: { 200: answer(properties, answerWords) },
    ...operation,
  };
  const { contract, questions } = learnParts({ paths: { '/oauth/token': { post } } });
  const told = (setting: string) => contract.findings.find((each) => each.setting === setting)?.value;
  return { token: contract.token, told, asked: questions.map(({ name }) => name) };
}

describe('The lifetime of a token', () => {
  test.each<[string, number | null]>([
    ['Tokens are valid for 45 seconds.', 45],
    ['Tokens expire after 30 minutes.', 1800],
    ['The lifetime is 2 hours.', 7200],
    ['A token lives 90 s.', 90],
    ['Valid for 5 min.', 300],
    ['Valid for 10 m', 600],
    ['Expires in 3 h', 10_800],
    ['Valid for 0 seconds.', null],
    ['Valid for 7 days.', null],
    ['Ask again after 30 minutes.', null],
  ])('is read from words: %s', (words, seconds) => {
    for (const each of [
      { words },
      { answerWords: words },
      { properties: { access_token: { ...text, description: words } } },
    ]) {
      const { token, told } = learnToken(each);
      expect([token.lifetimeSeconds, told('token.lifetimeSeconds')]).toEqual([
        seconds,
        seconds === null ? undefined : String(seconds),
      ]);
    }
  });

  test.each(['expires_in', 'expireIn', 'ttl', 'lifetime', 'validFor', 'expires'])(
    'is that of the member %s',
    (name) => {
      const of = (example: number) =>
        learnToken({
          words: 'Valid for 5 minutes.',
          properties: { token: text, [name]: { type: 'integer', example } },
        });
      expect(of(3600).token).toMatchObject({
        lifetimePointer: `/${name}`,
        lifetimeSeconds: 3600,
        tokenPointer: '/token',
      });
      expect([of(1).told('token.lifetime'), of(1).token.lifetimeSeconds]).toEqual([`/${name}`, 1]);
      expect(of(0).token.lifetimeSeconds).toBe(300);
    },
  );
});

test.each(['access_token', 'bearerToken', 'idToken', 'token'])('a token is that of the member %s', (name) => {
  const { token, told } = learnToken({ properties: { other: text, [name]: text } });
  expect([token.tokenPointer, told('token.pointer')]).toEqual([`/${name}`, `/${name}`]);
});

test('a token is in no other member, and nothing is told of it', () => {
  const { token, told } = learnToken({ properties: { refresh_token: text } });
  expect([token.tokenPointer, token.lifetimePointer, told('token.pointer'), told('token.lifetime')]).toEqual([
    null,
    null,
    undefined,
    undefined,
  ]);
});

test('the credentials go where the operation has them', () => {
  const { token, told } = learnToken({});
  expect([token.auth, token.encoding, told('token.auth')]).toEqual(['body', 'form', 'body']);
  const basic = learnToken({
    words: 'Takes client credentials by Basic.',
    body: { properties: { grant_type: CLIENT.grant_type } },
  });
  expect([basic.token.auth, basic.told('token.auth')]).toEqual(['basic', 'basic']);
});

test('what else a token request has to hold is sent or asked for', () => {
  const body = {
    properties: {
      ...CLIENT,
      audience: { const: 'leads' },
      tenant: text,
      realm: { default: 'r' },
      note: { const: 'n' },
    },
    required: ['audience', 'tenant', 'realm'],
  };
  const { token, told, asked } = learnToken({ body });
  expect(token.extra).toEqual({ audience: 'leads', realm: 'r' });
  expect([told('token.audience'), told('token.realm'), told('token.note')]).toEqual(['leads', 'r', undefined]);
  expect(asked).toContain('constant:tenant');
});

test('a refusal about the data is asked for its reason before one about the caller', () => {
  const place = (name: string) => ({ pointer: `/${name}`, path: [name], words: [name], types: ['string'] });
  const refusal = (status: number): DescribedAnswer => ({
    ...{ status, description: '', pointer: `/${status}`, headers: [], source: 'schema', sample: null },
    places: [{ ...place('message'), values: [], isEnum: false, description: '' }],
  });
  const first = (...statuses: number[]) => errorTextPlaces(statuses.map(refusal)).where;
  expect([first(401, 404), first(429, 404), first(404, 409), first(409, 400), first(400, 422)]).toEqual([
    '/404',
    '/404',
    '/409',
    '/400',
    '/422',
  ]);
});

test('a collection is authorized by each key that it shows, in headers and in the query', () => {
  const header = (...keys: string[]) => keys.map((key) => ({ key, value: key === 'Authorization' ? 'Token x' : 'x' }));
  const schemes = (request: object) => {
    const { components } = described(aCollection(anItem({}, request as never))).document as never as {
      components: { securitySchemes: Record<string, { type: string; in?: string; name?: string; scheme?: string }> };
    };
    return Object.values(components.securitySchemes).map((each) => each.scheme ?? `${each.in} ${each.name}`);
  };
  expect(schemes({ header: header('X-Api-Key') })).toEqual(['header X-Api-Key']);
  expect(schemes({ header: header('Authorization', 'X-Api-Key') })).toEqual([
    'header Authorization',
    'header X-Api-Key',
  ]);
  expect(schemes({ header: [{ key: 'Authorization', value: 'Basic x' }, ...header('X-Api-Key')] })).toEqual([
    'basic',
    'header X-Api-Key',
  ]);
  expect(schemes({ header: [{ key: 'Authorization', value: 'Bearer x' }] })).toEqual(['bearer']);
  expect(schemes({ header: header('X-Csrf-Token', 'X-Signature-Key') })).toEqual([]);
});

test('the place of each parameter of a collection is known', () => {
  const header = ['X-One', 'X-Api-Key', 'X-Two'].map((key) => ({ key, value: '1' }));
  const { where, document } = described(aCollection(anItem({}, { header })));
  const post = (document as never as { paths: Record<string, { post: { parameters: { name: string }[] } }> }).paths[
    '/a'
  ]?.post;
  expect(post?.parameters.map(({ name }) => name)).toEqual(['X-One', 'X-Two']);
  expect(where('/paths/~1a/post/parameters/0')).toBe('/item/0/request/header/0');
  expect(where('/paths/~1a/post/parameters/1')).toBe('/item/0/request/header/2');
});
