import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contract/documents/json-parts.ts';
import { createReferences } from '../../src/contract/documents/references.ts';
import { createSchemaReader } from '../../src/contract/schema/expand-schema.ts';
import type { Json } from '../../src/request/contract.ts';

const text = { type: 'string' };
const to = ($ref: string) => ({ $ref });

describe('A reference leads', () => {
  const document: JsonObject = {
    a: { $anchor: 'first', b: [text, { $dynamicAnchor: 'second', x: 1 }] },
    again: { $anchor: 'first', y: 2 },
    'with/slash': { '~': text },
    alone: to('#/alone'),
    chain: to('#/a/b/0'),
  };
  const { follow, step } = createReferences(document);

  test.each<[string, string, Json]>([
    ['#/a/b/0', '/a/b/0', text],
    ['#/chain', '/a/b/0', text],
    ['#first', '/a', document['a'] ?? null],
    ['#second', '/a/b/1', { $dynamicAnchor: 'second', x: 1 }],
    ['#/with~1slash/~0', '/with~1slash/~0', text],
    ['#/with%7E1slash/~0', '/with~1slash/~0', text],
    ['#alone2', '/x', {}],
    ['', '/x', {}],
  ])('from %j to %j', ($ref, pointer, value) => {
    expect(follow({ $ref }, '/x')).toMatchObject({ pointer, value });
  });

  test.each([
    ['#/alone', '/alone refers to itself alone'],
    ['#/none', '/x refers to "#/none", which is not there'],
    ['other.yaml#/a', '/x refers to "other.yaml#/a", outside of the document'],
    ['https://example.com', '/x refers to "https://example.com", outside of the document'],
    [`other${'x'.repeat(300)}`, `/x refers to "other${'x'.repeat(195)}", outside of the document`],
    [`#/${'x'.repeat(300)}`, `/x refers to "#/${'x'.repeat(198)}", which is not there`],
  ])('from %j nowhere, which is told', ($ref, problem) => {
    expect(follow({ $ref }, '/x')).toMatchObject({ value: {}, problem });
  });

  test('through up to a hundred others', () => {
    const chain = (length: number) => {
      const members = Array.from({ length }, (_, at) => [`r${at}`, to(`#/r${at + 1}`)] as const);
      return createReferences({ ...Object.fromEntries(members), [`r${length}`]: text }).follow(to('#/r0'), '/x');
    };
    expect(chain(99)).toMatchObject({ value: text, problem: null });
    expect(chain(100).problem).toBe('/r99 goes through more than 100 references');
  });

  test('and a step of names goes through references on its way', () => {
    const place = createReferences({ p: to('#/q'), q: { r: to('#/s') }, s: [{ t: 1 }] });
    expect(place.step({ value: to('#/p'), pointer: '/x', problem: null }, 'r', '0', 't')).toMatchObject({
      value: 1,
      pointer: '/s/0/t',
    });
    expect(place.step({ value: to('#/none'), pointer: '/x', problem: null }, 'r').problem).toContain('not there');
    expect(step({ value: document, pointer: '', problem: null }, 'a', 'b', 'none')).toMatchObject({
      value: {},
      problem: null,
    });
  });
});

