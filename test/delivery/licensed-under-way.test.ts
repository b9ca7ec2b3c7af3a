import { expect } from 'vitest';
import { requestOfRow } from '../helpers/delivery.ts';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';

test('a request that is sent again under a licence cannot be settled by a person meanwhile', async ({ desk }) => {
  let arrived = () => {};
  const hasArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const service = await startScriptedService({
    create: async ({ number }) => {
      if (number === 1) return null;
      arrived();
      await isAnswered;
      return { status: 201, body: { id: '4712' } };
    },
  });
  desk.use({ baseUrl: service.baseUrl, clientId: '4711' });
  const create = ['create', ...requestOfRow(1), '--no-validate', '--json'];
  const doubted = documentOf(await desk.run(...create));
  expect(doubted['status']).toBe('unknown');
  const key = String(doubted['key']);
  expect((await desk.run('resolve', key, '--not-created')).code).toBe(0);

  const sending = desk.start(create);
  await hasArrived;
  const before = desk.records();
  expect(before.at(-1)).toMatchObject({ key, event: 'sending' });
  expect((await desk.run('resolve')).stdout).toContain('it is still under way, or its outcome is unknown');
  for (const word of [['--not-created'], ['--created'], ['--created', '4711']]) {
    const ended = await desk.run('resolve', key, ...word, '--json');
    expect([word, ended.code]).toEqual([word, 9]);
    expect(documentOf(ended)).toMatchObject({ error: { message: expect.stringContaining('may be under way') } });
  }
  expect(desk.records()).toEqual(before);
  answer();
  expect(documentOf(await sending.ended)).toMatchObject({ status: 'created', ids: { id: '4712' } });
  expect(service.creates()).toHaveLength(2);
});
