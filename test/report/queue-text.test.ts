import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import {
  type EnqueueSummary,
  enqueueText,
  type QueueView,
  queueText,
  type WorkSummary,
  workText,
} from '../../src/report/terminal/queue-text.ts';
import { noCounts, noSentCounts } from '../../src/request/status.ts';

const paint = new Chalk({ level: 0 });
const WORK: WorkSummary = { ...noCounts(), again: 0, seconds: 61, store: 'db.example.com', stopped: null, hint: null };

test('the result of a worker names each number that is not zero, those that were put back among them', () => {
  const linesOf = (changes: Partial<WorkSummary>) =>
    workText({ ...WORK, ...changes }, paint)
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/).join(' '));
  expect(linesOf({ created: 1_200, unknown: 1, again: 3 })).toEqual([
    'created 1,200',
    'unknown 1',
    'again 3',
    'store db.example.com',
  ]);
  expect(linesOf({})).toEqual(['store db.example.com']);
});

test('the end of a worker says how long it worked, and, if something stopped it, what and what to do', () => {
  const stopped = {
    code: 'service',
    reason: 'store.unavailable',
    message: 'The database is down.',
    hint: null,
  } as const;
  expect(workText(WORK, paint).split('\n')[0]).toBe('Done after 1 min 1 s');
  expect(workText({ ...WORK, stopped, hint: 'srq doctor' }, paint).split('\n')).toEqual([
    'Stopped after 1 min 1 s',
    '  The database is down.',
    '  store  db.example.com',
    'To do: srq doctor',
  ]);
});

const ENQUEUED: EnqueueSummary = {
  ...{ rows: 1_200, queued: 0, alreadyQueued: 0, notQueued: 0, repeated: 0, duplicate: 0, invalid: 0, unknown: 0 },
  ...{ seconds: 2, store: 'db.example.com', stopped: null, next: null },
};

test.each<[keyof EnqueueSummary, string]>([
  ['queued', 'queued         new in the queue'],
  ['alreadyQueued', 'queued before  in the queue already'],
  ['notQueued', 'not queued     not reached; the same command again goes on with them'],
  ['repeated', 'repeated       the same content came earlier, in this run or in the log'],
  ['duplicate', 'duplicate      the service knows them already'],
  ['invalid', 'invalid        cannot be sent as they are: srq enqueue --dry-run says why'],
  ['unknown', 'unknown        may have been taken; not queued before that is settled'],
])('what became of rows for the queue is told, also of a single one: %s', (name, told) => {
  const linesOf = (count: number) => enqueueText({ ...ENQUEUED, [name]: count }, paint).split('\n');
  const words = (line: string | undefined) => line?.trim().replace(/\s+/g, ' ');
  expect(linesOf(0)).toEqual(['Done: 1,200 rows in 2.0 s', '  store  db.example.com']);
  expect(linesOf(1).map(words).slice(1, -1)).toEqual([words(`1 ${told}`)]);
});

test('a file that was not queued whole says so, and with which command it goes on', () => {
  const stopped = { code: 'interrupted', reason: 'interrupted.signal', message: 'Stopped.', hint: null } as const;
  const lines = enqueueText({ ...ENQUEUED, stopped, next: 'srq work' }, paint).split('\n');
  expect([lines[0], lines.at(-1)]).toEqual(['Stopped: 1,200 rows in 2.0 s', 'Next: srq work']);
});

const LANE = { total: 9_000, ready: 1_000, waiting: 3_000, inWork: 5_000 };
const VIEW: QueueView = {
  ...{ store: 'db.example.com', queue: LANE, rate: null, workers: [], minutes: [], notCounted: [] },
};

test('the queue of an account is told with its rate, its workers and its last minutes', () => {
  const minutes = [
    { ...noSentCounts(), at: '2026-11-20T08:01:00Z', created: 1_200, unknown: 1 },
    { ...noSentCounts(), at: '2026-11-20T08:02:00Z', failed: 2 },
  ];
  const workers = [{ name: 'w1', since: '2026-11-20T07:00:00Z', seen: '2026-11-20T08:02:03Z', inHand: 4 }];
  const rate = { perSecond: 12.34, inFlight: 3, pausedSeconds: 1.2 };
  expect(queueText({ ...VIEW, rate, minutes, workers }, paint).split('\n')).toEqual([
    'Queue',
    '  requests  1,000 ready, 5,000 in work, 3,000 later',
    '  rate      12.3 a second, 3 in flight, paused for 2 s',
    '  store     db.example.com',
    'Workers (1)',
    '  w1  4 in hand, seen 08:02:03',
    'By minute (UTC)',
    '  08:01  1,200 created, 1 unknown',
    '  08:02  2 failed',
  ]);
});

test('what a look at the queue cannot count is not told as nothing', () => {
  const linesOf = (changes: Partial<QueueView>) => queueText({ ...VIEW, ...changes }, paint).split('\n');
  expect(linesOf({}).at(-1)).toBe('  nothing in the last 15');
  expect(linesOf({ notCounted: ['minutes'] }).at(-1)).toBe('  not counted: there are too many records for a look');
  for (const unknown of [{ ready: null }, { waiting: null }, { ready: null, waiting: null }])
    expect(linesOf({ queue: { ...LANE, ...unknown } })[1]).toBe(
      '  requests  9,000 in all, 5,000 in work; not counted how many are ready',
    );
  const rateOf = (rate: QueueView['rate']) => linesOf({ rate })[2]?.replace('rate', '').trim();
  expect(rateOf(null)).toBe('nothing was sent yet');
  expect(rateOf({ perSecond: null, inFlight: 0, pausedSeconds: 0 })).toBe('not paced, 0 in flight');
});
