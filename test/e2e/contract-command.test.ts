import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Contract } from '../../src/request/contract/contract.ts';
import { CANARY } from '../helpers/canary-secret.ts';
import { answersFor, contractFile, operationsFor } from '../helpers/contracts.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { HAS_TERMINAL, onTerminal } from '../helpers/terminal.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const FORM = contractFile('form-openapi30.yaml');
const WITH_CONSTANTS = contractFile('category-list-openapi30.yaml');

/** A description with a header of which it says this. */
function withHeader(desk: Desk, description: string): string {
  const text = readFileSync(contractFile('idempotency-openapi31.yaml'), 'utf8');
  const words = /required: true\n( +)description: A repeated create .*/;
  return desk.write('api.yaml', text.replace(words, `required: false\n$1description: "${description}"`));
}
const stored = ({ config }: Desk, profile = 'default') => join(config, 'contracts', `${profile}.json`);

describe.concurrent('contract learn, without a terminal,', () => {
  test('contract learn without a terminal refuses with the command that answers its question', async ({ desk }) => {
    const text = { type: 'string' };
    const schema = {
      properties: { fullname: text, email: text, phone: text, accountId: text, channel: text },
      required: ['accountId', 'channel'],
    };
    const post = { requestBody: { content: { 'application/json': { schema } } }, responses: { 201: {} } };
    const file = desk.write(
      'api.json',
      JSON.stringify({ openapi: '3.1.0', info: {}, paths: { '/contacts': { post }, '/people': { post } } }),
    );
    const words = ['contract', 'learn', file, '--operation', 'validate=none', '--yes'];
    const { code, stderr } = await desk.call(...words);
    expect(code).toBe(2);
    const [, command = ''] = /in the command: srq (.*)/.exec(stderr) ?? [];
    expect(command).toContain("--operation create='POST /contacts'");
    const said = [...words, '--operation', 'create=POST /contacts'];
    const more = await desk.call(...said);
    expect(more.stderr).toContain('--set accountId=VALUE --set channel=VALUE');
    expect(await desk.call(...said, '--set', 'accountId=7', '--set', 'channel=7')).toMatchObject({ code: 0 });
  });

  test('contract learn --yes keeps a header without relying on it, and says how to say more', async ({ desk }) => {
    const file = withHeader(desk, 'Reserved for future use');
    const named = answersFor('idempotency-openapi31.yaml');
    const ended = await desk.call('contract', 'learn', file, ...named, '--yes', '--json');
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expect(documentOf(ended)).toMatchObject({
      contract: { create: { again: null } },
      questions: [{ name: 'idempotency:Idempotency-Key', unanswered: 'no' }],
    });
    expect(ended.stderr.replace(/\s+/g, ' ')).toContain('Without an answer: no. --set Idempotency-Key=24h');
    const said = await desk.call(
      'contract',
      'learn',
      file,
      ...named,
      '--yes',
      '--json',
      '--set',
      'Idempotency-Key=24h',
    );
    expect(documentOf(said)).toMatchObject({
      contract: { create: { again: { header: 'Idempotency-Key', hours: 24, uuid: true } } },
      questions: [],
    });
    expect((await desk.call('contract', 'show')).stdout).toContain(
      'again: { header: Idempotency-Key, hours: 24, uuid: true }',
    );
    const wrong = await desk.call('contract', 'learn', file, ...named, '--yes', '--set', 'Idempotency-Key=idem');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('Say for how long, yes, or no');
  });

  test('contract learn --yes does not use an operation that may write for validate, and nothing ever calls it', async ({
    desk,
    onTestFinished,
  }) => {
    const service = await startScriptedService({}, onTestFinished);
    const known = { country: {}, lang: {}, location: {}, fullname: {}, phone: {}, request_text: {} };
    const requestBody = { content: { 'application/json': { schema: { properties: known } } } };
    const post = (words: object) => ({ post: { requestBody, responses: { 200: { description: 'OK' } }, ...words } });
    const paths = {
      '/leads': post({ operationId: 'createLead' }),
      '/leads/check': post({ operationId: 'checkLead', summary: 'Create a lead, or update its duplicate' }),
    };
    const file = desk.write('api.json', JSON.stringify({ openapi: '3.1.0', info: { title: 'CRM' }, paths }));
    const learn = (...more: string[]) =>
      desk.call('contract', 'learn', file, '--operation', 'create=POST /leads', '--yes', '--json', ...more);
    const open = await learn();
    expect(open.code).toBe(2);
    expect(documentOf(open)['error']).toMatchObject({
      message: expect.stringContaining('POST /leads/check (checkLead)'),
      hint: expect.stringContaining('--operation validate=none'),
    });
    expect(existsSync(stored(desk))).toBe(false);
    const [baseUrl, secret] = [service.baseUrl, CANARY];
    Object.assign(desk.env, { SRQ_BASE_URL: baseUrl, SRQ_CLIENT_ID: '1', SRQ_CLIENT_SECRET: secret });
    await desk.call('doctor', '--json');
    expect(await learn('--operation', 'validate=none')).toMatchObject({ code: 0 });
    await desk.call('doctor', '--json');
    expect(service.calls().map(({ path }) => path)).not.toContain('/leads/check');
    expect(service.calls().length).toBeGreaterThan(0);
  });

  test('contract learn concerns one profile, and suggests a login for each server', async ({ desk }) => {
    const ended = await desk.call('contract', 'learn', FORM, '--yes', '--profile', 'acme');
    expect(ended).toMatchObject({ code: 0 });
    expect(existsSync(stored(desk, 'acme'))).toBe(true);
    expect(existsSync(stored(desk))).toBe(false);
    for (const host of ['sandbox', 'api'])
      expect(ended.stdout).toContain(`srq login --profile acme --base-url https://${host}.requests.example.com\n`);
    expect(desk.files().filter((name) => name.endsWith('config.json'))).toEqual([]);
    expect(documentOf(await desk.call('status', '--json', '--profile', 'acme'))).toMatchObject({
      contract: { title: 'Service Request API', file: 'form-openapi30.yaml' },
    });
  });
});

