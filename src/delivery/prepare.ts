import type { Contract } from '../request/contract/contract.ts';
import type { RequestOperationName } from '../request/contract/operations.ts';
import { isContactField, saysNone, withPlainBreaks } from '../request/lead/cell.ts';
import { parseMarket } from '../request/lead/markets.ts';
import { PARTS, type Part, type Parts, wholeOf } from '../request/lead/parts.ts';
import {
  type AudioFile,
  contentKey,
  type Destination,
  type Draft,
  type ServiceRequest,
} from '../request/lead/service-request.ts';
import { type FieldSource, type Mapping, type Row, TEST_LEAD } from '../request/lead/table.ts';
import { filledTemplate } from '../request/lead/template.ts';
import type { AudioReader } from '../request/ports.ts';
import { memoize } from '../request/small.ts';
import { expected } from '../request/words/errors.ts';
import { type Finding, finding, type Problem } from '../request/words/finding.ts';
import { audioFindings } from './check/check-contract.ts';
import { checkRequest, likelyRequest, put } from './check/check-request.ts';

/** The settings for preparing rows. */
export interface Preparation {
  readonly destination: Destination;
  readonly contract: Contract;
  /** The operations that the requests are for. Each request must be valid for all of them. */
  readonly operations: readonly RequestOperationName[];
  readonly audio: AudioReader;
  /** Whether warnings make a row invalid as well. */
  readonly strict: boolean;
}

/** How the rows of a file are read. */
export interface Reading {
  readonly mapping: Mapping;
  readonly preparation: Preparation;
}

/** A prepared row: its request with the key, or null if the row is invalid. */
export type Prepared =
  | {
      readonly row: number;
      readonly request: ServiceRequest;
      readonly key: string;
      readonly problems: readonly Problem[];
    }
  | {
      readonly row: number;
      readonly request: null;
      readonly ref: string | null;
      readonly problems: readonly Problem[];
    };

/** Maps and checks one row and computes its key. Returns a promise only if the row has a recording to be examined. */
export function prepareRow(row: Row, { mapping, preparation }: Reading): Prepared | Promise<Prepared> {
  if (row.problem !== null) {
    const { problem } = row;
    const found = problem === TEST_LEAD ? finding('row.test-lead', '', {}) : finding('row.unreadable', '', { problem });
    return { row: row.number, request: null, ref: null, problems: [{ ...found, column: null }] };
  }
  return prepareDraft(mapRow(row, mapping), mapping, preparation);
}

/**
 * Prepares a row again whose key is known. If the unchecked request has this key, it is the request that passed the
 * checks before. The checks, which take most of the time, are then skipped.
 */
export function prepareAgain(row: Row, key: string | null, reading: Reading): Prepared | Promise<Prepared> {
  const own = likelyPrepared(row, reading);
  return own?.key === key ? own : prepareRow(row, reading);
}

/**
 * Returns what a row most likely becomes, without checking it, or null if that cannot be known. If its key is that of a
 * request that passed the checks, it is the same request.
 */
export function likelyPrepared(row: Row, reading: Reading): Extract<Prepared, { key: string }> | null {
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
  const { contract, operations, strict } = preparation;
  const { request, audioPath, problems } = checkRequest(draft, mapping, contract, operations);
  if (!request || (strict && problems.length > 0)) return { row, request: null, ref: fields['ref'] ?? null, problems };
  if (audioPath === null) return named(row, request, problems, preparation);
  return described(audioPath, preparation).then((audio) =>
    'sizeBytes' in audio
      ? named(row, { ...request, audio }, problems, preparation)
      : { row, request: null, ref: request.ref, problems: [...problems, { ...audio, column: null }] },
  );
}

/** Describes a recording, or says what is wrong with it. */
async function described(path: string, { audio, contract, operations }: Preparation): Promise<AudioFile | Finding> {
  try {
    const described = await audio.describe(path);
    return audioFindings(contract, operations, described)[0] ?? described;
  } catch (error) {
    return finding('audio_file.unusable', 'audio_file', { problem: expected(error).message }, path);
  }
}

function named(
  row: number,
  request: ServiceRequest,
  problems: readonly Problem[],
  { destination }: Preparation,
): Prepared {
  return { row, request, key: contentKey(request, destination), problems };
}

/** Maps the cells of a row to fields. Empty fields are left out. No text is changed but a postal code without its zero. */
export function mapRow({ number: row, cells: read }: Row, mapping: Mapping): Draft {
  const cells = withLeadingZero(read, mapping);
  const fields: Record<string, string> = {};
  for (const source of mapping.sources) {
    if (Object.hasOwn(fields, source.field)) continue;
    const text = sourceText(source, cells);
    if (text !== '') put(fields, source.field, text);
  }
  const parts = partsOf(cells, mapping);
  return parts === null ? { row, fields } : { row, fields, parts };
}

/** Puts back the leading zero of a postal code, which spreadsheets take, so that a row is the same request in each of them. */
function withLeadingZero(cells: readonly string[], { sources, parts }: Mapping): readonly string[] {
  const [column] = parts['postal_code'] ?? [];
  const code = column === undefined ? '' : (cells[column]?.trim() ?? '');
  if (!/^[1-9]\d{2,5}$/.test(code)) return cells;
  const country = sources.find(({ field }) => field === 'country');
  const form = parseMarket(country ? sourceText(country, cells) : '')?.postalCode?.[1];
  // No market has codes of two lengths that differ by a zero.
  if (form === undefined || form.test(code) || !form.test(`0${code}`)) return cells;
  return cells.map((cell, at) => (at === column ? `0${code}` : cell));
}

/** The sources of the parts: their columns, and the prefix of the field that they belong to. */
const partSources = memoize(({ parts, sources }: Mapping) =>
  PARTS.flatMap((part) => {
    const columns = parts[part] ?? [];
    const prefix = sources.find(({ field }) => field === wholeOf(part))?.prefix ?? null;
    return columns.length > 0 ? [{ part, columns, prefix }] : [];
  }),
);

function partsOf(cells: readonly string[], mapping: Mapping): Parts | null {
  let texts: Partial<Record<Part, string>> | null = null;
  for (const { part, columns, prefix } of partSources(mapping)) {
    for (const index of columns) {
      if (!cells[index]?.trim()) continue;
      texts ??= {};
      texts[part] = withPlainBreaks(cellText(cells[index], prefix)).trim();
      break;
    }
  }
  return texts;
}

/**
 * Tells whether a cell says that there is no telephone number or e-mail address. In other fields the same words may be
 * a real value.
 */
function isNone(field: string, cell: string): boolean {
  return isContactField(field) && saysNone(cell);
}

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
