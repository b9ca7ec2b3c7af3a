import { expect, test } from 'vitest';
import { tokenRequestOf } from '../../src/contract/postman/postman-auth.ts';
import { createVariables, isUnknown, isUnquoted } from '../../src/contract/postman/postman-variables.ts';
import type { Json } from '../../src/request/contract.ts';

const variables = (values: Record<string, string>, environment: Json = null) =>
  createVariables({ variable: Object.entries(values).map(([key, value]) => ({ key, value })) }, environment);

test.each<[string, string]>([
  ['{{a}}', 'one'],
  ['x{{ a }}y{{b}}', 'xoney{{b}}'],
  ['{{nested}}', '<one>'],
  ['{{loop}}', '{{loop}}'],
  ['{{password}}', '<secret>'],
  ['{{api_key}}', '<secret>'],
  ['{{$guid}}', '00000000-0000-4000-8000-000000000000'],
  ['{{$randomUUID}}', '00000000-0000-4000-8000-000000000000'],
  ['{{$timestamp}}', '1735689600'],
  ['{{$isoTimestamp}}', '2025-01-01T00:00:00.000Z'],
  ['{{$randomInt}}', '1'],
  ['{{$randomBoolean}}', 'true'],
  ['{{$randomCity}}', 'randomCity'],
  ['{{$other}}', '{{$other}}'],
  ['{{off}}{{empty}}', '{{off}}{{empty}}'],
  ['{{}}', '{{}}'],
])('%s is filled as %s', (text, filled) => {
  const collection = {
    variable: [
      { key: 'a', value: 'one' },
      { key: 'nested', value: '<{{a}}>' },
      { key: 'loop', value: '{{back}}' },
      { key: 'back', value: '{{loop}}' },
      { key: 'password', value: 'p' },
      { key: 'off', value: 'x', disabled: true },
      { key: 'empty', value: '' },
    ],
  };
  expect(createVariables(collection, null).fill(text)).toBe(filled);
});

test('the environment comes before the collection, and what nobody knows is told', () => {
  const environment = {
    values: [
      { key: 'a', value: 'two', enabled: true },
      { key: 's', value: 'x', type: 'secret' },
    ],
  };
  const both = variables({ a: 'one', b: 'b' }, environment);
  expect(both.fill('{{a}}{{b}}{{s}}{{ none }}')).toBe('twob<secret>{{ none }}');
  expect([...both.unknown]).toEqual(['none']);
});

test.each<[string, string]>([
  ['{{token_url}}', 'https://login.example.com/oauth'],
  ['{{token_path}}', '/oauth/v2/token'],
  ['{{token}}', '{{token}}'],
  ['{{long_token}}', '{{long_token}}'],
  ['{{$guid}}', '{{$guid}}'],
])('in an address, %s is %s', (text, filled) => {
  const values = {
    token_url: 'https://login.example.com/oauth',
    token_path: '/oauth/v2/token',
    token: 'abc@def?x',
    long_token: '/abcdefghij123456',
  };
  expect(variables(values).fillAddress(text)).toBe(filled);
});

test.each<[string, string, boolean]>([
  ['token', 'https://login.example.com/oauth', true],
  ['token', ' /oauth/v2/token ', true],
  ['token', '/oauth/{{version}}', true],
  ['token', '/abcdefghij12345', true],
  ['token', '/abcdefghij123456', false],
  ['token', '/abcdefghijklmnop', true],
  ['token', `/${'a'.repeat(30)}`, true],
  ['token', `/${'a'.repeat(31)}`, false],
  ['token', 'abc@def?x', false],
  ['name', '/oauth/v2/token', false],
])('of the secret %s, that %j is an address is %s', (name, value, isAddress) => {
  expect(variables({ [name]: value }).isAddress(value.trim())).toBe(isAddress);
});

