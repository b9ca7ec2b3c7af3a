import { expect, test } from 'vitest';
import { FindingGroups } from '../../src/delivery/findings.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { Problem } from '../../src/request/finding.ts';
import type { Row } from '../../src/request/table.ts';

const MAPPING = planMapping(['country', 'phone', 'request_text'], { map: {}, set: {}, join: {} });
const rowOf = (number: number): Row => ({
  number,
  line: number + 1,
  cells: ['PT', '+351912345678', 'x'],
  problem: null,
});
const problem = (changes: Partial<Problem> = {}): Problem => ({
  ...({
    code: 'text.too-long',
    severity: 'warning',
    field: 'notes',
    column: 'A',
    message: 'It has 12 letters.',
  } as const),
  value: null,
  ...changes,
});

test('problems are of one kind by their code, their field, their column and their words, whatever comes between them', () => {
  const kinds = [
    problem(),
    problem({ code: 'text.damaged' }),
    problem({ field: 'category' }),
    problem({ column: 'B' }),
    problem({ message: 'It has too many letters.' }),
  ];
  const groups = new FindingGroups(MAPPING);
  for (let round = 1; round <= 3; round++) groups.add(rowOf(round), kinds);
  // Only its number differs from the first.
  groups.add(rowOf(4), [problem({ message: 'It has 99 letters.' })]);
  const told = groups
    .of(4)
    .problemGroups.map(({ code, field, column, rows, message }) => [code, field, column, rows, message]);
  expect(told).toEqual([
    ['text.too-long', 'notes', 'A', 4, 'It has 12 letters.'],
    ['text.damaged', 'notes', 'A', 3, 'It has 12 letters.'],
    ['text.too-long', 'category', 'A', 3, 'It has 12 letters.'],
    ['text.too-long', 'notes', 'B', 3, 'It has 12 letters.'],
    ['text.too-long', 'notes', 'A', 3, 'It has too many letters.'],
  ]);
});

test('a row that cannot be read says nothing in its cells', () => {
  const groups = new FindingGroups(MAPPING);
  const cells = ['PT', 'n/a', 'x'];
  groups.look({ ...rowOf(1), cells, problem: 'has 3 cells' });
  groups.look({ ...rowOf(2), cells: ['PT'] });
  expect(groups.of(2).problemGroups).toEqual([]);
  groups.look({ ...rowOf(3), cells });
  expect(groups.of(3).problemGroups).toMatchObject([
    { code: 'columns.none-said', rows: 1, isOfPlan: true, column: null },
  ]);
});

test('a problem is told with what mends its group, else with the advice for its kind', () => {
  const groups = new FindingGroups(planMapping(['x', 'request_text'], { map: {}, set: {}, join: {} }));
  const lacking = problem({
    code: 'country.missing',
    severity: 'error',
    field: 'country',
    column: 'Land',
    message: 'There is no country.',
  });
  groups.add({ number: 1, line: 2, cells: ['PT', 'Paint'], problem: null }, [{ ...lacking, column: null }, problem()]);
  const { problems } = groups.of(2);
  expect(problems.map(({ row, rows, code, advice }) => [row, rows, code, advice])).toEqual([
    [null, 1, 'country.missing', 'Add: --map "x=country"'],
    [1, 1, 'text.too-long', expect.stringContaining('--map')],
  ]);
});
