import { expect, test } from 'vitest';
import type { Leaf } from '../../src/contract/learn/body-leaves.ts';
import { allowedValues, leafParameter } from '../../src/contract/learn/leaf-parameter.ts';
import type { Parameter } from '../../src/request/contract.ts';
import { parameter } from '../sandbox/contract-client.ts';

const leaf = (keywords: Leaf['keywords'], more: Partial<Leaf> = {}): Leaf => ({
  ...{ path: ['a'], keywords, shape: 'scalar', required: true, requiredWithin: null, where: '/a', elements: [] },
  ...more,
});
const read = (keywords: Leaf['keywords'], field = 'a', isMultipart = false) =>
  leafParameter(leaf(keywords), field, 'body', isMultipart);

test.each<[Parameter['type'], Leaf['keywords']]>([
  ['string', {}],
  ['string', { type: 'string' }],
  ['string', { type: ['integer', 'string'] }],
  ['string', { type: 'null' }],
  ['string', { type: 'object' }],
  ['string', { enum: ['a', 1] }],
  ['integer', { type: 'integer' }],
  ['integer', { type: ['boolean', 'integer', 'null'] }],
  ['integer', { enum: [1, 2] }],
  ['number', { enum: [1, 2.5] }],
  ['number', { type: 'number' }],
  ['number', { type: 'number', enum: [1, 2] }],
  ['number', { type: ['integer', 'number'] }],
  ['boolean', { type: 'boolean' }],
  ['boolean', { const: true }],
])('the type on the wire is %s of %j', (type, keywords) => {
  expect(read(keywords).type).toBe(type);
});

test.each<[Leaf['keywords'], Partial<Parameter>]>([
  [
    { type: 'string', minLength: 0, maxLength: 9, pattern: '^a$' },
    { minLength: 0, maxLength: 9, pattern: '^a$' },
  ],
  [
    { type: 'integer', minimum: 0, maximum: 9 },
    { type: 'integer', minimum: 0, maximum: 9 },
  ],
  [
    { type: 'integer', exclusiveMinimum: 4, exclusiveMaximum: 9 },
    { type: 'integer', minimum: 5, maximum: 8 },
  ],
  [
    { type: 'integer', minimum: 1, exclusiveMinimum: 4 },
    { type: 'integer', minimum: 1 },
  ],
  [{ type: 'number', exclusiveMinimum: 4, exclusiveMaximum: 9 }, { type: 'number' }],
  [{ type: 'integer' }, { type: 'integer' }],
  [{ minLength: '1', pattern: '' }, {}],
  [{ enum: ['b', null, ['c']] }, { values: [{ value: 'b', label: null }] }],
])('of %j a parameter has %j', (keywords, changes) => {
  expect(read(keywords)).toEqual(parameter('a', changes));
});

test('it is required as its place is, but for what goes along with a recording', () => {
  const within = leaf({}, { required: true, requiredWithin: ['x'], shape: 'list', path: ['x', 'a'] });
  const of = (field: string) => leafParameter(within, field, 'query', false);
  expect(of('a')).toEqual(
    parameter('a', { in: 'query', path: ['x', 'a'], isList: true, required: true, requiredWithin: ['x'] }),
  );
  for (const field of ['audio_type', 'audio_name']) {
    expect(of(field)).toMatchObject({ required: false, requiredWithin: null, audioForm: null });
  }
});

test.each<[Parameter['audioForm'], Leaf['keywords'], boolean]>([
  ['binary', { format: 'binary' }, true],
  ['base64', { format: 'binary' }, false],
  ['base64', { format: 'byte' }, true],
  ['data-url', { description: 'A data URL' }, false],
  ['data-url', { description: 'as a data-uri' }, false],
  ['data-url', { pattern: '^data:audio/wav;base64,' }, false],
  ['data-url', { example: 'data:audio/wav;base64,AA==' }, true],
  ['data-url', { examples: ['x', 'data:audio/wav;base64,AA=='] }, false],
  ['base64', { description: 'the data of the recording' }, false],
])('a recording is sent as %s by %j, in parts: %s', (form, keywords, isMultipart) => {
  expect(read(keywords, 'audio_file', isMultipart).audioForm).toBe(form);
  expect(read(keywords, 'a', isMultipart).audioForm).toBeNull();
});

test('allowed values have the labels of their own places', () => {
  expect(allowedValues({ enum: [1, null, true], 'x-enum-labels': ['One', 'None', 'Yes'] })).toEqual([
    { value: '1', label: 'One' },
    { value: 'true', label: 'Yes' },
  ]);
  expect([allowedValues({}), allowedValues({ enum: [null] })]).toEqual([null, null]);
});
