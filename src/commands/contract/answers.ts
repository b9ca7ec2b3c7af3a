import { addAnswers, openLearned, openSharedAccount } from '../../account/account.ts';
import type { Context } from '../../cli/context.ts';
import { destinationOf } from '../../cli/session.ts';
import { printable } from '../../report/output.ts';
import { contractFingerprint } from '../../request/contract/contract.ts';
import { type KnownAnswers, type KnownForm, NOTHING_KNOWN, withForm } from '../../request/contract/known-answers.ts';
import { SrqError } from '../../request/words/errors.ts';
import { identifierPlaces } from '../../service/answers/form.ts';

/**
 * Stores the user's statement about the meaning of the answers that are `named`, and that prove nothing by themselves. For
 * `id` the identifier alone proves a creation.
 */
export async function learnAnswers(context: Context, said: 'taken' | 'refused', named: string): Promise<number> {
  const { known, add } = await openAnswers(context);
  const byIdentifier = named === 'id';
  const meant = meantBy(
    named,
    known.forms.filter(({ means }) => means === 'open'),
  );
  const atMs = context.clock.nowMs();
  const stated = meant.flatMap((form): KnownForm[] => {
    const statement = { ...form, means: said, by: 'person', atMs } as const;
    // The form itself waits no longer, also if any other answer with an identifier means the same.
    return byIdentifier ? [statement, { ...statement, byIdentifier }] : [statement];
  });
  await add(stated.reduce((all, form) => withForm(all, form), known));
  const profile = (await context.profileName()).value;
  const forms = [...new Set(meant.map(({ text }) => text))];
  const settling = context.withProfile('What was sent before stays unknown until it is settled: srq resolve');
  const such = byIdentifier ? 'an answer with such an identifier (whatever else it says)' : 'such an answer';
  await context.reporter.result('contract learn --taken-by', { profile, said, forms }, (paint) =>
    [
      `${paint.green('✓')} From now on ${such} means that the request was ${said}:`,
      ...forms.map((form) => printable(`  ${form}`)),
      printable(settling),
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
  const destination = destinationOf(await context.settings());
  const contract = contractFingerprint(inForce);
  if ((await context.log.place()).kind === 'store') {
    const { state } = await openSharedAccount(context, destination);
    const known = await addAnswers(state, contract, NOTHING_KNOWN);
    return { known, add: (found: KnownAnswers) => addAnswers(state, contract, found) };
  }
  const file = await openLearned(context, destination, contract);
  return {
    known: file.read().answers ?? NOTHING_KNOWN,
    add: async (found: KnownAnswers) => file.add(found),
  };
}

/**
 * Returns the answers that are meant: all that name an identifier for `id`, else one. Several that wait need not mean the same,
 * and a refusal that counts as taken is never sent again. Throws `SrqError('usage')` unless it is clear.
 */
function meantBy(named: string, waiting: readonly KnownForm[]): readonly KnownForm[] {
  if (waiting.length === 0) {
    const message = 'No answer of this profile has an unclear meaning.';
    throw new SrqError('answer.none-waiting', message, 'Send a first request, and see what comes back: srq create');
  }
  const exact = waiting.filter(({ text }) => text === named);
  if (exact.length > 0) return exact;
  const identified = waiting.filter((form) => identifierPlaces(form).length > 0);
  if (named === 'id' && identified.length > 0) return identified;
  const isOnly = named === 'form' || named === 'status';
  const begun = isOnly ? waiting : waiting.filter(({ text }) => text.startsWith(named));
  if (begun.length === 1) return begun;
  throw new SrqError(
    'arguments.invalid',
    `"${named}" does not say which answer is meant.`,
    `These have an unclear meaning: ${waiting.map(({ text }) => text).join(' | ')}. Name one in full, or by how it begins.`,
  );
}
