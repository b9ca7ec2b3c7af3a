import { commandLine } from '../cli/command-line.ts';
import type { Context } from '../cli/context.ts';
import { recordingsBeside } from '../cli/session.ts';
import type { RequestOptions } from '../cli/table/options.ts';
import { FIELD, FIELDS, isField } from '../request/lead/fields.ts';
import type { Draft } from '../request/lead/service-request.ts';
import { nearest } from '../request/words/did-you-mean.ts';
import { SrqError } from '../request/words/errors.ts';

/** Why a request has no outcome that came after the one with which the command stopped. */
export const NOT_TRIED = { message: 'Not tried: the command stopped.', reason: 'request.not-tried' } as const;

/** Maximum number of requests in a file for `create` and `validate`. `bulk` is for more. */
const MAX_REQUESTS = 1000;

/** Reads requests with their recordings from flags, or from a JSON file in which the flags fill missing fields. */
export async function readRequestInput(context: Context, options: RequestOptions) {
  const flags = fieldsOfFlags(options);
  if (options.file === undefined) {
    if (Object.keys(flags).length === 0) throw nothingGiven();
    return { drafts: [{ row: 1, fields: flags }], audio: recordingsBeside('-', flags['audio_file']) };
  }
  const drafts = await readDrafts(context, options.file, flags);
  return { drafts, audio: recordingsBeside(options.file, flags['audio_file']) };
}

function fieldsOfFlags(options: RequestOptions): Record<string, string> {
  const named = FIELDS.flatMap((field) => {
    const text = options[FIELD[field].option];
    return text === undefined ? [] : [[field, text] as const];
  });
  return Object.fromEntries([...options.field, ...named]);
}

async function readDrafts(context: Context, file: string, flags: Record<string, string>): Promise<Draft[]> {
  // The file readers are loaded only here, because a request given by flags does not need them.
  const { inputName, openInput } = await import('../cli/input.ts');
  const table = await openInput(context, file);
  const name = inputName(file);
  if (table.format === 'csv' || table.format === 'xlsx') {
    throw new SrqError(
      'json.unreadable',
      `${name} is not JSON.`,
      `For a file of many requests: ${commandLine(['bulk', file])}`,
    );
  }
  const nested = table.columns.find((column) => FIELDS.some((field) => column.startsWith(`${field}.`)));
  if (nested !== undefined) {
    const message = `${nested.split('.', 1)[0]} is an object in ${name}. It has to be a text.`;
    throw new SrqError('request.malformed', message, 'For the members: srq create --help');
  }
  for (const column of table.columns) {
    const similar = isField(column) ? null : nearest(column, FIELDS);
    if (similar !== null)
      context.reporter.warn(`"${column}" goes to the service under that name. Did you mean ${similar}?`);
  }
  const drafts: Draft[] = [];
  for await (const rows of table.rows()) {
    for (const { number, cells, problem } of rows) {
      if (problem !== null) throw new SrqError('request.malformed', `Request ${number} of ${name} ${problem}`);
      const given = table.columns
        .map((name, index) => [name, cells[index] ?? ''] as const)
        .filter(([, text]) => text !== '');
      drafts.push({ row: number, fields: { ...flags, ...Object.fromEntries(given) } });
    }
    if (drafts.length > MAX_REQUESTS) {
      throw new SrqError(
        'request.too-many',
        `${name} has more than ${MAX_REQUESTS} requests.`,
        `Import it instead: ${commandLine(['bulk', file])}`,
      );
    }
  }
  return drafts;
}

function nothingGiven(): SrqError {
  return new SrqError(
    'arguments.missing',
    'No request is given.',
    'Give one by flags (--country PT --phone +351… --request-text "…"), or a JSON file with --file FILE (- is standard input).',
  );
}
