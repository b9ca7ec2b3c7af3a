import { type AnswerMemory, provesRefused, provesTaken } from '../../request/answer-memory.ts';
import type { CreateOperation, Pointer } from '../../request/contract.ts';
import { isIdentifyingName } from '../../request/names.ts';
import type { Identifiers } from '../../request/outcome.ts';
import type { Answer } from '../network/exchange.ts';
import type { Redactor } from '../redaction/redactor.ts';
import {
  type AnswerMember,
  type AnswerValue,
  answerForm,
  answerValue,
  members,
  plainWords,
  readableKind,
  valuesAt,
  withoutProlog,
  wordsForm,
} from './answer-value.ts';
import { foldedWords, mentionsFailure, type OutcomeSigns, outcomeSigns } from './refusal-signs.ts';

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
 *   not taken, which is not proven either. `complains` means that it mentions an error.
 */
export type Creation =
  | { readonly is: 'taken'; readonly ids: Identifiers; readonly place: string | null; readonly hasRemark: boolean }
  | { readonly is: 'refused' }
  | {
      readonly is: 'unproven';
      readonly form: string | null;
      readonly place: string | null;
      readonly isDenied: boolean;
      readonly complains: boolean;
      readonly ids: Identifiers;
    };

/** Judges what a successful answer of create proves. See {@link Creation}. */
export function judgeCreation(answer: Answer, sent: Redactor, known: KnownAnswers): Creation {
  if (readableKind(answer) === null) return UNREADABLE;
  const { memory } = known;
  const signs = outcomeSigns(answer);
  const documented = documentedIdentifiers(answer, known.identifiers, sent);
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
  const isDocumentedRefusal = signs.denies && !place.isOfRequest && hasText(answer, known.errorTexts);
  if (!place.isProof && (isDocumentedRefusal || provesRefused(memory, form))) return { is: 'refused' };
  return { is: 'unproven', form, place: place.name, isDenied: signs.denies, complains: signs.complains, ids };
}

/** The worth of an answer that cannot be read. */
export const UNREADABLE: Creation = {
  ...{ is: 'unproven', form: null, place: null },
  ...{ isDenied: false, complains: false, ids: {} },
};

/**
 * Finds where the answer names the request, and whether that proves that the request was taken. The place counts if the
 * description names it or earlier creations had it. For the first creations, when there are no earlier ones, any place
 * counts that looks like an identifier. `isOfRequest` means that the request seems to be named, be it proof or not.
 */
function placeOf(
  answer: Answer,
  { memory }: KnownAnswers,
  found: readonly FoundIdentifier[],
  documented: Identifiers,
  signs: OutcomeSigns,
): { readonly name: string | null; readonly isProof: boolean; readonly isOfRequest: boolean } {
  if (Object.keys(documented).length > 0) return { name: null, isProof: true, isOfRequest: true };
  const isBelieved = outweighs(answer, signs);
  const known = found.find(({ place, isTelling }) => isTelling && memory.identifiedBy.includes(place));
  if (known) return { name: known.place, isProof: isBelieved, isOfRequest: true };
  const likely = found.find(({ isCertainName }) => isCertainName) ?? found[0];
  if (!likely) return { name: null, isProof: false, isOfRequest: false };
  const isFirst = memory.identifiedBy.length === 0 && !memory.forms.some(({ form }) => provesTaken(memory, form));
  const isProof = isFirst && likely.isTelling && isBelieved;
  return { name: likely.place, isProof, isOfRequest: likely.isCertainName };
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

const MAX_LENGTH = 200;

/**
 * Reads the identifiers from their documented places. If one name has several values, the later ones are numbered. The
 * result is empty if there are none. Descriptions list all members of an answer, also those that are empty in a refusal
 * or repeat the client's own reference, so that such values count for nothing. An identifier that only contains a sent
 * word, like `lisboa-000123`, counts here: the document says that it is one.
 */
export function documentedIdentifiers(
  answer: Answer,
  places: CreateOperation['identifiers'],
  sent: Redactor,
): Identifiers {
  const ids: Record<string, string> = {};
  const value = places.length === 0 ? undefined : answerValue(answer);
  for (const { name, pointer } of places) {
    const texts = new Set(
      valuesAt(value, pointer).filter((each): each is string => mayIdentify(each) && !sent.isSentValue(each)),
    );
    for (const [at, text] of [...texts].entries()) ids[at === 0 ? name : `${name}.${at + 1}`] = text;
  }
  return ids;
}

/** A value in an answer that may name the request. */
interface FoundIdentifier {
  readonly name: string;
  readonly text: string;
  /**
   * The place of the identifier, in a form that is the same for all requests: `data.id`, `*.request_id`, `Location
   * /v1/request/#`, or the words around it.
   */
  readonly place: string;
  /**
   * Whether it is called an id, or is the address of what was created. References, numbers and codes may be something
   * else.
   */
  readonly isCertainName: boolean;
  /** Whether it can be taken for the name of the request even in an answer of a service that is not known yet. */
  readonly isTelling: boolean;
}

/** Returns the identifiers by name, as they are kept. Of two with one name, the second has its path as its name. */
function identifiersOf(found: readonly FoundIdentifier[]): Identifiers {
  const ids: Record<string, string> = {};
  for (const { name, text } of found) ids[name] = text;
  return ids;
}

/** Returns the identifiers that {@link findIdentifiers} finds, by name. */
export function readIdentifiers(answer: Answer, sent: Redactor): Identifiers {
  return identifiersOf(findIdentifiers(answer, sent, ''));
}

/**
 * Finds the identifiers in an answer whose shape is not described: every scalar whose name is or ends in id, uuid,
 * reference, number or code. Without one, the identifier is the last part of `Location`, or the only token of a short
 * plain text. Values that merely repeat what was sent are not identifiers. `path` is that of the operation that was
 * called.
 */
function findIdentifiers(answer: Answer, sent: Redactor, path: string): readonly FoundIdentifier[] {
  const found: FoundIdentifier[] = [];
  const taken = new Map<string, string>();
  for (const member of members(answerValue(answer))) {
    const text = identifierText(member, sent);
    if (text === null || isResultCode(member, text)) continue;
    const name = taken.has(member.name) && taken.get(member.name) !== text ? member.path : member.name;
    taken.set(name, text);
    const place = /\d/.test(member.path) ? member.path.replace(/(^|\.)\d+(?=\.|$)/g, '$1*') : member.path;
    const isCertainName = /^(?:id|uuid|guid)$/.test(member.words.at(-1) ?? '');
    found.push({ name, text, place, isCertainName, isTelling: true });
  }
  return found.length > 0 ? found : [...fromPlainText(answer, sent), ...fromLocation(answer, sent, path)];
}

function identifierText(member: AnswerMember, sent: Redactor): string | null {
  const { value } = member;
  return isIdentifyingName(member.words) && mayIdentify(value) && !sent.repeatsSent(value) ? value : null;
}

/** Tells whether a value may identify something. A word of failure does not. */
function mayIdentify(value: AnswerValue): value is string {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || NOT_AN_IDENTIFIER.test(value)) return false;
  return /\d/.test(value) || !mentionsFailure(value);
}

