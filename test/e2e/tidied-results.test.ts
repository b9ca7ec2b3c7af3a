import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect } from 'vitest';
import { csvRecordText } from '../../src/request/csv-text.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';

type Rows = readonly (readonly string[])[];
const FLAGS = ['--rate', 'max', '--json'];
const importIt = async (desk: Desk, ...args: string[]) => documentOf(await desk.run('bulk', ...args, ...FLAGS));

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
    test(`${how} is one still: nothing of it goes again`, async ({ partner, sandbox }) => {
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
      await partner.run('export', 'tidied.csv', '--output', 'out.csv');
      expect(cellsOf(partner, 'out.csv')[0]).toEqual([...HEADER.split(','), 'srq_status', 'srq_id', 'srq_at']);
    });
  }
});

describe.concurrent('a results file that has lost its statuses', () => {
  for (const kept of [['srq_id', 'srq_message', 'srq_row'], ['srq_row'], ['srq_id'], ['srq_message']]) {
    test(`and has ${kept.join(', ')} is refused`, async ({ partner, sandbox }) => {
      const { header, rows } = await savedResults(partner);
      const isLeft = (_: string, at: number) => !header[at]?.startsWith('srq_') || kept.includes(header[at] ?? '');
      const file = save(
        partner,
        'lost.csv',
        [header, ...rows].map((cells) => cells.filter(isLeft)),
      );
      for (const more of [[], ['--dry-run']]) {
        const ended = await partner.run('bulk', file, ...FLAGS, ...more);
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

  test('to a second column of that name is refused', async ({ partner, sandbox }) => {
    const { header, rows } = await savedResults(partner);
    const twins = [[...header, 'SRQ_Status'], ...rows.map((cells) => [...cells, ''])];
    const ended = await partner.run('bulk', save(partner, 'twins.csv', twins), ...FLAGS);
    expect(ended.code).toBe(2);
    expect(documentOf(ended)).toMatchObject({ error: { message: expect.stringContaining('more than one column') } });
    expect(await statsOf(sandbox)).toMatchObject({ created: LEADS, doubled: 0 });
  });
});
