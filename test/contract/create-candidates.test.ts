import { describe, expect, test } from 'vitest';
import { describeOpenApi } from '../../src/contract/documents/described.ts';
import { operationsOf, startReading } from '../../src/contract/learn/described-operation.ts';
import { createSigns, objectionsTo } from '../../src/contract/learn/unasked-operations.ts';
import type { SrqError } from '../../src/request/errors.ts';
import { KNOWN, learnParts } from './describe-request.ts';

const text = { type: 'string' };
const bodyOf = (properties: object) => ({
  requestBody: { content: { 'application/json': { schema: { properties } } } },
});
const EMPTY = bodyOf({});

/** The question which operation creates, of a document with these: a known one with all fields is among them unless taken out. */
function asked(paths: Record<string, object>): string {
  const all = Object.fromEntries(Object.entries(paths).map(([path, post]) => [path, { post }]));
  const { '/requests': _, ...none } = { '/requests': {} };
  const document = { paths: { '/requests': none, '/requests/validate': none, ...all } };
  return learnParts(document).questions.find(({ name }) => name === 'operation:create')?.text ?? '';
}

describe('Which operation creates is asked with the reasons for and against each', () => {
  test.each<[string, string, object]>([
    ['/leads', 'POST /leads: its name says so, but the document does not say what its body holds', EMPTY],
    [
      '/orders',
      'POST /orders: its body has a place for phone, but its name may be that of something else',
      bodyOf({ phone: text }),
    ],
  ])('POST %s: %s', (path, told, operation) => {
    expect(asked({ [path]: operation })).toContain(told);
  });

  test('and not where all speaks for one', () => {
    expect(asked({ '/leads': bodyOf(KNOWN) })).toBe('');
  });

  test('two that are alike, without a word against them', () => {
    const question = asked({ '/leads': bodyOf(KNOWN), '/enquiries': bodyOf(KNOWN) });
    expect(question).toContain('several are alike');
    expect(question).not.toContain(', but ');
  });
});

describe('The signs of an operation', () => {
  const operationAt = (name: string, value: object) => {
    const [method = '', path = ''] = name.split(' ');
    const reading = startReading(describeOpenApi({ paths: { [path]: { [method.toLowerCase()]: value } } } as never));
    const [operation] = operationsOf(reading);
    if (operation === undefined) throw new Error(`there is no ${name}`);
    return { reading, operation };
  };
  const set = (words: string) => new Set(words.split(' ').filter(Boolean));
  const signs = (name: string, all = 'phone request_text fullname location', value: object = {}, isEmpty = false) =>
    createSigns({
      operation: operationAt(name, value).operation,
      fields: set(all),
      allFields: set(all),
      isEmpty,
    } as never);

  test.each<[string, string, boolean]>([
    ['POST /leads', 'plainly', false],
    ['POST /new/leads', 'plainly', false],
    ['POST /createLead', 'plainly', false],
    ['POST /leads/sources', 'not', false],
    ['POST /sources/leads', 'perhaps', false],
    ['POST /orders', 'perhaps', false],
    ['POST /users', 'not', false],
    ['POST /leads/search', 'not', true],
  ])('%s is for requests %s, or something else: %s', (name, said, isOtherAction) => {
    const { name: found, isOtherAction: other } = signs(name);
    expect([found, other]).toEqual([said, isOtherAction]);
  });

  test('an action beside a word for creating is not only another one', () => {
    expect(signs('POST /leads/update', '', { operationId: 'createOrUpdateLead' }).isOtherAction).toBe(false);
    expect(signs('POST /leads/update', '', { operationId: 'updateLead' }).isOtherAction).toBe(true);
  });

  test.each<[string, boolean]>([
    ['phone', false],
    ['phone email', false],
    ['fullname location request_text lang country', false],
    ['phone request_text fullname location lang country', true],
    ['email audio_file fullname location lang country', true],
  ])('a body with %s is that of a request: %s', (all, hasRequest) => {
    expect(signs('POST /leads', all).hasRequest).toBe(hasRequest);
  });

  test.each<[string, object, string | null]>([
    ['POST /leads', {}, null],
    ['POST /leads', { deprecated: true }, 'it is deprecated'],
    ['POST /leads', { deprecated: false }, null],
    ['PUT /leads', {}, 'PUT mostly changes what is there'],
    ['PUT /leads', { responses: { 201: {} } }, null],
    ['PUT /leads/create', {}, null],
    ['PUT /leads', { operationId: 'addLead' }, null],
    ['POST /a/{b}/leads/{c}', {}, 'its path holds {b}, {c}'],
  ])('against %s %j speaks: %s', (name, value, objection) => {
    const { objections } = signs(name, 'phone request_text fullname location lang country', value);
    if (objection === null) expect(objections).toEqual([]);
    else expect(objections).toContain(objection);
  });

  test.each<[string, object, string | null]>([
    ['POST /leads/validate', {}, null],
    ['POST /leads/check', { operationId: 'checkLead' }, null],
    ['PUT /leads/validate', {}, 'PUT changes what is there'],
    ['POST /leads/{id}/validate', {}, 'its path names one thing that is there already'],
  ])('against asking %s %j for duplicates speaks: %s', (name, value, objection) => {
    const { reading, operation } = operationAt(name, { responses: { 200: {} }, ...value });
    const fields = set('phone email fullname');
    const create = { operation: operationAt('POST /leads', {}).operation, fields };
    const objections = objectionsTo(reading, { operation, fields }, create);
    if (objection === null) expect(objections).toEqual([]);
    else expect(objections).toContain(objection);
  });
});

describe('An operation that is named', () => {
  const named = (create: string) => {
    try {
      return learnParts({
        paths: { '/other': { get: {}, post: bodyOf(KNOWN) }, '/twice': { post: bodyOf(KNOWN), put: bodyOf(KNOWN) } },
        rest: { servers: [{ url: 'https://a.example/v1' }] },
        options: { operations: { create, validate: 'none' } },
      }).contract.create.path;
    } catch (error) {
      return `${(error as SrqError).message} ${(error as SrqError).hint}`;
    }
  };

  test.each([
    ['POST /other', '/other'],
    ['post  /other', '/other'],
    ['/other', '/other'],
    ['/v1/other', '/other'],
    ['PUT /twice', '/twice'],
  ])('as %s is %s', (said, path) => {
    expect(named(said)).toBe(path);
  });

  test('has to take a body, and to be the only one', () => {
    expect(named('GET /other')).toContain('GET /other takes no body');
    expect(named('GET /other')).not.toContain('Do without');
    expect(named('/twice')).toContain('Several operations are "/twice" that takes a body.');
    expect(named('POST /othr')).toContain('The document has no operation "POST /othr" that takes a body.');
    expect(named('POST /othr')).toContain('--operation "create=POST /other"');
  });
});

test('of a body two thousand parts are read to see whether it is that of a request', () => {
  const after = (count: number) => {
    const others = Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, text]));
    return asked({ '/leads': bodyOf({ ...others, ...KNOWN }) });
  };
  expect(after(1990)).toBe('');
  expect(after(2000)).toContain('POST /leads');
});
