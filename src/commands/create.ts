import type { Context } from '../cli/context.ts';
import { exitNumber } from '../cli/exit-codes.ts';
import { finishOnSignal, openSession } from '../cli/session.ts';
import type { CreateOptions } from '../cli/table/options.ts';
import { type Prepared, prepareDraft } from '../delivery/prepare.ts';
import { loggedStatus } from '../delivery/sent-before.ts';
import { heldByReference, submitOne } from '../delivery/settle-by-key.ts';
import { fromLog, type Sent, type Submission, type SubmitOptions, shown, TEACH, unsent } from '../delivery/submit.ts';
import { printable } from '../report/output.ts';
import { resultText } from '../report/terminal/summary-text.ts';
import type { RowResult } from '../request/log/outcome.ts';
import { STATUS } from '../request/log/status.ts';
import type { LogView } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';
import { whyInvalid } from '../request/words/finding.ts';
import { NOT_TRIED, readRequestInput } from '../run/request-input.ts';

/** Requests are created one at a time, because there are only a few. */
const CONCURRENCY = 1;

/** Creates one request or a few, each in the same way as a row of an import. */
export async function create(context: Context, asked: CreateOptions): Promise<number> {
  const { drafts, audio } = await readRequestInput(context, asked);
  const session = await openSession(context, { audio, validate: asked.validate });
  const connection = await session.connect({ rate: 'auto', concurrency: CONCURRENCY });
  const options = { ...asked, validate: session.validates };
  session.sayDestination();
  const prepared = await Promise.all(drafts.map((draft) => prepareDraft(draft, null, session.preparation)));
  const checked = prepared.flatMap((each) => (each.request ? [each] : []));
  const log = await context.log.open('create', false);
  await context.log.noteService(session.preparation.destination.baseUrl);
  // What the log knows of all of them is asked before the first one is sent, so that each can be told if the log fails.
  await log.prefetch(checked.map(({ key }) => key));
  const firsts = new Map(checked.toReversed().map((each) => [each.key, each]));
  const held = await heldByReference([...firsts.values()], options, { log, taken: (ref) => session.takenBefore(ref) });
  finishOnSignal(context);

  const deps = { api: connection.api, log };
  const results: RowResult[] = [];
  let stop: SrqError | null = null;
  let isRecorded = true;
  for (const each of prepared) {
    const first = each.request ? (firsts.get(each.key) ?? each) : each;
    const before = held.get(each.row);
    const which = prepared.length > 1 ? `request ${each.row}: ` : '';
    if (each.request) for (const { message } of each.problems) context.reporter.warn(printable(which + message));
    if (!each.request) results.push(invalidResult(each));
    else if (first !== each) results.push(shown(unsent(each, 'repeated', `It is the same as request ${first.row}.`)));
    else if (before) results.push(shown(before));
    else if (stop || context.interruption.code) results.push(await untriedResult(each, log, options));
    else {
      const sent = await submitOrUntried(each, deps, options);
      results.push(shown(sent));
      stop = sent.stop;
      isRecorded = !sent.unrecorded;
    }
  }
  // If a single request was not sent, the reason to stop is all there is to report, unless the log took no outcome.
  if (stop && isRecorded && results.length === 1 && results[0]?.status === 'failed') throw stop;
  if (stop) context.warnOf(stop);
  const documents = results.map((result) => ({ ...result, run: context.run }));
  const [only] = documents;
  await context.reporter.result('create', only && results.length === 1 ? only : documents, (paint) =>
    results.map((result) => resultText(result, paint)).join('\n'),
  );
  if (results.some(({ status }) => status === 'unknown')) context.reporter.say(() => context.withProfile(LOOK_UP));
  if (results.some(({ reason }) => reason === 'answer.unproven'))
    context.reporter.say(() => context.withProfile(TEACH));
  return exitNumber([context.interruption.code, stop?.code, ...results.map(({ status }) => STATUS[status].ends)]);
}

const LOOK_UP = 'If it stays unknown, look it up at the service and say what you found: srq resolve';

function invalidResult({ row, ref, problems }: Extract<Prepared, { request: null }>) {
  return { status: 'invalid' as const, ids: {}, row, ref, key: null, http: null, ...whyInvalid(problems), problems };
}

/**
 * Sends one request. An error of the log before anything was sent stops the command like any other reason, so that the
 * results of the earlier requests are still shown.
 */
async function submitOrUntried(
  submission: Submission,
  deps: Parameters<typeof submitOne>[1],
  options: SubmitOptions,
): Promise<RowResult & Pick<Sent, 'stop' | 'unrecorded'>> {
  // An intent that could not be written may stand in the log as it is in memory.
  const known = loggedStatus(deps.log.lookup(submission.key), options);
  try {
    return await submitOne(submission, deps, options);
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    const untried = known === null ? untriedOf(submission) : await untriedResult(submission, deps.log, options);
    return { ...untried, stop: error, unrecorded: false };
  }
}

/** Returns the result of a request that is not tried: what the log has said of it, for its outcome may be unknown. */
async function untriedResult(submission: Submission, log: LogView, options: SubmitOptions): Promise<RowResult> {
  // The log may have failed, so it is not read again, and the time and the identifiers are missing.
  const unread = { lookup: () => log.lookup(submission.key), read: () => null };
  if (loggedStatus(unread.lookup(), options)) return shown(await fromLog(submission, unread, options));
  return untriedOf(submission);
}

function untriedOf({ row, request: { ref }, key }: Submission): RowResult {
  return { ...{ status: 'failed', ids: {}, row, ref, key, http: null }, ...NOT_TRIED };
}
