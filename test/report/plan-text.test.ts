import { expect, test } from 'vitest';
import { painter } from '../../src/report/output.ts';
import { planText } from '../../src/report/terminal/plan-text.ts';
import type { ImportPlan, ProblemGroup } from '../../src/request/import-plan.ts';
import { noCounts, type Status } from '../../src/request/status.ts';
import type { FieldSource, Mapping, Table } from '../../src/request/table.ts';
import { NO_MAPPING } from '../delivery/leads.ts';

const COLUMNS = ['Name', 'Surname', 'Tel', '', 'Region'];
const MAPPING: Mapping = {
  ...NO_MAPPING,
  columns: COLUMNS,
};
const TABLE = {
  path: 'leads.csv',
  format: 'csv',
  encoding: 'UTF-8',
  delimiter: ';',
  columns: COLUMNS,
  notes: [],
} as unknown as Table;

interface Changes extends Partial<Pick<ImportPlan, 'rows' | 'first' | 'problemGroups' | 'problemCount'>> {
  readonly table?: Partial<Table>;
  readonly mapping?: Partial<Mapping>;
  readonly counts?: Partial<ImportPlan['counts']>;
}

function textOf(
  { table, mapping, counts, ...changes }: Changes,
  learned: Parameters<typeof planText>[2] = null,
): string {
  const plan = {
    rows: 3,
    first: null,
    problemGroups: [],
    problemCount: 0,
    ...changes,
    table: { ...TABLE, ...table },
    mapping: { ...MAPPING, ...mapping },
    counts: { ...noCounts(), ...counts },
  };
  return planText(plan as unknown as ImportPlan, 'api.example.com', learned, painter(false));
}

const source = (changes: Partial<FieldSource>): FieldSource => ({
  ...{ field: 'phone', columns: [2], how: 'first', template: null, prefix: null, because: 'known name' },
  level: 'certain',
  ...changes,
});
const group = (changes: Partial<ProblemGroup>): ProblemGroup => ({
  ...{
    code: 'phone.too-short',
    severity: 'error',
    field: 'phone',
    column: 'Tel',
    message: 'The phone number is too short for PT.',
  },
  ...{ rows: 1, examples: [{ row: 4, value: '912' }], isOfPlan: false, mend: null },
  ...changes,
});

test.each<[Partial<Record<Status, number>>, string]>([
  [{}, '0 ready'],
  [{ ready: 1200 }, '1,200 ready'],
  [{ ready: 1, repeated: 1 }, '1 ready, 1 repeated or already created'],
  [{ ready: 1, duplicate: 1 }, '1 ready, 1 known to be duplicates'],
  [{ ready: 1, invalid: 1 }, '1 ready, 1 invalid'],
  [{ ready: 1, unknown: 1 }, '1 ready, 1 with an unknown outcome'],
])('rows that are not to be sent are counted before anybody agrees, also a single one: %j', (counts, told) => {
  expect(textOf({ rows: 2000, counts })).toMatch(new RegExp(`^Rows {4}2,000 read: ${told}$`, 'm'));
});

test.each([
  [{ format: 'csv', encoding: 'UTF-8', delimiter: ';' }, 'csv, UTF-8, delimiter semicolon'],
  [{ format: 'csv', encoding: 'Windows-1252', delimiter: '\t' }, 'csv, Windows-1252, delimiter TAB'],
  [{ format: 'csv', encoding: 'UTF-8', delimiter: ',' }, 'csv, UTF-8, delimiter comma'],
  [{ format: 'csv', encoding: 'UTF-8', delimiter: '|' }, 'csv, UTF-8, delimiter bar'],
  [{ format: 'csv', encoding: 'UTF-8', delimiter: '^' }, 'csv, UTF-8, delimiter ^'],
  [{ format: 'xlsx', encoding: null, delimiter: null }, 'xlsx'],
] as const)('how the file was read is said, so that a wrong reading is seen: %j', (table, told) => {
  const [file, to, columns] = textOf({ table }).split('\n');
  expect([file, to, columns]).toEqual([`File    leads.csv · ${told}`, 'To      api.example.com', 'Columns']);
});

test('the contract and what was noted of the file stand above the columns', () => {
  const lines = textOf({ table: { notes: ['Sheet "Leads".'] } }, { name: 'the contract of acme', wire: [] }).split(
    '\n',
  );
  expect(lines.slice(2, 5)).toEqual(['By      the contract of acme', '        Sheet "Leads".', 'Columns']);
});

