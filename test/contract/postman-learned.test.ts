import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import type { Parameter } from '../../src/request/contract.ts';
import { aCollection, anItem } from './collections.ts';
import { learnOptions } from './learn-options.ts';

const fixture = (name: string) => ({ name, bytes: readFileSync(`fixtures/contracts/${name}`) });
const wire = (parameters: readonly Parameter[] | null): string[] =>
  (parameters ?? []).map(({ field, path, type }) => `${field} ${path.join('.')} ${type}`);

test('a collection of version 2.0 with nested JSON and a Basic token becomes a contract', () => {
  const environment = fixture('postman-nested-v20.environment.json');
  const { contract, questions } = learnContract([fixture('postman-nested-v20.json')], learnOptions({ environment }));
  const { create, validate } = contract;
  // The collection shows the header, and does not say what the service does with it.
  expect(questions).toMatchObject([{ name: 'idempotency:Idempotency-Key', unanswered: 'no' }]);
  expect(create).toMatchObject({
    ...{ method: 'POST', path: '/jobs', encoding: 'json', contentType: 'application/json' },
    identifiers: [{ name: 'id', pointer: '/job/id' }],
    duplicate: [{ kind: 'status', status: 409, verdict: 'duplicate' }],
    idempotency: null,
  });
  expect(wire(create.parameters)).toEqual([
    'country country string',
    'lang language string',
    'fullname customer.name string',
    'email customer.email string',
    'phone customer.phone string',
    'location location string',
    'request_text description string',
    'category category_id integer',
    'batch batch number',
  ]);
  expect(validate).toMatchObject({
    path: '/jobs/check',
    verdict: [{ kind: 'value', pointer: '/result', duplicate: ['duplicate'], clear: ['unique'] }],
  });
  expect(contract.token).toMatchObject({ path: '/auth/token', auth: 'basic', extra: { scope: 'jobs:write' } });
  expect(contract.basePath).toBe('/partner');
  expect(contract.servers).toMatchObject([{ url: 'https://test.jobs.example.com/partner', test: true }]);
});

test('a collection of version 2.1 with a recording becomes a contract', () => {
  const { contract } = learnContract([fixture('postman-multipart-v21.json')], learnOptions());
  const { create, validate, token } = contract;
  expect(create).toMatchObject({ path: '/v2/request/create', encoding: 'multipart' });
  expect(create.parameters).toContainEqual(expect.objectContaining({ field: 'audio_file', audioForm: 'binary' }));
  expect(create.parameters?.every(({ required }) => !required)).toBe(true);
  expect(validate).toMatchObject({ encoding: 'form', verdict: [{ kind: 'list', pointer: '/duplicates' }] });
  expect(token).toMatchObject({ path: '/v2/oauth/token', auth: 'basic', extra: { audience: 'requests' } });
});

test('nothing of a contract or of what is said of it holds a secret of the files', () => {
  const names = ['form-postman21', 'postman-nested-v20', 'postman-multipart-v21'];
  const proposals = names.map((name) => {
    const environment = /multipart/.test(name) ? null : fixture(`${name}.environment.json`);
    return learnContract([fixture(`${name}.json`)], learnOptions({ environment }));
  });
  const files = names.map((name) => String(fixture(`${name}.json`).bytes)).join('');
  expect(files.match(/INVENTED-[A-Z-]+/g)?.length).toBeGreaterThan(3);
  expect(JSON.stringify(proposals)).not.toContain('INVENTED');
});

test('the type of a JSON:API collection is sent though no request carries it', () => {
  const attributes = { country: 'PT', lang: 'pt', location: 'Lisboa', fullname: 'Ana Exemplo', phone: '+351210000000' };
  const raw = JSON.stringify({ data: { type: 'service-requests', attributes } });
  const url = 'https://api.example.com/v1/request/create';
  const document = aCollection(anItem({ name: 'Create' }, { url, body: { mode: 'raw', raw } }));
  const { contract } = learned(document);
  const fixed = contract.create.parameters?.filter(({ constant }) => constant !== null);
  expect(fixed).toMatchObject([{ path: ['data', 'type'], constant: 'service-requests' }]);
});

test('what the examples hold and no request carries is said, for it may be required', () => {
  const fields = { country: 'PT', lang: 'pt', location: 'Lisboa', fullname: 'Ana Exemplo', phone: '+351210000000' };
  const header = [
    { key: 'X-Partner', value: '42' },
    { key: 'Idempotency-Key', value: '{{$guid}}' },
  ];
  const body = { mode: 'raw', raw: JSON.stringify({ ...fields, partner_id: 42 }) };
  const url = 'https://api.example.com/v1/request/create';
  const document = aCollection(anItem({ name: 'Create' }, { url, header, body }));
  const open = learned(document);
  expect(open.questions.every(({ unanswered }) => unanswered === 'no')).toBe(true);
  expect(open.notes.slice(0, 1)).toEqual([
    'The examples of POST /v1/request/create also hold partner_id, X-Partner. A collection does not say what is required. ' +
      'What the service always demands is given so: --set partner_id=VALUE; what each row gives needs no more than a column.',
  ]);
  const given = learned(document, { partner_id: '7', 'X-Partner': '8', 'Idempotency-Key': 'no' });
  expect(given.notes).toEqual([]);
  expect(given.contract.create.parameters?.flatMap(({ constant }) => constant ?? [])).toEqual(['7', '8']);
});

function learned(document: object, constants: Record<string, string> = {}) {
  const bytes = Buffer.from(JSON.stringify(document));
  return learnContract([{ name: 'collection.json', bytes }], learnOptions({ constants }));
}
