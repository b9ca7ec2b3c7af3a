import { describe, expect, test } from 'vitest';
import { type Code, type ValueType, wireText } from '../../src/request/contract/codes.ts';
import { cpuMs } from '../helpers/cpu-time.ts';

interface Field {
  readonly field: string;
  readonly type: ValueType;
  readonly values: readonly Code[] | null;
}

const parameter = (field: string, changes: Partial<Field> = {}): Field => ({
  field,
  type: 'string',
  values: null,
  ...changes,
});
const wireValue = ({ field, type, values: codes }: Field, text: string) => wireText(field, type, codes)(text);

const values = (...each: readonly (string | readonly [string, string])[]): Code[] =>
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
  test.each<[string, Field, string, string | null]>([
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
  ])('A text that the service knows by its own value: %s', (_, of, text, wire) => {
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
  ] as const)('A text for a value that is %s: %j goes as %j', (type, text, wire) => {
    expect(wireValue(parameter('amount', { type }), text)).toBe(wire);
  });
});

test.each([`0.${'0'.repeat(1 << 20)}1`, `${'0'.repeat(1 << 20)}x`])(
  'a cell of zeros without end is no number at once',
  (zeros) => {
    const number = parameter('rooms', { type: 'number' });
    expect(cpuMs(() => expect(wireValue(number, zeros)).toBeNull(), 50)).toBeLessThan(500);
  },
);
