import { describe, expect, test } from 'vitest';
import { describeSwagger } from '../../src/contract/documents/swagger.ts';
import type { Json } from '../../src/request/contract.ts';

const text = { type: 'string' };
const swagger = (document: Record<string, Json>) => describeSwagger({ swagger: '2.0', ...document });
const described = (operation: Record<string, Json>, rest: Record<string, Json> = {}) => {
  const { document, where } = swagger({
    paths: { '/a': { parameters: rest['shared'] ?? [], post: operation } },
    ...rest,
  });
  const { post } = (document['paths'] as Record<string, { post: Record<string, Json> }>)['/a'] ?? {};
  return { post, where };
};

test.each<[Record<string, Json>, Json]>([
  [{}, []],
  [{ basePath: '/v1' }, [{ url: '/v1' }]],
  [{ host: 'a.example' }, [{ url: 'https://a.example' }]],
  [{ host: 'a.example', basePath: '/v1', schemes: ['http', 'https'] }, [{ url: 'https://a.example/v1' }]],
  [{ host: 'a.example', schemes: ['http'] }, [{ url: 'http://a.example' }]],
  [{ host: 'a.example', schemes: ['ws'] }, [{ url: 'https://a.example' }]],
  [{ host: 'a.example', schemes: ['ws', 'http'] }, [{ url: 'http://a.example' }]],
])('of %j the servers are %j', (document, servers) => {
  expect(swagger(document).document['servers']).toEqual(servers);
});

test.each<[string, Json]>([
  ['application', 'clientCredentials'],
  ['accessCode', 'authorizationCode'],
  ['implicit', 'implicit'],
  ['password', 'password'],
  ['other', 'unknown'],
])('the flow %s is called %s', (flow, name) => {
  const scheme = { type: 'oauth2', flow, tokenUrl: '/token', scopes: { a: 'b' } };
  const { components } = swagger({ securityDefinitions: { x: scheme } }).document as never;
  expect(components).toEqual({
    securitySchemes: { x: { type: 'oauth2', flows: { [String(name)]: { tokenUrl: '/token', scopes: { a: 'b' } } } } },
  });
});

test('Basic is called as today, and a key stays as it is', () => {
  const key = { type: 'apiKey', in: 'header', name: 'X-Key' };
  expect(swagger({ securityDefinitions: { x: { type: 'basic' }, y: key } }).document['components']).toEqual({
    securitySchemes: { x: { type: 'http', scheme: 'basic' }, y: key },
  });
});

describe('A body', () => {
  const form = (name: string, more: object = {}) => ({ in: 'formData', name, ...text, ...more });
  const typesOf = (operation: Record<string, Json>, rest = {}) =>
    Object.keys((described(operation, rest).post?.['requestBody'] as { content: object } | undefined)?.content ?? {});
  const FORM = 'application/x-www-form-urlencoded';
  const MULTIPART = 'multipart/form-data';

  test.each<[string, string[], Record<string, Json>, Record<string, Json>?]>([
    ['is none', [], {}],
    ['is JSON', ['application/json'], { parameters: [{ in: 'body', schema: text }] }],
    [
      'has the types of the operation',
      ['a/b', 'c/d'],
      { parameters: [{ in: 'body' }], consumes: ['a/b', 'c/d'] },
      { consumes: ['e/f'] },
    ],
    ['has the types of the document', ['e/f'], { parameters: [{ in: 'body' }] }, { consumes: ['e/f', 7] }],
    ['is a form', [FORM], { parameters: [form('a')] }],
    ['is a form that is sent as JSON by mistake', [FORM], { parameters: [form('a')], consumes: ['application/json'] }],
    ['is a form of the first kind', [FORM], { parameters: [form('a')], consumes: [MULTIPART, FORM] }],
    ['is in parts', [MULTIPART], { parameters: [form('a')], consumes: [MULTIPART] }],
    ['is in parts for a file', [MULTIPART], { parameters: [form('a'), form('b', { type: 'file' })], consumes: [FORM] }],
    ['is that of the path', [FORM], {}, { shared: [form('a')] }],
  ])('%s: %j', (_, types, operation, rest) => {
    expect(typesOf(operation, rest)).toEqual(types);
  });

  test('of a form has its members, of which some are required', () => {
    const { post } = described({ parameters: [form('a', { required: true }), form('b'), form('')] });
    const [content] = Object.values((post?.['requestBody'] as { content: object } | undefined)?.content ?? {});
    expect(content).toEqual({ schema: { type: 'object', required: ['a'], properties: { a: text, b: text } } });
  });
});

test('answers have each type, and the examples of it', () => {
  const responses = {
    200: { description: 'd', schema: text, examples: { 'a/b': 1, 'c/d': 2 } },
    204: { description: 'e' },
    400: { examples: { 'a/b': 3 } },
  };
  expect(described({ responses, produces: ['a/b'] }).post?.['responses']).toEqual({
    200: { description: 'd', content: { 'a/b': { schema: text, example: 1 }, 'c/d': { schema: text, example: 2 } } },
    204: { description: 'e' },
    400: { content: { 'a/b': { example: 3 } } },
  });
});

test('each part is found at its place in the original', () => {
  const document = {
    securityDefinitions: { x: { type: 'oauth2', flow: 'application' } },
    parameters: { lang: { in: 'query', name: 'lang', ...text } },
    responses: { no: { schema: text } },
  };
  const parameters = [
    { in: 'body', schema: text },
    { $ref: '#/parameters/lang' },
    { in: 'header', name: 'h', ...text },
  ];
  const { where } = described({ parameters, responses: { 400: { $ref: '#/responses/no' } } }, document);
  const post = '/paths/~1a/post';
  for (const [now, before] of [
    [post, post],
    [`${post}/summary`, `${post}/summary`],
    [`${post}/parameters/0`, '/parameters/lang'],
    [`${post}/parameters/1/name`, `${post}/parameters/2/name`],
    [`${post}/requestBody/content/application~1json/schema`, `${post}/parameters/0/schema`],
    [`${post}/responses/400`, '/responses/no'],
    [`${post}/responses/400/content/application~1json/schema`, '/responses/no/schema'],
    ['/components/securitySchemes/x/flows/clientCredentials/tokenUrl', '/securityDefinitions/x/tokenUrl'],
    ['/servers/0', '/host'],
    ['/info/title', '/info/title'],
  ] as const) {
    expect(where(now)).toBe(before);
  }
  const form = described({
    parameters: [
      { in: 'header', name: 'h' },
      { in: 'formData', name: 'a', ...text },
    ],
  });
  const content = `${post}/requestBody/content/application~1x-www-form-urlencoded`;
  expect(form.where(`${content}/schema/properties/a/type`)).toBe(`${post}/parameters/1/type`);
  expect(form.where(content)).toBe(`${post}/parameters`);
});
