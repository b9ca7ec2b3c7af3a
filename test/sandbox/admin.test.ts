import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { creates, JSON_TYPE, LEAD, partnerOf, send, startCalmSandbox } from './sandbox-client.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startCalmSandbox();
});
afterEach(() => sandbox.close());

const admin = (method: string, call: string, body?: unknown, headers: Record<string, string> = {}) =>
  send(method, `${sandbox.baseUrl}/_sandbox/${call}`, { ...JSON_TYPE, ...headers }, JSON.stringify(body));

const got = async (call: string) => JSON.parse((await admin('GET', call)).text);

async function createRows(count: number): Promise<void> {
  const { create } = await partnerOf(sandbox);
  for (let row = 1; row <= count; row++) await create({ ...LEAD, fullname: `Row ${row}` });
}

test('received requests come in pages, in order, with what was sent and answered', async () => {
  await createRows(5);
  await expect.poll(() => sandbox.requests()[4]?.answerMs, { timeout: 60_000 }).toEqual(expect.any(Number));
  const page = await got('requests?operation=create&offset=3&limit=1');
  expect(page).toEqual({
    offset: 3,
    limit: 1,
    total: 5,
    items: [
      {
        number: 5,
        operation: 'create',
        receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        encoding: 'form',
        params: { ...LEAD, fullname: 'Row 4' },
        audio: null,
        key: expect.stringMatching(/^[0-9a-f]{32}$/),
        status: 201,
        fault: null,
        requestId: expect.stringMatching(/^\d{20}$/),
        verdict: null,
        answerMs: expect.any(Number),
      },
    ],
  });
  expect(page.items[0]).toEqual(sandbox.requests()[4]);
});

test('faults are shown with their meaning and changed while the sandbox runs', async () => {
  expect((await admin('PUT', 'faults', { '500': 1 })).status).toBe(200);
  const shown = await got('faults');
  expect(shown.rates).toEqual({ '500': 1 });
  expect(shown.kinds['reset-after']).toContain('answer is lost');
  const { create } = await partnerOf(sandbox);
  expect((await create(LEAD)).status).toBe(500);
  await admin('PUT', 'faults', {});
  expect((await create(LEAD)).status).toBe(201);
});

test.each([
  ['PUT', 'faults', { meteor: 1 }, 'There is no fault "meteor"'],
  ['PUT', 'faults', [1], 'one JSON object'],
  ['PUT', 'faults', undefined, 'not JSON'],
  ['PUT', 'instructions', { on: 'create', fault: 'meteor' }, 'fault'],
  ['PUT', 'instructions', { on: 'create', fault: '500', when: 'now' }, 'when'],
  ['GET', 'requests?limit=many', undefined, 'limit must be a whole number'],
  ['GET', 'requests?operation=delete', undefined, 'operation is one of'],
])('the sandbox refuses %s %s with %j and says why', async (method, call, body, reason) => {
  const reply = await admin(method, call, body);
  expect([reply.status, JSON.parse(reply.text).message]).toEqual([400, expect.stringContaining(reason)]);
});

test('wait answers when that many requests were created, and says so when they were not', async () => {
  const waiting = admin('GET', 'wait?created=3&timeoutMs=30000');
  await createRows(3);
  expect(JSON.parse((await waiting).text)).toEqual({ reached: true, created: 3 });
  expect(await got('wait?created=4&timeoutMs=20')).toEqual({ reached: false, created: 3 });
});

test('the sandbox answers only under the names of this machine: no DNS rebinding', async () => {
  for (const path of ['/', '/_sandbox/requests', '/oauth/token']) {
    const reply = await send('GET', `${sandbox.baseUrl}${path}`, { host: 'rebound.example.com' });
    expect([path, reply.status]).toEqual([path, 403]);
  }
  for (const host of ['localhost:4010', '127.0.0.1', '[::1]:1']) {
    expect((await send('GET', `${sandbox.baseUrl}/`, { host })).status).toBe(200);
  }
  expect((await send('GET', `${sandbox.baseUrl}/`, { host: 'localhost.example.com' })).status).toBe(403);
});

test('pages of other origins cannot call the operations, nor use up an instruction meant for another', async () => {
  sandbox.setInstructions([{ on: 'create', fault: '500', times: 1 }]);
  const { token, create } = await partnerOf(sandbox);
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}`, origin: 'http://example.com' };
  const path = `${sandbox.baseUrl}/v1/request/create`;
  expect((await send('POST', path, headers, JSON.stringify(LEAD))).status).toBe(403);
  expect([creates(sandbox), (await create(LEAD)).status]).toEqual([[], 500]);
});

test('without an inbox only the three operations are answered, whoever asks', async () => {
  const embedded = await startCalmSandbox({ hasInbox: false });
  onTestFinished(() => embedded.close());
  const { create, validate } = await partnerOf(embedded);
  expect((await create(LEAD)).status).toBe(201);
  const own = { 'sec-fetch-site': 'same-origin', origin: embedded.baseUrl, accept: 'text/html' };
  const before = embedded.requests();
  const { message } = JSON.parse((await send('GET', `${sandbox.baseUrl}/_sandbox/odd`)).text);
  const calls: string[] = message.replace('Admin calls: ', '').slice(0, -1).split('; ');
  expect(calls.length).toBeGreaterThan(9);
  for (const [method, call] of [
    ['GET', ''],
    ['GET', '_sandbox/'],
    ...calls.map((line) => line.replace('NUMBER', '2').split(' /') as [string, string]),
  ] as const) {
    for (const headers of [{}, own]) {
      const reply = await send(
        method,
        `${embedded.baseUrl}/${call}`,
        { ...JSON_TYPE, ...headers },
        method === 'PUT' ? '{}' : '',
      );
      expect([method, call, reply.status]).toEqual([method, call, 404]);
      expect(reply.text).not.toContain(LEAD['fullname']);
    }
  }
  expect(embedded.requests()).toEqual(before);
  expect((await validate(LEAD)).status).toBe(200);
  expect(creates(embedded)).toHaveLength(1);
});
