import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { expect } from 'vitest';
import { workbook } from '../../scripts/workbook.mjs';
import { doubtsAbout, fieldsOf, partsFor, type Read, read, readingsOf, refusal } from './read.ts';
import { holds as holdsAt, tick, ticked, visible } from './table.ts';

const FOLDER = join(import.meta.dirname, 'read');
const holds = (name: string, ...rest: TableOf) => holdsAt(join(FOLDER, name), ...rest);
type TableOf = [given: number, find: Parameters<typeof holdsAt>[2]];

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const csv = (rows: readonly (readonly string[])[]) =>
  Buffer.from(rows.map((row) => `${row.map(quoted).join(',')}\n`).join(''));

holds('headers.md', 2, async ([header = '', cells = '']) => {
  const values = cells.split(' · ').map(ticked);
  const { fields } = await read(csv([[ticked(header), 'Nr'], ...values.map((value, at) => [value, `x${at}`])]));
  return [fields[ticked(header)] ?? '-'];
});

holds('exports.md', 2, async ([columns = '', cells = '']) => {
  const split = (cell: string) => cell.split(' · ').map(ticked);
  const { fields } = await read(csv([split(columns), split(cells)]));
  return [
    split(columns)
      .map((name) => fields[name] ?? '-')
      .join(' · '),
  ];
});

/** The lists of `columns.md`, by their names. `{1..3}` in a cell makes three of it. */
const LISTS = new Map(
  readFileSync(join(FOLDER, 'columns.md'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, name = '', cells = ''] = /^- ([^:]+): (.*)$/.exec(line) ?? [];
      return name === '' ? [] : [[name, cells.split(' / ').flatMap((cell) => spread(ticked(cell)))] as const];
    }),
);

function spread(cell: string): string[] {
  const [all = '', from, to] = /\{(\d+)\.\.(\d+)\}/.exec(cell) ?? [];
  const numbers = Array.from({ length: Number(to) - Number(from) + 1 || 0 }, (_, at) => Number(from) + at);
  return all === '' ? [cell] : numbers.map((number) => cell.replace(all, `${number}`));
}

holds('columns.md', 1, async ([columns = '']) => {
  const named = columns.split(' · ').map((column) => column.split(' ← '));
  const lists = named.map(([, list = '']) => LISTS.get(list) ?? expect.fail(`no list: ${list}`));
  const most = Math.min(...lists.map(({ length }) => length));
  const header = named.map(([name = '']) => ticked(name));
  return [
    readingsOf(
      header,
      lists.map((cells) => cells.slice(0, most)),
      'PT',
    ).join(' · '),
  ];
});

holds('mapping.md', 3, async ([columns = '', cells = '', said = '']) => {
  const split = (cell: string) => cell.split(' · ').map(ticked);
  const words = (kind: string) =>
    [...said.matchAll(/(?:^| · )(\w+) (.*?)(?= · |$)/g)].flatMap(([, which, word = '']) =>
      which === kind ? [word] : [],
    );
  const pairs = (kind: string) =>
    Object.fromEntries(words(kind).map((word) => /^([^=]*)=(.*)$/.exec(word)?.slice(1) ?? []));
  try {
    const options = { map: pairs('map'), set: pairs('set') };
    const { fields, warnings } = fieldsOf(split(columns), split(cells), options, words('service'));
    const told = Object.entries(fields).map(([field, value]) => `${field}: ${value}`);
    return [(told.join(' · ') || '-') + warnings.map((warning) => ` [${warning}]`).join('')];
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    return [`✗ ${message}${hint ? ` → ${hint}` : ''}`];
  }
});

holds('parts.md', 3, ([places = '', given = '', country = '']) => {
  const texts = given.split(' · ').map((each) => /^([^:]*): ?(.*)$/.exec(each)?.slice(1) ?? []);
  const { parts, carried, said } = partsFor(places.split(' '), Object.fromEntries(texts), country);
  const shown = Object.entries(parts).map(([name, text]) => `${name}: ${text}`);
  return [shown.join(' · ') || '-', carried.join(', ') || '-', said.join(', ') || '-'];
});

