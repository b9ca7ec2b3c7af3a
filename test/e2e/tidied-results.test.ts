import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect } from 'vitest';
import { csvRecordText } from '../doors/read.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';

type Rows = readonly (readonly string[])[];
const FLAGS = ['--rate', 'max', '--json'];
const importIt = async (desk: Desk, ...args: string[]) => documentOf(await desk.call('bulk', ...args, ...FLAGS));

/** The cells of a CSV file, its header first. */
const cellsOf = (desk: Desk, name: string): Rows => parse(readFileSync(join(desk.work, name)), { bom: true });
const save = (desk: Desk, name: string, rows: Rows) =>
  desk.write(name, rows.map((cells) => csvRecordText(cells, ',')).join(''));

const HEADER = 'ref,country,fullname,email,phone,PLZ,Ort,request_text';
const LEADS = 10;
/** Leads in Dresden, where a spreadsheet takes the zero of the postal code; every other text looks like a formula. */
const DRESDEN = [
  HEADER,
  ...Array.from({ length: LEADS }, (_, at) => {
    const need = at % 2 === 0 ? `=1+${at}` : `Bad streichen ${at}`;
    return `L-${at},DE,Zoé Beispiel,zoe${at}@example.com,+49151234567${10 + at},01067,Dresden,${need}`;
  }),
  '',
].join('\n');

/** Imports the leads and gives the cells of the results as a spreadsheet saves them: without the zeros. */
async function savedResults(partner: Desk): Promise<{ header: readonly string[]; rows: Rows }> {
  expect(await importIt(partner, partner.write('leads.csv', DRESDEN))).toMatchObject({ created: LEADS });
  const [header = [], ...written] = cellsOf(partner, 'leads.results.csv');
  return { header, rows: written.map((cells) => cells.with(header.indexOf('PLZ'), '1067')) };
}

describe.concurrent('a results file whose header somebody has tidied', () => {
  for (const [how, tidy] of [
    ['in capitals and with blanks around', (name: string) => ` ${name.toUpperCase()} `],
    ['with blanks within', (name: string) => name.replace('_', ' ')],
    ['with an invisible mark', (name: string) => `\u200B${name}`],
  ] as const) {
    test(`a results file with its header ${how} is still one: nothing goes again`, async ({ partner, sandbox }) => {
      const { header, rows } = await savedResults(partner);
      const tidied = header.map((name) => (name.startsWith('srq_') ? tidy(name) : name));
      const ended = await importIt(partner, save(partner, 'tidied.csv', [tidied, ...rows]));
      expect(ended).toMatchObject({ rows: LEADS, repeated: LEADS, created: 0 });
      expect(await statsOf(sandbox)).toMatchObject({ created: LEADS, doubled: 0 });
      // The next results have each column of srq once, by its own name, and the identifiers.
      const [after = [], ...kept] = cellsOf(partner, 'tidied.results.csv');
      expect(after).toEqual(header);
      const ids = (all: Rows) => all.map((cells) => cells[header.indexOf('srq_id')]);
      expect(ids(kept)).toEqual(ids(rows));
      // An export of it, too, has its outcome once.
      await partner.call('export', 'tidied.csv', '--output', 'out.csv');
      expect(cellsOf(partner, 'out.csv')[0]).toEqual([...HEADER.split(','), 'srq_status', 'srq_id', 'srq_at']);
    });
  }
});

