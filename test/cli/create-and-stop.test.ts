import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { REQUEST } from '../helpers/leads.ts';
import { rawAnswer, startRawService } from '../helpers/raw-service.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { LEAD } from '../sandbox/sandbox-client.ts';

const isAbout = (body: string, need: string) => new URLSearchParams(body).get('request_text') === need;

/** Creates requests with these needs from one file. */
function createFile(desk: Desk, needs: readonly string[]) {
  const requests = needs.map((request_text) => ({ ...LEAD, request_text }));
  return desk.run('create', '--file', desk.write('few.json', JSON.stringify(requests)), '--json');
}

/** A service that gives tokens and answers a create so; the desk leads to it. */
async function serviceThat(desk: Desk, onCreate: () => string): Promise<void> {
  const json = { 'content-type': 'application/json' };
  const { port } = await startRawService((socket, { head }) => {
    const isCreate = head.startsWith(`POST /v1/request/create `);
    socket.write(isCreate ? onCreate() : rawAnswer('200 OK', '{"access_token":"token-1"}', json));
  });
  desk.use({ baseUrl: `http://127.0.0.1:${port}`, clientId: '4711' });
}

const create = (desk: Desk) => desk.run('create', ...REQUEST, '--no-validate', '--json');

test('a create whose result the log cannot keep shows it all the same: exit code 9', async ({ desk }) => {
  await serviceThat(desk, () => {
    rmSync(join(desk.state, 'default.ndjson'));
    return rawAnswer('201 Created', '{"request_id":"12345678901234567890"}', { 'content-type': 'application/json' });
  });
  const ended = await create(desk);
  const shown = { status: 'created', ids: { request_id: '12345678901234567890' } };
  expect([ended.code, documentOf(ended)]).toEqual([9, expect.objectContaining(shown)]);
  expect(ended.stderr).toContain('deleted');
});

test('a create whose log was taken away after the last one sends nothing: exit code 9', async ({ desk }) => {
  let creates = 0;
  await serviceThat(desk, () => {
    creates += 1;
    return rawAnswer('201 Created', '{"request_id":"12345678901234567890"}', { 'content-type': 'application/json' });
  });
  expect((await create(desk)).code).toBe(0);
  rmSync(join(desk.state, 'default.ndjson'));
  const ended = await create(desk);
  expect([ended.code, documentOf(ended)]).toEqual([
    9,
    { error: expect.objectContaining({ code: 'log', reason: 'log.incomplete' }) },
  ]);
  expect(creates).toBe(1);
});

test('of several requests each is reported by what is known, also if the log fails in the middle: exit code 9', async ({
  desk,
}) => {
  const needs = ['um', 'dois', 'três', 'quatro'];
  const log = join(desk.state, 'default.ndjson');
  const created = new Set<string>();
  let isGone = false;
  const service = await startScriptedService({
    create: ({ body, number }) => {
      if (isAbout(body, 'três')) return null;
      created.add(body);
      return { status: 201, body: { id: String(4710 + number) } };
    },
    validate: ({ body }) => {
      if (isGone && isAbout(body, 'dois')) rmSync(log);
      return { status: 200, body: { duplicate: created.has(body) } };
    },
  });
  desk.use({ baseUrl: service.baseUrl, clientId: '4711' });
  expect((await createFile(desk, ['três'])).code).toBe(7);
  expect((await createFile(desk, ['quatro'])).code).toBe(0);
  isGone = true;
  const ended = await createFile(desk, needs);
  expect([ended.code, documentsOf(ended).map(({ status }) => status)]).toEqual([
    9,
    ['created', 'failed', 'unknown', 'repeated'],
  ]);
  expect(ended.stderr).toContain('deleted');
  expect(service.creates()).toHaveLength(3);
});
