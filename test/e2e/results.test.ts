import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import iconv from 'iconv-lite';
import { readSheet } from 'read-excel-file/node';
import { describe, expect } from 'vitest';
import { workbook } from '../../scripts/workbook.mjs';
import { unescapeFormulas } from '../doors/read.ts';
import { bindMount, bindMountIsMissing } from '../helpers/bind-mount.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const HEADER = ['ref', '', 'country', 'fullname', 'phone', 'location', 'request_text', 'memo', 'memo'];
const ROWS = [
  ['A-1', 'x', 'PT', 'Zoé Conceição', '+351912345678', 'Lisboa', 'Pintar;=1, "já"\n- obrigado', '=1+1', "'=2"],
  ['A-2', '', 'FR', '@lice', '+351912345678', 'Paris', '-10 %', '', '+1'],
  ['A-3', '', 'DE', 'Jürgen Weiß', '0151 23456789', 'Berlin', 'Küche 80 €', '', ''],
];
const RAGGED = [
  ['A-4', '', 'PT', 'Short', '+351912345678', 'Lisboa', 'Obras'],
  ['A-5', '', 'PT', 'Long', '+351912345678', 'Lisboa', 'Obras', '', '', 'too', 'many'],
  ['A-6', 'PT'],
];
const IGNORED = ['--map', 'memo=-'];
const csv = (rows: readonly (readonly string[])[], delimiter = ',') =>
  rows.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter)).join('\r\n');
const importIt = (desk: Desk, ...args: string[]) => desk.call('bulk', ...args, '--rate', 'max', '--json');

function records(desk: Desk, name: string, delimiter = ','): string[][] {
  return parse(readFileSync(join(desk.work, name)), { bom: true, delimiter, relax_column_count: true });
}

/** The cells of a workbook as they stand in it, the header first. */
async function sheetOf(path: string): Promise<string[][]> {
  const sheet = await readSheet(path);
  return sheet.map((cells) => cells.map((cell) => String(cell ?? '')));
}

