import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contract/documents/json-parts.ts';
import { flatten, labelsOf } from '../../src/contract/schema/flat-schema.ts';
import { INVENTED_TEXT, sampleOf } from '../../src/contract/schema/sample-value.ts';
import { validationSchema } from '../../src/contract/schema/validation-schema.ts';
import type { Json } from '../../src/request/contract.ts';

const text = { type: 'string' };
const repeated = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);
/** A schema within `depth` others, each of which holds the next by `wrap`. */
function within(depth: number, wrap: (inner: JsonObject) => JsonObject, inner: JsonObject): JsonObject {
  return depth === 0 ? inner : wrap(within(depth - 1, wrap, inner));
}
const inItems = (items: JsonObject): JsonObject => ({ items });
const inAllOf = (part: JsonObject): JsonObject => ({ allOf: [part] });

describe('A schema is kept for validation', () => {
  test('with up to 256 KiB, and not with one character more', () => {
    const ofLength = (length: number) => ({ const: 'x'.repeat(length - '{"const":""}'.length) });
    expect(validationSchema(ofLength(256 * 1024))).not.toBeNull();
    expect(validationSchema(ofLength(256 * 1024 + 1))).toBeNull();
    expect(validationSchema({ anyOf: repeated(80_000, {}) })).not.toBeNull();
  });

  test.each([
    ['lists', inItems],
    ['alternatives', (anyOf: JsonObject): JsonObject => ({ anyOf: [anyOf] })],
    ['parts', inAllOf],
    ['members', (a: JsonObject): JsonObject => ({ properties: { a } })],
  ])('down to a depth of 200 %s, and not of one more', (_, wrap) => {
    expect(validationSchema(within(200, wrap, text))).toEqual(within(200, wrap, text));
    expect(validationSchema(within(201, wrap, text))).toBeNull();
  });

  test('and what forbids other members within twenty parts forbids them as a whole', () => {
    const closed = (depth: number) =>
      validationSchema(within(depth, inAllOf, { properties: { a: text }, additionalProperties: false }));
    expect(closed(20)).toMatchObject({ unevaluatedProperties: false });
    expect(JSON.stringify(closed(20))).not.toContain('additionalProperties');
    expect(closed(21)).not.toHaveProperty('unevaluatedProperties');
    expect(closed(1)).toEqual({ allOf: [{ properties: { a: text } }], unevaluatedProperties: false });
  });

  test.each<[string, JsonObject, Json]>([
    ['a closed schema without parts', { additionalProperties: false }, { additionalProperties: false }],
    ['an open one with parts', { allOf: [text] }, { allOf: [text] }],
    [
      'a schema of other members beside a closed part',
      { additionalProperties: text, allOf: [{ additionalProperties: false }] },
      { additionalProperties: text, allOf: [{}], unevaluatedProperties: false },
    ],
    [
      'an open part beside a closed one',
      { allOf: [{ additionalProperties: text }, { additionalProperties: false }] },
      { allOf: [{ additionalProperties: text }, {}], unevaluatedProperties: false },
    ],
    [
      'a closed schema of two parts',
      { additionalProperties: false, allOf: [{ properties: { a: text } }, true] },
      { allOf: [{ properties: { a: text } }, true], unevaluatedProperties: false },
    ],
    [
      'what only the service may set, wherever it is required',
      { properties: { id: { readOnly: true }, a: text }, required: ['id', 'a'], allOf: [{ required: ['id'] }] },
      { properties: { a: text }, required: ['a'], allOf: [{ required: [] }] },
    ],
    [
      'the same name in an inner object, which is another',
      { properties: { id: { readOnly: true }, a: { required: ['id'] } } },
      { properties: { a: { required: ['id'] } } },
    ],
    ['a condition that is no list', { allOf: {}, properties: [], pattern: 7 }, {}],
    ['a pattern that could take for ever', { pattern: '(a+)+$' }, {}],
    ['a pattern that is cheap', { pattern: '^a$' }, { pattern: '^a$' }],
    [
      'members that others depend on',
      { dependentSchemas: { a: { type: 'object' } } },
      { dependentSchemas: { a: { type: 'object' } } },
    ],
    [
      'what only describes',
      { title: 'A', description: 'b', format: 'date', default: 1, items: false },
      { items: false },
    ],
  ])('in the form that a validator needs: %s', (_, schema, kept) => {
    expect(validationSchema(schema)).toEqual(kept);
  });

  test('without what a part at a depth of twenty says that only the service may set', () => {
    const part = within(20, inAllOf, { properties: { id: { readOnly: true } } });
    expect(validationSchema({ ...part, required: ['id', 'a'] })).toMatchObject({ required: ['a'] });
  });
});

