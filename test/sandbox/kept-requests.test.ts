import { expect, test } from 'vitest';
import { FORM, grantedToken, LEAD, partnerOf, sandboxWith, send } from './sandbox-client.ts';

test('a body of more than 64 kB is not kept, but the request is', async () => {
  const { baseUrl } = await sandboxWith();
  for (const kilobytes of [64, 65])
    await send('POST', `${baseUrl}/v1/request/create`, { 'content-type': 'text/plain' }, 'x'.repeat(kilobytes * 1024));
  const bodyOf = async (number: number) =>
    JSON.parse((await send('GET', `${baseUrl}/_sandbox/requests/${number}`)).text).exchange.body?.length ?? null;
  expect([await bodyOf(1), await bodyOf(2)]).toEqual([64 * 1024, null]);
});

test('a connection stays open for longer than a busy client needs it', async () => {
  const { headers } = await send('POST', `${(await sandboxWith()).baseUrl}/oauth/token`, FORM);
  expect(headers['keep-alive']).toBe('timeout=75');
});

test('after everything was forgotten, requests are still numbered on, and an old number leads nowhere', async () => {
  const sandbox = await sandboxWith();
  await grantedToken(sandbox);
  await send('DELETE', `${sandbox.baseUrl}/_sandbox/requests`);
  await grantedToken(sandbox);
  const read = async (number: number) =>
    JSON.parse((await send('GET', `${sandbox.baseUrl}/_sandbox/requests/${number}`)).text);
  expect([await read(1), (await read(2)).number]).toEqual([null, 2]);
});

test('the oldest requests make room beyond a number; what was created is counted for all of them', async () => {
  const sandbox = await sandboxWith({ keep: 3 });
  const { create } = await partnerOf(sandbox);
  for (const fullname of ['Row 1', 'Row 1', 'Row 2', 'Row 3', 'Row 4']) await create({ ...LEAD, fullname });
  expect(sandbox.requests().map(({ number }) => number)).toEqual([4, 5, 6]);
  const got = async (call: string) => JSON.parse((await send('GET', `${sandbox.baseUrl}/_sandbox/${call}`)).text);
  expect(await got('stats')).toMatchObject({ created: 5, distinct: 4, doubled: 1 });
  expect([(await got('requests')).total, await got('requests/3')]).toEqual([3, null]);
});
