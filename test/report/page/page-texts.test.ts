import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { html, NOTHING } from '../../../src/report/page/html.ts';
import { reportPage, requireReportPlace, writeRunReport } from '../../../src/report/page/report-page.ts';
import { RunFigures } from '../../../src/report/page/run-figures.ts';
import { doubts, headlineOf, markets, reasons, settings, toDo, totals } from '../../../src/report/page/sections.ts';
import { type Counts, noCounts, STATUSES } from '../../../src/request/status.ts';
import { beginOf, rowOf, second } from './figures.ts';

const asIs = (text: string) => text;
const FACTS = { writtenAt: second(60), hasInput: true, withProfile: asIs };
const endOf = (stopped: string | null = null) => ({ event: 'end', stopped, run: 'r', at: second(9) }) as const;

/** Figures with so many rows of each status, of a run that has ended. */
function figuresWith(counts: Partial<Counts>, columns: readonly string[] | null = null): RunFigures {
  const figures = new RunFigures(columns);
  figures.note(beginOf(0));
  let row = 0;
  for (const status of STATUSES)
    for (let at = 0; at < (counts[status] ?? 0); at++) figures.add(rowOf(++row, { status }));
  figures.note(endOf());
  return figures;
}
const words = (markup: string) =>
  markup
    .replace(/<(style|script)[ >].*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
const textOf = (section: { readonly markup: string } | null) => words(section?.markup ?? 'none');
const itemsOf = (markup: string) => [...markup.matchAll(/<li>(.*?)<\/li>/gs)].map(([, item = '']) => words(item));

describe('what is left to do', () => {
  test.each<[Partial<Counts>, string[]]>([
    [{ unknown: 1 }, ['1 row may have been taken. Look it up at the service, then say what you found: srq resolve .']],
    [
      { unknown: 2 },
      ['2 rows may have been taken. Look each one up at the service, then say what you found: srq resolve .'],
    ],
    [
      { failed: 1 },
      ['1 row is not sent. Run the same command again: it goes on where it stopped, and sends nothing twice.'],
    ],
    [
      { ready: 1, failed: 1 },
      ['2 rows are not sent. Run the same command again: it goes on where it stopped, and sends nothing twice.'],
    ],
    [{ invalid: 1 }, ['1 row has to be corrected. Do it in the results file and import that: only this row is sent.']],
    [
      { invalid: 1, rejected: 1 },
      ['2 rows have to be corrected. Do it in the results file and import that: only these rows are sent.'],
    ],
  ])('of %j is told, also of a single row', (counts, items) => {
    const { markup } = toDo(figuresWith(counts), asIs);
    expect(itemsOf(markup)).toEqual(items);
    expect(markup).toMatch(/^<ol class="todo">/);
  });

  test('comes in the order in which a person does it, and what goes on by itself is not told as left', () => {
    const all = toDo(figuresWith({ created: 5, invalid: 1, failed: 1, unknown: 1 }), asIs).markup;
    expect(itemsOf(all).map((item) => item.split('.')[0])).toEqual([
      '1 row may have been taken',
      '1 row is not sent',
      '1 row has to be corrected',
    ]);
    const open = new RunFigures(null);
    open.note(beginOf(1));
    open.add(rowOf(1, { status: 'ready' }));
    expect(textOf(toDo(open, asIs))).toContain('1 row is not sent yet.');
    expect(textOf(toDo(figuresWith({ created: 1, duplicate: 1, repeated: 1 }), asIs))).toBe('Nothing is left to do.');
  });
});

test('the tiles name each status that occurs with its share', () => {
  const figures = figuresWith({ created: 1_500, duplicate: 1, failed: 499 });
  const { markup } = totals(figures, figures.listed);
  const tiles = [...markup.matchAll(/<div class="tile">(.*?)<\/div>/gs)].map(([, tile = '']) => words(tile));
  expect(tiles).toEqual([
    'created 1,500 75.0 % · taken by the service',
    'duplicate 1 under 0.1 % · known to the service',
    'failed 499 24.9 % · not taken; the next run sends it',
  ]);
  expect(textOf(totals(new RunFigures(null), []))).toBe('Nothing was sent in this run yet.');
});

describe('the markets', () => {
  test('are told with their counts, those with most rows first, and the rows of no market are no link', () => {
    const figures = new RunFigures(null);
    for (let row = 1; row <= 3; row++) figures.add(rowOf(row, { market: 'DE' }));
    figures.add(rowOf(4, { market: 'DE', status: 'failed' }));
    figures.add(rowOf(5));
    for (const row of [6, 7]) figures.add(rowOf(row, { market: null, status: 'failed' }));
    const { markup } = markets(figures);
    const lines = [...markup.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs)].map(([, line = '']) => words(line));
    expect(lines).toEqual(['DE 4 3 1', 'not known 2 – 2', 'PT 1 1 –']);
    expect([...markup.matchAll(/data-filter="([^"]+)"/g)].map(([, filter]) => filter)).toEqual([
      'market=DE',
      'market=PT',
    ]);
    expect(words(/<thead>(.*?)<\/thead>/s.exec(markup)?.[1] ?? '')).toBe('Market Rows created failed');
    // The bars are drawn to the scale of the largest market.
    const widths = [...markup.matchAll(/<rect class="fill-\w+"[^>]*width="([^"]+)%"/g)].map(([, width]) => width);
    expect(widths).toEqual(['75', '25', '0', '50', '25', '0']);
    expect(markup).not.toContain('no known market');
  });

  test('of more than 50 are told together, as their names may be anyone’s', () => {
    const figures = new RunFigures(null);
    for (let row = 1; row <= 50; row++) figures.add(rowOf(row, { market: `M${row}` }));
    expect([figures.markets.size, figures.markets.has('not known')]).toEqual([50, false]);
    for (const market of ['M51', 'M52', 'M1']) figures.add(rowOf(60, { market }));
    expect([figures.markets.size, figures.markets.get('not known')?.created]).toEqual([51, 2]);
    expect(figures.markets.get('M1')?.created).toBe(2);
  });

  test('of rows that the log does not have are said to be missing', () => {
    const figures = new RunFigures(null);
    figures.note(beginOf(2, { counts: { ...noCounts(), ready: 1, repeated: 1 } }));
    figures.add(rowOf(1));
    figures.addUntouched();
    expect(textOf(markets(figures))).toContain('1 row of no known market: what was never sent is not in the log.');
    expect(textOf(markets(new RunFigures(null)))).toBe('No request of this run is in the log.');
  });
});

