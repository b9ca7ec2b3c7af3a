import { answersBy, mergeKnowledge, openLearned, openSharedAccount } from '../../account/account.ts';
import { withProfileFlags } from '../../cli/command-line.ts';
import { destinationOf } from '../../cli/connect.ts';
import type { Context } from '../../cli/context.ts';
import { printable } from '../../report/output.ts';
import { type AnswerMemory, NO_MEMORY, withStatement } from '../../request/answer-memory.ts';
import { contractFingerprint } from '../../request/contract.ts';
import { SrqError } from '../../request/errors.ts';

/** Selects all answers that wait for a statement. */
const ALL = 'status';

/**
 * Stores the user's statement about the meaning of success answers that prove nothing by themselves. `named` is the
 * beginning of such an answer's form, or `status` for all that wait for a statement of this kind.
 */
export async function learnAnswers(context: Context, said: 'taken' | 'refused', named: string): Promise<number> {
  const { known, add } = await openAnswers(context);
  const waiting = known.forms.filter((each) => each.said === null && each.isDenied === (said === 'refused'));
  const meant = waiting.filter(({ form }) => named === ALL || form.startsWith(named));
  if (meant.length === 0)
    throw nothingMeant(
      named,
      said,
      waiting.map(({ form }) => form),
    );
  const spoken = meant.reduce((memory, { form }) => withStatement(memory, form, said), known);
  await add(spoken);
  const profile = (await context.profileName()).value;
  const forms = meant.map(({ form }) => form);
  const reporter = await context.reporter();
  await reporter.result('contract learn --taken-by', { profile, said, forms }, (paint) =>
    [
      `${paint.green('✓')} From now on such an answer means that the request was ${said}:`,
      ...forms.map((form) => printable(`  ${form}`)),
      printable(
        withProfileFlags('What was sent before stays unknown until it is settled: srq resolve', context.options),
      ),
    ].join('\n'),
  );
  return 0;
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
  const message = `No answer that waits for such a word begins with "${named}".`;
  return new SrqError(
    'answer.none-waiting',
    message,
    `These wait: ${waiting.join(' | ')}. For all of them: srq contract learn ${flag} ${ALL}`,
  );
}
