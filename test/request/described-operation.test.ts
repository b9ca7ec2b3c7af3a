import { expect, test } from 'vitest';
import { judgeFor } from '../../src/request/contract/body-check.ts';

test('a text in a header or query is a number if it is written as one', () => {
  const numbers = { type: 'object', properties: { n: { type: 'integer' } } };
  const judge = judgeFor({ as: 'application/json', schema: { properties: { header: numbers, query: numbers } } });
  const judged = (n: string) =>
    judge({ body: {}, header: { n }, query: { n } }).map(({ place, code }) => [place, code]);
  expect(['7', '0', '-12', '007'].map(judged)).toEqual([[], [], [], []]);
  for (const n of ['1.5', '1.50.2', 'many', ''])
    expect(judged(n)).toEqual([
      ['header n', 'contract.bound'],
      ['query n', 'contract.bound'],
    ]);
});

const person = { required: ['first'], properties: { type: { const: 'person' }, first: {} } };
const company = { required: ['company'], properties: { type: { const: 'company' }, company: {} } };

test.each<[string, object, object, string[]]>([
  [
    'one of two',
    { anyOf: [{ required: ['phone'] }, { required: ['email'] }] },
    {},
    ['phone is required unless there is email'],
  ],
  [
    'one of two beside what is always required',
    { allOf: [{ $ref: '#/$defs/person' }, { anyOf: [{ required: ['phone'] }, { required: ['email'] }] }] },
    {},
    ['first is required', 'phone is required unless there is email'],
  ],
  [
    'a choice of objects',
    { properties: { of: { oneOf: [{ $ref: '#/$defs/person' }, { $ref: '#/$defs/company' }] } } },
    { of: { type: 'company' } },
    ['of.company is required'],
  ],
  [
    'a text or null',
    { properties: { city: { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }] } } },
    { city: 'Porto' },
    ['city must not have more than 3 characters'],
  ],
  [
    'a choice of which two fit',
    { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    { a: 1, b: 2 },
    [' may have only one of several forms'],
  ],
  ['a place that is not there', { additionalProperties: false }, { a: 1 }, ['a has no place']],
])('one misfit is told for each place: %s', (_, body, value, told) => {
  const judge = judgeFor({
    as: 'application/json',
    schema: { properties: { body }, $defs: { person, company } } as never,
  });
  const misfits = judge({ body: value, header: {}, query: {} });
  expect(misfits.map(({ place, words }) => `${place} ${words}`)).toEqual(told);
});
