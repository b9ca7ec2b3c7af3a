import { createHash } from 'node:crypto';
import { type AnswerMemory, provesRefused, provesTaken } from '../../request/answer-memory.ts';
import type { Pointer } from '../../request/contract.ts';
import type { Identifiers } from '../../request/outcome.ts';
import type { Answer } from '../network/exchange.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { type AnswerValue, answerValue, isHtml, valuesAt } from './answer-value.ts';
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

const MAX_DEPTH = 6;
const MAX_MEMBERS = 60;
/** Maximum length of a text in a form. A longer one is represented by its digest. */
const MAX_TEXT_LENGTH = 80;
/** Maximum length of a form. A longer one ends in its digest. */
const MAX_FORM_LENGTH = 400;

/**
 * Returns the form of an answer: its status, its media type, the names and kinds of its members, and the words that are
 * the same for all requests. Everything that belongs to one request (sent values, numbers, identifiers) is left out. A
 * person can read the form: `204 empty`, `200 application/json {"status":"ok","at":"#-#-#"}`.
 *
 * Returns null for an answer that cannot be read, because it is a page or was cut. If an answer denies that the request
 * was taken, its words are left out too: they give the reason, which differs between requests.
 */
export function answerForm(answer: Answer, sent: Redactor, isDenied: boolean): string | null {
  const kind = readableKind(answer);
  if (kind === null) return null;
  const type = (answer.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const value = answerValue(answer);
  const told =
    kind === 'empty'
      ? 'empty'
      : value === undefined
        ? wordsForm(answer.body, sent)
        : valueForm(value, sent, !isDenied, 0);
  return shortened([answer.status, kind === 'empty' ? '' : type, told].filter((part) => part !== '').join(' '));
}

/** Tells how a body can be read, or returns null if it cannot be. */
export function readableKind(answer: Answer): 'empty' | 'data' | 'words' | null {
  if (!answer.complete || isHtml(answer)) return null;
  if (answer.body.trim() === '') return 'empty';
  if (answerValue(answer) !== undefined) return 'data';
  // A body that begins like JSON and is not JSON was cut, or is two answers in one. Control characters belong to no text.
  return /^\s*[[{"]/.test(answer.body) || CONTROL_CHARACTERS.test(answer.body) ? null : 'words';
}

const CONTROL_CHARACTERS = /[\0-\x08\x0e-\x1f\ufffd]/;

function valueForm(value: AnswerValue, sent: Redactor, withWords: boolean, depth: number): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return withWords ? JSON.stringify(wordsForm(value, sent)) : 'text';
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const elements = value.slice(0, MAX_MEMBERS).map((each) => valueForm(each, sent, withWords, depth + 1));
    return `[${[...new Set(elements)].join(',')}]`;
  }
  const members = Object.entries(value).slice(0, MAX_MEMBERS);
  const told = members.map(
    ([name, inner]) => `${JSON.stringify(sent.redact(name))}:${valueForm(inner, sent, withWords, depth + 1)}`,
  );
  return `{${told.sort().join(',')}}`;
}

const SEPARATORS = /([\s<>"'=&?/,;:()[\]{}]+)/;

/**
 * Returns a text without the parts that differ between requests: words with a digit in them become `#`, sent values
 * `***`.
 */
export function wordsForm(text: string, sent: Redactor): string {
  const parts = sent.redact(withoutProlog(text).trim()).split(SEPARATORS);
  const words = parts
    .map((part) => (/\d/.test(part) ? '#' : part))
    .join('')
    .replace(/\s+/g, ' ')
    .toLowerCase();
  return words.length > MAX_TEXT_LENGTH ? `text ${digestOf(words)}` : words;
}

/** Removes the XML declaration of a text, because its numbers say nothing. */
export function withoutProlog(text: string): string {
  return text.replace(/^\s*<\?xml[^>]{0,200}\?>/i, '');
}

function shortened(form: string): string {
  if (form.length <= MAX_FORM_LENGTH) return form;
  return `${form.slice(0, MAX_FORM_LENGTH - 20)}… ${digestOf(form)}`;
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
