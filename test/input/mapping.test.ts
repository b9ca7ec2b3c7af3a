import { describe, expect, it } from 'vitest';
import { mapRow } from '../../src/delivery/prepare.ts';
import { mappingToKeep } from '../../src/input/kept-mapping.ts';
import { planMapping } from '../../src/input/mapping.ts';

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
