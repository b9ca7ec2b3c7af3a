import { isAscii, isUtf8 } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { expect, it } from 'vitest';
import { workbook } from '../../scripts/workbook.mjs';
import { checkRequest } from '../../src/delivery/check/check-request.ts';
import { mapRow } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { ReadOptions } from '../../src/request/lead/table.ts';
import fc from '../helpers/fast-check.ts';
import { readTable, scratchFile } from '../helpers/read-table.ts';

const FIELDS = ['ref', 'country', 'fullname', 'email', 'phone', 'location', 'request_text'] as const;
type Lead = Readonly<Record<(typeof FIELDS)[number], string>>;

// A text that begins with a quote and holds quotes at line beginnings reads like a quote that was not closed: refused, rightly.
const text = (unit: 'binary' | 'grapheme' | fc.Arbitrary<string>) =>
  fc.string({ unit, maxLength: 14 }).map((each) => `x${each}`.replace(/\p{Surrogate}/gu, ''));
const latin = fc.constantFrom(...'aZ09 ,;|\t"\'=+-@#éßãçÑ€„“”–…\n\r');

const lead = (unit: Parameters<typeof text>[0]): fc.Arbitrary<Lead> =>
  fc.record({
    ref: fc.oneof(text(unit), fc.constant('')),
    country: fc.constantFrom('PT', 'GB', 'Alemanha', ' de ', 'FR'),
    fullname: text(unit),
    email: fc.constantFrom('ana@example.com', 'no address', ''),
    phone: fc.constantFrom('+351912345678', '912345678', '3,51912E+11', '="+351912345678"'),
    location: text(unit),
    request_text: text(unit),
  });

/** How a file of leads may be written. */
interface Way {
  readonly delimiter: string;
  readonly end: string;
  readonly quoteAll: boolean;
  readonly before: string;
  readonly order: readonly (typeof FIELDS)[number][];
}

const way = fc.record<Way>({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  end: fc.constantFrom('\n', '\r\n', '\r'),
  quoteAll: fc.boolean(),
  before: fc.constantFrom('', 'sep', '\n\n'),
  order: fc.shuffledSubarray([...FIELDS], { minLength: FIELDS.length }),
});

function csvOf(leads: readonly Lead[], { delimiter, end, quoteAll, before, order }: Way): string {
  const cell = (value: string) =>
    quoteAll || /["\r\n]|^\s|\s$/.test(value) || value.includes(delimiter) ? `"${value.replaceAll('"', '""')}"` : value;
  const lines = [order, ...leads.map((each) => order.map((field) => each[field]))];
  const head = before === 'sep' ? `sep=${delimiter}${end}` : before.replaceAll('\n', end);
  return head + lines.map((cells) => cells.map(cell).join(delimiter) + end).join('');
}

/** What the leads are without any file. */
function requestsOf(leads: readonly Lead[]) {
  return leads.map((each, at) => {
    const filled = Object.entries(each).filter(([, value]) => value.trim() !== '');
    return checkRequest({ row: at + 1, fields: Object.fromEntries(filled) }, null).request;
  });
}

async function requestsFrom(content: Uint8Array, options: Partial<ReadOptions> = {}) {
  const { table, rows } = await readTable(scratchFile(content), options);
  const mapping = planMapping(table.columns, { map: {}, set: {} });
  return rows.map((row) => (row.problem === null ? checkRequest(mapRow(row, mapping), mapping).request : row.problem));
}

const leadsOf = (unit: Parameters<typeof text>[0]) => fc.array(lead(unit), { minLength: 1, maxLength: 6 });

it('the same leads give the same requests from every delimiter, line end, quoting, order and Unicode encoding', async () => {
  const encoding = fc.constantFrom('utf-8', 'utf-8 BOM', 'utf-16le BOM', 'utf-16be BOM');
  await fc.assert(
    fc.asyncProperty(leadsOf('binary'), way, encoding, fc.boolean(), async (leads, how, named, packed) => {
      const [name = '', bom] = named.split(' ');
      const bytes = iconv.encode(csvOf(leads, how), name, { addBOM: bom === 'BOM' });
      expect(await requestsFrom(packed ? gzipSync(bytes) : bytes)).toEqual(requestsOf(leads));
    }),
    { numRuns: 150 },
  );
});

it('the same leads give the same requests from the encodings of spreadsheets', async () => {
  const encoding = fc.constantFrom('windows-1252', 'cp1252', 'utf-8', 'utf-16le');
  await fc.assert(
    fc.asyncProperty(leadsOf(latin), way, encoding, async (leads, how, name) => {
      const bytes = iconv.encode(csvOf(leads, how), name);
      // Few letters of windows-1252 side by side may be letters of UTF-8 as well ("Ñ“" has the bytes of "ѓ"): such a file says UTF-8.
      fc.pre(name !== 'windows-1252' || isAscii(bytes) || !isUtf8(bytes));
      const declared = name === 'cp1252' || name === 'utf-16le' ? name : null;
      expect(await requestsFrom(bytes, { encoding: declared })).toEqual(requestsOf(leads));
    }),
    { numRuns: 100 },
  );
});

it('the same leads give the same requests from a workbook and from JSON', async () => {
  // XML has no control characters, and workbooks write _xHHHH_ for them.
  const clean = (value: string) => value.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|_x[0-9a-f]{4}_/gi, '');
  await fc.assert(
    fc.asyncProperty(leadsOf('binary'), way, async (wild, { order }) => {
      const leads = wild.map(
        (each) => Object.fromEntries(Object.entries(each).map(([field, value]) => [field, clean(value)])) as Lead,
      );
      const rows = [order, ...leads.map((each) => order.map((field) => each[field]))];
      expect(await requestsFrom(workbook([{ name: 'Leads', rows }]))).toEqual(requestsOf(leads));
      expect(await requestsFrom(Buffer.from(JSON.stringify(leads)))).toEqual(requestsOf(leads));
      expect(await requestsFrom(Buffer.from(leads.map((each) => JSON.stringify(each)).join('\n')))).toEqual(
        requestsOf(leads),
      );
    }),
    { numRuns: 60 },
  );
});
