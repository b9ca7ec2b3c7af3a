import iconv from 'iconv-lite';
import { describe, expect } from 'vitest';
import { accountedFor, bulkArgs } from '../helpers/delivery.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { statsOf } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const ROWS = 100;
/** Letters that each encoding writes in its own way. */
const LEADS = leadsCsv(ROWS).replaceAll('Pintar a sala', 'Pintar a sala de São João');
const [HEADER = '', ...LINES] = LEADS.trim().split('\n');

const csv = (header: string, lines: readonly string[]) => [header, ...lines, ''].join('\n');
const reversedCells = (line: string, delimiter: string) => line.split(',').reverse().join(delimiter);

/** Imports what is a variant of an imported file; `fresh` of its rows are new. */
async function expectSent(desk: Desk, name: string, content: string | Buffer, fresh: number, rows = ROWS) {
  const ended = await desk.call(...bulkArgs(desk.write(name, content)));
  const document = accountedFor(ended, rows);
  expect([name, ended.code, document['created'], document['repeated']]).toEqual([name, 0, fresh, rows - fresh]);
}

describe.concurrent('a file that was imported', () => {
  test('a file that was imported is not sent again: renamed, sorted, split', async ({ partner, sandbox }) => {
    await expectSent(partner, 'leads.csv', LEADS, ROWS);
    await expectSent(partner, 'leads.csv', LEADS, 0);
    await expectSent(partner, 'renamed.csv', LEADS, 0);
    await expectSent(partner, 'sorted.csv', csv(HEADER, LINES.toReversed()), 0);
    await expectSent(partner, 'first-half.csv', csv(HEADER, LINES.slice(0, 40)), 0, 40);
    await expectSent(partner, 'second-half.csv', csv(HEADER, LINES.slice(40)), 0, ROWS - 40);
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
  });

  test('a file that was imported has only its new rows sent, without those of a created reference', async ({
    partner,
    sandbox,
  }) => {
    await expectSent(partner, 'leads.csv', LEADS, ROWS);
    const corrected = LINES.map((line, at) => (at % 20 === 7 ? line.replace('Lisboa', 'Porto') : line));
    await expectSent(partner, 'corrected.csv', csv(HEADER, corrected), 0);
    const inserted = corrected.flatMap((line, at) =>
      at % 20 === 3 ? [line.replace('Pintar', 'Lavar'), line] : [line],
    );
    await expectSent(partner, 'inserted.csv', csv(HEADER, inserted), 5, ROWS + 5);
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS + 5, distinct: ROWS + 5, doubled: 0 });
  });

  test('a file that was imported is the same in another format and encoding', async ({ partner, sandbox }) => {
    await expectSent(partner, 'leads.csv', LEADS, ROWS);
    const semicolons = LEADS.replaceAll(',', ';').replaceAll('\n', '\r\n');
    await expectSent(partner, 'excel.csv', iconv.encode(semicolons, 'windows-1252'), 0);
    await expectSent(partner, 'unicode.txt', iconv.encode(LEADS.replaceAll(',', '\t'), 'utf16le', { addBOM: true }), 0);
    await expectSent(partner, 'bom.csv', iconv.encode(LEADS, 'utf8', { addBOM: true }), 0);
    const [header = '', ...lines] = [HEADER, ...LINES].map((line) => reversedCells(line, '|'));
    await expectSent(partner, 'columns.csv', csv(header, lines), 0);
    const names = HEADER.split(',');
    const objects = LINES.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [names[at], cell])));
    await expectSent(partner, 'leads.json', JSON.stringify(objects), 0);
    await expectSent(partner, 'leads.ndjson', objects.map((each) => JSON.stringify(each)).join('\n'), 0);
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
  });

  test('a file that was imported is the same with its line breaks written by another program', async ({
    partner,
    sandbox,
  }) => {
    const lines = LINES.map((line) => line.replace(/Pintar a sala [^,]*/, (text) => `"${text}\r\nCom duas janelas"`));
    expect(lines.join('\n')).toContain('\r\nCom duas');
    const leads = csv(HEADER, lines);
    await expectSent(partner, 'leads.csv', leads, ROWS);
    await expectSent(partner, 'unix.csv', leads.replaceAll('\r\n', '\n'), 0);
    await expectSent(partner, 'again.csv', leads, 0);
    const results = partner.read('leads.results.csv');
    expect(results).toContain('\r\nCom duas');
    const ended = await partner.call(...bulkArgs(partner.write('results.csv', results.replaceAll('\r\n', '\n'))));
    expect(ended.stdout + ended.stderr).not.toContain('other content');
    expect(accountedFor(ended, ROWS)).toMatchObject({ created: 0 });
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
  });

  test('a file with unknown rows is settled with its own line breaks', async ({ partner, sandbox }) => {
    // The others show whether validate sees it.
    const text = (breaks: string) => leadsCsv(14).replace(/Pintar a sala 4$/m, `"Pintar${breaks}sala 4"`);
    sandbox.setInstructions([{ on: 'create', fault: 'reset-before', match: { request_text: 'Pintar\r\nsala 4' } }]);
    const first = await partner.call(...bulkArgs(partner.write('leads.csv', text('\r\n')), '--in-doubt', 'park'));
    expect(accountedFor(first, 14)).toMatchObject({ created: 13, unknown: 1 });
    sandbox.setInstructions([]);
    const again = await partner.call(...bulkArgs(partner.write('unix.csv', text('\n')), '--settle', '1'));
    expect(accountedFor(again, 14)).toMatchObject({ created: 1, repeated: 13 });
    expect(creates(sandbox).at(-1)?.params).toMatchObject({ request_text: 'Pintar\r\nsala 4' });
    expect(await statsOf(sandbox)).toMatchObject({ created: 14, distinct: 14, doubled: 0 });
  });
});
