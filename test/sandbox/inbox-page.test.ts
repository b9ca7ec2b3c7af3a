import { beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { LEAD, partnerOf, sandboxWith, send } from './sandbox-client.ts';

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

describe('pages of other origins', () => {
  test('pages of other origins may link to the inbox, which opens in a window of its own', async () => {
    const opened = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await look('/', { ...opened, 'sec-fetch-dest': 'document' })).status).toBe(200);
    expect((await look('/', { ...opened, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
  });
});
