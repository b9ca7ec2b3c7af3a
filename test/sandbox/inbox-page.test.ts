import { beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { sandboxWith, send } from './sandbox-client.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await sandboxWith();
});

test.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another port of this machine', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
  ['a page without an origin', { origin: 'null' }],
])('%s cannot read', async (_who, headers) => {
  for (const call of ['requests', 'requests/1', 'faults']) {
    const reply = await send('GET', `${sandbox.baseUrl}/_sandbox/${call}`, headers);
    expect([call, reply.status]).toEqual([call, 403]);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('the inbox itself may do all of it', async () => {
  const own = { 'sec-fetch-site': 'same-origin', origin: sandbox.baseUrl };
  expect((await send('GET', `${sandbox.baseUrl}/_sandbox/requests`, own)).status).toBe(200);
  expect((await send('DELETE', `${sandbox.baseUrl}/_sandbox/requests`, own)).status).toBe(204);
});
