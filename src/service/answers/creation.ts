import { type AnswerMemory, provesRefused, provesTaken } from '../../request/answer-memory.ts';
import type { Pointer } from '../../request/contract.ts';
import type { Identifiers } from '../../request/outcome.ts';
import type { Answer } from '../network/exchange.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { answerForm, readableKind } from './answer-form.ts';
import { answerValue, valuesAt } from './answer-value.ts';
import { documentedIdentifiers, type FoundIdentifier, findIdentifiers, identifiersOf } from './identifiers.ts';
import { type OutcomeSigns, outcomeSigns } from './refusal-signs.ts';

/** Knowledge about a service's answers to create, from its description and from earlier creations. */
export interface KnownAnswers {
  /** Path of the create operation. */
  readonly path: string;
  readonly identifiers: readonly { readonly name: string; readonly pointer: Pointer }[];
  /** Places where the description puts the words of a refusal. */
  readonly errorTexts: readonly Pointer[];
  readonly memory: AnswerMemory;
}

/**
 * The worth of a successful answer (2xx) of create. Two questions are asked separately: what proves that the request
 * was taken, and what speaks against it.
 *
 * - `taken`: something proves it. `place` is where the answer names the request, or null if its form is the proof.
 *   `hasRemark` means that the answer also mentions an error.
 * - `refused`: the description or a person says that answers like this one are refusals.
 * - `unproven`: nobody knows. `form` is null if the answer cannot be read at all. `place` is where it may name the
 *   request, in case validate confirms that it was taken. `isDenied` means that the answer itself says the request was
 *   not taken, which is not proven either.
 */
export type Creation =
  | { readonly is: 'taken'; readonly ids: Identifiers; readonly place: string | null; readonly hasRemark: boolean }
  | { readonly is: 'refused' }
  | {
      readonly is: 'unproven';
      readonly form: string | null;
      readonly place: string | null;
      readonly isDenied: boolean;
      readonly ids: Identifiers;
    };

/** Judges what a successful answer of create proves. See {@link Creation}. */
export function judgeCreation(answer: Answer, sent: Redactor, known: KnownAnswers): Creation {
  if (readableKind(answer) === null) return { is: 'unproven', form: null, place: null, isDenied: false, ids: {} };
  const { memory } = known;
  const signs = outcomeSigns(answer);
  const documented = documentedIdentifiers(answer, known.identifiers);
  const found = findIdentifiers(answer, sent, known.path);
  const ids = Object.keys(documented).length > 0 ? documented : identifiersOf(found);
  const place = placeOf(answer, known, found, documented, signs);
  // An answer that names the request and denies to have taken it contradicts itself.
  if (place.isProof && !signs.denies) {
    return { is: 'taken', ids, place: place.name, hasRemark: signs.complains };
  }
  const form = answerForm(answer, sent, signs.denies) ?? '';
  if (!signs.denies && provesTaken(memory, form))
    return { is: 'taken', ids: {}, place: null, hasRemark: signs.complains };
  const isDocumentedRefusal = signs.denies && hasText(answer, known.errorTexts);
  if (!place.isProof && (isDocumentedRefusal || provesRefused(memory, form))) return { is: 'refused' };
  return { is: 'unproven', form, place: place.name, isDenied: signs.denies, ids };
}

/**
 * Finds where the answer names the request, and whether that proves that the request was taken. The place counts if the
 * description names it or earlier creations had it. For the first creations, when there are no earlier ones, any place
 * counts that looks like an identifier.
 */
function placeOf(
  answer: Answer,
  { memory }: KnownAnswers,
  found: readonly FoundIdentifier[],
  documented: Identifiers,
  signs: OutcomeSigns,
): { readonly name: string | null; readonly isProof: boolean } {
  if (Object.keys(documented).length > 0) return { name: null, isProof: true };
  const isBelieved = outweighs(answer, signs);
  const known = found.find(({ place, isTelling }) => isTelling && memory.identifiedBy.includes(place));
  if (known) return { name: known.place, isProof: isBelieved };
  const likely = found.find(({ isCertainName }) => isCertainName) ?? found[0];
  if (!likely) return { name: null, isProof: false };
  const isFirst = memory.identifiedBy.length === 0 && !memory.forms.some(({ form }) => provesTaken(memory, form));
  return { name: likely.place, isProof: isFirst && likely.isTelling && isBelieved };
}

/**
 * Tells whether an identifier counts for more than an error beside it. A service that names an error often names the
 * call as well, in the same words as a request. The answer must then also say that the request was taken.
 */
function outweighs({ status }: Answer, { complains, fails, affirms }: OutcomeSigns): boolean {
  return !complains || affirms || (!fails && status === 201);
}

function hasText(answer: Answer, pointers: readonly Pointer[]): boolean {
  if (readableKind(answer) !== 'data') return false;
  return pointers.some((pointer) =>
    valuesAt(answerValue(answer), pointer).some((each) => each !== null && each !== '' && each !== false),
  );
}
