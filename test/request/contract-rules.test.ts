import { describe, expect, test } from 'vitest';
import type { AllowedValue, Parameter } from '../../src/contract/version-1/contract.ts';
import { boundProblem, unmetRequirements, wireValue } from '../../src/contract/version-1/contract-rules.ts';
import { cpuMs } from '../helpers/cpu-time.ts';
import fc from '../helpers/fast-check.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';

const values = (...each: readonly (string | readonly [string, string])[]): AllowedValue[] =>
  each.map((one) => (typeof one === 'string' ? { value: one, label: null } : { value: one[0], label: one[1] }));

const category = parameter('category', {
  type: 'integer',
  values: values(
    ['12', 'Plumbing'],
    ['13', 'Home cleaning'],
    ['14', 'Canalização'],
    ['15', 'Garden'],
    ['16', 'garden'],
  ),
});
const country = parameter('country', { values: values('PT', 'GB', 'ES') });
const lang = parameter('lang', { values: values('pt-PT', 'en', 'de-DE', 'de-AT') });
const audioType = parameter('audio_type', { values: values('audio/x-wav', 'mp3', 'audio/m4a', 'audio/x-m4a') });

describe('A text becomes the value that the service knows', () => {
  test.each<[string, Parameter, string, string | null]>([
    ['the value itself', category, '12', '12'],
    ['with zeros that a spreadsheet added', category, '012', '12'],
    ['as a spreadsheet saves integers', category, '12.0', '12'],
    ['its label', category, 'Plumbing', '12'],
    ['its label in another case, without accents and blanks', category, ' CANALIZACAO ', '14'],
    ['its label without its blank', category, 'HomeCleaning', '13'],
    ['a label that two values have', category, 'Garden', null],
    ['neither value nor label', category, 'Plumber', null],
    ['a value in another case', country, 'pt', 'PT'],
    ['UK for GB', country, 'UK', 'GB'],
    ['GB for UK', parameter('country', { values: values('UK') }), 'GB', 'UK'],
    ['a country by its name', parameter('country', { values: values('Portugal', 'Spain') }), 'PT', 'Portugal'],
    ['a market that the service does not have', country, 'DE', null],
    ['a language whose one regional form is known', lang, 'pt', 'pt-PT'],
    ['a regional form of a known language', lang, 'en-GB', 'en'],
    ['a language with two regional forms', lang, 'de', null],
    ['another regional form', lang, 'pt-BR', null],
    ['an underscore for the hyphen', lang, 'de_AT', 'de-AT'],
    ['another name of a media type', audioType, 'audio/wav', 'audio/x-wav'],
    ['the short name of a media type', audioType, 'audio/mpeg', 'mp3'],
    ['one of two names for the same', audioType, 'audio/mp4', 'audio/m4a'],
    ['a media type that is not taken', audioType, 'audio/ogg', null],
    ['the same letters of another field', parameter('city', { values: values('GB') }), 'UK', null],
    ['anything where nothing is said', parameter('fullname'), ' Inês ', ' Inês '],
  ])('%s', (_, of, text, wire) => {
    expect(wireValue(of, text)).toBe(wire);
  });

  test.each([
    ['integer', '9007199254740993', '9007199254740993'],
    ['integer', '+351912345678', '351912345678'],
    ['integer', '-0', '0'],
    ['integer', '-07', '-7'],
    ['integer', '1e3', null],
    ['integer', '12.5', null],
    ['integer', '1 000', null],
    ['number', '012.50', '12.5'],
    ['number', '12,5', null],
    ['number', '', null],
    ['boolean', 'Yes', 'true'],
    ['boolean', '0', 'false'],
    ['boolean', 'perhaps', null],
  ] as const)('as %s, %j goes as %j', (type, text, wire) => {
    expect(wireValue(parameter('amount', { type }), text)).toBe(wire);
  });

  test('whatever is written and allowed, the answer is an allowed value or none, and nothing is thrown', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('pt', 'UK', 'GB', '12', 'audio/wav', 'true'));
    const allowed = fc.array(fc.record({ value: text, label: fc.option(text) }), { minLength: 1, maxLength: 5 });
    const field = fc.constantFrom('country', 'lang', 'category', 'audio_type', 'foo');
    const type = fc.constantFrom('string', 'integer', 'number', 'boolean');
    fc.assert(
      fc.property(fc.record({ field, type }), fc.option(allowed), text, ({ field, type }, allowed, written) => {
        const wire = wireValue(parameter(field, { type, values: allowed }), written);
        if (wire === null) return;
        if (allowed) expect(allowed.map(({ value }) => value)).toContain(wire);
        else if (type !== 'string') expect(() => JSON.parse(wire)).not.toThrow();
        if (allowed?.some(({ value }) => value === written)) expect(wire).toBe(written);
      }),
    );
  });
});

