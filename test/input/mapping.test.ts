import { describe, expect, it } from 'vitest';
import { mapRow } from '../../src/delivery/prepare.ts';
import { mappingToKeep } from '../../src/input/kept-mapping.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { MappingOptions } from '../../src/request/lead/table.ts';

const nothing = { map: {}, set: {} };
const plan = (columns: string[], options: Partial<MappingOptions> = {}) =>
  planMapping(columns, { ...nothing, ...options });

/** The fields of one row whose cells are named after their columns, or given. */
function fields(columns: string[], cells: string[] = columns.map((name) => `<${name}>`), options = {}) {
  return mapRow({ number: 1, line: 2, cells, problem: null }, plan(columns, options)).fields;
}

describe('known names', () => {
  it('first and last name are joined in every language', () => {
    expect(fields(['Vorname', 'Nachname'], ['Eva', 'Weiß'])).toEqual({ fullname: 'Eva Weiß' });
    expect(fields(['Vorname', 'Name'], ['Eva', 'Weiß'])).toEqual({ fullname: 'Eva Weiß' });
    expect(fields(['Nom', 'Prénom'], ['Roy', 'Zoé'])).toEqual({ fullname: 'Zoé Roy' });
    expect(fields(['Nome', 'Cognome'], ['Ada', 'Riva'])).toEqual({ fullname: 'Ada Riva' });
    expect(fields(['Nombre', 'Apellidos'], ['Eva', 'Ruiz'])).toEqual({ fullname: 'Eva Ruiz' });
    expect(fields(['Name', 'Surname'], ['Ana', 'Silva'])).toEqual({ fullname: 'Ana Silva' });
    expect(fields(['First Name', 'Last Name'], ['', 'Only'])).toEqual({ fullname: 'Only' });
  });

  it('the whole name wins over its parts, row by row', () => {
    const columns = ['Full name', 'First name', 'Last name'];
    expect(fields(columns, ['Whole Name', 'a', 'b'])).toEqual({ fullname: 'Whole Name' });
    expect(fields(columns, [' ', 'a', 'b'])).toEqual({ fullname: 'a b' });
  });

  it('a location is joined from street, postal code and city if it has no column of its own', () => {
    expect(fields(['City', 'Zip', 'Street'], ['Berlin', '10115', 'Weg 1'])).toEqual({ location: 'Weg 1 10115 Berlin' });
    expect(fields(['Address', 'City'], ['Weg 1', 'Berlin'])).toEqual({ location: 'Weg 1 Berlin' });
    expect(fields(['Location', 'City'], ['Mitte', 'Berlin'])).toEqual({ location: 'Mitte' });
  });

  it('of several phones the best ranked filled one counts', () => {
    const columns = ['Home Phone', 'Mobile Phone', 'Phone'];
    expect(fields(columns, ['1', '2', '3'])).toEqual({ phone: '3' });
    expect(fields(columns, ['1', '2', ''])).toEqual({ phone: '2' });
    expect(fields(columns, ['1', '', ''])).toEqual({ phone: '1' });
  });

  it('notes are the text only if nothing else is', () => {
    expect(fields(['Notes', 'Message'], ['internal', ''])).toEqual({});
    expect(fields(['Notes'], ['paint'])).toEqual({ request_text: 'paint' });
  });

  it("Meta's prefixes are taken off in Meta's exports alone", () => {
    const meta = ['id', 'form_id', 'is_organic', 'telefone', 'codigo_postal', 'cidade'];
    expect(fields(meta, ['l:9', 'f:1', 'false', 'p:+351', 'z:1200', 'Lisboa'])).toEqual({
      ref: '9',
      phone: '+351',
      location: '1200 Lisboa',
    });
    expect(fields(['id'], ['l:9'])).toEqual({ ref: 'l:9' });
  });

  it('known names that become no field are listed', () => {
    expect(plan(['Phone', 'Lead score', '', 'srq_row']).ignored).toEqual(['Lead score', 'srq_row']);
  });
});