describe('the reasons', () => {
  const reasonsOf = (figures: RunFigures) => reasons(figures, asIs).markup;

  test('are told with the commonest first, with their first rows and what to do', () => {
    const figures = new RunFigures(null);
    figures.add(rowOf(1, { status: 'failed', message: 'Rare.' }));
    for (let row = 2; row <= 24; row++) figures.add(rowOf(row, { status: 'rejected', message: 'Common.' }));
    const [common = '', rare = ''] = itemsOf(reasonsOf(figures));
    const first = Array.from({ length: 20 }, (_, at) => at + 2).join(', ');
    expect(common).toMatch(/^rejected Common\. Correct these rows in the results file/);
    expect(common).toContain(`23 times: row ${first} … Show in the list`);
    expect(rare).toContain('1 time: row 1 Show in the list');
    expect([...reasonsOf(figures).matchAll(/data-filter="([^"]+)"/g)].map(([, filter]) => filter)).toEqual([
      'reason=1',
      'reason=0',
    ]);
  });

  test.each([
    [50, null],
    [51, '1 rarer reasons are in the list of rows alone.'],
    [60, '10 rarer reasons are in the list of rows alone.'],
  ])('of %d kinds fifty are told', (kinds, note) => {
    const figures = new RunFigures(null);
    for (let at = 0; at < kinds; at++) figures.add(rowOf(at, { status: 'failed', message: 'x'.repeat(at + 1) }));
    expect(itemsOf(reasonsOf(figures))).toHaveLength(50);
    expect(/<p class="note">(.*?)<\/p>/.exec(reasonsOf(figures))?.[1] ?? null).toBe(note);
  });

  test.each<[Partial<Counts>, string | null, string[]]>([
    [
      { invalid: 1 },
      null,
      [
        'Why 1 row is invalid is not in the log, as they were never sent: srq report --input leads.csv -o rows.html tells it.',
      ],
    ],
    [{ ready: 1 }, 'The service moved.', ['1 row was not sent, as the run ended before. The service moved.']],
    [{ ready: 2 }, null, ['2 rows were not sent, as the run ended before.']],
    [{ unknown: 1 }, null, ['1 row was unknown before this run: srq resolve lists all.']],
    [{ unknown: 2 }, null, ['2 rows were unknown before this run: srq resolve lists all.']],
  ])('that the log does not have are said to be missing: %j', (counts, stopped, notes) => {
    const figures = new RunFigures(null);
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
    figures.note(beginOf(rows, { counts: { ...noCounts(), ...counts } }));
    figures.note(endOf(stopped));
    figures.addUntouched();
    expect([...reasonsOf(figures).matchAll(/<p class="note">(.*?)<\/p>/g)].map(([, note]) => note)).toEqual(notes);
  });
});