describe('A schema is flattened', () => {
  const flat = (schema: JsonObject) => {
    const { keywords, properties, required, branches } = flatten(schema);
    return { keywords, properties: Object.fromEntries(properties), required: [...required], branches };
  };
  const object = { properties: { a: text } };

  test('down to twenty parts and one', () => {
    expect(flat(within(21, inAllOf, object)).properties).toEqual({ a: text });
    expect(flat(within(22, inAllOf, object)).properties).toEqual({});
    const inOneOf = (each: JsonObject): JsonObject => ({ oneOf: [each] });
    expect(flat(within(21, inOneOf, object)).properties).toEqual({ a: text });
    expect(flat(within(22, inOneOf, object)).properties).toEqual({});
  });

  test.each<[string, JsonObject, Partial<ReturnType<typeof flat>>]>([
    ['one branch is no choice', { oneOf: [object] }, { properties: { a: text }, branches: [] }],
    [
      'one branch beside null is none',
      { anyOf: [object, { type: 'null' }] },
      { properties: { a: text }, branches: [] },
    ],
    ['branches of null alone say nothing', { anyOf: [{ type: 'null' }] }, { keywords: {}, branches: [] }],
    [
      'branches with members are a choice',
      { oneOf: [object, { required: ['b'] }] },
      { properties: {}, branches: [[object, { required: ['b'] }]] },
    ],
    [
      'a branch that only requires makes one, too',
      { anyOf: [text, { required: ['b'] }] },
      { branches: [[text, { required: ['b'] }]] },
    ],
    [
      'a branch of branches makes one, too',
      { anyOf: [text, { oneOf: [object, object] }] },
      { branches: [[text, { oneOf: [object, object] }]] },
    ],
    [
      'alternative values are one list, with their titles or descriptions as labels',
      { oneOf: [{ const: 1, title: 'One' }, { const: 2, description: 'Two' }, { const: 3 }] },
      { keywords: { enum: [1, 2, 3], 'x-enum-labels': ['One', 'Two', null] } },
    ],
    [
      'alternative lists have no labels',
      { oneOf: [{ enum: [1, 2], title: 'A' }, { enum: [3] }] },
      { keywords: { enum: [1, 2, 3] } },
    ],
    [
      'an alternative without values allows any',
      { oneOf: [{ type: 'string', enum: ['a'] }, { type: 'integer' }, { type: 'string' }] },
      { keywords: { type: ['string', 'integer'] } },
    ],
    [
      'two parts that name a member demand both of it',
      { allOf: [object, { properties: { a: { maxLength: 3 }, b: 'none' } }] },
      { properties: { a: { allOf: [text, { maxLength: 3 }] } } },
    ],
    ['the same member of two parts is one', { ...object, allOf: [object] }, { properties: { a: text } }],
    [
      'of two lists of values the common ones count',
      { enum: [1, 2, 3], allOf: [{ enum: [3, 2] }] },
      { keywords: { enum: [2, 3] } },
    ],
    [
      'of two lists with nothing in common the later counts',
      { enum: [1], allOf: [{ enum: [2] }] },
      { keywords: { enum: [2] } },
    ],
    [
      'a type stays where a part names none',
      { type: 'string', allOf: [{ maxLength: 1 }] },
      { keywords: { type: 'string', maxLength: 1 } },
    ],
    [
      'required names of all parts count',
      { required: ['a', 7], allOf: [{ required: ['b'] }] },
      { required: ['a', 'b'] },
    ],
  ])('%s', (_, schema, expected) => {
    expect(flat(schema)).toMatchObject(expected);
    if (expected.keywords) expect(flat(schema).keywords).toEqual(expected.keywords);
    if (expected.properties) expect(flat(schema).properties).toEqual(expected.properties);
  });

  test.each([
    'x-enum-labels',
    'x-enumNames',
    'x-enum-varnames',
    'x-enum-names',
    'x-enum-descriptions',
    'x-enumDescriptions',
  ])('labels are read from %s, as a list or by value', (word) => {
    expect(labelsOf({ enum: ['a', 'b', 'c'], [word]: ['A', '', 7] })).toEqual(['A', null, null]);
    expect(labelsOf({ enum: [1, 2, { a: 1 }, null], [word]: { 1: 'One', '[object Object]': 'x', null: 'y' } })).toEqual(
      ['One', null, null, null],
    );
  });

  test('without labels each value has none', () => {
    expect([labelsOf({ enum: ['a', 'b'] }), labelsOf({ const: 1 }), labelsOf({})]).toEqual([[null, null], [null], []]);
  });
});

