import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { contractFile } from '../helpers/contracts.ts';
import { test } from '../helpers/desk.ts';
import { requestFor } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';

test('srq sandbox answers exactly the operations of the API description that the profile has', async ({ desk }) => {
  const properties = { phone: { type: 'string' }, request_text: { type: 'string' } };
  const post = {
    requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } },
    responses: { 201: { content: { 'application/json': { example: { id: 7, errors: ['none of these'] } } } } },
  };
  const paths = { '/shops/{shop}/tickets': { post }, '/leads/check': { post }, '/users': { post } };
  const file = desk.write('api.json', JSON.stringify({ openapi: '3.1.0', info: { title: 'Shops' }, paths }));
  const said = ['--operation', 'create=POST /shops/{shop}/tickets', '--operation', 'validate=none'];
  const learned = await desk.call('contract', 'learn', file, ...said, '--set', 'shop=north', '--yes');
  expect(learned, learned.stderr).toMatchObject({ code: 0 });
  const running = desk.start(['sandbox', '--port', '0', '--json']);
  const { baseUrl, clientId, clientSecret, contract } = JSON.parse(await running.until(/\n/));
  expect(contract).toMatchObject({ title: 'Shops' });
  Object.assign(desk.env, { SRQ_BASE_URL: baseUrl, SRQ_CLIENT_ID: clientId, SRQ_CLIENT_SECRET: clientSecret });
  const ended = await desk.call('create', ...requestFor('com loja'), '--json');
  expect(documentOf(ended), ended.stderr).toMatchObject({ status: 'created', ids: { id: '1001' } });
  for (const path of ['/leads/check', '/users', '/v1/request/validate'])
    expect((await fetch(baseUrl + path, { method: 'POST' })).status).toBe(404);
  running.process.kill('SIGINT');
  await running.ended;
});

test('secrets in a Postman collection reach no file and no output', async ({ desk }) => {
  const words = [contractFile('form-postman21.json'), '--environment', contractFile('form-postman21.environment.json')];
  const ended = await desk.call('contract', 'learn', ...words, '--yes', '--verbose');
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  const asJson = await desk.call('contract', 'learn', ...words, '--yes', '--json');
  const said = [ended, asJson, await desk.call('contract', 'show', '--json'), await desk.call('status', '--json')]
    .map(({ stdout, stderr }) => stdout + stderr)
    .join('\n');
  expect(said).not.toMatch(/INVENTED-/);
  expect(said).toMatch(/secret/i);
  const written = desk.files().filter((name) => /\.(?:json|ndjson)$/.test(name));
  expect(written).toContain(join('config', 'contracts', 'default.json'));
  for (const name of written) expect(readFileSync(join(desk.folder, name), 'utf8')).not.toContain('INVENTED-');
});
