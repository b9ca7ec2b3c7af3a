import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placedParts } from '../../src/delivery/check/place-parts.ts';
import { mapRow, prepareRow } from '../../src/delivery/prepare.ts';
import { sampleOf } from '../../src/input/columns/sample.ts';
import { understandColumns } from '../../src/input/columns/understand.ts';
import { planMapping } from '../../src/input/mapping.ts';
import { openTable } from '../../src/input/open-table.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import { parseEmail } from '../../src/request/lead/email.ts';
import { findMarket, MARKETS, parseMarket } from '../../src/request/lead/markets.ts';
import { wholeOf } from '../../src/request/lead/parts.ts';
import type { MappingOptions, Row } from '../../src/request/lead/table.ts';
import { unescapeFormulas } from '../../src/request/words/csv-text.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';

/** The address in a cell, without a file around it, and the text that a cell of a results file stands for. */
export { MARKETS, parseEmail, unescapeFormulas };

/** What srq reads in a file, before anything is sent. */
export interface Read {
  /** `csv, UTF-8, ;`: the kind of file, its encoding and its delimiter, as far as it has them. */
  readonly form: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
  /** What each column is used for. A field that is only likely ends in a question mark. */
  readonly fields: Readonly<Record<string, string>>;
  readonly requests: readonly ReadRequest[];
}

interface ReadRequest {
  readonly params: Readonly<Record<string, string>>;
  /** The codes of what was found, those that make the row invalid with an exclamation mark. */
  readonly findings: readonly string[];
  /** The fields that these are about. */
  readonly about: readonly string[];
}

/** Reads the bytes of a file: its rows, what its columns mean, and what its rows become. */
export async function read(bytes: Buffer, name = 'leads.csv'): Promise<Read> {
  const folder = mkdtempSync(join(tmpdir(), 'srq-read-'));
  try {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return await readAt(path, name);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readAt(path: string, name: string): Promise<Read> {
  const asDetected = { format: null, encoding: null, delimiter: null, skipLines: 0, sheet: null };
  const table = await openTable(path, asDetected, name);
  const rows: Row[] = [];
  for await (const batch of table.rows()) rows.push(...batch);
  const evidence = { sample: await sampleOf(table), parameters: new Set<string>() };
  const mapping = planMapping(table.columns, { map: {}, set: {} }, evidence);
  const uses = mapping.sources.flatMap(({ field, columns, level }) =>
    columns.map((index) => [table.columns[index] ?? '', level === 'likely' ? `${field}?` : field]),
  );
  const prepared = await Promise.all(rows.map((row) => prepareRow(row, { mapping, preparation: PREPARATION })));
  return {
    form: [table.format, table.encoding, table.delimiter].flatMap((part) => part ?? []).join(', '),
    columns: table.columns,
    rows,
    notes: table.notes,
    fields: Object.fromEntries(uses),
    requests: prepared.map(({ request, problems }) => ({
      params: request?.params ?? {},
      findings: problems.map(({ code, severity }) => (severity === 'error' ? `${code}!` : code)),
      about: problems.map(({ field }) => field ?? ''),
    })),
  };
}

const PREPARATION = {
  destination: { baseUrl: 'https://api.example.com', clientId: '4711' },
  contract: DOCUMENTED_CONTRACT,
  operation: 'create' as const,
  audio: () => Promise.reject(new Error('There are no recordings here.')),
};

/**
 * What each column is read as: `phone` is certain, `phone?` likely, `phone!` left out though it plainly is one, and `-` left
 * out.
 */
export function readingsOf(columns: readonly string[], cells: readonly string[][], country: string): string[] {
  const { readings, plain } = understandColumns({ columns, cells, market: parseMarket(country) });
  return columns.map((_, at) => {
    const of = readings.find(({ index }) => index === at);
    const missed = plain.find(({ index }) => index === at);
    return of ? `${of.meaning}${of.level === 'likely' ? '?' : ''}` : missed ? `${missed.field}!` : '-';
  });
}

/** What the fields of a row are, and the warnings about what a person has said of its columns. Throws what is refused. */
export function fieldsOf(
  columns: readonly string[],
  cells: readonly string[],
  said: MappingOptions,
  parameters: readonly string[],
): { readonly fields: Readonly<Record<string, string>>; readonly warnings: readonly string[] } {
  const mapping = planMapping(columns, said, { sample: [], parameters: new Set(parameters) });
  const { fields } = mapRow({ number: 1, line: 2, cells, problem: null }, mapping);
  return { fields, warnings: mapping.warnings.map(({ message }) => message) };
}

/** What a service with these places gets of a row that has whole texts and parts, and the codes of what is said of it. */
export function partsFor(
  places: readonly string[],
  given: Readonly<Record<string, string>>,
  country: string,
): {
  readonly parts: Readonly<Record<string, string>>;
  readonly carried: readonly string[];
  readonly said: readonly string[];
} {
  const parameters = places.map((place) => parameter(place.replace('!', ''), { required: place.endsWith('!') }));
  const contract = contractWith({ create: { parameters } });
  const isWhole = (name: string) => name === 'fullname' || name === 'location' || name.startsWith('said ');
  const entries = Object.entries(given);
  const texts = Object.fromEntries(
    entries.flatMap(([name, text]) => (isWhole(name) ? [[name.replace('said ', ''), text]] : [])),
  );
  const columns = Object.fromEntries(entries.filter(([name]) => !isWhole(name)));
  const { parts, findings } = placedParts(contract, texts, columns, findMarket(country));
  const carried = [...new Set(Object.keys(parts).map(wholeOf))];
  return { parts, carried, said: findings.map(({ code, field }) => `${code} ${field}`) };
}

/** The warnings about the content of columns, each of which a person has given to a field. */
export function doubtsAbout(
  columns: readonly string[],
  cells: readonly string[][],
  said: MappingOptions,
): readonly string[] {
  const { warnings } = planMapping(columns, said, { sample: cells, parameters: new Set() });
  return warnings.flatMap(({ code, message }) => (code === 'columns.content' ? [message] : []));
}

/** The sentence with which srq refuses a file, or null if it takes it. */
export async function refusal(bytes: Buffer): Promise<string | null> {
  return read(bytes).then(
    () => null,
    (error: unknown) => (error instanceof SrqError ? error.message : Promise.reject(error)),
  );
}