holds('doubtful.md', 2, ([held = '', field = '']) => {
  const cells = [LISTS.get(held) ?? expect.fail(`no list: ${held}`)].map((list) => list.slice(0, 3));
  const remembered = { map: { [held]: field }, set: {}, unused: [], on: '2026-11-20', changes: null };
  const ways = [
    { map: { [held]: field }, set: {} },
    { map: {}, set: { [field]: `{${held}}` } },
    { map: {}, set: {}, remembered },
  ];
  const told = (field === '-' ? ways.slice(0, 1) : ways).map((said) => doubtsAbout([held], cells, said).join());
  expect(new Set(told).size).toBe(1);
  return [told[0] || '-'];
});

const USUAL = {
  ...{ country: 'PT', phone: '', email: 'ana@example.com', request_text: 'Pintar a sala' },
  ...{ location: '1200-192 Lisboa', fullname: 'Ana Prado' },
};

/** A cell as it is written, with `x{200}` for two hundred of a letter. */
const cellOf = (cell: string) =>
  ticked(cell).replace(/(.)\{(\d+)\}/, (_, letter, times) => letter.repeat(Number(times)));

holds('cells.md', 3, async ([field = '', country = '', cell = '']) => {
  const row: Record<string, string> = { ...USUAL, country, [field]: cellOf(cell) };
  if (field === 'phone') row['email'] = '';
  const { requests } = await read(csv([Object.keys(row), Object.values(row)]));
  const [request] = requests;
  const value = request?.params[field];
  return [value === undefined ? '-' : tick(value), request?.findings.join(', ') || '-'];
});

holds('rows.md', 1, async ([cells = '']) => {
  const changes = [...cells.matchAll(/(?:^| · )(\w+):(.*?)(?= · |$)/g)].map(([, field, cell = '']) => [
    field,
    ticked(cell.trim()),
  ]);
  const row: Record<string, string> = { ...USUAL, phone: '912345678', ...Object.fromEntries(changes) };
  const { requests } = await read(csv([Object.keys(row), Object.values(row)]));
  const { findings = [], about = [] } = requests[0] ?? {};
  return [findings.map((code, at) => `${code} ${about[at]}`).join(', ') || '-'];
});

/** Each line with `{1..9}` in it is written nine times. */
const lines = (text: string) =>
  text
    .split(/(?<=\n)/)
    .flatMap(spread)
    .join('');

/** The rows that are shown of many: the first two, the last one, and each with another problem than the one before it. */
const isShown = ({ problem }: Read['rows'][number], at: number, all: Read['rows']) =>
  all.length < 8 || at < 2 || at === all.length - 1 || problem !== (all[at - 1]?.problem ?? null);

function rowText({ cells, line, problem, earlier }: Read['rows'][number]): string {
  const { status, id, message, row, key } = earlier ?? {};
  const was = earlier ? ` (was ${[status, id, message, row, key].map((each) => each || '-').join(' · ')})` : '';
  return `${cells.join(' · ')}${was}${problem === null ? '' : ` (${line === null ? '' : `line ${line}: `}${problem})`}`;
}

holds('files.md', 2, async ([bytes = '', encoding = '']) => {
  const text = lines(ticked(bytes));
  const file = encoding === 'bytes' ? Buffer.from(text, 'latin1') : iconv.encode(text, encoding, { addBOM: false });
  const refused = await refusal(file);
  if (refused !== null) return ['-', '-', refused];
  const { form, columns, rows, notes }: Read = await read(file);
  const shown = rows.filter(isShown).map(rowText);
  const few = shown.length < rows.length ? [`${rows.length} rows: `, ...shown] : ['', ...shown];
  const said = notes.map((note) => ` [${note}]`).join('');
  return [tick(form), visible(columns.join(' · ')), visible(few[0] + few.slice(1).join(' / ') + said)];
});

holds('numbers.md', 2, async ([format = '', number = '']) => {
  const rows = [
    ['zip', 'x'],
    [{ number: Number(number), format }, 'y'],
  ];
  const { rows: shown } = await read(Buffer.from(workbook([{ name: 'Leads', rows }])), 'leads.xlsx');
  return [shown[0]?.cells[0] ?? '-'];
});
