import { expect, test } from 'vitest';
import type { Json, Operation, Parameter } from '../../src/request/contract.ts';
import {
  audioLength,
  boundProblem,
  dataUrlPrefix,
  describedOperation,
  isFixedByDocument,
  unmetRequirements,
  wireValue,
} from '../../src/request/contract-rules.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';

const described = (create: Partial<Operation>) => describedOperation(contractWith({ create }).create);
const way = (...fields: string[]) => ({ fields, constants: [] });
const plumbing = { value: '12', label: 'Plumbing' };
const two = [plumbing, { value: '13', label: null }];

test.each<[string, boolean, Partial<Operation>]>([
  ['nothing is described', false, { parameters: null }],
  ['there are only optional fields', false, { parameters: [parameter('phone', { required: false })] }],
  ['what is required is constant', false, { parameters: [parameter('partner', { constant: '42' })] }],
  [
    'of two, one is required and the other constant',
    true,
    { parameters: [parameter('phone'), parameter('partner', { required: false, constant: '42' })] },
  ],
  ['a field is required', true, { parameters: [parameter('phone')] }],
  ['there is one choice', true, { parameters: [], choices: [[way('phone'), way('email')]] }],
])('where %s, that something is required is said: %s', (_, saysRequired, create) => {
  expect(described(create).saysRequired).toBe(saysRequired);
});

test.each<[boolean, Parameter[]]>([
  [true, [parameter('request_text')]],
  [false, [parameter('request_text', { required: false })]],
  [false, [parameter('request_text', { required: false }), parameter('phone')]],
  [false, [parameter('phone')]],
])('that a text is needed is %s with %j', (needsText, parameters) => {
  expect(described({ parameters }).needsText).toBe(needsText);
});

test('the fields, the constant ones, the bounded ones and the country are those of the parameters', () => {
  const parameters = [
    parameter('phone', { maxLength: 20 }),
    parameter('category', { values: two }),
    parameter('lang', { minLength: 2 }),
    parameter('country', { constant: 'PT' }),
  ];
  const { fields, constants, bounded, country } = described({ parameters });
  expect([[...fields], [...constants], [...bounded]]).toEqual([
    ['phone', 'category', 'lang', 'country'],
    ['country'],
    ['phone', 'category'],
  ]);
  expect(country).toBe('PT');
  expect(described({ parameters: [parameter('partner', { constant: 'ES' })] }).country).toBeNull();
  expect(described({ parameters: [parameter('country')] }).country).toBeNull();
});

test('a field within an object can be named whole, unless another field has that name', () => {
  const utm = parameter('source', { path: ['utm', 'source'] });
  const inQuery = parameter('page', { in: 'query', path: ['paging', 'page'] });
  const whole = (...parameters: Parameter[]) => [...described({ parameters }).byWholeName];
  expect(whole(utm, parameter('phone'), inQuery)).toEqual([['utm.source', 'source']]);
  expect(whole(parameter('deep', { path: ['a', 'b', 'c'] }))).toEqual([['a.b.c', 'deep']]);
  expect(whole(utm, parameter('utm.source'))).toEqual([]);
});

test('what is not described stands where most of the fields stand', () => {
  const at = (...path: string[]) => parameter(path.at(-1) ?? '', { path });
  const parentOf = (...parameters: Parameter[]) => described({ parameters }).others.parent;
  expect(parentOf()).toEqual([]);
  expect(parentOf(at('ref'), at('data', 'lead', 'phone'), at('data', 'lead', 'email'))).toEqual(['data', 'lead']);
  expect(parentOf(at('ref'), at('data', 'phone'), at('lang'))).toEqual([]);
  // Neither a header nor what is always the same says where a request's own fields go.
  const header = { ...at('meta', 'trace'), in: 'header' } as const;
  const constant = { ...at('meta', 'partner'), constant: '42' };
  expect(parentOf(header, { ...header }, constant, { ...constant }, at('lead', 'phone'))).toEqual(['lead']);
});

const closedAt = (...path: string[]): Json => {
  const [name, ...rest] = path;
  const closed = { additionalProperties: false };
  return name === undefined ? closed : { properties: { [name]: closedAt(...rest) } };
};

test.each<[string, { closed: boolean; namesOwn: boolean; takesOwn: boolean }, Partial<Operation>]>([
  ['nothing is known', { closed: false, namesOwn: false, takesOwn: true }, { parameters: null, schema: null }],
  [
    'examples name a field of srq',
    { closed: false, namesOwn: true, takesOwn: true },
    { parameters: [parameter('phone')], schema: null },
  ],
  [
    'examples name a part of one',
    { closed: false, namesOwn: true, takesOwn: true },
    { parameters: [parameter('city')], schema: null },
  ],
  [
    'examples name the reference alone',
    { closed: false, namesOwn: false, takesOwn: false },
    { parameters: [parameter('ref')], schema: null },
  ],
  [
    'examples name none of them',
    { closed: false, namesOwn: false, takesOwn: false },
    { parameters: [parameter('rooms')], schema: null },
  ],
  [
    'the body has a schema',
    { closed: false, namesOwn: true, takesOwn: false },
    { parameters: [parameter('phone')], schema: {} },
  ],
  [
    'the schema allows nothing else',
    { closed: true, namesOwn: true, takesOwn: false },
    { parameters: [parameter('phone')], schema: closedAt() },
  ],
  [
    'the object with the fields allows nothing else',
    { closed: true, namesOwn: true, takesOwn: false },
    { parameters: [parameter('phone', { path: ['data', 'phone'] })], schema: closedAt('data') },
  ],
  [
    'another object allows nothing else',
    { closed: false, namesOwn: true, takesOwn: false },
    { parameters: [parameter('phone')], schema: closedAt('data') },
  ],
])('where %s, other fields find a place so: %j', (_, others, create) => {
  expect(described(create).others).toMatchObject(others);
});

