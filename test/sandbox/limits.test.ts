import { expect, test } from 'vitest';
import {
  connectionError,
  FORM,
  grantedToken,
  handClock,
  LEAD,
  partnerOf,
  sandboxWith,
  send,
} from './sandbox-client.ts';

test('over the rate, create and validate share 429 with Retry-After; the token operation does not', async () => {
  const clock = handClock();
  const sandbox = await sandboxWith({ ratePerSecond: 2, now: clock.now });
  const { create, validate } = await partnerOf(sandbox);
  const statuses = [await create(LEAD), await validate(LEAD), await create(LEAD)].map((reply) => reply.status);
  expect(statuses).toEqual([201, 200, 429]);
  const refused = await validate(LEAD);
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
  expect(await grantedToken(sandbox)).not.toBe('');
  clock.passMs(500);
  expect([(await create(LEAD)).status, (await create(LEAD)).status]).toEqual([201, 429]);
});

test('with a latency, a request takes effect before its answer goes', async () => {
  const sandbox = await sandboxWith({ latencyMs: 20_000 });
  const token = send('POST', `${sandbox.baseUrl}/oauth/token`, FORM, `grant_type=client_credentials`);
  const failed = connectionError(token);
  while (sandbox.requests().length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(sandbox.requests()[0]).toMatchObject({ operation: 'token', status: 401, answerMs: null });
  await sandbox.close();
  expect(await failed).toBe('ECONNRESET');
});
