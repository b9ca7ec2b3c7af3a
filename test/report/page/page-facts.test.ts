import { expect, test } from 'vitest';
import { withProfileFlags } from '../../../src/cli/command-line.ts';
import { headlineOf, pageData } from '../../../src/report/page/page-facts.ts';
import { RunFigures } from '../../../src/report/page/run-figures.ts';
import type { RecordedNote } from '../../../src/request/log/log-store.ts';
import { type Counts, noCounts, SENT_STATUSES, STATUSES } from '../../../src/request/log/status.ts';
import { beginOf, rowOf, second } from './figures.ts';

const END = { event: 'end', stopped: null, run: 'r', at: second(9) } as const;

/** A run with so many rows of each status, ended unless `note` says otherwise. */
function figuresWith(of: Partial<Counts>, note: RecordedNote = END): RunFigures {
  const counts = { ...noCounts(), ...of };
  const figures = new RunFigures();
  const rows = STATUSES.reduce((sum, status) => sum + counts[status], 0);
  // Only the plan has the rows that are invalid or repeated.
  figures.note(beginOf(rows, { counts: { ...noCounts(), invalid: counts.invalid, repeated: counts.repeated } }));
  for (const event of SENT_STATUSES) {
    for (let at = 0; at < counts[event]; at++) figures.add(rowOf(at + 1, { event }));
  }
  figures.note(note);
  figures.addUntouched();
  return figures;
}

const FACTS = { writtenAt: second(60), withProfile: (text: string) => text };

test.each([
  [{ created: 3 }, 'created', 'All 3 rows delivered', '3 created.'],
  [{ created: 1 }, 'created', '1 row delivered', '1 created.'],
  [
    { created: 1200, duplicate: 2, repeated: 1 },
    'created',
    'All 1,203 rows delivered',
    '1,200 created, 2 duplicate, 1 repeated.',
  ],
  [{ created: 3, rejected: 2 }, 'rejected', '2 of 5 rows not delivered', '3 created, 2 rejected.'],
  [{ created: 1, invalid: 1, failed: 1 }, 'invalid', '2 of 3 rows not delivered', '1 created, 1 invalid, 1 failed.'],
  [{ failed: 4 }, 'failed', '4 of 4 rows not delivered', '4 failed.'],
  [{ created: 3, rejected: 2, unknown: 1 }, 'unknown', '1 of 6 rows unknown', '3 created, 2 rejected, 1 unknown.'],
  [{}, 'ready', 'Nothing was sent', 'The log has no request of this run.'],
] as const)('the verdict on %j has the colour of %s and says "%s"', (counts, status, title, detail) => {
  expect(headlineOf(figuresWith(counts))).toMatchObject({ status, title, detail });
});

test('a run without a recorded end gets no final verdict, however well it stands', () => {
  const open = figuresWith(
    { created: 3, ready: 2 },
    { event: 'refused', http: 429, count: 1, pauseMs: 10, run: 'r', at: second(1) },
  );
  expect(headlineOf(open)).toMatchObject({ status: 'ready', title: '3 of 5 rows delivered so far' });
});

test('an interruption is not shown as an alarm, and the page says what goes on', () => {
  const ended = (counts: Partial<Counts>) => figuresWith(counts, { ...END, stopped: 'Interrupted.' });
  const figures = ended({ created: 3, failed: 2 });
  expect(headlineOf(figures)).toMatchObject({ status: 'ready', title: 'Interrupted: 3 of 5 rows delivered' });
  const { about, toDo } = pageData(figures, FACTS);
  expect([about?.facts[0], toDo[0]?.text]).toEqual(['interrupted', expect.stringContaining('Run the same command')]);
  expect(headlineOf(ended({ created: 3, unknown: 1 }))).toMatchObject({ status: 'unknown' });
  const stopped = pageData(figuresWith({ failed: 1 }, { ...END, stopped: '403.' }), FACTS);
  expect(stopped.about?.facts[0]).toBe('stopped early: 403.');
});

test('the list of rows begins with those that need somebody', () => {
  const figures = new RunFigures();
  for (const [at, event] of (['created', 'rejected', 'created', 'unknown', 'failed'] as const).entries())
    figures.add(rowOf(at + 1, { event }));
  expect(pageData(figures, FACTS).rows.map(({ row }) => row)).toEqual([4, 2, 5, 1, 3]);
});

test('the commands on the page concern the profile of the run, wherever they are pasted', () => {
  const figures = figuresWith({ created: 1, unknown: 1 });
  const withProfile = (text: string) => withProfileFlags(text, { profile: 'shop', store: 'postgres://db/leads' });
  const { resolve } = pageData(figures, { ...FACTS, withProfile });
  expect(resolve).toBe('srq resolve --profile shop --store postgres://db/leads');
});
