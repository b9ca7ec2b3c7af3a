import { withProfileFlags } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { codeOfResult, exitNumber } from '../../cli/exit-codes.ts';
import { finishOnSignal, RequestSession } from '../../cli/session.ts';
import { type Prepared, prepareDraft } from '../../delivery/prepare.ts';
import { submitOrSettle } from '../../delivery/settle-doubt.ts';
import type { SubmitOptions } from '../../delivery/submit.ts';
import { printable } from '../../report/output.ts';
import { resultText } from '../../report/terminal/summary-text.ts';
import type { SrqError } from '../../request/errors.ts';
import { type Problem, quotedMessage } from '../../request/finding.ts';
import { operationsOf } from '../../request/operations.ts';
import type { RowResult } from '../../request/outcome.ts';
import { type RequestOptions, readRequestInput } from './request-input.ts';

/** Requests are created one at a time, because there are only a few. */
const CONCURRENCY = 1;

/** The flags of `create`, as commander parses them. */
export interface CreateFlags extends RequestOptions, SubmitOptions {}

/** Creates one request or a few, each in the same way as a row of an import. */
export async function create(context: Context, asked: CreateFlags): Promise<number> {
  const { drafts, audio } = await readRequestInput(context, asked);
  const session = await RequestSession.open(context, { audio, operations: operationsOf(asked), isAsOffered: true });
  const connection = await session.connect({ rate: 'auto', concurrency: CONCURRENCY });
  const options = { ...asked, validate: session.validates };
  await session.sayDestination();
  const prepared = await Promise.all(drafts.map((draft) => prepareDraft(draft, null, session.preparation)));
  const log = await context.openLog('create', false);
  const reporter = await context.reporter();
  await finishOnSignal(context);

  const { clock, interruption } = context;
  const deps = { ...connection, log, clock, stopping: interruption.halt.signal };
  const results: RowResult[] = [];
  let stop: SrqError | null = null;
  for (const each of prepared) {
    warnOf(each, (message) => reporter.warn(message));
    if (!each.request) results.push(invalidResult(each));
    else if (stop || context.interruption.code) results.push(untriedResult(each));
    else {
      const submitted = await submitOrSettle(each, deps, options);
      results.push(submitted.result);
      stop = submitted.stop;
    }
  }
  // If a single request was not sent, the reason to stop is all there is to report.
  if (stop && results.length === 1 && results[0]?.status === 'failed') throw stop;
  if (stop) reporter.warn(`${stop.message} ${withProfileFlags(stop.hint ?? '', context.options)}`.trim());
  const documents = results.map((result) => ({ ...result, run: context.run }));
  const [only] = documents;
  await reporter.result('create', only && results.length === 1 ? only : documents, (paint) =>
    results.map((result) => resultText(result, paint)).join('\n'),
  );
  const { code } = context.interruption;
  return exitNumber([...(code ? [code] : []), ...(stop ? [stop.code] : []), ...results.map(codeOfResult)]);
}

function warnOf({ request, problems }: Prepared, warn: (message: string) => void): void {
  if (!request) return;
  for (const { message } of problems) warn(printable(message));
}

/** The result of a request that local checks refused. */
interface InvalidResult extends RowResult {
  readonly problems: readonly Problem[];
}

function invalidResult({ row, ref, problems }: Extract<Prepared, { request: null }>): InvalidResult {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const message = errors.map(quotedMessage).join(' ');
  const reason = errors[0]?.code ?? null;
  return { status: 'invalid', ids: {}, row, ref, key: null, http: null, message, reason, problems };
}

function untriedResult({ row, request, key }: Extract<Prepared, { key: string }>): RowResult {
  return {
    status: 'failed',
    ids: {},
    row,
    ref: request.ref,
    key,
    http: null,
    message: 'Not tried: the command stopped.',
    reason: 'request.not-tried',
  };
}