test('srq sandbox starts from a description with open questions, and demands what it describes', async ({ desk }) => {
  const running = desk.start([
    ...['sandbox', '--port', '0', '--json', '--contract', WITH_CONSTANTS],
    ...operationsFor('category-list-openapi30.yaml'),
  ]);
  const { baseUrl, clientId, clientSecret } = JSON.parse(await running.until(/\n/));
  Object.assign(desk.env, { SRQ_BASE_URL: baseUrl, SRQ_CLIENT_ID: clientId, SRQ_CLIENT_SECRET: clientSecret });
  expect(await desk.call('create', ...requestFor('sem contrato'))).not.toMatchObject({ code: 0 });
  const known = answersFor('category-list-openapi30.yaml');
  expect(await desk.call('contract', 'learn', WITH_CONSTANTS, ...known, '--yes')).toMatchObject({ code: 0 });
  const ended = await desk.call('create', ...requestFor('com contrato'), '--category', '12', '--json');
  expect(documentOf(ended)).toMatchObject({ status: 'created', ids: { number: expect.any(String) } });
  running.process.kill('SIGINT');
  await running.ended;
});

test('an API description in several files is refused with the command that makes one of them', async ({ desk }) => {
  mkdirSync(join(desk.work, 'api'));
  desk.write('api/lead.json', '{}');
  const post = { requestBody: { content: { 'application/json': { schema: { $ref: 'lead.json' } } } } };
  const file = desk.write(
    'api/api.json',
    JSON.stringify({ openapi: '3.1.0', info: {}, paths: { '/leads': { post } } }),
  );
  const bundle = 'npx @redocly/cli bundle openapi.yaml -o api.json';
  const said = ['--operation', 'create=POST /leads', '--operation', 'validate=none', '--yes'];
  const referring = await desk.call('contract', 'learn', file, ...said);
  expect(referring.stderr).toContain('refers to "lead.json", outside of this file');
  expect((await desk.call('contract', 'learn', file, file)).stderr).toContain(bundle);
  expect(referring.stderr).toContain(bundle);
  expect((await desk.call('contract', 'learn', join(desk.work, 'api'))).stderr).toContain('it is a folder');
});

