import type { Contract } from '../request/contract/contract.ts';
import type { RequestOperationName } from '../request/contract/operations.ts';
import { saysNone } from '../request/lead/cell.ts';
import { parseMarket } from '../request/lead/markets.ts';
import { PARTS, type Part, type Parts, wholeOf } from '../request/lead/parts.ts';
import {
  contentKey,
  type DescribeAudio,
  type Destination,
  type Draft,
  type ServiceRequest,
} from '../request/lead/service-request.ts';
import { type FieldSource, type Mapping, type Row, TEST_LEAD } from '../request/lead/table.ts';
import { filledTemplate } from '../request/lead/template.ts';
import { memoize } from '../request/small.ts';
import { expected } from '../request/words/errors.ts';
import { finding, type Problem } from '../request/words/finding.ts';
import { checkRequest, likelyRequest, put } from './check/check-request.ts';
import type { Submission } from './submit.ts';

/** The settings for preparing rows. */
export interface Preparation {
  readonly destination: Destination;
  readonly contract: Contract;
  /** The operation whose description each request must satisfy. */
  readonly operation: RequestOperationName;
  readonly audio: DescribeAudio;
}

/** How the rows of a file are read. */
export interface Reading {
  readonly mapping: Mapping;
  readonly preparation: Preparation;
}

/** A prepared row: its request with the key, or null if the row is invalid. */
export type Prepared = (Submission & { readonly problems: readonly Problem[] }) | ReturnType<typeof invalid>;

/** Maps and checks one row and computes its key. Returns a promise only if the row has a recording to be examined. */
export function prepareRow(row: Row, { mapping, preparation }: Reading): Prepared | Promise<Prepared> {
  if (row.problem !== null) {
    const { problem } = row;
    const found = problem === TEST_LEAD ? finding('row.test-lead', '', {}) : finding('row.unreadable', '', { problem });
    return invalid(row.number, null, [found]);
  }
  return prepareDraft(mapRow(row, mapping), mapping, preparation);
}

/**
 * Prepares a row again whose key is known. If the unchecked request has this key, it is the request that passed the
 * checks before. The checks, which take most of the time, are then skipped.
 */
export function prepareAgain(row: Row, key: string | null, reading: Reading): Prepared | Promise<Prepared> {
  const own = likelyPrepared(row, reading);
  if (own?.key === key) return own;
  const others = inOtherForms(row, reading.mapping).map((each) => likelyPrepared(each, reading));
  return others.find((each) => each?.key === key) ?? prepareRow(row, reading);
}

/** How programs write a line break within a cell. What an old Mac wrote is a lone CR. */
const BREAKS = ['\n', '\r\n', '\r'] as const;

const usedColumns = memoize(({ sources, parts }: Mapping): readonly number[] => [
  ...new Set([...sources.flatMap(({ columns }) => columns), ...Object.values(parts).flat()]),
]);

/**
 * Returns a row as other programs would save it: with other line breaks in a cell of several lines, and with or without the
 * leading zero of its postal code, which a spreadsheet takes. It is the same request, but its keys differ.
 */
export function inOtherForms(row: Row, mapping: Mapping): readonly Row[] {
  const other = withOtherZero(row, mapping);
  return [...inOtherBreaks(row, mapping), ...(other === null ? [] : [other, ...inOtherBreaks(other, mapping)])];
}

/** Returns a row with the leading zero that its postal code lacks, or without the one that it has, or null. */
function withOtherZero(row: Row, mapping: Mapping): Row | null {
  const [column] = mapping.parts['postal_code'] ?? [];
  const code = column === undefined ? '' : (row.cells[column]?.trim() ?? '');
  if (!/^\d{3,6}$/.test(code)) return null;
  const [whole, other] = code.startsWith('0') ? [code, code.slice(1)] : [`0${code}`, `0${code}`];
  const form = parseMarket(mapRow(row, mapping).fields['country'] ?? '')?.postalCode?.[1];
  // No market has codes of two lengths that differ by a zero.
  if (form === undefined || !form.test(whole)) return null;
  return { ...row, cells: row.cells.map((cell, at) => (at === column ? other : cell)) };
}

function inOtherBreaks(row: Row, mapping: Mapping): readonly Row[] {
  const { cells } = row;
  const isBroken = (cell: string) => cell.includes('\n') || cell.includes('\r');
  if (!usedColumns(mapping).some((column) => isBroken(cells[column] ?? ''))) return [];
  return BREAKS.map((each) => ({ ...row, cells: cells.map((cell) => cell.replace(/\r\n?|\n/g, each)) }));
}

