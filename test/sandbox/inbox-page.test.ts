import { beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { JSON_TYPE, LEAD, partnerOf, sandboxWith, send } from './sandbox-client.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await sandboxWith();
});

const look = (address: string, headers: Record<string, string> = {}) =>
  send('GET', `${sandbox.baseUrl}${address}`, headers);
const seen = async (query = '') => JSON.parse((await look(`/_sandbox/inbox?${query}`)).text);

/** The numbers of the requests in the list, in its order. */
const listed = async (query: string) => (await seen(query)).requests.map(({ number }: { number: number }) => number);

test('the page of the inbox may run and load nothing but itself, and call nobody but the sandbox', async () => {
  const { headers, text } = await look('/');
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
  });
  const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(text) ?? [];
  expect(policy.split('; ').sort()).toEqual([
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "form-action 'none'",
    'img-src data:',
    expect.stringMatching(/^script-src 'sha256-[^' ]+'$/),
    expect.stringMatching(/^style-src 'sha256-[^' ]+'$/),
  ]);
  expect(text).not.toMatch(/\sstyle=|\son\w+=|https?:/);
});

test('what the page of the inbox draws holds no markup and no invisible characters', async () => {
  const hostile = { fullname: '</script><img src=x>', location: '\u202Egnp.exe', '<b>\u202E': '&amp;' };
  await (await partnerOf(sandbox)).create({ ...LEAD, ...hostile });
  for (const query of ['', 'request=2'])
    expect((await look(`/_sandbox/inbox?${query}`)).text).not.toMatch(/[<>&\u202E]/);
  expect((await seen('request=2')).request.params).toContainEqual(['location', '\\u{202e}gnp.exe']);
});

test('the list has the newest first, at most a hundred, and follows a filter', async () => {
  const { create } = await partnerOf(sandbox);
  for (let row = 1; row <= 120; row++) {
    await create({ ...LEAD, fullname: `Castelo${row}` });
  }
  expect((await seen()).texts).toMatchObject({ totals: '121 requests, 120 created', shown: '100 of 121 shown' });
  const newest = await listed('');
  expect([newest[0], newest.at(-1), newest.length]).toEqual([121, 22, 100]);
  expect(await listed('text=create+castelo3')).toEqual([40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 4]);
  expect(await listed('operation=token&text=')).toEqual([1]);
  expect(await listed('text=nobody')).toEqual([]);
  expect((await look('/_sandbox/inbox?operation=odd')).text).toContain('operation is one of token, create, validate.');
});

describe('a request', () => {
  test('a request in the inbox is shown in full, without its token', async () => {
    const { create, token } = await partnerOf(sandbox);
    await create(LEAD);
    const { text } = await look('/_sandbox/inbox?request=2');
    expect(text).not.toContain(token);
    expect(JSON.parse(text).request).toMatchObject({
      ...{ operation: 'create', status: 201 },
      params: expect.arrayContaining([['request_text', LEAD['request_text']]]),
      exchange: {
        ...{ method: 'POST', path: '/v1/request/create', body: expect.stringContaining('request_text=') },
        answer: { status: 201, body: expect.stringContaining('"request_id": ') },
      },
    });
    expect((await seen('request=9')).request).toEqual({ number: 9, note: 'Nothing is kept under this number.' });
  });

  test.each([
    [
      '{ "id" :12345678901234567890,\n"none": [ ] , "of":{}}',
      '{\n  "id": 12345678901234567890,\n  "none": [],\n  "of": {}\n}',
    ],
    ['{"a":[1,2', '{"a":[1,2'],
    ['['.repeat(60) + ']'.repeat(60), '['.repeat(60) + ']'.repeat(60)],
  ])('a request in the inbox has JSON indented, every digit kept: %s', async (body, indented) => {
    await send('POST', `${sandbox.baseUrl}/v1/request/create`, JSON_TYPE, body);
    expect((await seen('request=1')).request.exchange.body).toBe(indented);
  });
});

describe('pages of other origins', () => {
  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { origin: 'null' }],
  ])('pages of other origins, %s, can neither read nor change the inbox', async (_who, headers) => {
    for (const address of ['/', '/_sandbox/requests', '/_sandbox/requests/1', '/_sandbox/faults', '/_sandbox/inbox']) {
      const reply = await look(address, headers);
      expect([address, reply.status]).toEqual([address, 403]);
      expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    for (const [method, address] of [
      ['PUT', '/_sandbox/faults'],
      ['PUT', '//example.com/_sandbox/faults'],
      ['DELETE', '/_sandbox/requests'],
    ] as const) {
      const reply = await send(method, sandbox.baseUrl + address, { ...JSON_TYPE, ...headers }, '{"500":1}');
      expect([address, reply.status]).toEqual([address, 403]);
    }
  });

  test('pages of other origins may link to the inbox, which opens in a window of its own', async () => {
    const opened = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await look('/', { ...opened, 'sec-fetch-dest': 'document' })).status).toBe(200);
    expect((await look('/', { ...opened, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
  });
});
