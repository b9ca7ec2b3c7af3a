import { expect, test } from 'vitest';
import { takenRequests } from '../../src/delivery/take-requests.ts';
import type { JobDecision, TakenRequest } from '../../src/request/log/request-queue.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const request = (row: number): TakenRequest => ({
  ...{ key: `k${row}`, row, mayTryAgain: true, hasExpired: false, isUnreadable: false },
  request: { params: {}, audio: null, ref: null },
});

function queueOf(rows: number) {
  const left = Array.from({ length: rows }, (_, at) => request(at + 1));
  const disposed: [number, JobDecision['is']][] = [];
  const asked: number[] = [];
  return {
    left,
    disposed,
    asked,
    take: async (count: number) => {
      asked.push(count);
      return left.splice(0, count);
    },
    dispose: async ({ row }: TakenRequest, { is }: JobDecision) => {
      disposed.push([row, is]);
    },
    isEmpty: async () => left.length === 0,
  };
}

const takeFrom = (queue: ReturnType<typeof queueOf>, clock: VirtualClock, halt: AbortController, untilEmpty = true) =>
  takenRequests(queue, clock, { batch: 4, untilEmpty, halt: halt.signal });

test('hands every request out, and ends with an empty queue if asked to', async () => {
  const queue = queueOf(11);
  const rows: number[] = [];
  const clock = new VirtualClock();
  const all = (async () => {
    for await (const { row } of takeFrom(queue, clock, new AbortController())) rows.push(row);
  })();
  await clock.until(all);
  expect(rows).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(new Set(queue.asked)).toEqual(new Set([4]));
  expect(queue.disposed).toEqual([]);
});

test('goes on with what comes later where it is not to end', async () => {
  const queue = queueOf(0);
  const clock = new VirtualClock();
  const halt = new AbortController();
  const taken = takeFrom(queue, clock, halt, false);
  const first = taken.next();
  await clock.until(clock.sleep(5_000));
  queue.left.push(request(1));
  expect((await clock.until(first)).value).toMatchObject({ row: 1 });
  expect(queue.asked.length).toBeLessThanOrEqual(8);
  halt.abort();
  expect((await clock.until(taken.next())).done).toBe(true);
});

test('gives back at once what was taken and not begun', async () => {
  const queue = queueOf(20);
  const clock = new VirtualClock();
  const halt = new AbortController();
  const taken = takeFrom(queue, clock, halt);
  for (const row of [1, 2, 3]) expect((await clock.until(taken.next())).value).toMatchObject({ row });
  halt.abort();
  expect((await clock.until(taken.next())).done).toBe(true);
  expect(queue.disposed).toEqual([4, 5, 6, 7, 8].map((row) => [row, 'back']));
});