test('srq sandbox answers exactly the operations that are named, under any value of a path variable', async ({
  desk,
}) => {
  const properties = { phone: { type: 'string' }, request_text: { type: 'string' } };
  const post = {
    requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } },
    responses: { 201: { content: { 'application/json': { example: { id: 7, errors: ['none of these'] } } } } },
  };
  const paths = { '/shops/{shop}/tickets': { post }, '/leads/check': { post }, '/users': { post } };
  const file = desk.write('api.json', JSON.stringify({ openapi: '3.1.0', info: { title: 'Shops' }, paths }));
  const vague = await desk.call('sandbox', '--port', '0', '--contract', file);
  expect(vague).toMatchObject({ code: 2 });
  expect(vague.stderr).toMatch(/command: srq sandbox --port 0 --contract \S+ --operation create='POST \/\S+'/);
  const said = ['--operation', 'create=POST /shops/{shop}/tickets', '--operation', 'validate=none'];
  const running = desk.start(['sandbox', '--port', '0', '--json', '--contract', file, ...said]);
  const { baseUrl, clientId, clientSecret } = JSON.parse(await running.until(/\n/));
  Object.assign(desk.env, { SRQ_BASE_URL: baseUrl, SRQ_CLIENT_ID: clientId, SRQ_CLIENT_SECRET: clientSecret });
  const learned = await desk.call('contract', 'learn', file, ...said, '--set', 'shop=north', '--yes');
  expect(learned, learned.stderr).toMatchObject({ code: 0 });
  const ended = await desk.call('create', ...requestFor('com loja'), '--json');
  expect(documentOf(ended), ended.stderr).toMatchObject({ status: 'created', ids: { id: '1001' } });
  for (const path of ['/leads/check', '/users', '/v1/request/validate'])
    expect((await fetch(baseUrl + path, { method: 'POST' })).status).toBe(404);
  running.process.kill('SIGINT');
  await running.ended;
});

test('a damaged API description stops every command that would send', async ({ partner, sandbox }) => {
  mkdirSync(join(partner.config, 'contracts'), { recursive: true });
  writeFileSync(stored(partner), '{"version":1,');
  const leads = partner.write('leads.csv', leadsCsv(1));
  for (const words of [['bulk', leads], ['create', ...requestFor('x')], ['validate', ...requestFor('x')], ['status']]) {
    const ended = await partner.call(...words);
    expect(ended.code, words[0]).toBe(2);
    expect(ended.stderr).toContain('srq contract forget --profile default');
  }
  expect(creates(sandbox)).toHaveLength(0);
  expect(documentOf(await partner.call('contract', 'forget', '--json'))).toEqual({
    profile: 'default',
    forgotten: true,
  });
  expect(await partner.call('create', ...requestFor('x'))).toMatchObject({ code: 0 });
  expect(documentOf(await partner.call('contract', 'forget', '--json'))).toEqual({
    profile: 'default',
    forgotten: false,
  });
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

describe.concurrent('a secret that the service wants in each request', () => {
  const KEY = 'INVENTED-key/+7';
  const parameters = [{ name: 'X-Api-Key', in: 'header', required: true, schema: { type: 'string' } }];
  const body = {
    type: 'object',
    properties: Object.fromEntries(['country', 'phone', 'request_text'].map((name) => [name, { type: 'string' }])),
  };
  const operation = {
    parameters,
    requestBody: { content: { 'application/json': { schema: body } } },
    responses: { 201: { description: 'created' } },
  };
  const validate = { ...operation, responses: { 200: { description: 'the verdict' } } };
  const paths = { '/v1/request/create': { post: operation }, '/v1/request/validate': { post: validate } };
  const DOCUMENT = JSON.stringify({ openapi: '3.0.3', info: { title: 'Keyed', version: '1' }, paths });
  const keptBy = (desk: Desk): Contract => JSON.parse(readFileSync(stored(desk), 'utf8'));
  const keyIn = ({ create }: Contract) => create.always['header X-Api-Key'];

  test.skipIf(!HAS_TERMINAL)('a secret for each request is asked for on a terminal, hidden', async ({ desk }) => {
    const { shown, code } = await onTerminal(
      desk,
      ['contract', 'learn', desk.write('api.json', DOCUMENT)],
      [
        [/X-Api-Key:/, KEY],
        [/\[y\/N\] $/, 'y'],
      ],
    );
    expect(code, shown).toBe(0);
    expect(shown).not.toContain('INVENTED');
    expect(keyIn(keptBy(desk))).toBe(KEY);
  });
});