describe('--map and --set', () => {
  it('--map and --set win over known names', () => {
    expect(fields(['Phone', 'Cell no.'], ['1', '2'], { map: { 'Cell no.': 'phone' } })).toEqual({ phone: '2' });
    expect(fields(['Country'], ['DE'], { set: { country: 'PT' } })).toEqual({ country: 'PT' });
  });

  it('several columns for one field are tried in the order given', () => {
    const map = { b: 'phone', a: 'phone' };
    expect(fields(['a', 'b'], ['1', '2'], { map })).toEqual({ phone: '2' });
    expect(fields(['a', 'b'], ['1', ''], { map })).toEqual({ phone: '1' });
  });

  it('a column mapped to - is ignored', () => {
    expect(fields(['Phone', 'Mobile'], ['1', '2'], { map: { Phone: '-' } })).toEqual({ phone: '2' });
  });

  it('a template takes columns in braces; without any text in them it gives nothing', () => {
    const options = { set: { location: '{Town}, {Zip} {{x}}' } };
    expect(fields(['Town', 'Zip'], ['Faro', '8000'], options)).toEqual({ location: 'Faro, 8000 {x}' });
    expect(fields(['Town', 'Zip'], ['', ' '], options)).toEqual({});
  });

  it('a constant fills where the mapped cell is empty', () => {
    const options = { map: { Land: 'country' }, set: { country: 'AT' } };
    expect(fields(['Land'], [''], options)).toEqual({ country: 'AT' });
    expect(fields(['Land'], ['DE'], options)).toEqual({ country: 'DE' });
  });

  it('a field that srq does not know is sent as it is, and srq says so', () => {
    expect(fields(['Budget'], ['80'], { map: { Budget: 'budget' } })).toEqual({ budget: '80' });
    expect(
      plan(['Budget'], { map: { Budget: 'budget' } })
        .warnings.map(({ message }) => message)
        .join(),
    ).toContain('"budget" is not a field that srq knows');
  });

  it('a misspelt field in --map is refused, unless the service has such a parameter', () => {
    const slip = { map: { Fon: 'phon' }, set: {} };
    expect(() => planMapping(['Fon'], slip)).toThrow('There is no field "phon". Did you mean "phone"?');
    expect(() => plan(['a'], { set: { contry: 'PT' } })).toThrow('Did you mean "country"?');
    const known = planMapping(['Fon'], slip, { sample: [], parameters: new Set(['phon']) });
    expect([known.sources.map(({ field }) => field), known.warnings]).toEqual([['phon'], []]);
  });

  it('a missing column in --map is refused, and the one meant is named', () => {
    const wrong = () => plan(['E-Mail', 'Telefon'], { map: { Telefn: 'phone' } });
    expect(wrong).toThrow('There is no column "Telefn". Did you mean "Telefon"?');
    expect(wrong).toThrow(expect.objectContaining({ code: 'usage', hint: 'The columns are: E-Mail, Telefon' }));
    expect(() => plan(['City'], { set: { location: '{Citty}' } })).toThrow('Did you mean "City"?');
  });

  it('a field name in --map that could harm is refused', () => {
    expect(() => plan(['a'], { map: { a: '__proto__' } })).toThrow('cannot be the name of a field');
  });

  it('columns of one name are refused unless mapped or ignored', () => {
    expect(() => plan(['a', 'b', 'a'])).toThrow(
      expect.objectContaining({ code: 'input', message: expect.stringContaining('"a"') }),
    );
    expect(fields(['a', 'a'], ['', '2'], { map: { a: 'phone' } })).toEqual({ phone: '2' });
    expect(fields(['a', 'a'], ['1', '2'], { map: { a: '-' } })).toEqual({});
  });
});

describe('a mapping that was kept', () => {
  const columnSets: string[][] = [
    ['Location', 'City', 'Zip', 'Street', 'Phone', 'Mobile', 'Telefone', 'Full name', 'First name', 'Last name'],
    ['Vorname', 'Name', 'PLZ', 'Ort', 'Notizen', 'id', 'form_id', 'is_organic', 'telefon'],
    ['a=b', '__proto__', 'E-Mail', 'e_mail', 'x'],
  ];
  it.each(columnSets)('a kept mapping of %s, … gives the same fields for every row', (...columns) => {
    const given = { map: { [columns[0] ?? '']: '-' }, set: { country: 'PT', budget: '{x}' } };
    const options = columns.includes('x') ? given : { ...given, map: {}, set: { country: 'PT' } };
    const mapping = planMapping(columns, options);
    const kept = JSON.parse(JSON.stringify(mappingToKeep(mapping)));
    const again = planMapping(columns, kept);
    for (let filled = 0; filled < 2 ** columns.length; filled++) {
      const cells = columns.map((_, at) => (filled & (2 ** at) ? `v${at}` : ''));
      const row = { number: 1, line: 2, cells, problem: null };
      expect(mapRow(row, again)).toEqual(mapRow(row, mapping));
    }
  });
});