test.each<[boolean, Partial<Parameter>]>([
  [true, { constant: '12', values: [plumbing] }],
  [false, { constant: '12', values: two }],
  [false, { constant: '12', values: null }],
  [false, { constant: null, values: [plumbing] }],
])('that the document fixes a value is %s of %j', (isFixed, changes) => {
  expect(isFixedByDocument(parameter('category', changes))).toBe(isFixed);
});

test.each<[number, Partial<Parameter>, number, string | null]>([
  [3, { audioForm: 'binary' }, 3, 'audio/wav'],
  [0, { audioForm: 'base64' }, 0, null],
  [4, { audioForm: 'base64' }, 1, null],
  [4, { audioForm: 'base64' }, 3, 'audio/wav'],
  [8, { audioForm: 'base64' }, 4, 'audio/wav'],
  ['data:audio/wav;base64,'.length + 4, { audioForm: 'data-url' }, 3, 'audio/wav'],
])('a recording is %i long as %j of %i bytes', (length, form, sizeBytes, mediaType) => {
  expect(audioLength(parameter('audio_file', form), sizeBytes, mediaType)).toBe(length);
});

test('the beginning of a data URL names the media type, or that it is unknown', () => {
  expect(dataUrlPrefix('audio/ogg')).toBe('data:audio/ogg;base64,');
  expect(dataUrlPrefix(null)).toBe('data:application/octet-stream;base64,');
});

test.each([
  ['true', 'true'],
  ['yes', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['no', 'false'],
  ['0', 'false'],
  [' FALSE ', 'false'],
])('%j goes as the boolean %s', (text, wire) => {
  expect(wireValue(parameter('agreed', { type: 'boolean' }), text)).toBe(wire);
});

test('a number of 400 characters is one, and a longer one is none', () => {
  const rooms = parameter('rooms', { type: 'integer' });
  expect(wireValue(rooms, '9'.repeat(400))).toBe('9'.repeat(400));
  expect(wireValue(rooms, '9'.repeat(401))).toBeNull();
});

test.each<[string, Partial<Parameter>, string, RegExp | null]>([
  ['as long as allowed', { maxLength: 3 }, 'abc', null],
  ['as short as allowed', { minLength: 3 }, 'abc', null],
  ['one code point too short', { minLength: 3 }, 'ab', /has 2 characters; at least 3/],
  ['short in code points though not in UTF-16 units', { minLength: 3 }, '👍a👍'.slice(0, 3), /has 2 characters/],
  ['as few as allowed of two units each', { minLength: 3 }, '👍👍👍', null],
  ['short without a least', { minLength: null }, '', null],
  ['long without a most', { maxLength: null }, 'abcd', null],
  ['the least number', { type: 'integer', minimum: 5 }, '5', null],
  ['the greatest number', { type: 'number', maximum: 5 }, '5', null],
  ['a number that no pattern counts for', { type: 'integer', pattern: '^x$' }, '5', null],
  ['an allowed value, which no bound counts for', { values: two, maxLength: 1 }, '12', null],
  ['a code point of two units that is one dot', { pattern: '^.$' }, '👍', null],
])('a text is within its bounds or not: %s', (_, changes, wire, told) => {
  const problem = boundProblem(parameter('foo', changes), wire);
  if (told === null) expect(problem).toBeNull();
  else expect(problem).toMatch(told);
});

test('what is required within an object is needed for the members of that object alone', () => {
  const source = parameter('source', { path: ['utm', 'source'], required: false, requiredWithin: ['utm'] });
  const object = parameter('utm', { path: ['utm'], required: false });
  const beside = parameter('medium', { path: ['other', 'medium'], required: false });
  const header = parameter('trace', { in: 'header', path: ['utm', 'trace'], required: false });
  const unmet = (...given: string[]) =>
    unmetRequirements(contractWith({ create: { parameters: [source, object, beside, header] } }).create, (field) =>
      given.includes(field),
    );
  expect([unmet(), unmet('utm'), unmet('medium'), unmet('trace')]).toEqual([[], [], [], []]);
});

test.each<[string, string, readonly (string | readonly [string, string])[], string, string | null]>([
  ['a value in another case', 'size', ['LARGE'], 'large', 'LARGE'],
  ['a value in two cases', 'size', ['Large', 'LARGE'], 'large', null],
  ['a label', 'size', [['1', 'Large house']], 'large HOUSE', '1'],
  ['a value before a label', 'size', [['1', '2'], '2'], '2', '2'],
  ['a country by its label', 'country', [['1', 'Spain']], 'ES', '1'],
  ['a language by its label', 'lang', [['1', 'Portuguese']], 'pt', '1'],
  ['a language by its name', 'lang', ['en', 'fr'], 'French', 'fr'],
  ['a regional form by its language', 'lang', ['en', 'fr'], 'fr-CH', 'fr'],
  ['a language by its only regional form', 'lang', ['en-US', 'fr-FR'], 'fr', 'fr-FR'],
])('a text means an allowed value by %s', (_, field, allowed, text, wire) => {
  const values = allowed.map((each) =>
    typeof each === 'string' ? { value: each, label: null } : { value: each[0], label: each[1] },
  );
  expect(wireValue(parameter(field, { values }), text)).toBe(wire);
});
