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
    sizeBytes: 0,
    rows: async function* () {
      yield rows;
    },
    readBytes: () => 0,
  };
  const log = { lookup: () => 'none' as const, prefetch: () => Promise.resolve(), read: () => null };
  const range = { skip: 0, limit: null };
  const options = { onDuplicate: 'skip', again: false } as const;
  return planImport({ table, mapping: planMapping(columns, said) }, range, preparation, log, options, () => {});
}

const told = ({ problemGroups }: ImportPlan) =>
  problemGroups
    .filter(({ severity }) => severity === 'error')
    .map(({ code, rows, isOfPlan }) => [code, rows, isOfPlan]);
const mendOf = ({ problemGroups }: ImportPlan, code: string) => problemGroups.find((each) => each.code === code)?.mend;

describe('A field that no column gives', () => {
  test('is one problem of the plan, and every row is invalid all the same', async () => {
    const plan = await planOf(['Message', 'Name', 'City'], ['Paint', 'Ana', 'Lisboa'], ['Tiles', 'Rita', 'Lisboa']);
    expect(plan.counts).toMatchObject({ invalid: 2, ready: 0 });
    expect(plan.problemCount).toBe(2);
    expect(plan.problems).toMatchObject([
      { row: null, rows: 2, code: 'country.missing', field: 'country', column: null, severity: 'error', value: null },
      { row: null, rows: 2, code: 'contact.missing', message: 'No column gives a phone number or an e-mail address.' },
    ]);
    expect(plan.problems[0]?.message).toBe('No column gives the country.');
  });

  test('is told of the rows that need it alone', async () => {
    const plan = await planOf(
      ['Country', 'Message', 'Email', 'Name', 'City'],
      ['CH', 'Paint', 'ana@example.com', 'Ana', 'Bern'],
      ['PT', 'Tiles', 'ana@example.com', 'Ana', 'Lisboa'],
    );
    expect(plan.problems).toMatchObject([{ row: null, rows: 1, code: 'lang.missing' }]);
    expect(plan.problems[0]?.message).toContain('Switzerland has several languages (de, fr, it)');
    expect(mendOf(plan, 'lang.missing')).toBeNull();
  });
});

// Who reads only the first lines sees what keeps most from being sent.
test('Groups come errors first, of these what concerns the whole file, and then those with more rows', async () => {
  const { problemGroups } = await planOf(
    ['Message', 'Email', 'Language'],
    ['Paint', 'ana@example', 'xx'],
    ['', 'rita@example.com', 'pt'],
    ['', 'eva@example.com', 'pt'],
  );
  expect(problemGroups.map(({ code, severity, isOfPlan, rows }) => [code, severity, isOfPlan, rows])).toEqual([
    ['country.missing', 'error', true, 3],
    ['request_text.missing', 'error', false, 2],
    ['email.invalid', 'error', false, 1],
    ['location.missing', 'warning', true, 3],
    ['fullname.missing', 'warning', true, 3],
    ['lang.unknown', 'warning', false, 1],
  ]);
});

describe('Problems of one kind in one column', () => {
  test('are one group with the first rows and their values', async () => {
    const phones = ['0151 1000000', '0151 1000001', '+49 151 10000000', '0151 1000002', '0151 1000003', 'call me'];
    const rows = phones.map((phone) => ['DE', phone, 'Dach decken']);
    const { problemGroups } = await planOf(['Country', 'Phone', 'Message'], ...rows);
    expect(problemGroups[0]).toMatchObject({
      code: 'phone.too-short',
      column: 'Phone',
      rows: 4,
      message: 'The phone number is too short for DE; digits are missing.',
      mend: null,
      examples: [
        { row: 1, value: '0151 1000000' },
        { row: 2, value: '0151 1000001' },
        { row: 4, value: '0151 1000002' },
      ],
    });
    expect(problemGroups[1]).toMatchObject({ code: 'phone.not-a-number', rows: 1 });
  });

  test('are one group, too, where only their numbers differ', async () => {
    const long = (letters: number) => ['PT', '912345678', 'Paint', 'x'.repeat(letters), 'Lisboa'];
    const plan = await planOf(['Country', 'Phone', 'Message', 'Name', 'City'], long(201), long(305));
    expect(plan.problemGroups).toMatchObject([{ code: 'text.too-long', rows: 2 }]);
  });

  test('hold no value in their message, whatever the cells are', async () => {
    const secret = 'Ana-Segredo';
    const plan = await planOf(
      ['Country', 'Phone', 'Email', 'Language', 'Message', 'Postcode', 'City'],
      [secret, secret, secret, secret, secret, secret, 'Lisboa'],
      ['PT', secret, `${secret} @`, `${secret}!`, secret, secret, 'Lisboa'],
    );
    expect(plan.problems.length).toBeGreaterThan(5);
    for (const { message, advice } of plan.problems) expect(message + advice).not.toContain('Segredo');
    expect(plan.problems.filter(({ value }) => value?.includes('Segredo')).length).toBeGreaterThan(4);
  });
});