test.each<[string, string]>([
  ['{"a": "{{q}}", "b": {{n}}}', '{"a": "say \\"x\\"", "b": 7}'],
  ['{"a": {{t}}}', '{"a": "text"}'],
  ['{"a": {{none}}, "b": "{{none}}"}', '{"a": "{{#none}}", "b": "{{none}}"}'],
  ['{"a": 1, // not {{n}}\n"b": 2}', '{"a": 1, "b": 2}'],
  ['{"a": 1 /* {{n}} "x" */}', '{"a": 1 }'],
  ['{"a": /**/1}', '{"a": 1}'],
  ['{"a": "// no {{n}}"}', '{"a": "// no 7"}'],
  ['{"a": "x\\"{{n}}"}', '{"a": "x\\"7"}'],
  ['{"a": "{{n}}', '{"a": "7'],
  ['1 / 2', '1 / 2'],
  ['1 // end', '1 '],
  ['1 /* end', '1 '],
])('the JSON %s is filled as %s', (text, filled) => {
  const filling = variables({ q: 'say "x"', n: '7', t: 'text' });
  expect(filling.fillJson(text)).toBe(filled);
  expect([...filling.unknownPlain]).toEqual(text.includes('none') ? ['none'] : []);
});

test('twenty variables within each other are filled, and not more', () => {
  const chain = (length: number) => {
    const values = Object.fromEntries(Array.from({ length }, (_, at) => [`v${at}`, `{{v${at + 1}}}`]));
    return variables({ ...values, [`v${length}`]: 'end' }).fill('{{v0}}');
  };
  expect(chain(19)).toBe('end');
  expect(isUnknown(chain(20))).toBe(true);
});

test('a variable may stand for 64 KiB of others, and all of them for 32 MiB', () => {
  const half = 'x'.repeat(1 << 15);
  expect(variables({ half, a: '{{half}}{{half}}' }).fill('{{a}}')).toHaveLength(1 << 16);
  expect(() => variables({ half, one: 'x', a: '{{half}}{{half}}{{one}}' }).fill('{{a}}')).toThrow(
    'expand to too much text',
  );
  const all = variables({ half });
  for (let times = 0; times < 1 << 10; times += 1) all.fill('{{half}}');
  expect(() => all.fill('{{half}}')).toThrow('expand to too much text');
});

test('what is unknown, and what has no quotes, is recognised', () => {
  expect(['{{a}}', 'x{{#a}}', '{{}}', 'a'].map(isUnknown)).toEqual([true, true, false, false]);
  expect(['{{#a}}', 'x{{#a}}', '{{a}}'].map(isUnquoted)).toEqual([true, false, false]);
});

test.each<[string, Record<string, string>, object | null]>([
  [
    'a body with the credentials',
    { client_authentication: 'body', scope: 's' },
    { type: 'noauth', keys: ['grant_type', 'client_id', 'client_secret', 'scope'] },
  ],
  [
    'Basic, unless it says otherwise',
    { audience: 'a', resource: 'r', scope: '' },
    { type: 'basic', keys: ['grant_type', 'audience', 'resource'] },
  ],
  ['nothing without an address', { accessTokenUrl: '' }, null],
  ['nothing by another grant', { grant_type: 'implicit' }, null],
])('a token is asked for by %s', (_, more, expected) => {
  const settings = { grant_type: 'client_credentials', accessTokenUrl: 'https://a.example/token', ...more };
  const oauth2 = Object.entries(settings).map(([key, value]) => ({ key, value }));
  const request = tokenRequestOf({ settings: { type: 'oauth2', oauth2 }, where: '' });
  const { auth, body } = (request ?? {}) as { auth?: { type: string }; body?: { urlencoded: { key: string }[] } };
  expect(request === null ? null : { type: auth?.type, keys: body?.urlencoded.map(({ key }) => key) }).toEqual(
    expected,
  );
  expect(tokenRequestOf({ settings: { type: 'bearer', oauth2 }, where: '' })).toBeNull();
});
