import { describe, expect, test } from 'vitest';
import { planMapping } from '../../src/input/mapping.ts';
import type { MappingOptions } from '../../src/request/lead/table.ts';

const NOTHING: MappingOptions = { map: {}, set: {} };
const COLUMNS = ['Wer', 'Wo', 'Nummer A', 'PLZ'];
const plan = (said: Partial<MappingOptions>, parameters: readonly string[] = []) =>
  planMapping(COLUMNS, { ...NOTHING, ...said }, { sample: [], parameters: new Set(parameters) });
const usage = (message: string) => expect.objectContaining({ code: 'usage', message });

describe('another name of a field', () => {
  test.each([
    ...['telephone', 'telefon', 'tel', 'mobile', 'phone_number', 'Telefonnummer'].map((name) => [name, 'phone']),
    ...['city', 'zip', 'PLZ', 'straße', 'address'].map((name) => [name, 'location']),
    ...['name', 'first_name', 'nachname'].map((name) => [name, 'fullname']),
    ['land', 'country'],
    ['message', 'request_text'],
    ['lead_id', 'ref'],
  ])('the field name %s is refused in favour of %s, wherever a person uses it', (name, field) => {
    const refused = usage(`There is no field "${name}". Did you mean "${field}"?`);
    expect(() => plan({ map: { Wo: name } })).toThrow(refused);
    expect(() => plan({ set: { [name]: '{Wo}' } })).toThrow(refused);
  });

  test('another name of a field is accepted if the service has such a parameter', () => {
    const { sources, warnings } = plan({ map: { Wo: 'city' }, set: { telephone: '{Nummer A}' } }, [
      'city',
      'telephone',
    ]);
    expect(sources.map(({ field }) => field)).toEqual(expect.arrayContaining(['city', 'telephone']));
    expect(warnings).toEqual([]);
  });

  test('another name of a field is refused with the way to join the field of its parts', () => {
    const hint = expect.stringContaining("--set 'location={COLUMN} {COLUMN}'");
    expect(() => plan({ map: { Wo: 'city' } })).toThrow(expect.objectContaining({ hint }));
    expect(() => plan({ map: { Wo: 'address' } })).not.toThrow(expect.objectContaining({ hint }));
  });

  test.each(['notes', 'Notizen', 'budget'])('%s is a parameter of its own', (name) => {
    expect(plan({ map: { Wo: name } }).sources).toContainEqual(expect.objectContaining({ field: name, columns: [1] }));
  });
});

describe('a constant that is the name of a column', () => {
  test.each([
    ['Wo', '"Wo" is a column; write --set \'location={Wo}\''],
    ['nummer a', '"Nummer A" is a column; write --set \'location={Nummer A}\''],
    ['PLZ, Wo', '"PLZ", "Wo" are columns; write --set \'location={PLZ}, {Wo}\''],
  ])('the constant %s is refused: it is the name of a column', (text, message) => {
    expect(() => plan({ set: { location: text } })).toThrow(usage(message));
  });

  test.each(['{Wo}', 'Wo ', 'Wo 5', 'Berlin', '', ' ', ','])('the constant %j is accepted', (text) => {
    const { sources } = plan({ set: { location: text } });
    expect(sources).toContainEqual(expect.objectContaining({ field: 'location', because: '--set' }));
  });

  test('the name of a column is accepted as a constant for country and language, which are codes', () => {
    const said = { ...NOTHING, set: { country: 'PT', lang: 'DE' } };
    expect(planMapping(['PT', 'DE'], said).sources.map(({ template }) => template)).toEqual([['PT'], ['DE']]);
  });
});
