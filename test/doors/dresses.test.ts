import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { read } from './read.ts';

/** One content, as the same six leads whatever program wrote them. */
const HEADER = ['Kundenname', 'Telefon', 'Straße', 'PLZ', 'Ort', 'Anliegen'];
const ROWS = [
  ['Änne Müller', '030 2345670', 'Größenweg 1', '10115', 'Berlin', 'Dachfenster undicht, bitte bald'],
  ['Jürgen Groß', '030 2345671', 'Am Hang 2', '10117', 'Berlin', 'Zwei Zimmer streichen; Flur auch'],
  ['Zoë Weiß', '0421 234567', 'Deichstr. 3', '28195', 'Bremen', 'Regal 48" tief anbringen'],
  ['Peter Kühn', '0421 234568', 'Öresundweg 4', '28197', 'Bremen', 'Wallbox | Tiefgarage'],
  ['Maike Böhm', '0511 234569', 'Süderstr. 5', '30159', 'Hannover', 'Umzug nach Köln im März'],
  ['Cem Özer', '0511 234560', 'Feldweg 6', '30161', 'Hannover', 'Hecke schneiden, 30 m lang'],
];

type Row = readonly string[];
type Writer = (rows: readonly Row[], delimiter: string) => string;

const doubled = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const ifNeeded = (cell: string, delimiter: string) =>
  cell.includes(delimiter) || cell.includes('"') ? doubled(cell) : cell;
const lines = (rows: readonly string[], end: string) => rows.map((row) => row + end).join('');

const plain: Writer = (rows, delimiter) =>
  lines(
    rows.map((row) => row.map((cell) => ifNeeded(cell, delimiter)).join(delimiter)),
    '\r\n',
  );
const quoted: Writer = (rows, delimiter) =>
  lines(
    rows.map((row) => row.map(doubled).join(delimiter)),
    '\n',
  );

/** Programs and people that write the same table in their own way. */
const WRITERS: Readonly<Record<string, Writer>> = {
  'all cells quoted': quoted,
  'line ends of old Macs': (rows, delimiter) => plain(rows, delimiter).replaceAll('\r\n', '\r'),
  'a line sep=': (rows, delimiter) => `sep=${delimiter}\r\n${plain(rows, delimiter)}`,
  'a delimiter at each end': (rows, delimiter) => plain(rows, delimiter).replaceAll('\r\n', `${delimiter}\r\n`),
  'whole lines quoted again': (rows, delimiter) =>
    lines(quoted(rows, delimiter).trim().split('\n').map(doubled), '\r\n'),
  'quotes with a backslash': (rows, delimiter) =>
    lines(
      rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '\\"')}"`).join(delimiter)),
      '\n',
    ),
  'a title and a blank line': (rows, delimiter) => `Anfragen im November\r\n\r\n${plain(rows, delimiter)}`,
  'totals below': (rows, delimiter) => `${plain(rows, delimiter)}\r\nSumme${delimiter}6\r\n`,
};

const ENCODINGS = [
  ...(['utf-8', 'utf-8 with its mark', 'utf-16le', 'utf-16be', 'utf-16le without its mark'] as const),
  ...(['utf-32le', 'utf-32be', 'windows-1252', 'iso-8859-15', 'macintosh', 'cp850'] as const),
];

function encoded(text: string, encoding: string): Buffer {
  const [name = ''] = encoding.split(' ');
  const addBOM = encoding.endsWith('with its mark') || (/^utf-(?:16|32)/.test(encoding) && !encoding.includes(' '));
  return iconv.encode(text, name, { addBOM });
}

/** What srq reads: the same leads, a refusal with the way out, or which rows it does not take. */
async function seen(bytes: Buffer): Promise<string> {
  try {
    const { columns, rows } = await read(bytes);
    const cells = rows.map((row) => row.cells.slice(0, HEADER.length).map((cell) => cell.trim()));
    const whole = rows.filter(({ problem }) => problem === null);
    const isRight = (row: Row) => ROWS.some((each) => each.join('\n') === row.join('\n'));
    const wrong = rows.filter((row, at) => row.problem === null && !isRight(cells[at] ?? []));
    if (wrong.length > 0) return `wrong: ${wrong.map((row) => row.cells.join(' | ')).join(' // ')}`;
    if (columns.slice(0, HEADER.length).join() !== HEADER.join()) return `wrong header: ${columns.join()}`;
    return whole.length === ROWS.length ? 'right' : `right but for ${rows.length - whole.length} that say why`;
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    return hint ? 'refused with the way out' : `refused: ${message}`;
  }
}

describe('46 dresses of one content are right, or refused with the way out', () => {
  it.each(ENCODINGS.flatMap((encoding) => [',', ';'].map((delimiter) => ({ encoding, delimiter }))))(
    'the same leads as CSV in $encoding, with $delimiter, are read right or refused with the way out',
    async ({ encoding, delimiter }) => {
      expect(await seen(encoded(plain([HEADER, ...ROWS], delimiter), encoding))).toBe(
        /^(?:cp850|macintosh|utf-32)/.test(encoding) ? 'refused with the way out' : 'right',
      );
    },
  );
  it.each(Object.keys(WRITERS).flatMap((writer) => [',', '\t', '|'].map((delimiter) => ({ writer, delimiter }))))(
    'the same leads as written by $writer, with $delimiter, are read right or refused with the way out',
    async ({ writer, delimiter }) => {
      expect(await seen(encoded(WRITERS[writer]?.([HEADER, ...ROWS], delimiter) ?? '', 'utf-8'))).toBe(
        writer === 'whole lines quoted again' ? 'refused with the way out' : 'right',
      );
    },
  );
});
