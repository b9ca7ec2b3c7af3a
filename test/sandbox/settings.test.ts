import { beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { askToken, handClock, JSON_TYPE, LEAD, partnerOf, sandboxWith, send } from './sandbox-client.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await sandboxWith({ now: handClock().now });
});

const put = async (body: unknown) => {
  const { status, text } = await send('PUT', `${sandbox.baseUrl}/_sandbox/settings`, JSON_TYPE, JSON.stringify(body));
  return { status, ...JSON.parse(text) };
};

test('settings are changed one by one while the sandbox runs', async () => {
  expect(await put({})).toEqual({ status: 200, latencyMs: 0, ratePerSecond: null, tokenTtlSeconds: 3600 });
  expect(await put({ latencyMs: 1 })).toMatchObject({ latencyMs: 1, ratePerSecond: null });
  expect(await put({ ratePerSecond: 0.5 })).toMatchObject({ latencyMs: 1, ratePerSecond: 0.5 });
  expect(JSON.parse((await send('GET', `${sandbox.baseUrl}/_sandbox/settings`)).text)).toEqual({
    latencyMs: 1,
    ratePerSecond: 0.5,
    tokenTtlSeconds: 3600,
  });
});

test('a rate acts at once, is not filled up by being set again, and is lifted by null', async () => {
  const { create } = await partnerOf(sandbox);
  const statuses: number[] = [];
  for (const ratePerSecond of [1, 1, null]) {
    await put({ ratePerSecond });
    statuses.push((await create(LEAD)).status);
  }
  expect(statuses).toEqual([201, 429, 201]);
});

test('the life of a token is that of the time when it is granted', async () => {
  await put({ tokenTtlSeconds: 7 });
  expect(JSON.parse((await askToken(sandbox)).text)).toMatchObject({ expires_in: 7 });
});

test.each([{ latencyMs: -1 }, { ratePerSecond: 0 }, { tokenTtlSeconds: 1.5 }, { colour: 'red' }, [], 'fast'])(
  '%j is refused and changes nothing',
  async (settings) => {
    expect(await put(settings)).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(await put({})).toMatchObject({ latencyMs: 0, ratePerSecond: null, tokenTtlSeconds: 3600 });
  },
);
