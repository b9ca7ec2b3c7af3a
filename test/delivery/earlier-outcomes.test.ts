import { expect, test } from 'vitest';
import { isKept, saysItIsSettled, statedStatus } from '../../src/delivery/earlier-outcomes.ts';
import { STATUS, type Status } from '../../src/request/status.ts';

const STATUSES = Object.keys(STATUS) as Status[];
const outcomeOf = (status: Status) => ({ status, id: '', message: '', row: null });
const rowOf = (status: Status | null) => ({
  ...{ number: 1, line: 2, cells: [], problem: null },
  ...(status === null ? {} : { earlier: outcomeOf(status) }),
});

// A row that counts as settled and is not is a lead that nobody ever sends; one that does not and is, is sent twice.
test.each([
  [
    { again: false, onDuplicate: 'skip' },
    { created: 'repeated', repeated: 'repeated', duplicate: 'duplicate' },
  ],
  [
    { again: false, onDuplicate: 'create' },
    { created: 'repeated', repeated: 'repeated' },
  ],
  [{ again: true, onDuplicate: 'skip' }, {}],
] as const)('with %j the rows of a results file that are not sent again are %j', (finality, settled) => {
  const found = STATUSES.map((status) => [status, statedStatus(outcomeOf(status), finality)] as const);
  expect(Object.fromEntries(found.filter(([, as]) => as !== null))).toEqual(settled);
  expect(statedStatus(undefined, finality)).toBeNull();
});

test('a row says that it is settled where it was taken or is a duplicate, and is kept for that alone', () => {
  const settled = ['created', 'repeated', 'duplicate'];
  for (const status of STATUSES) {
    expect([status, saysItIsSettled(rowOf(status))]).toEqual([status, settled.includes(status)]);
    for (const now of STATUSES) {
      expect(isKept(rowOf(status), now)).toBe(settled.includes(status) && ['repeated', 'duplicate'].includes(now));
    }
  }
  expect([saysItIsSettled(rowOf(null)), isKept(rowOf(null), 'repeated')]).toEqual([false, false]);
});