describe('A schema is expanded', () => {
  const reader = (document: JsonObject = {}) => createSchemaReader(createReferences(document));
  const expanded = (schema: Json, document: JsonObject = {}) => reader(document).expand(schema, '/s');

  test.each<[string, JsonObject]>([
    [
      'schemas',
      Object.fromEntries(
        ['items', 'not', 'if', 'then', 'else', 'contains', 'additionalProperties', 'propertyNames'].map((word) => [
          word,
          text,
        ]),
      ),
    ],
    ['lists', Object.fromEntries(['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((word) => [word, [text, text]]))],
    ['members', { properties: { a: text }, dependentSchemas: { a: text } }],
    ['counts', { minLength: 0, maxLength: 1, minItems: 2, maxItems: 3, minProperties: 4, maxProperties: 5 }],
    ['bounds', { minimum: 1, maximum: 2.5 }],
    ['exclusive bounds', { exclusiveMinimum: 1, exclusiveMaximum: 2 }],
    ['steps', { multipleOf: 0.5 }],
    [
      'what else narrows',
      { type: ['string', 'null'], uniqueItems: true, required: ['a'], enum: [1], const: 1, pattern: '^a$' },
    ],
    [
      'what describes',
      { title: 'a', description: 'b', default: 1, example: 2, format: 'date', readOnly: true, 'x-enum-labels': [] },
    ],
    ['that nothing else is allowed', { additionalProperties: false }],
  ])('with its %s', (_, schema) => {
    expect(expanded(schema).schema).toEqual(schema);
  });

  test.each<[string, Json, Json]>([
    ['other types', { type: 'text' }, {}],
    ['no type', { type: [] }, {}],
    ['one type of a list', { type: ['string'] }, { type: 'string' }],
    ['counts that are none', { minLength: -1, maxLength: 1.5, minItems: '2' }, {}],
    ['bounds that are none', { minimum: '1', multipleOf: 0 }, {}],
    ['no uniqueness', { uniqueItems: false }, {}],
    ['a bound that excludes itself', { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    ['the other one', { maximum: 9, exclusiveMaximum: true }, { exclusiveMaximum: 9 }],
    ['a bound that does not', { minimum: 1, exclusiveMinimum: false }, { minimum: 1 }],
    ['no bound to exclude', { exclusiveMinimum: true }, {}],
    [
      'null, by another word',
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'null, by a word of its own',
      { type: 'string', 'x-nullable': true },
      { type: ['string', 'null'], 'x-nullable': true },
    ],
    ['null that is listed', { nullable: true, enum: ['a', null] }, { enum: ['a', null] }],
    ['names that are no texts', { required: ['a', 1] }, { required: ['a'] }],
    [
      'names that are marked',
      { required: ['a'], properties: { a: { required: true }, b: { required: true }, c: true } },
      { required: ['a', 'b'], properties: { a: {}, b: {}, c: {} } },
    ],
    ['a file', { type: 'file' }, { type: 'string', format: 'binary' }],
    ['that nothing is allowed', false, { not: {} }],
    ['that anything is', true, {}],
    ['what nobody knows', { foo: 1 }, {}],
  ])('from %s', (_, schema, expected) => {
    expect(expanded(schema).schema).toEqual(expected);
  });

  test('with a reference, and what narrows it beside', () => {
    const document = { a: { ...text, description: 'old' } };
    expect(expanded(to('#/a'), document).schema).toEqual({ ...text, description: 'old' });
    expect(expanded({ ...to('#/a'), description: 'new' }, document).schema).toEqual({ ...text, description: 'new' });
    expect(expanded({ ...to('#/a'), maxLength: 3 }, document).schema).toEqual({
      allOf: [{ ...text, description: 'old' }, { maxLength: 3 }],
    });
    expect(expanded(to('#/none'), document)).toMatchObject({
      schema: {},
      unresolved: [expect.stringContaining('not there')],
    });
  });

  test('without repeating what holds itself, at any distance', () => {
    const one = { a: { properties: { a: to('#/a'), b: text } } };
    expect(expanded(to('#/a'), one).schema).toEqual({ properties: { a: {}, b: text } });
    const two = { a: { properties: { b: to('#/b') } }, b: { properties: { a: to('#/a') } } };
    expect(expanded(to('#/a'), two).schema).toEqual({ properties: { b: { properties: { a: {} } } } });
  });

  test('with the constant by which a branch is known', () => {
    const branch = (name: string) => ({
      allOf: [text, { required: ['kind'], properties: { kind: { enum: [name] } } }],
    });
    const of = (mapping?: object) =>
      expanded(
        {
          oneOf: [to('#/defs/Cat'), text],
          discriminator: { propertyName: 'kind', ...(mapping && { mapping }) },
        } as Json,
        { defs: { Cat: text } },
      ).schema['oneOf'];
    expect(of()).toEqual([branch('Cat'), text]);
    expect(of({ dog: '#/defs/Dog', cat: '#/defs/Cat' })).toEqual([branch('cat'), text]);
    expect(of({ cat: 'Cat' })).toEqual([branch('cat'), text]);
  });

  test('down to a depth of forty, and up to so many parts', () => {
    const deep = (depth: number): JsonObject => (depth === 0 ? text : { items: deep(depth - 1) });
    expect(expanded(deep(40))).toMatchObject({ schema: deep(40), problems: [] });
    expect(expanded(deep(41)).problems).toEqual(['/s is too large; its deepest parts are left out']);
    const parts = (count: number) => reader().expand({ anyOf: Array.from({ length: count }, () => text) }, '/s', 10);
    expect(parts(9).problems).toEqual([]);
    expect(parts(10).problems).toHaveLength(1);
    const chain = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`r${at}`, { items: to(`#/r${at + 1}`) }]));
    expect(expanded(to('#/r0'), { ...chain, r60: text }).problems).toHaveLength(1);
    const short = Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`r${at}`, { items: to(`#/r${at + 1}`) }]));
    expect(expanded(to('#/r0'), { ...short, r15: text }).problems).toEqual([]);
  });

  test('and its places are known', () => {
    const schemas = reader({ defs: { a: text } });
    const { schema } = schemas.expand({ properties: { a: to('#/defs/a'), b: { items: text } } }, '/s');
    const { a = {}, b = {} } = schema['properties'] as Record<string, JsonObject>;
    expect([schema, a, b, b['items'] as JsonObject, {}].map(schemas.placeOf)).toEqual([
      '/s',
      '/s/properties/a',
      '/s/properties/b',
      '/s/properties/b/items',
      '',
    ]);
  });

  test.each<[JsonObject, string[]]>([
    [{ pattern: '(a+)+$' }, ['/s/pattern is left to the service: it is no pattern, or could take for ever']],
    [
      { if: text, minProperties: 1, dependentRequired: {} },
      ['/s: if, minProperties, dependentRequired: left to the service, not checked here'],
    ],
    [text, []],
  ])('telling what is left to the service: %j', (schema, problems) => {
    expect(expanded(schema).problems).toEqual(problems);
  });
});
