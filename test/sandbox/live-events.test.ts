import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { JSON_TYPE, LEAD, partnerOf, sandboxWith, send } from './sandbox-client.ts';

/** The events of a sandbox, one after the other, as a page gets them. */
async function* eventsOf(sandbox: Sandbox): AsyncGenerator<Record<string, unknown>> {
  const response = await fetch(`${sandbox.baseUrl}/_sandbox/events`);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) yield JSON.parse(event.replace('data: ', ''));
  }
}

async function nextWhere(events: AsyncGenerator<Record<string, unknown>>, wanted: Record<string, unknown>) {
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error('The events ended.');
    if (Object.entries(wanted).every(([name, each]) => JSON.stringify(value[name]) === JSON.stringify(each)))
      return value;
  }
}

test('the first event tells what there is, later ones what has changed', async () => {
  const sandbox = await sandboxWith({ faults: { '500': 0.5 } });
  const events = eventsOf(sandbox);
  expect((await events.next()).value).toEqual({
    first: 1,
    count: 0,
    created: 0,
    faults: { '500': 0.5 },
    settings: { latencyMs: 0, ratePerSecond: null, tokenTtlSeconds: 3600 },
  });
  sandbox.setFaults({});
  await nextWhere(events, { faults: {} });
  const { create } = await partnerOf(sandbox);
  await create(LEAD);
  await nextWhere(events, { first: 1, count: 2, created: 1 });
  await send('PUT', `${sandbox.baseUrl}/_sandbox/settings`, JSON_TYPE, '{"latencyMs":3}');
  await nextWhere(events, { settings: { latencyMs: 3, ratePerSecond: null, tokenTtlSeconds: 3600 } });
  await send('DELETE', `${sandbox.baseUrl}/_sandbox/requests`);
  await nextWhere(events, { first: 3, count: 0, created: 0 });
});

test('many requests are few events', async () => {
  const sandbox = await sandboxWith();
  const events = eventsOf(sandbox);
  await events.next();
  const { create } = await partnerOf(sandbox);
  const beganMs = performance.now();
  for (let row = 0; row < 200; row++) await create({ ...LEAD, fullname: `Row ${row}` });
  let seen = 1;
  while ((await events.next()).value?.['created'] !== 200) seen += 1;
  expect(seen).toBeLessThan(5 + (performance.now() - beganMs) / 90);
});

test('the events end with the sandbox', async () => {
  const sandbox = await sandboxWith();
  const events = eventsOf(sandbox);
  await events.next();
  await sandbox.close();
  expect(await events.next().catch(() => ({ done: true }))).toMatchObject({ done: true });
});