test('of each field is said which columns give it, how they go together, and how sure that is', () => {
  const sources = [
    source({ field: 'fullname', columns: [0, 1], how: 'join' }),
    source({ columns: [2, 3], level: 'likely', because: 'name' }),
    source({ field: 'notes', columns: [0], how: 'template', template: ['from ', 0, ' at ', 3], because: '--set' }),
  ];
  const parts = { region: [4, 3] };
  expect(textOf({ mapping: { sources, parts } }).split('\n').slice(3, -1)).toEqual([
    '  fullname  ← Name + Surname (known name)',
    '  phone     ← Tel or column 4 (likely: name)',
    '  notes     ← "from {Name} at {column 4}" (--set)',
    '  region    ← Region or column 4 (known name)',
  ]);
});

test('columns that are left out are named, and those that seem to be missed or wrong are marked', () => {
  const mapping: Partial<Mapping> = {
    ignored: ['Extra', 'More'],
    missed: [{ index: 3, field: 'request_text', isOthers: false }],
    warnings: [{ message: 'Two columns are alike.' } as Mapping['warnings'][number]],
  };
  // The finding about the columns is shown with them, and is none of the rows that are not shown.
  expect(textOf({ mapping, problemCount: 1 }).split('\n').slice(3, -1)).toEqual([
    '  left out: Extra, More',
    '  ! column 4 looks like the request text, which no other column gives (use --map to take it or leave it out).',
    '  ! Two columns are alike.',
  ]);
});

test("the first request is shown as it will be sent: in the contract's own parameters, if there is one", () => {
  const request = { params: { phone: '+351912345678', request_text: 'x'.repeat(100) }, audio: { sizeBytes: 12_345 } };
  const first = { row: 2, request } as unknown as NonNullable<ImportPlan['first']>;
  const shown = (learned: Parameters<typeof planText>[2]) => textOf({ first }, learned).split('\n').slice(-5, -1);
  expect(shown(null)).toEqual([
    'Row 2 as it will be sent',
    '  phone         +351912345678',
    `  request_text  ${'x'.repeat(69)}…`,
    '  audio  12,345 bytes',
  ]);
  expect(shown({ name: 'acme', wire: [['tel', '912']] }).slice(1)).toEqual([
    'Row 2 as it will be sent',
    '  tel  912',
    '  audio  12,345 bytes',
  ]);
});

test.each<[string, Partial<ProblemGroup>, string[]]>([
  ['one row with its value', {}, ['  ✗ row 4, Tel: The phone number "912" is too short for PT.']],
  [
    'a warning without a column',
    { severity: 'warning', column: null },
    ['  ! row 4: The phone number "912" is too short for PT.'],
  ],
  [
    'several rows, each with its value',
    {
      rows: 1200,
      examples: [
        { row: 4, value: '912' },
        { row: 5, value: null },
      ],
    },
    ['  ✗ Tel: The phone number is too short for PT.', '    row 4 "912", row 5 and 1,198 more'],
  ],
  [
    'several rows without values',
    {
      rows: 2,
      examples: [
        { row: 4, value: null },
        { row: 9, value: null },
      ],
    },
    ['  ✗ rows 4, 9, Tel: The phone number is too short for PT.'],
  ],
  [
    'what no column gives, with the flag that mends it',
    { isOfPlan: true, rows: 3, message: 'The country is missing.', mend: '--set country=PT' },
    ['  ✗ The country is missing (all 3 rows)', '    --set country=PT'],
  ],
  [
    'what no column gives to some rows',
    { isOfPlan: true, rows: 2, message: 'The country is missing.' },
    ['  ✗ The country is missing (2 of 3 rows)'],
  ],
])('a finding tells where it is: %s', (_, changes, told) => {
  const lines = textOf({ problemGroups: [group(changes)], problemCount: changes.isOfPlan ? 1 : (changes.rows ?? 1) });
  expect(lines.split('\n').slice(3, -1)).toEqual(['Findings', ...told]);
});

test('of many kinds of findings five are shown, and of the others is said how many they are', () => {
  const groups = Array.from({ length: 7 }, (_, at) => group({ rows: at + 1, column: `C${at}` }));
  const isOfPlan = group({ isOfPlan: true, rows: 3 });
  const lines = textOf({ problemGroups: [isOfPlan, ...groups], problemCount: 29 }).split('\n');
  expect(lines.filter((line) => line.includes('✗'))).toHaveLength(5);
  // One of the whole plan, and ten of rows, are shown.
  expect(lines.at(-2)).toBe('  … and 18 more; --dry-run --json lists them all');
});