describe('Bounds', () => {
  test.each<[string, Partial<Parameter>, string, RegExp | null]>([
    ['code points count, not UTF-16 units', { maxLength: 3 }, '👍👍👍', null],
    ['one too many', { maxLength: 3 }, 'abcd', /has 4 characters; at most 3/],
    ['too few', { minLength: 3 }, '👍👍', /has 2 characters; at least 3/],
    ['a number below the least', { type: 'integer', minimum: 5 }, '4', /less than 5/],
    ['a number above the most', { type: 'number', maximum: 5 }, '5.5', /more than 5/],
    ['a number within', { type: 'integer', minimum: 5, maximum: 5 }, '5', null],
    ['a pattern found anywhere', { pattern: '\\d{4}' }, 'a 1234 b', null],
    ['a pattern not found', { pattern: '^\\d{4}$' }, '123', /is not of the form/],
    ['a pattern that only works without u', { pattern: '^\\-\\d$' }, '-1', null],
    ['a pattern that is none', { pattern: '(' }, 'x', null],
    ['a text too long for patterns', { pattern: '^a$' }, 'b'.repeat(10_001), null],
    ['a text just short enough', { pattern: '^a$' }, 'b'.repeat(10_000), /is not of the form/],
  ])('%s', (_, changes, wire, told) => {
    const problem = boundProblem(parameter('foo', changes), wire);
    if (told) expect(problem).toMatch(told);
    else expect(problem).toBeNull();
  });
});

describe('Requirements', () => {
  const unmet = (create: Parameters<typeof contractWith>[0]['create'], ...given: string[]) =>
    unmetRequirements(contractWith(create ? { create } : {}).create, (field) => given.includes(field));
  const textOrAudio = [
    { fields: ['request_text'], constants: [{ path: ['kind'], value: 'text' }] },
    { fields: ['audio_file', 'audio_type'], constants: [{ path: ['kind'], value: 'audio' }] },
  ];

  test('what is required and not given is named; what is optional or always the same is not', () => {
    const parameters = [
      parameter('fullname'),
      parameter('lang', { required: false }),
      parameter('partner_id', { constant: '42' }),
    ];
    expect(unmet({ parameters })).toEqual([[['fullname']]]);
    expect(unmet({ parameters }, 'fullname')).toEqual([]);
  });

  test('what is required within an object is needed once something else of it is given', () => {
    const within = { requiredWithin: ['utm'], required: false };
    const parameters = [
      parameter('source', { path: ['utm', 'source'], ...within }),
      parameter('medium', { path: ['utm', 'medium'], required: false }),
      parameter('utmost', { required: false }),
    ];
    expect(unmet({ parameters }, 'utmost')).toEqual([]);
    expect(unmet({ parameters }, 'medium')).toEqual([[['source']]]);
    expect(unmet({ parameters }, 'medium', 'source')).toEqual([]);
  });

  test('of a choice one way is enough, and all of that way is needed', () => {
    const create = { parameters: [], choices: [textOrAudio] };
    expect(unmet(create, 'audio_file')).toEqual([[['request_text'], ['audio_file', 'audio_type']]]);
    expect(unmet(create, 'request_text')).toEqual([]);
    expect(unmet(create, 'audio_file', 'audio_type')).toEqual([]);
  });

  test('what a chosen way brings along need not be given', () => {
    const create = { parameters: [parameter('kind')], choices: [textOrAudio] };
    expect(unmet(create, 'request_text')).toEqual([]);
    expect(unmet(create)).toHaveLength(2);
  });
});

test.each([`0.${'0'.repeat(1 << 20)}1`, `${'0'.repeat(1 << 20)}x`])(
  'a cell of zeros without end is no number at once',
  (zeros) => {
    const number = parameter('rooms', { type: 'number' });
    expect(cpuMs(() => expect(wireValue(number, zeros)).toBeNull(), 50)).toBeLessThan(500);
  },
);