describe('the requests in doubt', () => {
  const linesOf = (figures: RunFigures) =>
    [...(doubts(figures, asIs)?.markup ?? '').matchAll(/<tr><td>(.*?)<\/tr>/gs)].map(([, line = '']) => words(line));

  test('are listed with the command that settles each', () => {
    const figures = new RunFigures(null);
    figures.add(rowOf(7, { status: 'unknown', message: 'The line failed.' }));
    figures.add(rowOf(8, { status: 'unknown', key: null, ref: null, at: null, message: null }));
    expect(linesOf(figures)).toEqual([
      '7 L-7 2026-11-21 10:00:07 UTC The line failed. srq resolve 000000000000 --created or --not-created',
      '8 – – –',
    ]);
    expect(doubts(figures, asIs)?.markup).not.toContain('more: ');
    expect(doubts(figuresWith({ created: 1 }), asIs)).toBeNull();
  });

  test('are listed up to 200, and those that are not are counted', () => {
    const figures = new RunFigures(null);
    for (let row = 1; row <= 1_202; row++) figures.add(rowOf(row, { status: 'unknown' }));
    expect(linesOf(figures)).toHaveLength(200);
    expect(textOf(doubts(figures, asIs))).toContain('1,002 more: srq resolve lists all.');
  });
});

test('the settings of the run are told with the place that it was for', () => {
  const figures = figuresWith({ created: 1 });
  expect(
    [...settings(figures).markup.matchAll(/<dt>(.*?)<\/dt><dd><bdi>(.*?)<\/bdi>/g)].map((each) => each.slice(1)),
  ).toEqual([
    ['srq', '1.0.0'],
    ['Service', 'api.example.com (live)'],
    ['Profile', 'default'],
    ['Run', 'r'],
    ['Input', 'leads.csv'],
    ['--rate', 'auto'],
  ]);
  expect(textOf(settings(new RunFigures(null)))).toBe('Settings were not recorded for this run.');
});