/** As a spreadsheet saves it again: all rows equally long, its own delimiter, encoding and quoting. */
function savedBySpreadsheet(rows: readonly (readonly string[])[]): Buffer {
  const width = Math.max(...rows.map((cells) => cells.length));
  const even = rows.map((cells) => [...cells, ...Array<string>(width - cells.length).fill('')]);
  const cell = (text: string) => (/["\r\n;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return iconv.encode(even.map((cells) => `${cells.map(cell).join(';')}\r\n`).join(''), 'windows-1252');
}

describe.concurrent('the results file', () => {
  test('the results file has the columns of the input in order, ragged and unnamed ones too, and no formulas', async ({
    partner,
  }) => {
    const file = partner.write('leads.csv', csv([HEADER, ...ROWS, ...RAGGED]));
    expect(documentOf(await importIt(partner, file, ...IGNORED))).toMatchObject({ rows: 6, created: 2, invalid: 4 });
    const [header, ...rows] = records(partner, 'leads.results.csv');
    expect(header).toEqual([...HEADER, 'srq_status', 'srq_id', 'srq_message', 'srq_row', 'srq_key']);
    expect(rows.map((cells) => cells.slice(0, -5).map(unescapeFormulas))).toEqual([...ROWS, ...RAGGED]);
    expect(rows.map((cells) => [cells.at(-5), cells.at(-2)])).toEqual([
      ['created', '1'],
      ['invalid', '2'],
      ['created', '3'],
      ['invalid', '4'],
      ['invalid', '5'],
      ['invalid', '6'],
    ]);
    for (const cell of rows.flat()) expect(cell).not.toMatch(/(?:^|[,;\t\r\n"])[=+\-@]/);
  });

  test('the results file, saved by a spreadsheet with one row corrected, sends that row alone', async ({
    partner,
    sandbox,
  }) => {
    await importIt(partner, partner.write('leads.csv', csv([HEADER, ...ROWS, ...RAGGED])), ...IGNORED);
    const saved = records(partner, 'leads.results.csv');
    const unchanged = partner.write('saved.csv', savedBySpreadsheet(saved));
    expect(documentOf(await importIt(partner, unchanged, ...IGNORED))).toMatchObject({
      rows: 6,
      created: 0,
      repeated: 2,
      invalid: 4,
    });
    const corrected = saved.map((cells) => (cells[0] === 'A-2' ? cells.with(2, 'PT') : cells));
    const again = await importIt(partner, partner.write('corrected.csv', savedBySpreadsheet(corrected)), ...IGNORED);
    expect(documentOf(again)).toMatchObject({ rows: 6, created: 1, repeated: 2, invalid: 3 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 3, doubled: 0 });
    expect(creates(sandbox).at(-1)?.params).toMatchObject({ fullname: '@lice', request_text: '-10 %' });
  });

  test('the results file of JSON and of a workbook work the same', async ({ partner, sandbox }) => {
    const columns = HEADER.filter((name) => name !== '' && name !== 'memo');
    const rows = ROWS.map((cells) => columns.map((name) => cells[HEADER.indexOf(name)] ?? ''));
    const objects = rows.map((cells, at) =>
      Object.fromEntries(cells.map((cell, index) => [columns[index], at === 0 ? cell : `${cell}`])),
    );
    const files = [
      partner.write('a.json', JSON.stringify(objects)),
      partner.write('b.xlsx', Buffer.from(workbook([{ name: 'Leads', rows: [columns, ...rows] }]))),
    ];
    const expected = [
      { created: 2, repeated: 0, invalid: 1 },
      { created: 0, repeated: 2, invalid: 1 },
    ];
    for (const [at, file] of files.entries()) {
      expect(documentOf(await importIt(partner, file))).toMatchObject({ rows: 3, ...expected[at] });
      // JSON becomes CSV as spreadsheets of the rows' market write it, and a workbook stays one.
      const back =
        at === 0 ? records(partner, 'a.results.csv', ';') : await sheetOf(join(partner.work, 'b.results.xlsx'));
      expect(back[0]?.slice(0, -5)).toEqual(columns);
      expect(back.slice(1).map((cells) => cells.slice(0, -5).map(unescapeFormulas))).toEqual(rows);
      const corrected = back.map((cells) => cells.map((cell) => (cell === 'FR' ? (at === 0 ? 'PT' : 'ES') : cell)));
      const again = await importIt(partner, partner.write(`${at}.csv`, savedBySpreadsheet(corrected)));
      expect(documentOf(again)).toMatchObject({ rows: 3, created: 1, repeated: 2 });
    }
    expect(await statsOf(sandbox)).toMatchObject({ created: 4, doubled: 0 });
  });
});

test.for([
  ['DE', ';'],
  ['UK', ','],
] as const)(
  'results of UTF-16 with TABs, as forms and spreadsheets export it, open in a spreadsheet of %s',
  async ([country, delimiter], { partner }) => {
    const rows = [
      ['ref', 'country', 'fullname', 'email', 'location', 'request_text'],
      ['L-1', country, 'Zoé Weiß', 'zoe@example.com', 'Berlin', 'Küche, Bad; Flur'],
    ];
    const text = rows.map((cells) => `${cells.join('\t')}\r\n`).join('');
    const leads = partner.write(
      'leads.csv',
      Buffer.concat([Buffer.from('\ufeff', 'utf16le'), Buffer.from(text, 'utf16le')]),
    );
    expect(documentOf(await importIt(partner, leads, '--set', 'lang=en'))).toMatchObject({ created: 1 });
    const [header, row] = records(partner, 'leads.results.csv', delimiter);
    expect([header?.slice(0, -5), row?.slice(0, -5), row?.at(-5)]).toEqual([...rows, 'created']);
    expect(documentOf(await importIt(partner, join(partner.work, 'leads.results.csv')))).toMatchObject({ repeated: 1 });
  },
);

describe.concurrent('a slip in an option', () => {
  for (const [what, name] of [
    ['the log', 'state/default.ndjson'],
    ['the token', 'state/default.token.json'],
    ['any other file', 'work/notes.txt'],
  ] as const) {
    test(`a slip in an option does not cost the user ${what}`, async ({ partner, sandbox }) => {
      const leads = partner.write('leads.csv', leadsCsv(2));
      partner.write('notes.txt', 'important\n');
      expect(await partner.call('bulk', leads)).toMatchObject({ code: 0 });
      const victim = join(partner.folder, name);
      const before = readFileSync(victim, 'utf8');
      const slip = await partner.call('bulk', partner.write('more.csv', leadsCsv(3)), '--results', victim, '--json');
      expect({ code: slip.code, now: readFileSync(victim, 'utf8') }).toEqual({ code: 2, now: before });
      expect(creates(sandbox)).toHaveLength(2);
    });
  }
});

test('a results file of a results file has one outcome a row, keeps what it said, and is input again', async ({
  partner,
  sandbox,
}) => {
  partner.write('odd.csv', csv([HEADER, ...ROWS, ...RAGGED]));
  await importIt(partner, 'odd.csv', ...IGNORED);
  const first = records(partner, 'odd.results.csv');
  const second = documentOf(await importIt(partner, 'odd.results.csv', ...IGNORED));
  expect(second).toMatchObject({ created: 0, repeated: 2, invalid: 4, results: 'odd.results.csv' });
  // Of a ragged row the message tells how many cells this file has.
  const withoutMessage = (rows: string[][]) => rows.map((cells) => cells.toSpliced(-3, 1));
  expect(withoutMessage(records(partner, 'odd.results.csv'))).toEqual(withoutMessage(first));
  const ended = await importIt(partner, 'odd.results.csv', ...IGNORED);
  expect(documentOf(ended)).toMatchObject({ created: 0, rejected: 0, failed: 0 });
  expect(creates(sandbox)).toHaveLength(2);
});

test('the command named for the results reads them as they are, whatever the input was', async ({
  partner,
  sandbox,
}) => {
  const text = leadsCsv(3).replace('Ana', 'Zoé');
  const bad = 'XX,Zoé,zoe@example.com,+351912345678,Lisboa,Obras\r\n';
  const leads = partner.write('mac.csv', iconv.encode(`preamble\r\n${text}${bad}`, 'macintosh'));
  const form = ['--encoding', 'macintosh', '--skip-lines', '1', '--format=csv', '--limit', '100'];
  const ended = documentOf(await partner.call('bulk', leads, ...form, '--json'));
  expect(ended).toMatchObject({ rows: 4, created: 3, invalid: 1 });
  expect(ended['next']).toBe(`srq bulk ${join(partner.work, 'mac.results.csv')} --json`);
  const next = await partner.call('bulk', join(partner.work, 'mac.results.csv'), '--json');
  expect(documentOf(next)).toMatchObject({ rows: 4, created: 0, repeated: 3, invalid: 1 });
  expect(creates(sandbox)).toHaveLength(3);
});

test.skipIf(bindMountIsMissing !== null)(
  `results go beside a file that is open elsewhere${bindMountIsMissing === null ? '' : ` (${bindMountIsMissing})`}`,
  async ({ desk }) => {
    desk.write('leads.csv', leadsCsv(2));
    desk.write('open', '');
    // The system refuses with EBUSY to replace what is mounted.
    const unmount = bindMount(join(desk.work, 'open'), join(desk.work, 'leads.sandbox.results.csv'));
    const { code, stderr, stdout } = await desk.run('bulk', 'leads.csv', '--sandbox', '--yes').finally(unmount);
    expect(code).toBe(0);
    expect(stderr).toContain(
      'leads.sandbox.results.csv is open in another program, such as Excel, so it is kept; the results go to leads.sandbox.results-2.csv.',
    );
    expect(stdout).toContain('leads.sandbox.results-2.csv');
    expect(desk.read('leads.sandbox.results-2.csv')).toContain(',created,');
  },
);
