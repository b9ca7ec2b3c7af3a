import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { type EnqueueSummary, enqueueText, type WorkSummary, workText } from '../../src/report/terminal/queue-text.ts';
import { noCounts } from '../../src/request/log/status.ts';

const paint = new Chalk({ level: 0 });
const WORK: WorkSummary = { ...noCounts(), again: 0, seconds: 61, store: 'db.example.com', stopped: null, hint: null };

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

test('a file that was not queued whole says so, and with which command it goes on', () => {
  const stopped = { code: 'interrupted', reason: 'interrupted.signal', message: 'Stopped.', hint: null } as const;
  const lines = enqueueText({ ...ENQUEUED, stopped, next: 'srq work' }, paint).split('\n');
  expect([lines[0], lines.at(-1)]).toEqual(['Stopped: 1,200 rows in 2.0 s', 'Next: srq work']);
});
