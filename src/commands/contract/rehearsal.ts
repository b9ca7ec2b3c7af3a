import { withProfileFlags } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { type Input, readInput } from '../../cli/input.ts';
import { ask } from '../../cli/prompt.ts';
import { RequestSession, recordingsBeside } from '../../cli/session.ts';
import { wirePreview } from '../../cli/wire-preview.ts';
import { type Preparation, type Prepared, prepareRow } from '../../delivery/prepare.ts';
import { rowsInRange } from '../../delivery/read-rows.ts';
import { aligned, clip, printable, thousands } from '../../report/output.ts';
import type { Contract } from '../../request/contract/contract.ts';
import type { ServiceRequest } from '../../request/lead/service-request.ts';
import { SrqError, shellWord } from '../../request/words/errors.ts';
import { quotedMessage } from '../../request/words/finding.ts';

import { makeEncoder } from '../../service/wire/encode.ts';

const SHOWN_ROWS = 3;
/** Maximum number of rows that are read to find those that would be sent. */
const MAX_READ = 200;
const VALUE_WIDTH = 70;
const QUESTION = `See ${SHOWN_ROWS} rows of your file as they would go out by this contract? Nothing is sent.\nFile (Enter: not now): `;

type Ready = Extract<Prepared, { readonly request: ServiceRequest }>;

/**
 * Offers a person on a terminal to see rows of a file as the newly learned contract would send them. The content of the
 * rows is shown only on the terminal, and nothing is sent or stored.
 */
export async function offerRehearsal(context: Context): Promise<void> {
  if (!context.interactive || context.options.json === true || context.options.quiet === true) return;
  for (;;) {
    const file = await ask(context, QUESTION).catch(notNow);
    if (file === '') return;
    const reporter = await context.reporter();
    try {
      const text = await rehearsed(context, file);
      reporter.say(() => text);
      return;
    } catch (error) {
      if (!(error instanceof SrqError)) throw error;
      reporter.warn(printable(`${error.message} ${error.hint ?? ''}`.trim()));
    }
  }
}

/** Treats leaving the question as a no, because the contract is stored already. */
function notNow(error: unknown): string {
  if (error instanceof SrqError && error.code === 'interrupted') return '';
  throw error;
}

async function rehearsed(context: Context, file: string): Promise<string> {
  const contract = await context.contract();
  const session = await RequestSession.open(context, {
    audio: recordingsBeside(file),
    operations: contract.validate ? ['create', 'validate'] : ['create'],
    needsNoLogin: true,
  });
  const input = await readInput(context, file, { skipLines: 0, map: [], set: [] });
  const { ready, held } = await firstRows(input, session.preparation);
  const { baseUrl } = await context.settings();
  const left = input.mapping.ignored.map((label) => printable(label));
  return [
    ...ready.flatMap((each) => rowLines(each, contract, baseUrl?.value ?? '')),
    ...(left.length > 0 ? [`Left out: ${left.join(', ')}`] : []),
    ...held.slice(0, SHOWN_ROWS).map(heldLine),
    ...(held.length > SHOWN_ROWS ? [`… and ${thousands(held.length - SHOWN_ROWS)} more of these rows`] : []),
    ...(ready.length > 0 ? [] : ['No row would go out by this contract.']),
    printable(
      withProfileFlags(`The whole file, with all findings: srq bulk ${shellWord(file)} --dry-run`, context.options),
    ),
  ].join('\n');
}

/** Returns the first rows that would be sent, and those before them that would not. */
async function firstRows(
  { table, mapping }: Input,
  preparation: Preparation,
): Promise<{ readonly ready: readonly Ready[]; readonly held: readonly Prepared[] }> {
  const ready: Ready[] = [];
  const held: Prepared[] = [];
  for await (const batch of rowsInRange(table, { skip: 0, limit: MAX_READ })) {
    for (const row of batch) {
      const prepared = await prepareRow(row, mapping, preparation);
      if (prepared.request === null) held.push(prepared);
      else ready.push(prepared);
      if (ready.length === SHOWN_ROWS) return { ready, held };
    }
  }
  return { ready, held };
}

function heldLine({ row, problems }: Prepared): string {
  const why = problems.filter(({ severity }) => severity === 'error').map(quotedMessage);
  return printable(`Row ${row} would not go out: ${why.join('; ')}`);
}

/** Formats a request as it would be sent: the address, then each member by the service's own name. */
function rowLines({ row, request }: Ready, contract: Contract, baseUrl: string): string[] {
  const audio = request.audio === null ? [] : [['recording', `${thousands(request.audio.sizeBytes)} bytes`] as const];
  const { shown } = makeEncoder(contract);
  // Headers and the query may hold keys, which are never shown.
  const { method, path, headers } = shown.create(request, null);
  const fields = [...Object.entries(headers), ...wirePreview(contract, request)].map(
    ([name, value]) => [printable(name), clip(printable(value), VALUE_WIDTH)] as const,
  );
  return [printable(`Row ${row}: ${method} ${baseUrl}${path}`), ...aligned([...fields, ...audio])];
}
