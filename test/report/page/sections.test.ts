import { expect, test } from 'vitest';
import { withProfileFlags } from '../../../src/cli/command-line.ts';
import { reportPage } from '../../../src/report/page/report-page.ts';
import { RunFigures } from '../../../src/report/page/run-figures.ts';
import { headlineOf } from '../../../src/report/page/sections.ts';
import type { RecordedNote } from '../../../src/request/log/log-store.ts';
import { type Counts, noCounts, STATUSES } from '../../../src/request/log/status.ts';
import { beginOf, mixedFigures, rowOf, second } from './figures.ts';

const END = { event: 'end', stopped: null, run: 'r', at: second(9) } as const;

/** A run with so many rows of each status, ended unless `note` says otherwise. */
function figuresWith(counts: Partial<Counts>, note: RecordedNote = END): RunFigures {
  const figures = new RunFigures(null);
  figures.note(beginOf(0));
  for (const status of STATUSES) {
    for (let at = 0; at < (counts[status] ?? 0); at++) figures.add(rowOf(at + 1, { status }));
  }
  figures.note(note);
  return figures;
}

function factsOf(hasInput: boolean) {
  return { writtenAt: second(60), hasInput, withProfile: (text: string) => text };
}

/** The text of a page without its style, its data and its script. */
function textOf(figures: RunFigures, hasInput = true): string {
  const page = reportPage(figures, factsOf(hasInput));
  return page
    .replace(/<(style|script)[ >].*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
}

test.each([
  [{ created: 3 }, 'created', 'All 3 rows delivered', '3 created.'],
  [{ created: 1 }, 'created', '1 row delivered', '1 created.'],
  [
    { created: 1200, duplicate: 2, repeated: 1 },
    'created',
    'All 1,203 rows delivered',
    '1,200 created, 2 duplicate, 1 repeated.',
  ],
  [{ created: 3, rejected: 2 }, 'rejected', '2 of 5 rows not delivered', 'The other 3 are delivered.'],
  [{ created: 1, invalid: 1, failed: 1 }, 'invalid', '2 of 3 rows not delivered', 'The other 1 is delivered.'],
  [{ failed: 4 }, 'failed', 'None of 4 rows delivered', 'What is left to do is below.'],
  [
    { created: 3, rejected: 2, unknown: 1 },
    'unknown',
    '1 of 6 rows unknown',
    'It may have been taken. Of the others, 3 are delivered, 2 not.',
  ],
  [
    { created: 3, unknown: 2 },
    'unknown',
    '2 of 5 rows unknown',
    'They may have been taken. Of the others, 3 are delivered.',
  ],
  [{ unknown: 2 }, 'unknown', '2 of 2 rows unknown', 'All may have been taken.'],
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

test('the page begins with the verdict, before any other section', () => {
  const page = reportPage(mixedFigures(100), factsOf(true));
  expect(/<section[^>]*>/.exec(page)?.[0]).toContain('aria-labelledby="verdict"');
});

test.each([
  ['my leads.csv', "'my leads.csv'"],
  ['a.csv, b.csv', 'FILE'],
  ['standard input', 'FILE'],
])('the command that tells why rows of %s are invalid can be pasted', (file, word) => {
  const figures = new RunFigures(null);
  figures.note(beginOf(1, { counts: { ...noCounts(), invalid: 1 }, file }));
  figures.addUntouched();
  const told = textOf(figures, false).replaceAll('&#39;', "'");
  expect(told).toContain(`never sent: srq report --input ${word} -o rows.html tells it.`);
});

test('rows that are counted as invalid or not sent are never told to have no reason', () => {
  const counts = { ...noCounts(), ready: 5, invalid: 33 };
  const figures = new RunFigures(null);
  figures.note(beginOf(38, { counts }));
  figures.note({ ...END, stopped: 'Three answers in a row were 403.' });
  figures.add(rowOf(1));
  figures.addUntouched();
  const text = textOf(figures, false);
  expect(text).toContain(
    'Why 33 rows are invalid is not in the log, as they were never sent: srq report --input leads.csv -o rows.html tells it.',
  );
  expect(text).toContain('4 rows were not sent, as the run ended before. Three answers in a row were 403.');
  expect(text).toContain('37 rows of no known market');
  expect(text).not.toMatch(/No row /);
  const clean = textOf(figuresWith({ created: 2 }));
  expect(clean).toContain('No row was refused or left out.');
  expect(clean).not.toContain('no known market');
});

test('what a profile is called and what kind of service it leads to are two statements', () => {
  for (const [live, kind] of [
    [true, 'live'],
    [false, 'test'],
  ] as const) {
    const figures = new RunFigures(null);
    figures.note(beginOf(1, { profile: 'live', live }));
    const text = textOf(figures);
    expect(text).toContain(`to the ${kind} service api.example.com with profile live`);
    expect(text).toContain(`Service api.example.com (${kind}) Profile live`);
    expect(text).not.toMatch(/live,? \(?live/);
  }
});

test('the commands on the page concern the profile of the run, wherever they are pasted', () => {
  const figures = figuresWith({ created: 1, unknown: 1, invalid: 1 });
  const withProfile = (text: string) => withProfileFlags(text, { profile: 'shop', store: 'postgres://db/leads' });
  const page = reportPage(figures, { ...factsOf(false), withProfile });
  const flags = '--profile shop --store postgres://db/leads';
  expect([...page.matchAll(/<code>(srq .*?)<\/code>/g)].map(([, command]) => command)).toEqual([
    `srq resolve ${flags}`,
    `srq resolve ${flags} ${'0'.repeat(12)} --created`,
  ]);
  expect(page).toContain(`srq report ${flags} --input FILE -o rows.html`);
});
