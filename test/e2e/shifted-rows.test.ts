import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const HEADER = ['ref', 'fullname', 'email', 'phone', 'location', 'country', 'request_text', 'category'];
const ROWS = 90;

const lead = (at: number) => [
  `R-${at}`,
  `Ana Silva ${at}`,
  `lead${at}@example.com`,
  `+35191234${1000 + at}`,
  `Rua das Flores ${at} Lisboa`,
  'PT',
  `Pintar a casa ${at}`,
  at % 2 === 0 ? '' : 'pintura',
];

/** What goes wrong with one separator in a row of CSV, at any place of it; the last cell may be empty before or after. */
const SLIPS: Readonly<Record<string, (cells: string[], at: number) => string[]>> = {
  'one too many': (cells, at) => cells.toSpliced(at, 0, ''),
  'one too many, the last cell empty': (cells, at) => [...cells.slice(0, -1), ''].toSpliced(at, 0, ''),
  'one too few': (cells, at) => cells.toSpliced(at, 2, `${cells[at]}${cells[at + 1]}`),
  'a text cut at one': (cells, at) => cells.toSpliced(at, 1, `${cells[at]} A`, ' 5'),
  'a text cut at one, the last cell empty': (cells, at) => [
    ...cells.slice(0, -1).toSpliced(Math.min(at, 6), 1, `${cells[at]} A`, ' 5'),
    '',
  ],
};

const importIt = (desk: Desk, content: string) =>
  desk.call('bulk', desk.write('leads.csv', content), '--rate', 'max', '--yes', '--json');

describe.concurrent('rows in which a separator slipped are not sent, and the others are', () => {
  for (const [slip, change] of Object.entries(SLIPS)) {
    for (const delimiter of [',', ';']) {
      test(`${slip}: ${delimiter}`, async ({ partner, sandbox }) => {
        const slipped = (at: number) => at % 6 === 1;
        const rows = Array.from({ length: ROWS }, (_, at) =>
          slipped(at) ? change(lead(at), Math.floor(at / 6) % (HEADER.length - 1)) : lead(at),
        );
        const text = [HEADER, ...rows].map((cells) => `${cells.join(delimiter)}\n`).join('');
        const sent = Array.from({ length: ROWS }, (_, at) => at).filter((at) => !slipped(at));
        expect(documentOf(await importIt(partner, text))).toMatchObject({
          created: sent.length,
          invalid: ROWS - sent.length,
        });
        const received = creates(sandbox).map(({ params }) => params);
        for (const at of sent) {
          const [, fullname, email, phone, location, country, request_text] = lead(at);
          const found = received.find((params) => params['phone'] === phone);
          expect(found).toMatchObject({ fullname, email, phone, location, country, request_text });
        }
      });
    }
  }
});
