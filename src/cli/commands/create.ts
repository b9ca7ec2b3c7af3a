import type { SrqError } from '../../model/errors.ts';
import type { OpenLog } from '../../model/log-store.ts';
import type { RowResult } from '../../model/outcome.ts';
import { ControlRounds } from '../../pipeline/controls.ts';
import { type Prepared, prepareDraft } from '../../pipeline/prepare-row.ts';
import { type Settling, settleDoubt } from '../../pipeline/settle-doubt.ts';
import { knownStatus, type SubmitOptions, submitRequest } from '../../pipeline/submit-request.ts';
import { keptProof } from '../../pipeline/witness.ts';
import { printable } from '../../report/output.ts';
import { resultText } from '../../report/request-text.ts';
import { inFull } from '../command-line.ts';
import { type Connection, connect } from '../connect.ts';
import type { Context } from '../context.ts';
import { sayDestination } from '../destination-text.ts';
import { codeOfResult, exitNumber } from '../exit-codes.ts';
import { asOffered } from '../offered-validate.ts';
import { type RequestOptions, readRequestInput } from '../request-input.ts';

/** Few at once: these are one-off requests. */
const CONCURRENCY = 1;

export interface CreateOptions extends RequestOptions, SubmitOptions {}

/** Creates one request, or a few: each the same way as a row of an import. */
export async function create(context: Context, asked: CreateOptions): Promise<number> {
  const { drafts, audio } = await readRequestInput(context, asked);
  const connection = await connect(context, { rate: 'auto', concurrency: CONCURRENCY, audio });
  const { api, destination } = connection;
  const contract = await context.contract();
  const options = await asOffered(context, contract, asked);
  await sayDestination(context, destination);
  const operations = options.validate ? (['create', 'validate'] as const) : (['create'] as const);
  const preparation = { destination, audio, contract, operations, strict: false };
  const prepared = await Promise.all(drafts.map((draft) => prepareDraft(draft, null, preparation)));
  const log = await context.openLog('create', false);
  const reporter = await context.reporter();
  context.interruption.listen(() => reporter.warn('Finishing what is in flight; press Ctrl-C again to leave now.'));

  const settling = settlingOf(context, connection, log, options);
  const isDoubtful = (key: string) => knownStatus(log.lookup(key), options) === 'unknown';
  const results: RowResult[] = [];
  let stop: SrqError | null = null;
  for (const each of prepared) {
    warnOf(each, (message) => reporter.warn(message));
    if (!each.request) results.push(invalidResult(each));
    else if (stop || context.interruption.code) results.push(untriedResult(each));
    else {
      await log.know([each.key]);
      const submitted = await (isDoubtful(each.key)
        ? settleDoubt(each, settling)
        : submitRequest(each, api, log, options));
      results.push(submitted.result);
      stop = submitted.stop;
    }
  }
  // With a single request that was not sent the reason to stop is the whole story.
  if (stop && results.length === 1 && results[0]?.status === 'failed') throw stop;
  if (stop) reporter.warn(`${stop.message} ${inFull(stop.hint ?? '', context.options)}`.trim());
  await reporter.result(results.length === 1 ? results[0] : results, (paint) =>
    results.map((result) => resultText(result, paint)).join('\n'),
  );
  const { code } = context.interruption;
  return exitNumber([...(code ? [code] : []), ...(stop ? [stop.code] : []), ...results.map(codeOfResult)]);
}

/** Without waiting, and without controls: what is not there stays in doubt. */
function settlingOf(
  { clock, interruption }: Context,
  { api, evidence, mayValidate, network }: Connection,
  log: OpenLog,
  resend: SubmitOptions,
): Settling {
  const stopping = interruption.halt.signal;
  const believing = {
    proof: keptProof(
      () => evidence,
      () => log.nowMs(),
    ),
    ...{ chosenMs: null, isProxied: network.proxy !== null, waits: false },
    rounds: new ControlRounds(api, stopping),
  };
  return { api, log, clock, stopping, resend, believing: mayValidate ? believing : null, known: async () => [] };
}

function warnOf({ request, problems }: Prepared, warn: (message: string) => void): void {
  if (!request) return;
  for (const { message } of problems) warn(printable(message));
}

function invalidResult({ row, ref, problems }: Extract<Prepared, { request: null }>): RowResult {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const message = errors.map((problem) => problem.message).join(' ');
  return { status: 'invalid', ids: {}, row, ref, key: null, http: null, message };
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
  };
}
