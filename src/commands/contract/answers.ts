import { answersBy, mergeKnowledge, openLearned, openSharedAccount } from '../../account/account.ts';
import { withProfileFlags } from '../../cli/command-line.ts';
import { destinationOf } from '../../cli/connect.ts';
import type { Context } from '../../cli/context.ts';
import { printable } from '../../report/output.ts';
import { type AnswerMemory, NO_MEMORY, withStatement } from '../../request/answer-memory.ts';
import { contractFingerprint } from '../../request/contract.ts';
import { SrqError, shellWord } from '../../request/errors.ts';

/** Selects all answers that wait for a statement and do not speak against it. */
const ALL = 'status';

/** What a user says of the answers whose form begins with `named`, or of all that wait if it is `status`. */
interface Statement {
  readonly said: 'taken' | 'refused';
  readonly named: string;
  /** Whether it is only shown which answers are meant. */
  readonly isDryRun: boolean;
}

/**
 * Stores the user's statement about the meaning of success answers that prove nothing by themselves. If several answers
 * are meant, those that mention an error are left out, because each of them may mean either and has to be named by itself.
 */
export async function learnAnswers(context: Context, { said, named, isDryRun }: Statement): Promise<number> {
  const { known, add } = await openAnswers(context);
  // What says itself that it was refused never counts as taken.
  const waiting = known.forms.filter((each) => each.said === null && (said === 'refused' || !each.isDenied));
  const meant = meantForms(waiting, said, named);
  if (meant.length === 0)
    throw nothingMeant(
      named,
      said,
      waiting.map(({ form }) => form),
    );
  if (!isDryRun) await add(meant.reduce((memory, { form }) => withStatement(memory, form, said), known));
  const profile = (await context.profileName()).value;
  const forms = meant.map(({ form }) => form);
  const reporter = await context.reporter();
  const settling = withProfileFlags(
    'What was sent before stays unknown until it is settled: srq resolve',
    context.options,
  );
  await reporter.result('contract learn --taken-by', { profile, said, forms }, (paint) =>
    [
      isDryRun
        ? `Such an answer would mean that the request was ${said}:`
        : `${paint.green('✓')} From now on such an answer means that the request was ${said}:`,
      ...forms.map((form) => printable(`  ${form}`)),
      isDryRun ? 'Nothing was stored, because of --dry-run.' : printable(settling),
    ].join('\n'),
  );
  return 0;
}

type WaitingForm = AnswerMemory['forms'][number];

/** Returns the forms that a word about `named` is about. See {@link learnAnswers}. */
function meantForms(waiting: readonly WaitingForm[], said: 'taken' | 'refused', named: string): readonly WaitingForm[] {
  const exact = waiting.filter(({ form }) => form === named);
  const begun = waiting.filter(({ form }) => form.startsWith(named));
  if (exact.length > 0 || begun.length === 1) return exact.length > 0 ? exact : begun;
  const all = named === ALL ? waiting : begun;
  return all.filter(({ isDenied, complains }) => (said === 'refused' ? isDenied : !complains));
}

/**
 * Opens what is known about the answers of the profile's service, on this machine or in the store, with a function to
 * add to it.
 */
async function openAnswers(context: Context) {
  const inForce = await context.contract();
  const destination = destinationOf(await context.settings(), inForce);
  const contract = contractFingerprint(inForce);
  const answers = answersBy(contract);
  if ((await context.logPlace()).kind === 'store') {
    const { state } = await openSharedAccount(context, destination);
    const known = await mergeKnowledge(state, answers, NO_MEMORY);
    return { known, add: (found: AnswerMemory) => mergeKnowledge(state, answers, found) };
  }
  const file = await openLearned(context, destination, contract);
  return {
    known: file.read().answers ?? NO_MEMORY,
    add: (found: AnswerMemory) => mergeKnowledge(file, answers, found),
  };
}

function nothingMeant(named: string, said: 'taken' | 'refused', waiting: readonly string[]): SrqError {
  const flag = said === 'taken' ? '--taken-by' : '--refused-by';
  if (waiting.length === 0) {
    const message = 'No answer of this profile waits for such a word.';
    return new SrqError('answer.none-waiting', message, 'Send a first request, and look what comes back: srq create');
  }
  const isBegun = named === ALL || waiting.some((form) => form.startsWith(named));
  const message = isBegun
    ? `No answer that waits for such a word shows by itself that the request was ${said}, so each has to be named.`
    : `No answer that waits for such a word begins with "${named}".`;
  const example = `srq contract learn ${flag} ${shellWord(waiting[0] ?? '')}`;
  return new SrqError(
    'answer.none-waiting',
    message,
    `These wait: ${waiting.join(' | ')}. One is named by its beginning or in full: ${example}`,
  );
}
