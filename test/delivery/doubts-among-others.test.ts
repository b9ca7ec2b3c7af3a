import { expect, test } from 'vitest';
import { unknownWithNeighbours } from '../../src/delivery/settle-rows.ts';
import type { Status } from '../../src/request/log/status.ts';
import { drain, PREPARATION, planOf, tableOf } from './leads.ts';

const NOTHING_KNOWN = { lookup: () => 'none' as const };

/** A plan of so many rows, all created but these, with what was read of its file. */
async function planWith(
  count: number,
  others: Readonly<Record<number, Status>>,
  needOf = (row: number) => `Need ${row}`,
) {
  const plan = await planOf(tableOf(Array.from({ length: count }, (_, at) => needOf(at + 1))), NOTHING_KNOWN);
  for (let row = 1; row <= count; row++) {
    if (plan.ledger.firstRow(row) === row)
      plan.ledger.setStatus(row, others[row] ?? (row % 2 ? 'created' : 'repeated'));
  }
  return { plan, reading: { preparation: PREPARATION, halt: new AbortController() } };
}
const rowsOf = (submissions: readonly { readonly row: number }[]) => submissions.map(({ row }) => row);
const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

test('an unknown row comes with a hundred created rows before and after it, in one pass over the file', async () => {
  const { plan, reading } = await planWith(600, { 250: 'unknown', 320: 'unknown' });
  const yielded = (await drain(unknownWithNeighbours(plan, reading))).yielded.flat();
  expect(rowsOf(yielded.map(({ doubt }) => doubt))).toEqual([250, 320]);
  const [first, second] = yielded.map(({ neighbours: near }) => rowsOf(near));
  const doubts = [250, 320];
  const around = (row: number) => upTo(row - 101, row + 101).filter((each) => !doubts.includes(each));
  expect(first?.filter((row) => row >= 150)).toEqual(around(250).slice(1));
  expect(second).toEqual(expect.arrayContaining(upTo(221, 249)));
  expect(second?.at(-1)).toBe(420);
});

test('an unknown row near an end of the file comes with the rows that there are', async () => {
  const { plan, reading } = await planWith(4, { 1: 'unknown', 4: 'unknown' });
  const yielded = (await drain(unknownWithNeighbours(plan, reading))).yielded.flat();
  expect(yielded.map(({ doubt, neighbours: near }) => [doubt.row, rowsOf(near)])).toEqual([
    [1, [2, 3]],
    [4, [2, 3]],
  ]);
});

test('rows that were not created, or only repeat another, are no neighbours', async () => {
  const others = { 2: 'unknown', 3: 'rejected', 4: 'duplicate', 5: 'failed' } as const;
  const { plan, reading } = await planWith(9, others, (row) => `Need ${row === 8 ? 7 : row}`);
  const yielded = (await drain(unknownWithNeighbours(plan, reading))).yielded.flat();
  expect(yielded.map(({ neighbours: near }) => rowsOf(near))).toEqual([[1, 6, 7, 9]]);
});
