import type { Draft } from '../request/lead/service-request.ts';
import type { Mapping, Row, Table } from '../request/lead/table.ts';
import { SrqError } from '../request/words/errors.ts';
import { finding, type Problem } from '../request/words/finding.ts';
import type { RequestFields } from './api.ts';

/** The texts of a request, or the reason why they cannot be used. */
type Texts = ReturnType<typeof textsOf>;

/**
 * Converts a request to a draft, with the defaults for the fields that it lacks. Returns the problem if the request as
 * a whole is not usable.
 */
export function draftOf(request: RequestFields, defaults: RequestFields): Draft | Problem {
  try {
    const { fields, problem } = textsOf(request, defaults);
    return fields ? { row: 1, fields } : finding('row.unreadable', '', { problem });
  } catch (error) {
    throw new SrqError('request.malformed', 'The request could not be read. Nothing was sent.', CAUSE, error);
  }
}

const CAUSE = 'The error of the program is the cause.';

/** A table whose rows are held in memory. */
export type RowTable = Awaited<ReturnType<typeof tableOf>>;

/**
 * Reads all rows into memory, into a table with one column for each field. If the signal has fired, no further row is
 * awaited.
 */
export async function tableOf(
  rows: Iterable<RequestFields> | AsyncIterable<RequestFields>,
  defaults: RequestFields,
  signal: AbortSignal,
) {
  const texts: Texts[] = [];
  const columns = new Set<string>();
  const add = (row: RequestFields) => {
    const read = textsOf(row, defaults);
    texts.push(read);
    for (const name of Object.keys(read.fields ?? {})) columns.add(name);
  };
  try {
    // Rows that are there are copied before the program goes on, which may change them.
    if (!(Symbol.asyncIterator in rows)) for (const row of rows) add(row);
    else
      for await (const row of rows) {
        add(row);
        if (signal.aborted) break;
      }
  } catch (error) {
    throw new SrqError('request.malformed', 'The rows could not be read. Nothing was sent.', CAUSE, error);
  }
  const names = [...columns];
  const row = ({ fields, problem }: Texts, at: number): Row => {
    // A field may be called like something that every object inherits.
    const textOf = (name: string) => (fields && Object.hasOwn(fields, name) ? (fields[name] ?? '') : '');
    return { number: at + 1, line: null, cells: names.map(textOf), problem };
  };
  return {
    count: texts.length,
    path: 'the rows',
    format: 'json',
    encoding: null,
    delimiter: null,
    columns: names,
    notes: [],
    async *rows() {
      for (let at = 0; at < texts.length; at += BATCH_ROWS)
        yield texts.slice(at, at + BATCH_ROWS).map((each, place) => row(each, at + place));
    },
  } satisfies Table & { readonly count: number };
}

const BATCH_ROWS = 500;

/** Maps every column to the field with its name. */
export function mappingOf({ columns }: Pick<Table, 'columns'>): Mapping {
  const source = { template: null, prefix: null, because: 'its name', level: 'certain' } as const;
  return {
    columns,
    sources: columns.map((field, at) => ({ ...source, field, columns: [at] })),
    ignored: [],
    leftOut: [],
    warnings: [],
    remembered: null,
    missed: [],
    parts: {},
  };
}

/**
 * Checks and returns the texts of a request, because a program without types may pass anything. Other values are not
 * converted to text, because a number may already have lost digits.
 */
function textsOf(request: unknown, defaults: RequestFields) {
  if (typeof request !== 'object' || request === null) return { fields: null, problem: 'It is not an object.' };
  const given = Object.entries({ ...withoutEmpty(defaults), ...withoutEmpty(request) });
  const [wrong] = given.find(([, value]) => typeof value !== 'string') ?? [];
  if (wrong !== undefined) return { fields: null, problem: `The value of ${wrong} is not a text.` };
  return { fields: Object.fromEntries(given) as Draft['fields'], problem: null };
}

function withoutEmpty(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}