describe.concurrent('a results file that has lost its statuses', () => {
  for (const kept of [['srq_id', 'srq_message', 'srq_row'], ['srq_row'], ['srq_id'], ['srq_message']]) {
    test(`a results file without statuses, but with ${kept.join(', ')}, is refused`, async ({ partner, sandbox }) => {
      const { header, rows } = await savedResults(partner);
      const isLeft = (_: string, at: number) => !header[at]?.startsWith('srq_') || kept.includes(header[at] ?? '');
      const file = save(
        partner,
        'lost.csv',
        [header, ...rows].map((cells) => cells.filter(isLeft)),
      );
      for (const more of [[], ['--dry-run']]) {
        const ended = await partner.call('bulk', file, ...FLAGS, ...more);
        expect(ended.code).toBe(2);
        expect(documentOf(ended)).toMatchObject({
          error: {
            message: expect.stringContaining(`has ${kept.join(', ')} but no srq_status`),
            hint: expect.stringContaining('Put the column srq_status back'),
          },
        });
      }
      expect(await statsOf(sandbox)).toMatchObject({ created: LEADS, doubled: 0 });
    });
  }

  test('a results file with a second column of statuses is refused', async ({ partner, sandbox }) => {
    const { header, rows } = await savedResults(partner);
    const twins = [[...header, 'SRQ_Status'], ...rows.map((cells) => [...cells, ''])];
    const ended = await partner.call('bulk', save(partner, 'twins.csv', twins), ...FLAGS);
    expect(ended.code).toBe(2);
    expect(documentOf(ended)).toMatchObject({ error: { message: expect.stringContaining('more than one column') } });
    expect(await statsOf(sandbox)).toMatchObject({ created: LEADS, doubled: 0 });
  });
});

/** Leads of which the last two cannot be sent, with texts that a spreadsheet changes, and numbers written oddly. */
const MIXED = [
  `${HEADER},Day`,
  ...Array.from({ length: 12 }, (_, at) => {
    const phone = at % 3 === 0 ? `0151/2345-67${10 + at}` : `015123456${100 + at}`;
    const country = at < 10 ? 'DE' : 'Atlantis';
    return `L-${at},${country},Zoé Beispiel,zoe${at}@example.com,${phone},01067,Dresden,Bad ${at},${at === 0 ? '' : `${10 + at}.11.2026`}`;
  }),
  '',
].join('\n');
const MAP = ['--map', 'Day=desired_date'];
const WIDTH = HEADER.split(',').length + 1;

async function mixedResults(partner: Desk): Promise<{ header: readonly string[]; rows: Rows }> {
  const first = await importIt(partner, partner.write('leads.csv', MIXED), ...MAP);
  expect(first).toMatchObject({ created: 10, invalid: 2 });
  const [header = [], ...rows] = cellsOf(partner, 'leads.results.csv');
  return { header, rows };
}

/** Imports rows as they came back, and gives the numbers of those of which it is said that they hold something else. */
async function toldRows(partner: Desk, header: readonly string[], rows: Rows): Promise<number[]> {
  const file = save(partner, 'back.csv', [header, ...rows]);
  const planned = documentOf(await partner.call('bulk', file, '--dry-run', ...MAP, ...FLAGS)) as {
    problems: { row: number; code: string; severity: string }[];
  };
  const told = planned.problems.filter(({ code }) => code === 'row.other-content');
  const ended = await partner.call('bulk', file, ...MAP, ...FLAGS);
  expect(documentOf(ended)).toMatchObject({ rows: rows.length, created: 0 });
  expect(ended.stderr.replace(/\s+/g, ' ').includes('Its cells differ from what was sent')).toBe(told.length > 0);
  return told.map(({ row }) => row);
}