test.each<[Partial<Counts>, string, string]>([
  [{ unknown: 1 }, '1 of 1 row unknown', 'All may have been taken.'],
  [{ created: 1, unknown: 1 }, '1 of 2 rows unknown', 'It may have been taken. Of the others, 1 is delivered.'],
  [
    { created: 1, failed: 1, unknown: 2 },
    '2 of 4 rows unknown',
    'They may have been taken. Of the others, 1 is delivered, 1 not.',
  ],
  [{ ready: 1 }, 'None of 1 row delivered', 'What is left to do is below.'],
  [{ created: 1, ready: 1 }, '1 of 2 rows not delivered', 'The other 1 is delivered.'],
  [{ repeated: 1 }, '1 row delivered', '1 repeated.'],
])('the verdict on %j counts single rows as such: %s', (counts, title, detail) => {
  expect(headlineOf(figuresWith(counts))).toMatchObject({ title, detail });
});

test('the verdict on a run that goes on counts what has no outcome', () => {
  const open = new RunFigures(null);
  open.note(beginOf(3));
  for (const status of ['created', 'unknown', 'ready'] as const) open.add(rowOf(1, { status }));
  expect(headlineOf(open)).toMatchObject({
    sign: '…',
    title: '1 of 3 rows delivered so far',
    detail: 'No end of the run is recorded: it is under way, or it was killed. 1 without an outcome.',
  });
  // Without the begin of a run the figures are those of the log, which has no end.
  const ofLog = new RunFigures(null);
  ofLog.add(rowOf(1));
  expect(headlineOf(ofLog)).toMatchObject({ sign: '✓', title: '1 row delivered' });
});

describe('the head of the page', () => {
  const headOf = (figures: RunFigures, writtenAt = second(60)) =>
    words(/<header>(.*?)<\/header>/s.exec(reportPage(figures, { ...FACTS, writtenAt }))?.[1] ?? '');
  const begun = (note?: Parameters<RunFigures['note']>[0]) => {
    const figures = new RunFigures(null);
    figures.note(beginOf(1));
    if (note) figures.note(note);
    return figures;
  };
  const where = 'to the live service api.example.com with profile default';

  test.each<[string, RunFigures, string]>([
    ['finished', begun(endOf()), `Finished 2026-11-21 10:00:00 UTC took 9.0 s ${where}`],
    [
      'stopped',
      begun(endOf('The service moved.')),
      `Stopped early The service moved. 2026-11-21 10:00:00 UTC took 9.0 s ${where}`,
    ],
    ['open', begun(), `No end recorded Under way, or ended without a word 2026-11-21 10:00:00 UTC for 1 min ${where}`],
  ])('of a run that is %s says how it stands and how long it took', (_, figures, head) => {
    expect(headOf(figures)).toBe(`Import of leads.csv ${head}`);
  });

  test('says nothing of a negative time, from a clock that was set back, and of the log when it was read', () => {
    expect(headOf(begun(), second(-60))).toContain('UTC for 0.0 s to');
    expect(headOf(new RunFigures(null))).toBe('Requests in the log As the log has it on 2026-11-21 10:01:00 UTC');
  });
});

