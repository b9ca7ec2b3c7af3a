import { addAnswers, openLearned, openSharedAccount } from '../../account/account.ts';
import type { Context } from '../../cli/context.ts';
import { destinationOf } from '../../cli/session.ts';
import { printable } from '../../report/output.ts';
import { contractFingerprint } from '../../request/contract/contract.ts';
import { type KnownAnswers, type KnownForm, NOTHING_KNOWN, withForm } from '../../request/contract/known-answers.ts';
import { SrqError } from '../../request/words/errors.ts';
import { identifierPlaces } from '../../service/answers/form.ts';

/**
 * Selects the only answer that waits for a statement. `id` selects all that name an identifier, and says that it alone proves
 * a creation.
 */
const ALL: readonly string[] = ['status', 'form', 'id'];

/** What a user says of the answers whose form begins with `named`, or of all that wait. */
interface Statement {
  readonly said: 'taken' | 'refused';
  readonly named: string;
  /** Whether it is only shown which answers are meant. */
  readonly isDryRun: boolean;
}

/** Stores the user's statement about the meaning of answers that prove nothing by themselves. */
export async function learnAnswers(context: Context, { said, named, isDryRun }: Statement): Promise<number> {
  const { known, add } = await openAnswers(context);
  const byIdentifier = named === 'id';
  // "By its identifier" says nothing of an answer that names no identifier.
  const waiting = known.forms.filter(
    (form) => form.means === 'open' && (!byIdentifier || identifierPlaces(form).length > 0),
  );
  const exact = waiting.filter(({ text }) => text === named);
  const begun = waiting.filter(({ text }) => text.startsWith(named));
  const meant = ALL.includes(named) ? waiting : exact.length > 0 ? exact : begun;
  if (meant.length === 0 || (meant.length > 1 && ALL.includes(named) && !byIdentifier)) {
    const texts = waiting.map(({ text }) => text);
    throw unclear(said, named, texts);
  }
  const atMs = context.clock.nowMs();
  const stated = meant.flatMap((form): KnownForm[] => {
    const statement = { ...form, means: said, by: 'person', atMs } as const;
    // The form itself waits no longer, also if any other answer with an identifier means the same.
    return byIdentifier ? [statement, { ...statement, byIdentifier }] : [statement];
  });
  if (!isDryRun) await add(stated.reduce((all, form) => withForm(all, form), known));
  const profile = (await context.profileName()).value;
  const forms = meant.map(({ text }) => text);
  const settling = context.withProfile('What was sent before stays unknown until it is settled: srq resolve');
  const such = byIdentifier ? 'an answer with such an identifier (whatever else it says)' : 'such an answer';
  await context.reporter.result('contract learn --taken-by', { profile, said, forms }, (paint) =>
    [
      isDryRun
        ? `Then ${such} would mean that the request was ${said}:`
        : `${paint.green('✓')} From now on ${such} means that the request was ${said}:`,
      ...forms.map((form) => printable(`  ${form}`)),
      isDryRun ? 'Nothing was stored, because of --dry-run.' : printable(settling),
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
  if ((await context.logPlace()).kind === 'store') {
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

/** Several answers that wait need not mean the same, and a refusal that counts as taken is never sent again. */
function unclear(said: 'taken' | 'refused', named: string, waiting: readonly string[]): SrqError {
  if (waiting.length === 0) {
    const message =
      named === 'id'
        ? 'No answer with an unclear meaning names an identifier.'
        : 'No answer of this profile has an unclear meaning.';
    return new SrqError('answer.none-waiting', message, 'Send a first request, and see what comes back: srq create');
  }
  const example = `srq contract learn --${said}-by ANSWER`;
  return ALL.includes(named)
    ? new SrqError(
        'arguments.invalid',
        `${waiting.length} answers have an unclear meaning, and they may mean different things.`,
        `They are: ${waiting.join(' | ')}. Name each in full, or by how it begins: ${example}`,
      )
    : new SrqError(
        'answer.none-waiting',
        `No answer with an unclear meaning begins with "${named}".`,
        `These have an unclear meaning: ${waiting.join(' | ')}. Name one in full, or by how it begins: ${example}`,
      );
}
