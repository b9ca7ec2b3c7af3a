import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Asides, showPass, showSettling } from '../../src/commands/bulk/show-import.ts';
import type { Pass, PassWatch } from '../../src/delivery/import.ts';
import type { ProgressState, Reporter } from '../../src/report/reporter.ts';
import type { RowResult } from '../../src/request/outcome.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

beforeEach(() => void vi.stubEnv('TZ', 'UTC'));
afterEach(() => void vi.unstubAllEnvs());

/** A context whose time passes as the test wants, with all that it is told. */
function screenOf() {
  const clock = new VirtualClock();
  const halt = new AbortController();
  const [said, warned, labels]: string[][] = [[], [], []];
  const updates: ProgressState[] = [];
  const reporter: Partial<Reporter> = {
    say: (text) => void said?.push(text({} as never)),
    warn: (message) => void warned?.push(message),
    progress: async (label) => {
      labels?.push(label);
      return { update: (state) => void updates.push(structuredClone(state)), end: () => void labels?.push('ended') };
    },
  };
  const context = { clock, interruption: { halt }, reporter: async () => reporter } as never;
  return { clock, halt, said, warned, labels, updates, context };
}

const row = (changes: Partial<RowResult>, more: object = {}): Parameters<PassWatch['row']>[0] =>
  ({
    result: {
      row: 1,
      status: 'created',
      ref: null,
      key: 'k',
      ids: {},
      http: 201,
      message: null,
      reason: null,
      ...changes,
    },
    ...{ unrecorded: false, hasRemark: false },
    ...more,
  }) as never;

const noAsides = (): Asides => ({ withoutIdentifier: 0 });
const SETTLING = { is: 'settling', rows: 2, byKey: false, byValidate: true, stillInDoubt: () => 2 } as const;

test.each<[Pass, string, string[]]>([
  [{ is: 'sending', rows: 2 }, 'Sending', []],
  [{ is: 'looking after others', rows: 2 }, 'Waiting for the outcomes of other runs', []],
  [
    SETTLING,
    'Settling unknown outcomes',
    ['2 rows with an unknown outcome: validate is asked about each once it is old enough.'],
  ],
  [
    { ...SETTLING, rows: 1, byKey: true, byValidate: false },
    'Settling unknown outcomes',
    ['1 row with an unknown outcome: each is sent once more with its idempotency key.'],
  ],
  [
    { ...SETTLING, byKey: true },
    'Settling unknown outcomes',
    [
      '2 rows with an unknown outcome: each is sent once more with its idempotency key; validate is asked about those that are too old for that.',
    ],
  ],
])('the pass %j is called %j', async (pass, label, told) => {
  const { context, labels, said } = screenOf();
  const watch = await showPass(context, pass, noAsides(), { row: () => {}, end: () => {} });
  watch.end();
  expect([labels, said]).toEqual([[label, 'ended'], told]);
});

test('rows are counted by their status, for the progress and for the observer', async () => {
  const { context, updates, warned } = screenOf();
  const seen: unknown[] = [];
  const watch = await showPass(context, { is: 'sending', rows: 3 }, noAsides(), {
    row: ({ row: number }, { done, total, counts }) => seen.push([number, done, total, counts.created, counts.failed]),
    end: ({ done, counts }) => seen.push(['end', done, counts.created]),
  });
  watch.row(row({}));
  watch.row(row({ row: 2, status: 'failed' }));
  watch.row(row({ row: 3 }));
  watch.end();
  expect(seen).toEqual([
    [1, 1, 3, 1, 0],
    [2, 2, 3, 1, 1],
    [3, 3, 3, 2, 1],
    ['end', 3, 2],
  ]);
  expect(updates.map(({ done, total, counts }) => [done, total, counts.created])).toEqual([
    [1, 3, 1],
    [2, 3, 1],
    [3, 3, 2],
  ]);
  expect(warned).toEqual([]);
});