describe('The country', () => {
  const german = (phone: string, code = '10115') => ['Ana', phone, code, 'Dach decken'];
  const columns = ['Name', 'Phone', 'PLZ', 'Message'];

  test.each<[string, string[][], string]>([
    ['telephone numbers with its code', [german('+49 151 10000000'), german('0151 10000000')], '--set country=DE'],
    ['numbers with its code that begin with 00', [german('0049 151 10000000')], '--set country=DE'],
  ])('is told by %s', async (_, rows, flag) => {
    expect(mendOf(await planOf(columns, ...rows), 'country.missing')).toContain(`Add: ${flag} (by the `);
  });

  test.each<[string, string[][]]>([
    ['numbers of several countries', [german('+49 151 10000000'), german('+34 612 345 678')]],
    ['postal codes', [german('')]],
    ['numbers without a country code', [german('0151 10000000', '')]],
  ])('is not told by %s', async (_, rows) => {
    const mend = mendOf(await planOf(columns, ...rows), 'country.missing');
    expect(mend).toBeTruthy();
    expect(mend).not.toContain('Add: ');
  });

  test('can be filled in where its column is empty, and leaves the other cells as they are', async () => {
    const named = ['Land', ...columns];
    const plan = await planOf(named, ['', ...german('+49 151 10000000')], ['AT', ...german('+43 1 234567890', '1010')]);
    expect(mendOf(plan, 'country.missing')).toContain('--map "Land=country" --set country=DE');
    const mapping = planMapping(named, { ...NOTHING, map: { Land: 'country' }, set: { country: 'DE' } });
    const countryOf = (land: string) =>
      mapRow({ number: 1, line: 2, cells: [land, 'Ana', '', '', ''], problem: null }, mapping).fields['country'];
    expect([countryOf(''), countryOf('AT')]).toEqual(['DE', 'AT']);
  });
});

describe('An unused column that holds what is missing', () => {
  test('is not named where it holds something else in many rows', async () => {
    const rows = ['+351912345678', 'call me', 'later'].map((cell) => [cell, 'Paint the walls', 'PT']);
    const plan = await planOf(['who', 'Message', 'Country'], ...rows);
    expect(mendOf(plan, 'contact.missing')).toBeNull();
  });
});

describe('Cells for a telephone number or an e-mail address that say that there is none', () => {
  const columns = ['Country', 'Phone', 'Mobile', 'Email', 'Message', 'Name'];
  const row = (phone: string, mobile: string, email: string, message = 'n/a') => [
    'PT',
    phone,
    mobile,
    email,
    message,
    '-',
  ];

  test('are empty', async () => {
    const plan = await planOf(
      columns,
      row('n/a', '912345678', 'ana@example.com'),
      row('912345679', '-', 'keine Angabe'),
      row('unknown', '', 'rita@example.com'),
      row('n/a', '-', 's/n'),
    );
    expect(plan.counts).toMatchObject({ ready: 3, invalid: 1 });
    expect(told(plan)).toEqual([['contact.missing', 1, false]]);
    // In a text they are what is said.
    expect(plan.first?.request.params).toMatchObject({ phone: '+351912345678', request_text: 'n/a', fullname: '-' });
  });
});

describe('Of many problems', () => {
  const columns = ['Country', 'Phone', 'Message', 'City', 'Name'];
  const good = ['PT', '+351912345678', 'Paint', 'Lisboa', 'Ana'];

  test('10,000 are kept one by one, and all are counted', async () => {
    const rows = (count: number) => Array.from({ length: count }, () => good.with(1, '12'));
    const most = await planOf(columns, ...rows(10_000));
    expect([most.problems.length, most.problemCount]).toEqual([10_000, 10_000]);
    const more = await planOf(columns, ...rows(10_001));
    expect([more.problems.length, more.problemCount, more.problemGroups[0]?.rows]).toEqual([10_000, 10_001, 10_001]);
    // One of the whole plan comes before those of the rows.
    const textless = Array.from({ length: 10_000 }, () => good.with(2, '').slice(1));
    const lacking = await planOf(columns.slice(1), ...textless);
    expect([lacking.problems.length, lacking.problems[0]?.row, lacking.problemCount]).toEqual([10_000, null, 10_001]);
  });
});