describe.concurrent('a row of a results file that says that it was taken', () => {
  /** Data of one row, outcome of another. */
  const joined = (rows: Rows, dataOf: (at: number) => number): Rows =>
    rows.map((cells, at) => [...(rows[dataOf(at)] ?? []).slice(0, WIDTH), ...cells.slice(WIDTH)]);

  test('a row that says it was taken beside the cells of an unsent one is not sent', async ({ partner, sandbox }) => {
    const { header, rows } = await mixedResults(partner);
    const places = new Map([
      [2, 10],
      [10, 2],
      [3, 11],
      [11, 3],
    ]);
    expect(
      await toldRows(
        partner,
        header,
        joined(rows, (at) => places.get(at) ?? at),
      ),
    ).toEqual([3, 4]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 10, doubled: 0 });
  });

  test('rows that say they were taken are reported where columns were sorted alone', async ({ partner, sandbox }) => {
    const { header, rows } = await mixedResults(partner);
    const turned = joined(rows, (at) => rows.length - 1 - at);
    // Two rows were never sent. Their content stands beside the outcome of others now.
    expect(await toldRows(partner, header, turned)).toEqual([1, 2]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 10, doubled: 0 });
  });

  test('a row that says it was taken because somebody wrote so is reported', async ({ partner, sandbox }) => {
    const { header, rows } = await mixedResults(partner);
    const mended = rows.map((cells, at) =>
      at < 10 ? cells : cells.with(WIDTH, 'created').with(1, at === 10 ? 'DE' : 'Atlantis'),
    );
    expect(await toldRows(partner, header, mended)).toEqual([11, 12]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 10, doubled: 0 });
  });

  test('changed cells of rows that were taken are mentioned once for all, and not where nothing has changed', async ({
    partner,
    sandbox,
  }) => {
    const { header, rows } = await mixedResults(partner);
    expect(await toldRows(partner, header, rows)).toEqual([]);
    const at = (name: string) => header.indexOf(name);
    const damaged = rows.map((cells, row) =>
      cells
        .with(at('PLZ'), '1067')
        .with(at('phone'), row === 4 ? '1,51235E+11' : (cells[at('phone')] ?? '').replace(/^0(?=\d+$)/, ''))
        .with(at('Day'), row === 0 ? '' : `11/${10 + row}/26`)
        .with(at('srq_id'), `${(cells[at('srq_id')] ?? '').slice(0, 15)}${'0'.repeat(5)}`),
    );
    expect(await toldRows(partner, header, damaged)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 10, doubled: 0 });
  });

  test('a row that says it was taken is not reported where its dry run called it a repetition', async ({
    partner,
    sandbox,
  }) => {
    const [header = '', one = '', two = ''] = DRESDEN.split('\n');
    const file = partner.write('leads.csv', [header, one, two, two, ''].join('\n'));
    await importIt(partner, file, '--limit', '1');
    await importIt(partner, file, '--dry-run', '--results', 'verdict.csv');
    const planned = documentOf(await partner.call('bulk', 'verdict.csv', '--dry-run', ...FLAGS));
    expect(planned).toMatchObject({ rows: 3, ready: 1, repeated: 2, problems: [] });
    expect(await importIt(partner, 'verdict.csv')).toMatchObject({ created: 1, repeated: 2 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 2, doubled: 0 });
  });

  test('a row that says it was taken beside the cells of a refused one is reported', async ({ partner, sandbox }) => {
    const leads = ['', '', '??'].map(
      (lang, at) => `DE,${lang},Zoé,z${at}@example.com,+49 (0)151 23456789,01067,Bad ${at}`,
    );
    const lines = ['country,lang,fullname,email,phone,location,request_text', ...leads, ''];
    const first = await importIt(partner, partner.write('leads.csv', lines.join('\n')));
    expect(first).toMatchObject({ created: 2, rejected: 1 });
    const [header = [], ...rows] = cellsOf(partner, 'leads.results.csv');
    const planned = async (back: Rows) => {
      const file = save(partner, 'back.csv', [header, ...back]);
      const { problems } = documentOf(await partner.call('bulk', file, '--dry-run', '--strict', ...FLAGS)) as {
        problems: { row: number; code: string }[];
      };
      return problems.filter(({ code }) => code === 'row.other-content').map(({ row }) => row);
    };
    expect(await planned(rows)).toEqual([]);
    const [a = [], b = [], c = []] = rows;
    const swapped = [a, [...c.slice(0, 7), ...b.slice(7)], [...b.slice(0, 7), ...c.slice(7)]];
    expect(await planned(swapped)).toEqual([2]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 2, doubled: 0 });
  });
});
