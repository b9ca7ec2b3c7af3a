import { beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { LEAD, partnerOf, sandboxWith, send } from './sandbox-client.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await sandboxWith();
});

const look = (address: string, headers: Record<string, string> = {}) =>
  send('GET', `${sandbox.baseUrl}${address}`, headers);
const seen = async (query = '') => JSON.parse((await look(`/_sandbox/requests?${query}`)).text);

/** The numbers of the requests in the list, in its order. */
const listed = async (query: string) => (await seen(query)).items.map(({ number }: { number: number }) => number);

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
  expect(text).toContain(`${sandbox.baseUrl.slice('http://'.length)}/_sandbox/faults</code>`);
});

test('the list has the newest hundred in the order of their arrival, and follows a filter', async () => {
  const { create } = await partnerOf(sandbox);
  for (let row = 1; row <= 120; row++) {
    await create({ ...LEAD, fullname: `Castelo${row}` });
  }
  expect((await seen()).total).toBe(121);
  const newest = await listed('');
  expect([newest[0], newest.at(-1), newest.length]).toEqual([22, 121, 100]);
  expect(await listed('limit=2')).toEqual([120, 121]);
  expect(await listed('limit=0')).toEqual([]);
  expect(await listed('limit=10000')).toHaveLength(121);
  expect(await listed('text=create+castelo3')).toEqual([4, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40]);
  expect(await listed('operation=token&text=')).toEqual([1]);
  expect(await listed('text=nobody')).toEqual([]);
  expect((await look('/_sandbox/requests?operation=odd')).text).toContain(
    'operation is one of token, create, validate.',
  );
});

describe('pages of other origins', () => {
  test('pages of other origins may link to the inbox, which opens in a window of its own', async () => {
    const opened = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await look('/', { ...opened, 'sec-fetch-dest': 'document' })).status).toBe(200);
    expect((await look('/', { ...opened, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
  });
});
