import { expect, test } from 'vitest';
import { parseDocument } from '../../src/contract/documents/parse-document.ts';
import { createReferences } from '../../src/contract/documents/references.ts';
import { serverSuggestions } from '../../src/contract/learn/servers.ts';
import { createSchemaReader } from '../../src/contract/schema/expand-schema.ts';
import { flatten } from '../../src/contract/schema/flat-schema.ts';
import { sampleOf } from '../../src/contract/schema/sample-value.ts';
import type { Json } from '../../src/request/contract.ts';

const nested = (levels: number, inside: Json): Json =>
  levels === 0 ? inside : { properties: { a: nested(levels - 1, inside) } };
const expandWith = (schema: Json, mostNodes?: number) =>
  createSchemaReader(createReferences({})).expand(schema, '/here', mostNodes);
const TOO_LARGE = ['/here is too large; its deepest parts are left out'];

test.each([
  [4, []],
  [3, TOO_LARGE],
])('a schema of four nodes within %d is whole, or said to be cut', (mostNodes, problems) => {
  const schema = { properties: { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } } };
  const expanded = expandWith(schema, mostNodes);
  expect(expanded.problems).toEqual(problems);
  expect(JSON.stringify(expanded.schema).match(/string/g)).toHaveLength(mostNodes - 1);
});

test.each([
  [40, []],
  [41, TOO_LARGE],
])('a schema %d levels deep is whole, or said to be cut', (levels, problems) => {
  const expanded = expandWith(nested(levels, { type: 'string' }));
  expect(expanded.problems).toEqual(problems);
  expect(JSON.stringify(expanded.schema).includes('string')).toBe(problems.length === 0);
});

const parsed = (text: string) => parseDocument({ name: 'api.json', bytes: Buffer.from(text) });

test('a document of 2,000,000 values is read, and one more is too many', () => {
  // The object and the list count as well.
  const ofValues = (count: number) => `{"list":[${'1,'.repeat(count - 3)}1]}`;
  expect(Object(parsed(ofValues(2_000_000))['list'])).toHaveLength(1_999_998);
  expect(() => parsed(ofValues(2_000_001))).toThrow('holds more than 2000000 values');
});

test('a document 200 levels deep is read, and one more is too many', () => {
  const ofDepth = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  expect(parsed(ofDepth(200))).toHaveProperty('a');
  expect(() => parsed(ofDepth(201))).toThrow('nested more than 200 levels deep');
});

test('of the allOf within a schema as many levels count as are told', () => {
  const within = (levels: number): Json => (levels === 0 ? { required: ['deep'] } : { allOf: [within(levels - 1)] });
  const requiredAt = (levels: number) => [...flatten(Object(within(levels))).required];
  expect(requiredAt(21)).toEqual(['deep']);
  expect(requiredAt(22)).toEqual([]);
});

test('the only branch that is not null is merged, as deep as others are', () => {
  const within = (levels: number): Json =>
    levels === 0 ? { required: ['deep'] } : { oneOf: [within(levels - 1), { type: 'null' }] };
  const requiredAt = (levels: number) => [...flatten(Object(within(levels))).required];
  expect(requiredAt(1)).toEqual(['deep']);
  expect(requiredAt(21)).toEqual(['deep']);
  expect(requiredAt(22)).toEqual([]);
});

test.each(['allOf', 'anyOf', 'oneOf'])('%s of one schema is looked into', (word) => {
  expect(expandWith({ [word]: [{ type: 'string' }] }).schema).toEqual({ [word]: [{ type: 'string' }] });
});

test.each([
  ['members', (inner: Json): Json => ({ properties: { a: inner } }), (inner: Json): Json => ({ a: inner })],
  ['elements', (inner: Json): Json => ({ type: 'array', items: inner }), (inner: Json): Json => [inner]],
])('a sample has %s as deep as ten within another, and ends there', (_, schemaOf, sampleWith) => {
  const nestedBy = (wrap: (inner: Json) => Json, levels: number, inside: Json): Json =>
    levels === 0 ? inside : wrap(nestedBy(wrap, levels - 1, inside));
  const sampleOfDepth = (levels: number) =>
    sampleOf(Object(nestedBy(schemaOf, levels, { const: 'deep' })), { fits: () => true, isMinimal: false });
  expect(sampleOfDepth(10)).toEqual(nestedBy(sampleWith, 10, 'deep'));
  expect(JSON.stringify(sampleOfDepth(12))).not.toContain('deep');
  expect(JSON.stringify(sampleOfDepth(12)).length).toBeGreaterThan(JSON.stringify(nestedBy(sampleWith, 9, 1)).length);
});

test('of a description that lists addresses without end the first are suggested, each with its own name', () => {
  const servers = Array.from({ length: 30 }, (_, at) => ({ url: `https://s${at}.example.com/v1` }));
  const suggested = serverSuggestions(servers);
  expect(suggested.map(({ url }) => url)).toEqual(servers.slice(0, 20).map(({ url }) => url));
  expect(new Set(suggested.map(({ name }) => name)).size).toBe(20);
  const region = { enum: Array.from({ length: 15 }, (_, at) => `r${at}`), default: 'r3' };
  const variants = serverSuggestions([{ url: 'https://{region}.example.com', variables: { region } }]);
  const named = [3, 0, 1, 2, 4, 5, 6, 7, 8, 9].map((at) => `https://r${at}.example.com`);
  expect(variants.map(({ url }) => url)).toEqual(named);
});
