import { aliasOf } from '../request/lead/field-aliases.ts';
import { tidied } from '../request/lead/phone.ts';
import { nameEvidence } from './columns/name-evidence.ts';

type Cells = readonly string[];

/** Number of first records among which the header may be. */
const SEARCHED = 20;

/** Minimum number of understood names in a header that is not the first record with several cells. */
const MIN_NAMES = 3;

/**
 * Returns the index of the header, or -1. It is the first record with at least two filled cells, unless a later one has
 * clearly more names of fields: above it may be a title, a day ("Stand: 23.11.2026") or the names of groups of columns.
 */
export function headerIndex(records: readonly Cells[], width: number): number {
  const least = width > 1 ? 2 : 1;
  const first = records.findIndex((cells) => filled(cells) >= least);
  if (first < 0 || width < 2) return first;
  let [best, names] = [first, fieldNames(records[first] ?? [])];
  for (let at = first + 1; at < Math.min(records.length, SEARCHED); at++) {
    const found = fieldNames(records[at] ?? []);
    if (found >= MIN_NAMES && found > names * 1.5) [best, names] = [at, found];
  }
  return best;
}

/** Counts the different fields that the names of a header mean. A record of data has none. */
function fieldNames(cells: Cells): number {
  if (cells.some((cell) => isData(cell))) return 0;
  const names = cells.slice(0, MAX_NAMES).filter((cell) => cell.trim() !== '' && cell.length <= MAX_NAME);
  return new Set(names.flatMap((name) => aliasOf(name)?.meaning ?? plainMeaning(name) ?? [])).size;
}

const MAX_NAMES = 100;
const MAX_NAME = 60;

function plainMeaning(name: string): string | undefined {
  const [first] = nameEvidence(name).meanings;
  return first?.strength === 'plain' ? first.meaning : undefined;
}

const ADDRESS = /^\S+@\S+\.\S+$/;
const DIALLED = /^[+(\d][\d\s()./-]{6,}\d$/;
const DAY = /\b\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b/;

function isData(cell: string): boolean {
  const text = cell.trim();
  return /^[\d.,]+$/.test(text) || ADDRESS.test(text) || DIALLED.test(text) || DAY.test(text);
}

const filled = (cells: Cells): number => cells.filter((cell) => cell.trim() !== '').length;

/** Tells whether a record looks like a lead: it holds an e-mail address or a telephone number beside other cells. */
export function looksLikeLead({ cells }: { readonly cells: Cells }): boolean {
  return filled(cells) > 1 && cells.some(isContact);
}

/** Tells whether a cell holds an e-mail address or a telephone number. */
export function isContact(cell: string): boolean {
  const text = cell.trim();
  if (ADDRESS.test(text)) return true;
  const number = tidied(text);
  return DIALLED.test(number) && !DAY.test(number) && number.replace(/\D/g, '').length >= 7;
}