describe('the list of rows', () => {
  const notesOf = (figures: RunFigures, hasInput = true) =>
    [
      ...(/<h2 id="rows">.*?<div id="list"/s
        .exec(reportPage(figures, { ...FACTS, hasInput }))?.[0]
        ?.replace(/<noscript>.*?<\/noscript>/s, '')
        .matchAll(/<p class="note">(.*?)<\/p>/g) ?? []),
    ].map(([, note]) => note);
  const dataOf = (figures: RunFigures) =>
    JSON.parse(/id="data">(.*?)<\/script>/s.exec(reportPage(figures, FACTS))?.[1] ?? 'null');

  test('says what it does not have, and that a row opens', () => {
    expect(notesOf(figuresWith({ created: 1 }))).toEqual([]);
    expect(notesOf(figuresWith({}))).toEqual(['Nothing to list yet.']);
    expect(notesOf(figuresWith({ created: 1 }, ['Name']))).toEqual(['A row opens to its cells of the input.']);
  });

  test.each([
    [5_000, []],
    [5_001, ['5,000 of 5,001 are listed: those not created before the others, then the last.']],
  ])('of %d rows with their cells has 5,000', (rows, notes) => {
    expect(notesOf(figuresWith({ created: rows }, ['Name'])).slice(0, -1)).toEqual(notes);
  });

  test('has 20,000 rows where their cells are not shown', () => {
    const figures = figuresWith({ created: 20_001 });
    expect(figures.listed).toHaveLength(20_000);
    expect(figures.listed[0]?.row).toBe(2);
  });

  test('has each fact of a row at its place, and of a long cell its beginning', () => {
    const figures = figuresWith({}, ['Name', 'Text']);
    const cells = ['x'.repeat(500), 'y'.repeat(501)];
    figures.add(rowOf(3, { cells, status: 'rejected', message: 'No.', http: 422, ids: { a: '1', b: '2' } }));
    const key = '3'.padStart(32, '0');
    expect(dataOf(figures)).toEqual({
      file: 'leads.csv',
      statuses: [
        ['created', 'created'],
        ['duplicate', 'duplicate'],
        ['repeated', 'repeated'],
        ['invalid', 'invalid'],
        ['rejected', 'rejected'],
        ['failed', 'failed'],
        ['unknown', 'unknown'],
        ['ready', 'not sent'],
      ],
      columns: ['Name', 'Text'],
      rows: [
        [
          ...[
            3,
            'L-3',
            4,
            'PT',
            [
              ['a', '1'],
              ['b', '2'],
            ],
            'No.',
            [0],
            key,
            second(3),
            422,
          ],
          [cells[0], `${'y'.repeat(500)}…`],
        ],
      ],
    });
    const plain = new RunFigures(null);
    plain.add(rowOf(3, { ref: null, market: null, key: null, at: null, http: null, ids: {} }));
    expect(dataOf(plain)).toMatchObject({
      file: 'log',
      columns: null,
      rows: [[3, '', 0, '', [], '', [], null, null, null, null]],
    });
  });
});

test('a template joins lists by lines, and has a number as it is', () => {
  expect(html`<p>${1_000}${[html`<i>a</i>`, html`<i>b</i>`]}${NOTHING}</p>`.markup).toBe(
    '<p>1000<i>a</i>\n<i>b</i></p>',
  );
});

describe('a report that is written', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'srq-report-'));
    path = join(folder, 'report.html');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is one file for its owner alone, which the next report replaces', async () => {
    for (const rows of [1, 2]) {
      await requireReportPlace(path, '--report');
      await writeRunReport(path, figuresWith({ created: rows }), FACTS);
      expect(readFileSync(path, 'utf8')).toBe(reportPage(figuresWith({ created: rows }), FACTS));
      expect(readdirSync(folder)).toEqual(['report.html']);
    }
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('replaces nothing else, and needs a place', async () => {
    writeFileSync(path, 'my notes');
    await expect(requireReportPlace(path, '--report')).rejects.toMatchObject({
      reason: 'output.not-replaced',
      message: expect.stringContaining('(report)'),
      hint: 'Name another file: --report FILE',
    });
    await expect(requireReportPlace(join(folder, 'none', 'a.html'), '--report')).rejects.toMatchObject({
      reason: 'output.unwritable',
      hint: 'Name another place: --report FILE',
    });
  });

  test('and cannot be leaves nothing beside the place, and the log is said to have all of it', async () => {
    mkdirSync(path);
    writeFileSync(join(path, 'a'), '');
    await expect(writeRunReport(path, figuresWith({ created: 1 }), FACTS)).rejects.toMatchObject({
      reason: 'output.unwritable',
      hint: expect.stringContaining('srq report -o FILE'),
    });
    expect(readdirSync(folder)).toEqual(['report.html']);
    const faulty = figuresWith({ created: 1 });
    Object.defineProperty(faulty, 'listed', {
      get: () => {
        throw new TypeError('ours');
      },
    });
    await expect(writeRunReport(join(folder, 'b.html'), faulty, FACTS)).rejects.toThrow('ours');
  });
});
