import type { Problem } from '../model/outcome.ts';
import type { Draft } from '../model/service-request.ts';
import type { FieldSource, Mapping, Row } from '../model/table.ts';

/** The fields of a row by a mapping. A field without any text is left out; texts are as in the file. */
export function mapRow(row: Row, mapping: Mapping): Draft {
  const fields: Record<string, string> = {};
  for (const source of mapping.sources) {
    if (fields[source.field] !== undefined) continue;
    const text = textOf(source, row.cells);
    if (text !== '') fields[source.field] = text;
  }
  const postalCode = postalCodeOf(row, mapping);
  return postalCode === '' ? { row: row.number, fields } : { row: row.number, fields, postalCode };
}

function postalCodeOf({ cells }: Row, { postalCodes, sources }: Mapping): string {
  const filled = postalCodes.find((index) => (cells[index] ?? '').trim() !== '');
  if (filled === undefined) return '';
  const prefix = sources.find(({ field }) => field === 'location')?.prefix ?? null;
  return cellText(cells[filled], prefix).trim();
}

/** Warns where columns that are equally likely one field hold different texts: only one of them is sent. */
export function tieProblems({ cells }: Row, { columns, ties }: Mapping): Problem[] {
  const filled = (index: number) => (cells[index] ?? '').trim() !== '';
  return ties.flatMap(({ field, columns: tied, better }) => {
    const texts = new Set(tied.filter(filled).map((index) => (cells[index] ?? '').trim()));
    if (texts.size < 2 || better.some(filled)) return [];
    const names = tied.map((index) => columns[index] ?? '');
    const message = 'The columns hold different values; the first is taken. Say which to use with --map.';
    return [{ severity: 'warning', field, column: names.join(' / '), message }];
  });
}

function textOf(source: FieldSource, cells: readonly string[]): string {
  if (source.how === 'template') return templateText(source, cells);
  const parts: string[] = [];
  for (const index of source.columns) {
    const text = cellText(cells[index], source.prefix);
    if (text === '') continue;
    if (source.how === 'first') return text;
    parts.push(text.trim());
  }
  return parts.join(' ');
}

/** A cell without the platform's prefix; empty if there is nothing but blanks. */
function cellText(cell: string | undefined, prefix: string | null): string {
  if (cell === undefined || cell.trim() === '') return '';
  const bare = prefix !== null && cell.startsWith(prefix) ? cell.slice(prefix.length) : cell;
  return bare.trim() === '' ? '' : bare;
}

function templateText(source: FieldSource, cells: readonly string[]): string {
  let text = '';
  let filled = source.columns.length === 0;
  for (const part of source.template ?? []) {
    const piece = typeof part === 'number' ? (cells[part] ?? '').trim() : part;
    if (typeof part === 'number' && piece !== '') filled = true;
    text += piece;
  }
  return filled && text.trim() !== '' ? text : '';
}