describe('A sample of a schema', () => {
  const sample = (schema: JsonObject, isMinimal = false, fits: (value: Json) => boolean = () => true) =>
    sampleOf(schema, { isMinimal, fits });

  test.each<[string, JsonObject, Json]>([
    ['its example', { type: 'string', example: 'a', examples: ['b'], enum: ['c'], default: 'd' }, 'a'],
    ['the first of its examples', { examples: ['b', 'c'], enum: ['c'] }, 'b'],
    ['its first value before its default', { enum: ['c', 'd'], default: 'd' }, 'c'],
    ['its constant', { const: 7 }, 7],
    ['its default', { type: 'string', default: 'd' }, 'd'],
    ['a number as text where a text is wanted', { type: 'string', example: 7 }, '7'],
    ['a boolean as text where a text or null is wanted', { type: ['string', 'null'], example: true }, 'true'],
    ['a number where a number is allowed, too', { type: ['string', 'integer'], example: 7 }, 7],
    ['an invented text where the example is null', { type: 'string', example: null }, INVENTED_TEXT],
    ['one, for a number', { type: 'number' }, 1],
    ['its least number', { type: 'integer', minimum: 18 }, 18],
    ['no, for a boolean', { type: 'boolean' }, false],
    ['an empty object', { type: 'object' }, {}],
    ['nothing, for a schema that says nothing', {}, null],
    ['a text, for a text that may be null', { type: ['null', 'string'] }, INVENTED_TEXT],
    ['a list of one', { type: 'array', items: text }, [INVENTED_TEXT]],
    ['an empty list of nothing known', { type: 'array' }, []],
    ['its members', { properties: { a: text, b: { type: 'boolean' } } }, { a: INVENTED_TEXT, b: false }],
    [
      'the first branch beside its members',
      { properties: { a: text }, oneOf: [{ properties: { b: text } }, { properties: { c: text } }] },
      { a: 'text', b: 'text' },
    ],
    ['a date and time', { type: 'string', format: 'date-time' }, '2026-01-31T12:00:00Z'],
    ['a date', { type: 'string', format: 'date' }, '2026-01-31'],
    ['a time', { type: 'string', format: 'time' }, '12:00:00Z'],
    ['an e-mail address', { type: 'string', format: 'email' }, 'ana@example.com'],
    ['an address', { type: 'string', format: 'uri' }, 'https://example.com/'],
    ['an address, too', { type: 'string', format: 'url' }, 'https://example.com/'],
    ['a text as long as needed', { type: 'string', minLength: 6 }, 'textxx'],
    ['a text as short as needed', { type: 'string', maxLength: 2 }, 'te'],
  ])('is %s', (_, schema, value) => {
    expect(sample(schema)).toEqual(value);
  });

  test('is the first value that may be used, or else the first', () => {
    expect(sample({ enum: ['a', 'b'] }, false, (value) => value === 'b')).toBe('b');
    expect(sample({ enum: ['a', 'b'] }, false, () => false)).toBe('a');
  });

  test('is a text of at most a thousand letters', () => {
    expect(sample({ type: 'string', minLength: 1000 })).toHaveLength(1000);
    expect(sample({ type: 'string', minLength: 1001 })).toHaveLength(1000);
    expect(sample({ type: 'string', minLength: 1001, maxLength: 5000 })).toHaveLength(1000);
  });

  test('has members down to a depth of ten, and lists one less', () => {
    const inMember = (a: JsonObject): JsonObject => ({ properties: { a } });
    const ofMember = (a: Json): Json => ({ a });
    const deep = (depth: number, inner: Json): Json => (depth === 0 ? inner : ofMember(deep(depth - 1, inner)));
    expect(sample(within(11, inMember, text))).toEqual(deep(11, 'text'));
    expect(sample(within(12, inMember, text))).toEqual(deep(11, {}));
    const inList = (items: JsonObject): JsonObject => ({ type: 'array', items });
    const listed = (depth: number, inner: Json): Json => (depth === 0 ? inner : [listed(depth - 1, inner)]);
    expect(sample(within(10, inList, text))).toEqual(listed(10, 'text'));
    expect(sample(within(11, inList, text))).toEqual(listed(10, []));
  });

  test('has two hundred members, and null for the others', () => {
    const of = (count: number) =>
      sample({ properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, text])) }) as object;
    expect(Object.values(of(200)).filter((value) => value === null)).toEqual([]);
    expect(Object.values(of(201)).filter((value) => value === null)).toHaveLength(1);
  });

  test('that is minimal has the required members, or the first two levels of members where none is', () => {
    const open = (inner: JsonObject): JsonObject => ({ properties: { a: inner } });
    const schema = { properties: { a: text, b: text, id: { ...text, readOnly: true } }, required: ['a', 'id'] };
    expect(sample(schema, true)).toEqual({ a: 'text' });
    expect(sample(schema)).toEqual({ a: 'text', b: 'text', id: 'text' });
    expect(sample(open(open(open(text))), true)).toEqual({ a: { a: {} } });
    expect(sample({ properties: { id: { readOnly: true }, b: text } }, true)).toEqual({ b: 'text' });
    const wide = (count: number) => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, text])),
    });
    expect(Object.keys(sample(wide(199), true) as object)).toHaveLength(199);
    expect(sample(wide(200), true)).toEqual({});
  });
});
