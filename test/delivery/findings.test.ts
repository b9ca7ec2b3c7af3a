import { describe, expect, test } from 'vitest';
import { planImport } from '../../src/delivery/plan.ts';
import { mapRow, type Preparation } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { MappingOptions, Row, Table } from '../../src/request/lead/table.ts';
import type { ImportPlan } from '../../src/request/log/import-plan.ts';
import { PREPARATION } from './leads.ts';

const NOTHING: MappingOptions = { map: {}, set: {} };

/** The plan of a file with these columns and rows, all of it new. */
const planOf = (columns: readonly string[], ...cells: readonly string[][]): Promise<ImportPlan> =>
  planAs(columns, NOTHING, ...cells);

/** The same, with what a person has said of the columns. */
function planAs(columns: readonly string[], said: MappingOptions, ...cells: readonly string[][]): Promise<ImportPlan> {
  return planBy(PREPARATION, columns, said, cells);
}

/** The same, by a contract of the service. */
async function planBy(
  preparation: Preparation,
  columns: readonly string[],
  said: MappingOptions,
  cells: readonly (readonly string[])[],
): Promise<ImportPlan> {
  const rows = cells.map((each, at): Row => ({ number: at + 1, line: at + 2, cells: each, problem: null }));
  const table: Table = {
    path: 'leads.csv',
    format: 'csv',
    encoding: 'UTF-8',
    delimiter: ',',
    columns,
    notes: [],
    rows: async function* () {
      yield rows;
    },
  };
  const log = { lookup: () => 'none' as const, prefetch: () => Promise.resolve(), read: () => null };
  const range = { skip: 0, limit: null };
  const options = { onDuplicate: 'skip', again: false } as const;
  return planImport({ table, mapping: planMapping(columns, said) }, range, preparation, log, options, () => {});
}

const mendOf = ({ problemGroups }: ImportPlan, code: string) => problemGroups.find((each) => each.code === code)?.mend;

describe('Problems of one kind in one column', () => {
  test('Problems of one kind in one column hold no value in their message', async () => {
    const secret = 'Ana-Segredo';
    const plan = await planOf(
      ['Country', 'Phone', 'Email', 'Language', 'Message', 'Postcode', 'City'],
      [secret, secret, secret, secret, secret, secret, 'Lisboa'],
      ['PT', secret, `${secret} @`, `${secret}!`, secret, secret, 'Lisboa'],
    );
    const groups = plan.problemGroups;
    expect(groups.length).toBeGreaterThan(5);
    for (const { message, mend } of groups) expect(message + mend).not.toContain('Segredo');
    const quoting = groups.filter(({ examples }) => examples.some(({ value }) => value?.includes('Segredo')));
    expect(quoting.length).toBeGreaterThan(4);
  });
});

describe('The country', () => {
  const german = (phone: string, code = '10115') => ['Ana', phone, code, 'Dach decken'];
  const columns = ['Name', 'Phone', 'PLZ', 'Message'];

  test.each<[string, string[][]]>([
    ['numbers of several countries', [german('+49 151 10000000'), german('+34 612 345 678')]],
    ['postal codes', [german('')]],
    ['numbers without a country code', [german('0151 10000000')]],
  ])('The country is not proposed by %s', async (_, rows) => {
    const mend = mendOf(await planOf(columns, ...rows), 'country.missing');
    expect(mend).toBeTruthy();
    expect(mend).not.toContain('Add: ');
  });

  test('The country is proposed where its column is empty, and leaves the other cells as they are', async () => {
    const named = ['Land', ...columns];
    const plan = await planOf(named, ['', ...german('+49 151 10000000')], ['AT', ...german('+43 1 234567890', '1010')]);
    expect(mendOf(plan, 'country.missing')).toContain('--map "Land=country" --set country=DE');
    const mapping = planMapping(named, { ...NOTHING, map: { Land: 'country' }, set: { country: 'DE' } });
    const countryOf = (land: string) =>
      mapRow({ number: 1, line: 2, cells: [land, 'Ana', '', '', ''], problem: null }, mapping).fields['country'];
    expect([countryOf(''), countryOf('AT')]).toEqual(['DE', 'AT']);
  });
});

test('Many problems of one kind are one group with the first three rows', async () => {
  const wrong = Array.from({ length: 10_001 }, () => ['PT', '12', 'Paint', 'Lisboa', 'Ana']);
  const { problemGroups } = await planOf(['Country', 'Phone', 'Message', 'City', 'Name'], ...wrong);
  expect(problemGroups).toMatchObject([{ code: 'phone.too-short', rows: 10_001, examples: [{}, {}, {}] }]);
});