/** Matches the values that services write where they have no identifier. */
const NOT_AN_IDENTIFIER = /^\s*(?:|0|-\d+|null|none|nil|undefined|nan|n\/a|false|true|[0-]+)\s*$/i;

/**
 * Tells whether a value is a result code. A bare `code` of up to three digits tells the outcome (`200`, `0`) instead of
 * naming the request.
 */
function isResultCode({ name }: AnswerMember, text: string): boolean {
  return /^code$/i.test(name) && /^-?\d{1,3}$/.test(text);
}

function fromLocation(answer: Answer, sent: Redactor, path: string): FoundIdentifier[] {
  const location = answer.headers['location'];
  if (!location || location.length > MAX_LENGTH * 2 || sent.repeatsSent(location)) return [];
  const bare = location.split(/[?#]/)[0] ?? '';
  const last = bare.split('/').filter(Boolean).at(-1) ?? '';
  const place = `Location ${bare.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[^/]*\d[^/]*/g, '#')}`;
  const isTelling =
    (answer.status === 201 || answer.status === 202) &&
    /\d/.test(last) &&
    liesBelow(bare, path) &&
    !mentionsFailure(bare);
  const whole = { name: 'location', text: location, place, isCertainName: isTelling, isTelling };
  return /\d/.test(last) ? [{ ...whole, name: 'id', text: last }, whole] : [whole];
}

/**
 * Tells whether an address is that of a resource that a create at `path` makes: `/v1/request/4711` for
 * `/v1/request/create`.
 */
function liesBelow(address: string, path: string): boolean {
  const target = address.replace(/^[a-z]+:\/\/[^/]*/i, '');
  const parents = [path, path.slice(0, path.lastIndexOf('/'))].filter((each) => each !== '');
  return target.startsWith('/') ? parents.some((each) => target.includes(`${each}/`)) : !target.includes('..');
}

/** Matches words by which a plain text says that a number in it names what was created. */
const NAMING_WORDS =
  /\b(?:id|ids|uuid|ref|reference|referencia|referenz|referenznummer|requests?|order|lead|job|ticket|number|no|nr|num|numero|nummer|code|created|accepted|received|registered|pedido|solicitud|anfrage|auftrag|demande|richiesta|criado|creado|erstellt|cree|creato)\b/i;

function fromPlainText(answer: Answer, sent: Redactor): FoundIdentifier[] {
  const text = withoutProlog(plainWords(answer) ?? '');
  if (text.length > MAX_LENGTH) return [];
  const tokens = text.split(/[\s,;:=#"'()<>]+/).map((each) => each.replace(/[.!?]+$/, ''));
  const [token, ...others] = tokens.filter(
    (each) => /\d/.test(each) && !sent.repeatsSent(each) && !sent.isSentWord(each),
  );
  if (token === undefined || others.length > 0 || NOT_AN_IDENTIFIER.test(token)) return [];
  const isAlone = token.length === text.trim().length;
  // A single number of three digits tells the outcome instead of naming the request.
  const isNamed = isAlone ? !/^-?\d{1,3}$/.test(token) : NAMING_WORDS.test(foldedWords(text));
  const isData = /json/i.test(answer.headers['content-type'] ?? '') && answerValue(answer) === undefined;
  const isTelling = isNamed && !isData && !mentionsFailure(text);
  return [{ name: 'id', text: token, place: wordsForm(text, sent), isCertainName: true, isTelling }];
}