/**
 * Returns what a row most likely becomes, without checking it, or null if that cannot be known. If its key is that of a
 * request that passed the checks, it is the same request.
 */
export function likelyPrepared(row: Row, reading: Reading): (Submission & Prepared) | null {
  const { contract, destination } = reading.preparation;
  const request = row.problem === null ? likelyRequest(mapRow(row, reading.mapping), contract) : null;
  return request && { row: row.number, request, key: contentKey(request, destination), problems: [] };
}

/** Prepares a request that does not come from a table row. */
export function prepareDraft(
  draft: Draft,
  mapping: Mapping | null,
  preparation: Preparation,
): Prepared | Promise<Prepared> {
  const { row, fields } = draft;
  const { contract, destination, operation } = preparation;
  const { request, audioPath, problems } = checkRequest(draft, mapping, contract, operation);
  if (!request) return invalid(row, fields['ref'] ?? null, problems);
  const named = (whole: ServiceRequest) => ({ row, request: whole, key: contentKey(whole, destination), problems });
  if (audioPath === null) return named(request);
  const unusable = (error: unknown) => {
    const problem = expected(error).message;
    const found = finding('audio_file.unusable', 'audio_file', { problem }, audioPath);
    return invalid(row, request.ref, [...problems, found]);
  };
  return preparation.audio(audioPath).then((audio) => named({ ...request, audio }), unusable);
}

/** Builds a row that cannot be sent. */
export function invalid(row: number, ref: string | null, problems: readonly Problem[]) {
  return { row, request: null, key: null, ref, problems };
}

/** Maps the cells of a row to fields. Empty fields are left out, and the texts are not changed. */
export function mapRow(row: Row, mapping: Mapping): Draft {
  const fields: Record<string, string> = {};
  for (const source of mapping.sources) {
    if (Object.hasOwn(fields, source.field)) continue;
    const text = sourceText(source, row.cells);
    if (text !== '') put(fields, source.field, text);
  }
  const parts = partsOf(row, mapping);
  return parts === null ? { row: row.number, fields } : { row: row.number, fields, parts };
}

/** The sources of the parts: their columns, and the prefix of the field that they belong to. */
const partSources = memoize(({ parts, sources }: Mapping) =>
  PARTS.flatMap((part) => {
    const columns = parts[part] ?? [];
    const prefix = sources.find(({ field }) => field === wholeOf(part))?.prefix ?? null;
    return columns.length > 0 ? [{ part, columns, prefix }] : [];
  }),
);

function partsOf({ cells }: Row, mapping: Mapping): Parts | null {
  let texts: Partial<Record<Part, string>> | null = null;
  for (const { part, columns, prefix } of partSources(mapping)) {
    for (const index of columns) {
      if (!cells[index]?.trim()) continue;
      texts ??= {};
      texts[part] = cellText(cells[index], prefix).trim();
      break;
    }
  }
  return texts;
}

/**
 * Tells whether a cell says that there is no telephone number or e-mail address. In other fields the same words may be
 * a real value.
 */
const isNone = (field: string, cell: string): boolean => (field === 'phone' || field === 'email') && saysNone(cell);

function sourceText(source: FieldSource, cells: readonly string[]): string {
  if (source.template) {
    const text = filledTemplate(source.template, (index) => cellText(cells[index], source.prefix));
    return isNone(source.field, text) ? '' : text;
  }
  for (const index of source.columns) {
    const text = cellText(cells[index], source.prefix);
    if (text !== '' && !isNone(source.field, text)) return text;
  }
  return '';
}

/** Returns the text of a cell without the platform's prefix, or an empty string if only whitespace is left. */
function cellText(cell: string | undefined, prefix: string | null): string {
  const text = (prefix !== null && cell?.startsWith(prefix) ? cell.slice(prefix.length) : cell) ?? '';
  return text.trim() === '' ? '' : text.replace(KEPT_AS_TEXT, '$1$2');
}

/** Matches what keeps digits in a spreadsheet, and is no part of them: `="01067"`, and an apostrophe before a number. */
const KEPT_AS_TEXT = /^\s*(?:="([^"]*)"|'([\d+][\d\s+-]*))\s*$/;
