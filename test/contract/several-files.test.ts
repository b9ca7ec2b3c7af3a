import { expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import type { Proposal } from '../../src/request/contract.ts';
import { KNOWN } from './describe-request.ts';
import { learnOptions } from './learn-options.ts';

/** What is learned of the first of these files, whose references may lead to the others, and which of them were read. */
function learn(files: Record<string, string | object>, start = 'openapi.yaml'): Proposal & { opened: string[] } {
  const bytesOf = (path: string) => {
    const content = files[path];
    if (content === undefined) return null;
    return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  };
  const opened: string[] = [];
  const read = (path: string) => {
    opened.push(path);
    return bytesOf(path);
  };
  const document = { name: start, bytes: bytesOf(start) ?? Buffer.from(''), folder: { path: start, read } };
  return { ...learnContract([document], learnOptions()), opened };
}

const bodyOf = (reference: string) => ({
  requestBody: { content: { 'application/json': { schema: { $ref: reference } } } },
  responses: { 201: { description: 'Created' } },
});
const main = (reference: string, rest: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Parts' },
  paths: { '/leads': { post: bodyOf(reference) } },
  ...rest,
});
const SCHEMA = { type: 'object', properties: KNOWN };
const fields = ({ contract }: Proposal) => contract.create.parameters?.map(({ field }) => field);

test.each([
  ['schemas/lead.yaml', 'schemas/lead.yaml', SCHEMA],
  ['./schemas/lead.yaml#/', 'schemas/lead.yaml', { '': SCHEMA }],
  ['schemas/all.json#/definitions/Lead', 'schemas/all.json', { definitions: { Lead: SCHEMA } }],
  ['a%20b.json#/a~1b', 'a b.json', { 'a/b': SCHEMA }],
  ['100%25.json', '100%.json', SCHEMA],
  ['schemas/../lead.yaml', 'lead.yaml', SCHEMA],
])('a body at %s is read from the folder', (reference, file, content) => {
  const learned = learn({ 'openapi.yaml': main(reference), [file]: content });
  expect(fields(learned)).toEqual(Object.keys(KNOWN));
  expect(learned.opened).toEqual([file]);
});

test('parts refer to each other from where they stand, in circles as well, and each is read once', () => {
  const learned = learn(
    {
      'api/openapi.yaml': { openapi: '3.0.3', info: { title: 'T' }, paths: { '/leads': { $ref: 'paths/leads.yaml' } } },
      'api/paths/leads.yaml': { post: bodyOf('../../common/lead.yaml#/Lead') },
      'common/lead.yaml': {
        Lead: { type: 'object', properties: { ...KNOWN, phone: { $ref: '#/Phone' }, next: { $ref: 'next.yaml' } } },
        Phone: { type: 'string', maxLength: 17 },
      },
      'common/next.yaml': { type: 'object', properties: { lead: { $ref: 'lead.yaml#/Lead' } } },
    },
    'api/openapi.yaml',
  );
  expect(learned.opened).toEqual(['api/paths/leads.yaml', 'common/lead.yaml', 'common/next.yaml']);
  expect(learned.contract.create.parameters?.find(({ field }) => field === 'phone')?.maxLength).toBe(17);
  const places = learned.contract.findings.map(({ setting, where }) => [setting, where]);
  expect(places).toContainEqual(['create.path', 'api/paths/leads.yaml /post']);
  expect(places).toContainEqual(['location', 'common/lead.yaml /Lead/properties/location']);
});

test('a part may refer to the components of the main document, by its name or as if it stood in it', () => {
  for (const reference of ['../openapi.yaml#/components/schemas/Lead', '#/components/schemas/Lead']) {
    const components = { schemas: { Lead: SCHEMA } };
    const paths = { '/leads': { $ref: 'paths/leads.yaml' } };
    const files = {
      'openapi.yaml': { ...main('#'), components, paths },
      'paths/leads.yaml': { post: bodyOf(reference) },
    };
    expect(fields(learn(files))).toEqual(Object.keys(KNOWN));
  }
});

test('Swagger 2 is read from several files as well', () => {
  const parameters = [{ in: 'body', name: 'body', schema: { $ref: 'lead.yaml' } }];
  const swagger = {
    swagger: '2.0',
    info: { title: 'T' },
    paths: { '/leads': { post: { parameters, responses: {} } } },
  };
  expect(fields(learn({ 'openapi.yaml': swagger, 'lead.yaml': SCHEMA }))).toEqual(Object.keys(KNOWN));
});

test.each([
  '../lead.yaml',
  'schemas/../../lead.yaml',
  '/lead.yaml',
  '%2e%2e/lead.yaml',
  '..%2flead.yaml',
  'https://example.com/lead.yaml',
  '//example.com/lead.yaml',
  'file:///lead.yaml',
  'C:\\lead.yaml',
  '..\\lead.yaml',
])('%s leads out of the folder: no file is asked for, and the body cannot be read', (reference) => {
  const opened: string[] = [];
  const read = (path: string) => {
    opened.push(path);
    return null;
  };
  const folder = { path: 'openapi.yaml', read };
  const bytes = Buffer.from(JSON.stringify(main(reference)));
  expect(() => learnContract([{ name: 'openapi.yaml', bytes, folder }], learnOptions())).toThrow(
    expect.objectContaining({ message: expect.stringContaining('outside of the document') }),
  );
  expect(opened).toEqual([]);
});

test('what is not there matters only where it is needed', () => {
  const rest = { components: { schemas: { Other: { $ref: 'missing.yaml' } } } };
  expect(fields(learn({ 'openapi.yaml': main('lead.yaml', rest), 'lead.yaml': SCHEMA }))).toEqual(Object.keys(KNOWN));
  expect(() => learn({ 'openapi.yaml': main('missing.yaml') })).toThrow('"missing.yaml", outside of the document');
});

test('a part that cannot be parsed is named', () => {
  expect(() => learn({ 'openapi.yaml': main('lead.yaml'), 'lead.yaml': 'a: [' })).toThrow(
    /^lead\.yaml is neither JSON/,
  );
});

test.each([
  ['more files than any description has', '', 301],
  ['files that are too large together', ' '.repeat(9 << 20), 3],
])('%s are refused, and no more is read', (_, filling, maxRead) => {
  let count = 0;
  const read = (path: string) => {
    count += 1;
    return Buffer.from(`{"$ref":"${path}x"}${filling}`);
  };
  const bytes = Buffer.from(JSON.stringify(main('x')));
  const document = { name: 'openapi.yaml', bytes, folder: { path: 'openapi.yaml', read } };
  expect(() => learnContract([document], learnOptions())).toThrow(
    /refers to more than 300 files, or to more than 20 MB/,
  );
  expect(count).toBeLessThanOrEqual(maxRead);
});
