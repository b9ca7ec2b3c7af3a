import { expect, test } from 'vitest';
import { planImport } from '../../src/delivery/plan.ts';
import { prepareRow } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { Row } from '../../src/request/lead/table.ts';
import type { LoggedState, Status } from '../../src/request/log/status.ts';
import { farLog, PREPARATION } from './leads.ts';

const COLUMNS = ['Country', 'Phone', 'Message', 'Ref', 'srq_status', 'srq_key'];
const MAPPING = planMapping(COLUMNS, { map: {}, set: {} });
const OPTIONS = { onDuplicate: 'skip', again: false } as const;
/** The key of a request whose cells were changed since. */
const BEFORE = '0123456789abcdef0123456789abcdef';

const textRow = (number: number, text: string, ref = ''): Row => ({
  ...{ number, line: number + 1, cells: ['PT', '+351912345678', text, ref], problem: null },
});

/** A row of a results file; without a status a person has emptied it. */
const rowOf = (number: number, text: string, status: Status | null, key: string | null = null): Row => ({
  ...textRow(number, text),
  earlier: { status, id: '', message: '', row: number, key },
});

async function keyOf(text: string): Promise<string> {
  const prepared = await prepareRow(textRow(1, text), { mapping: MAPPING, preparation: PREPARATION });
  return prepared.request ? prepared.key : '';
}

/** A reference with the key and the last event of a request that was, or may have been, taken with it. */
type Taken = readonly (readonly [ref: string, key: string, event: 'created' | 'sending' | 'unknown'])[];

async function planOf(
  rows: readonly Row[],
  states: ReadonlyMap<string, LoggedState>,
  { columns = COLUMNS, taken = [], again = false }: { columns?: string[]; taken?: Taken; again?: boolean } = {},
) {
  const table = {
    ...({ path: 'leads.results.csv', format: 'csv', encoding: 'UTF-8', delimiter: ',', columns } as const),
    notes: [],
    rows: async function* () {
      for (let at = 0; at < rows.length; at += 2) yield rows.slice(at, at + 2);
    },
  };
  const options = {
    ...{ ...OPTIONS, again },
    taken: async function* () {
      for (const [ref, key, event] of taken) yield { ref, key, event };
    },
  };
  const range = { skip: 0, limit: null };
  const plan = await planImport({ table, mapping: MAPPING }, range, PREPARATION, farLog(states), options, () => {});
  const told = plan.problemGroups.flatMap(({ code, examples }) =>
    /^row\./.test(code) ? examples.map(({ row }) => `${row} ${code}`) : [],
  );
  return { plan, told: told.toSorted(), statuses: rows.map(({ number }) => plan.ledger.status(number)) };
}

test.each<[says: Status | null, key: LoggedState | null, content: LoggedState, is: Status, told?: string]>([
  // Its own statement comes first, whatever became of the cells.
  ['created', 'created', 'none', 'repeated', 'row.other-content'],
  ['created', 'created', 'rejected', 'repeated', 'row.other-content'],
  ['created', 'created', 'created', 'repeated'],
  ['created', 'none', 'none', 'repeated'],
  ['created', 'none', 'created', 'repeated'],
  // Somebody wrote that by hand.
  ['created', null, 'none', 'repeated', 'row.other-content'],
  ['duplicate', 'duplicate', 'none', 'duplicate', 'row.other-content'],
  ['repeated', 'created', 'none', 'repeated', 'row.other-content'],
  // What the log knows of its request decides, where it does not know its content.
  ['rejected', 'rejected', 'none', 'ready'],
  ['rejected', 'created', 'none', 'repeated', 'row.other-content'],
  ['failed', 'unknown', 'none', 'unknown', 'row.altered-doubt'],
  ['failed', 'unknown', 'created', 'repeated'],
  ['invalid', null, 'none', 'ready'],
  ['unknown', 'unknown', 'none', 'unknown', 'row.altered-doubt'],
  ['unknown', 'none', 'none', 'unknown', 'row.altered-doubt'],
  ['unknown', null, 'none', 'unknown', 'row.altered-doubt'],
  ['unknown', 'created', 'none', 'repeated', 'row.other-content'],
  ['unknown', 'licensed', 'none', 'ready'],
  ['unknown', 'failed', 'none', 'ready'],
  // An emptied status is a person's word that it is another request.
  [null, 'created', 'none', 'ready'],
  [null, 'created', 'created', 'repeated'],
])(
  'a row that says %s, of a request that is %s, with content that is %s, is %s',
  async (says, key, content, is, told) => {
    const states = new Map<string, LoggedState>([[await keyOf('Pintar'), content]]);
    if (key !== null) states.set(BEFORE, key);
    const found = await planOf([rowOf(1, 'Pintar', says, key === null ? null : BEFORE)], states);
    expect([found.statuses, found.told]).toEqual([[is], told === undefined ? [] : [`1 ${told}`]]);
  },
);

