// Writes the workbooks of fixtures/csv anew, because nobody can review one. The other files there are their own source.
// What each file shows, and what has to come of it, stands in fixtures/csv/README.md.
import { writeFileSync } from 'node:fs';
import { workbook } from './workbook.mjs';

const HEADER = ['country', 'fullname', 'email', 'phone', 'location', 'request_text'];
const PT = [
  'PT',
  'Zoé Conceição',
  'zoe@example.com',
  '+351912345678',
  '1200-109 Lisboa',
  'Canalizador urgente, máximo 80 €',
];
const DE = [
  'DE',
  'Jürgen Weiß',
  'juergen@example.org',
  '+4915123456789',
  '10115 Berlin',
  'Küche streichen; „hell“ bitte',
];
const UK = ['UK', 'Siân O’Neill', 'sian@example.net', '+447400123456', 'Cardiff CF10 1AA', 'Garden | hedge and lawn'];

const asNumber = (text) => (text.startsWith('+') ? Number(text.slice(1)) : text);
const shown = (number, format) => ({ number, format });

const dated = [[...HEADER, 'Date'], ...[PT, DE, UK].map((row) => [...row.map(asNumber), new Date('2026-11-20')])];
const notes = [
  ['note', 'by'],
  ['call back', 'Ana'],
];

write('workbook', [{ name: 'Leads', rows: dated }]);
write('workbook-sheets', [
  { name: 'Lists', hidden: true, rows: [['Portugal']] },
  { name: 'Notes', rows: notes },
  { name: 'Leads', rows: [['Leads of the week'], [], ...dated, [], ['3 leads']] },
]);
write('workbook-lost-digits', [
  { name: 'Leads', rows: [HEADER, PT, [...DE.slice(0, 3), 4.91512345678901e17, 'Berlin', 'Küche']] },
]);
write('workbook-formats', [
  {
    name: 'Leads',
    rows: [
      [...HEADER.slice(0, 4), 'zip', 'city', 'request_text'],
      [...DE.slice(0, 3), shown(15123456789, '00000000000'), shown(1067, '00000'), 'Dresden', 'Küche'],
      [...PT.slice(0, 3), shown(912345678, '000 000 000'), shown(1200109, '0000\\-000'), 'Lisboa', 'Obras'],
    ],
  },
]);

function write(name, sheets) {
  writeFileSync(new URL(`../fixtures/csv/${name}.xlsx`, import.meta.url), workbook(sheets));
}
