import { describe, expect, it } from 'vitest';
import { mapRow } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import fc from '../helpers/fast-check.ts';
import { readTable, scratchFile } from '../helpers/read-table.ts';

const line = (cells: readonly string[], delimiter: string) => `${cells.join(delimiter)}\n`;

describe('whatever happens to the cells of rows', () => {
  const FIELDS = ['ref', 'fullname', 'email', 'phone', 'location', 'country', 'request_text', 'category'] as const;
  type Change = (cells: readonly string[], at: number) => readonly string[];
  const CHANGES: Readonly<Record<string, Change>> = {
    'a cell lost': (cells, at) => cells.toSpliced(at, 1),
    'two cells lost': (cells, at) => cells.toSpliced(at, 2),
    'an empty cell more': (cells, at) => cells.toSpliced(at, 0, ''),
    'a cell cut in two': (cells, at) => cells.toSpliced(at, 1, 'Rua A', ' 5'),
    'a cell cut in two, the last one empty': (cells, at) => [...cells.toSpliced(at, 1, 'Rua A', ' 5').slice(0, -1), ''],
    'a cell cut in two, without a blank': (cells, at) => [...cells.toSpliced(at, 1, 'Rua A', '5').slice(0, -1), ''],
    'a cell copied': (cells, at) => cells.toSpliced(at, 0, cells[at] ?? ''),
  };
  const value = (field: string, at: number) =>
    ({
      ref: `R${at}`,
      fullname: `Ana Silva ${'x'.repeat(at % 4)}`,
      email: `a${at}@example.com`,
      phone: `+35191234${1000 + at}`,
      location: `Rua ${at}`,
      country: 'PT',
      request_text: at % 3 === 0 ? '' : `Pintar a casa ${at}`,
      category: at % 2 === 0 ? '' : `cat ${at}`,
    })[field] ?? '';

  it('a row that is read never has a field with other content than before', async () => {
    let kept = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...FIELDS], { minLength: 4 }),
        fc.array(
          fc.record({ change: fc.option(fc.constantFrom(...Object.keys(CHANGES)), { freq: 2 }), at: fc.nat(7) }),
          { minLength: 1, maxLength: 40 },
        ),
        fc.constantFrom(',', ';', '\t'),
        async (columns, plan, delimiter) => {
          // The last row is whole, so that there is always one.
          const whole = [...plan, null].map((_, at) => columns.map((field) => value(field, at)));
          const changed = whole.map((cells, row) => {
            const { change, at } = plan[row] ?? { change: null, at: 0 };
            return change === null ? cells : (CHANGES[change]?.(cells, at % cells.length) ?? cells);
          });
          const text = [columns, ...changed].map((cells) => line(cells, delimiter)).join('');
          const { table, rows } = await readTable(scratchFile(text), { delimiter });
          const mapping = planMapping(table.columns, { map: {}, set: {} });
          const indexOf = new Map(rows.map((row) => [row.line, row]));
          for (const [at, cells] of whole.entries()) {
            const row = indexOf.get(at + 2);
            if (!row || row.problem !== null) {
              refused += 1;
              continue;
            }
            kept += 1;
            const expected = mapRow({ ...row, cells }, mapping).fields;
            const cutOnly = changed[at]?.length === cells.length;
            if (!cutOnly) expect([text, at, mapRow(row, mapping).fields]).toEqual([text, at, expected]);
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(Math.min(kept, refused)).toBeGreaterThan(300);
  });
});