test('a row is known in the form in which another program saved it', async () => {
  const states = new Map<string, LoggedState>([[await keyOf('Pintar\r\na sala'), 'created']]);
  const { statuses } = await planOf([textRow(1, 'Pintar\na sala'), textRow(2, 'Pintar\na porta')], states);
  expect(statuses).toEqual(['repeated', 'ready']);
});

test('without srq_key, nothing is said of a row whose content the log does not know', async () => {
  const { statuses, told } = await planOf([rowOf(1, 'Pintar', 'created')], new Map(), { columns: COLUMNS.slice(0, 5) });
  expect([statuses, told]).toEqual([['repeated'], []]);
});

test("a log that knows none of the rows that say they were taken is somebody else's, said once", async () => {
  const rows = [
    rowOf(1, 'Pintar', 'created', BEFORE),
    rowOf(2, 'Azulejos', 'duplicate', BEFORE),
    rowOf(3, 'Chão', 'failed'),
  ];
  const { plan, told } = await planOf(rows, new Map());
  expect(told).toEqual([]);
  expect(plan.notes).toEqual([expect.stringMatching(/^The srq_status of some rows \(2\) says that they were taken/)]);
  const known = await planOf(rows, new Map([[BEFORE, 'created']]));
  expect(known.plan.notes).toEqual([]);
});

test('a row whose reference was, or may have been, taken before is not sent, unless somebody says so', async () => {
  const rows = [
    ...['A', 'B', 'C', 'D', 'E'].map((text, at) => textRow(at + 1, text, `L-${at + 1}`)),
    ...Array.from({ length: 20 }, (_, at) => textRow(at + 6, `N ${at}`, `N-${Math.min(at, 18)}`)),
    // The same lead twice has one reference.
    textRow(26, 'A', 'L-1'),
  ];
  const other = BEFORE.replaceAll('0', 'f');
  const taken: Taken = [
    ['L-1', BEFORE, 'created'],
    ['N-18', BEFORE, 'created'],
    ['L-9', BEFORE, 'created'],
    ['L-2', BEFORE, 'sending'],
    ['L-3', other, 'created'],
    ['L-3', BEFORE, 'unknown'],
    ['L-4', BEFORE, 'unknown'],
    ['L-4', other, 'created'],
  ];
  const { plan, told } = await planOf(rows, new Map(), { taken, columns: COLUMNS.slice(0, 4) });
  const { ready, repeated, unknown } = plan.counts;
  expect([ready, repeated, unknown]).toEqual([21, 4, 1]);
  expect([...(plan.held ?? [])]).toEqual([
    [1, { key: BEFORE, as: 'created' }],
    [2, { key: BEFORE, as: 'unknown' }],
    [3, { key: other, as: 'created' }],
    [4, { key: other, as: 'created' }],
  ]);
  expect(told).toEqual([
    '1 row.created-before',
    '2 row.doubtful-before',
    '3 row.created-before',
    '4 row.created-before',
  ]);
  // Nobody settles it by its own key.
  expect([plan.ledger.hasKey(2), plan.ledger.doubts()]).toEqual([false, 0]);
  expect(plan.first?.row).toBe(5);
  expect((await planOf(rows, new Map(), { taken, again: true })).plan.counts.ready).toBe(25);
  // A customer number, say, is no reference of a request.
  const customers = rows.map((row) => textRow(row.number, `E ${row.number}`, row.number < 20 ? 'L-1' : 'L-2'));
  expect((await planOf(customers, new Map(), { taken })).plan.counts.ready).toBe(26);
});