test('created rows without an identifier are counted while sending alone', async () => {
  const counted = async (pass: Pass) => {
    const asides = noAsides();
    const { context } = screenOf();
    const watch = await showPass(context, pass, asides, { row: () => {}, end: () => {} });
    watch.row(row({ ids: { id: '1' } }));
    watch.row(row({}));
    watch.row(row({ ids: { id: '2' } }));
    watch.row(row({}));
    watch.row(row({}));
    watch.row(row({ status: 'rejected' }));
    return asides;
  };
  expect(await counted({ is: 'sending', rows: 6 })).toEqual({ withoutIdentifier: 3 });
  expect(await counted({ is: 'looking after others', rows: 6 })).toEqual(noAsides());
  expect(await counted(SETTLING)).toEqual(noAsides());
});

test('a result that the log could not store is told', async () => {
  const { context, warned } = screenOf();
  const watch = await showPass(context, { is: 'sending', rows: 1 }, noAsides(), { row: () => {}, end: () => {} });
  const unrecorded = row({ ids: { id: '12' } }, { unrecorded: true });
  watch.row(unrecorded);
  expect(warned).toEqual([`Not in the log: ${JSON.stringify(unrecorded.result)}`]);
});

test('why rows stay unknown is told at the end, each reason once with its number', async () => {
  const { context, warned } = screenOf();
  const watch = await showSettling(context, 'Settling', 5, () => 3);
  for (const message of ['Too old.', 'Not proven.', 'Too old.', null]) watch.row(row({ status: 'unknown', message }));
  watch.row(row({ status: 'failed', message: 'Refused.' }));
  expect(warned).toEqual([]);
  watch.end();
  expect(warned).toEqual(['2 stay unknown: Too old.', '1 stays unknown: Not proven.']);
});

describe('That rows wait', () => {
  const DAY_MS = 86_400_000;
  const until = (time: string, rows = '3 rows') =>
    `${rows} with an unknown outcome: waiting until ${time}, then asking validate. Ctrl-C leaves this to the next run.`;

  async function waited(waits: readonly number[], rows = 3) {
    const screen = screenOf();
    const watch = await showSettling(screen.context, 'Settling', rows, () => rows);
    for (const waitMs of waits) watch.waiting(waitMs);
    await screen.clock.until(screen.clock.sleep(1_000));
    return { ...screen, watch };
  }

  test.each([
    [11_000, [until('00:00')]],
    [10_999, []],
    [121_000, [until('00:02')]],
    [DAY_MS + 999, [until('00:00')]],
    [DAY_MS + 1_000, [until('1970-01-02 00:00')]],
    [45 * DAY_MS + 12 * 3_600_000 + 34 * 60_000, [until('1970-02-15 12:34')]],
  ])('is told of %i ms a second later: %j', async (waitMs, told) => {
    expect((await waited([waitMs])).said).toEqual(told);
  });

  test('is told once of those that begin together, until the last of them', async () => {
    expect((await waited([60_000, 600_000, 120_000])).said).toEqual([until('00:10')]);
    expect((await waited([60_000], 1)).said).toEqual([until('00:01', '1 row')]);
  });

  test('is told again if it becomes later, and not if it stays', async () => {
    const { clock, watch, said } = await waited([600_000]);
    watch.waiting(300_000);
    await clock.until(clock.sleep(1_000));
    expect(said).toEqual([until('00:10')]);
    watch.waiting(1_200_000);
    await clock.until(clock.sleep(1_000));
    expect(said).toEqual([until('00:10'), until('00:20')]);
  });

  test('is not told once the run is ending', async () => {
    const screen = screenOf();
    const watch = await showSettling(screen.context, 'Settling', 3, () => 3);
    watch.waiting(600_000);
    screen.halt.abort();
    await screen.clock.until(screen.clock.sleep(1_000));
    expect(screen.said).toEqual([]);
  });
});
