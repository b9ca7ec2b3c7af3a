import type { Context } from '../cli/context.ts';
import { exitNumber } from '../cli/exit-codes.ts';
import { openSession } from '../cli/session.ts';
import type { RequestOptions } from '../cli/table/options.ts';
import { prepareDraft } from '../delivery/prepare.ts';
import { verdictText } from '../report/terminal/summary-text.ts';
import type { DocumentOf } from '../request/documents/types.ts';
import { reasonOf } from '../request/log/outcome.ts';
import type { ValidateResult } from '../request/ports.ts';
import { type ErrorCode, expected, SrqError } from '../request/words/errors.ts';
import { type Problem, whyInvalid } from '../request/words/finding.ts';
import { NOT_TRIED, readRequestInput } from '../run/request-input.ts';

/** The result of a request, its exit code, and the error of the command if it is the only request. */
interface Told {
  readonly document: Omit<DocumentOf<'validate'>, 'run'>;
  readonly code: ErrorCode | 'ok';
  readonly error?: SrqError;
}

/**
 * Asks whether each request is a duplicate. It creates nothing and writes nothing to the log. If the service can no
 * longer be asked, the command shows the verdicts so far, and the other requests as not tried.
 */
export async function validate(context: Context, options: RequestOptions): Promise<number> {
  const { drafts, audio } = await readRequestInput(context, options);
  const session = await openSession(context, { audio, operation: 'validate' });
  const { preparation } = session;
  const { api } = await session.connect({ rate: 'auto', concurrency: 1, isAlone: true });
  session.sayDestination();
  if (preparation.contract.validate === null) {
    const hint = 'If it has one now, learn it: srq contract learn FILE';
    throw new SrqError('validate.missing', 'The API description says that this service has no validate.', hint);
  }
  const told: Told[] = [];
  let stop: SrqError | null = null;
  for (const draft of drafts) {
    const prepared = await prepareDraft(draft, null, preparation);
    if (!prepared.request) told.push(invalid(prepared.problems));
    else if (stop) told.push({ document: { ...NO_ANSWER, key: prepared.key, ...NOT_TRIED }, code: 'ok' });
    else {
      const { key } = prepared;
      const answer = await api.validate(prepared.request).catch(expected);
      told.push(answer instanceof SrqError ? unanswered(answer, key) : answered(answer, key));
      // An input, such as a recording, is of this request alone. All requests would meet any other error.
      if (answer instanceof SrqError && answer.code !== 'input') stop = answer;
    }
  }
  const [only] = told;
  if (only?.error && told.length === 1) throw only.error;
  if (stop) context.warnOf(stop);
  const documents = told.map(({ document: { problems, ...rest } }) => ({ ...rest, run: context.run, problems }));
  const [one] = documents;
  await context.reporter.result('validate', one && documents.length === 1 ? one : documents, (paint) =>
    documents.map((document) => verdictText(document, paint)).join('\n'),
  );
  return exitNumber(told.map(({ code }) => code));
}

const NO_ANSWER = { verdict: 'unknown', http: null, ids: {} } as const;

function invalid(problems: readonly Problem[]): Told {
  const why = whyInvalid(problems);
  const error = new SrqError('request.rejected', why.message);
  return { document: { ...NO_ANSWER, key: null, ...why, problems: [...problems] }, code: 'rejected', error };
}

/** The service gave no answer, because of an error. */
function unanswered(error: SrqError, key: string): Told {
  const { message, reason, code } = error;
  return { document: { ...NO_ANSWER, key, message, reason }, code, error };
}

const UNTOLD =
  'srq does not know yet what this answer means. srq learns that from the first request that it creates: srq create, or srq bulk.';

function answered({ verdict, http, ids, refused, message: said }: ValidateResult, key: string): Told {
  if (refused !== null) {
    const error = new SrqError(
      refused === 'rejected' ? 'request.rejected' : 'service.no-verdict',
      said ?? 'The service gave no verdict.',
    );
    const reason = reasonOf({ status: refused, http });
    return { document: { verdict, http, ids, key, message: said, reason }, code: error.code, error };
  }
  const isUntold = verdict === 'unknown';
  const message = said ?? (isUntold ? UNTOLD : null);
  const reason = isUntold ? 'service.no-verdict' : null;
  return { document: { verdict, http, ids, key, message, reason }, code: verdict === 'clear' ? 'ok' : verdict };
}
