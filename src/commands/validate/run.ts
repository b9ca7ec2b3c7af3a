import { withProfileFlags } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { exitNumber } from '../../cli/exit-codes.ts';
import { RequestSession } from '../../cli/session.ts';
import type { RequestOptions } from '../../cli/table/options.ts';
import { type Prepared, prepareDraft } from '../../delivery/prepare.ts';
import { verdictText } from '../../report/terminal/summary-text.ts';
import { type RowReason, reasonOf } from '../../request/log/outcome.ts';
import type { ValidateResult } from '../../request/ports.ts';
import type { ErrorReason } from '../../request/words/error-codes.ts';
import { type ErrorCode, SrqError } from '../../request/words/errors.ts';
import { type Problem, quotedMessage } from '../../request/words/finding.ts';
import { NOT_TRIED, readRequestInput } from '../../run/request-input.ts';

type Validated = ValidateResult & {
  readonly key: string | null;
  readonly problems?: readonly Problem[];
  /** The code of why the service gave no answer, if it gave none. */
  readonly unanswered?: ErrorReason;
};

/**
 * Asks whether each request is a duplicate. It creates nothing and writes nothing to the log. If the service can no longer
 * be asked, the verdicts so far are told, and the other requests as not tried.
 */
export async function validate(context: Context, options: RequestOptions): Promise<number> {
  const { drafts, audio } = await readRequestInput(context, options);
  const session = await RequestSession.open(context, { audio, operations: ['validate'] });
  const { preparation } = session;
  const { api } = await session.connect({ rate: 'auto', concurrency: 1, isAlone: true });
  await session.sayDestination();
  const reporter = await context.reporter();
  if (preparation.contract.validate === null) {
    const hint = 'If it has one now, learn it: srq contract learn FILE';
    throw new SrqError('validate.missing', 'The API description says that this service has no validate.', hint);
  }
  const results: Validated[] = [];
  const errors: ErrorCode[] = [];
  let stop: SrqError | null = null;
  for (const draft of drafts) {
    const prepared = await prepareDraft(draft, null, preparation);
    if (!prepared.request) results.push(invalid(prepared));
    else if (stop) results.push(unanswered(prepared.key, NOT_TRIED));
    else {
      try {
        const answer = await api.validate(prepared.request);
        const isUntold = answer.verdict === 'unknown' && answer.refused === null;
        results.push({ ...answer, message: answer.message ?? (isUntold ? UNTOLD : null), key: prepared.key });
      } catch (error) {
        if (!(error instanceof SrqError)) throw error;
        results.push(unanswered(prepared.key, error));
        errors.push(error.code);
        // An input, such as a recording, is of this request alone. All requests would meet any other error.
        if (error.code !== 'input' || drafts.length === 1) stop = error;
      }
    }
  }
  // Of a single request, the reason to stop is all there is to report.
  if (stop && results.length === 1) throw stop;
  if (stop) reporter.warn(`${stop.message} ${withProfileFlags(stop.hint ?? '', context.options)}`.trim());
  const [only] = results;
  if (only?.refused && results.length === 1) throw refusal(only);
  const documents = results.map((result) => {
    const { verdict, http, ids, key, message, problems } = result;
    return { verdict, http, ids, key, message, reason: reasonOfVerdict(result), run: context.run, problems };
  });
  const [one] = documents;
  await reporter.result('validate', one && documents.length === 1 ? one : documents, (paint) =>
    results.map((result) => verdictText(result, paint)).join('\n'),
  );
  return exitNumber([...errors, ...results.map(codeOf)]);
}

const UNTOLD =
  'srq does not know yet what this answer means. srq learns that from the first request that it creates: srq create, or srq bulk.';

function invalid({ problems }: Extract<Prepared, { request: null }>): Validated {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const message = errors.map(quotedMessage).join(' ');
  return {
    verdict: 'unknown',
    form: null,
    ids: {},
    http: null,
    key: null,
    message,
    refused: 'rejected',
    raw: null,
    problems,
  };
}

/** Returns the result of a request about which the service gave no answer, because of an error or of one before. */
function unanswered(key: string, { message, reason }: Pick<SrqError, 'message' | 'reason'>): Validated {
  return {
    verdict: 'unknown',
    form: null,
    ids: {},
    http: null,
    key,
    message,
    refused: 'failed',
    raw: null,
    unanswered: reason,
  };
}

/** Returns the code of why there is no verdict, or null if there is one. */
function reasonOfVerdict({ verdict, refused, http, problems = [], unanswered }: Validated): RowReason | null {
  if (unanswered) return unanswered;
  const wrong = problems.find(({ severity }) => severity === 'error');
  if (wrong) return wrong.code;
  if (refused) return reasonOf({ status: refused, http });
  return verdict === 'unknown' ? 'service.no-verdict' : null;
}

function refusal({ refused, message }: Validated): SrqError {
  return new SrqError(
    refused === 'rejected' ? 'request.rejected' : 'service.no-verdict',
    message ?? 'The service gave no verdict.',
  );
}

/** Returns the exit code that a result stands for. The error of a request without an answer counts by itself. */
function codeOf({ verdict, refused, unanswered }: Validated) {
  if (unanswered) return 'ok';
  if (refused) return refused === 'rejected' ? 'rejected' : 'service';
  if (verdict === 'unknown') return 'unknown';
  return verdict === 'duplicate' ? 'duplicate' : 'ok';
}
