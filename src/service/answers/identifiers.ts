import type { CreateOperation } from '../../request/contract.ts';
import { isIdentifyingName } from '../../request/names.ts';
import type { Identifiers } from '../../request/outcome.ts';
import type { Answer } from '../network/exchange.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { withoutProlog, wordsForm } from './answer-form.ts';
import { type AnswerMember, answerValue, members, plainWords, scalarsAt } from './answer-value.ts';
import { foldedWords, mentionsFailure } from './refusal-signs.ts';

const MAX_LENGTH = 200;

/**
 * Reads the identifiers from their documented places. If one name has several values, the later ones are numbered. The
 * result is empty if there are none.
 */
export function documentedIdentifiers(answer: Answer, places: CreateOperation['identifiers']): Identifiers {
  const ids: Record<string, string> = {};
  const value = places.length === 0 ? undefined : answerValue(answer);
  for (const { name, pointer } of places) {
    const texts = new Set(scalarsAt(value, pointer).filter((text) => text !== '' && text.length <= MAX_LENGTH));
    for (const [at, text] of [...texts].entries()) ids[at === 0 ? name : `${name}.${at + 1}`] = text;
  }
  return ids;
}

/** A value in an answer that may name the request. */
export interface FoundIdentifier {
  readonly name: string;
  readonly text: string;
  /**
   * Where the identifier stands, in a form that is the same for all requests: `data.id`, `*.request_id`,
   * `Location /v1/request/#`, or the words around it.
   */
  readonly place: string;
  /** Whether it is called an id. References, numbers and codes may be something else. */
  readonly isCertainName: boolean;
  /** Whether it can be taken for the name of the request even in an answer of a service that is not known yet. */
  readonly isTelling: boolean;
}

/** Returns the identifiers by name, as they are kept. Of two with one name, the second has its path as its name. */
export function identifiersOf(found: readonly FoundIdentifier[]): Identifiers {
  const ids: Record<string, string> = {};
  for (const { name, text } of found) ids[name] = text;
  return ids;
}

/** Returns the identifiers that {@link findIdentifiers} finds, by name. */
export function readIdentifiers(answer: Answer, sent: Redactor, path = ''): Identifiers {
  return identifiersOf(findIdentifiers(answer, sent, path));
}

/**
 * Finds the identifiers in an answer whose shape is not described: every scalar whose name is or ends in id, uuid,
 * reference, number or code. Without one, the identifier is the last part of `Location`, or the only token of a short
 * plain text. Values that merely repeat what was sent are not identifiers. `path` is that of the operation that was
 * called.
 */
export function findIdentifiers(answer: Answer, sent: Redactor, path: string): readonly FoundIdentifier[] {
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
  if (!isIdentifyingName(member.words)) return null;
  if (typeof member.value !== 'string') return null;
  if (member.value === '' || member.value.length > MAX_LENGTH || NOT_AN_IDENTIFIER.test(member.value)) return null;
  if (!/\d/.test(member.value) && mentionsFailure(member.value)) return null;
  return sent.repeatsSent(member.value) ? null : member.value;
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
  const whole = { name: 'location', text: location, place, isCertainName: false, isTelling };
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
  // A number of three digits that stands alone tells the outcome instead of naming the request.
  const isNamed = isAlone ? !/^-?\d{1,3}$/.test(token) : NAMING_WORDS.test(foldedWords(text));
  const isData = /json/i.test(answer.headers['content-type'] ?? '') && answerValue(answer) === undefined;
  const isTelling = isNamed && !isData && !mentionsFailure(text);
  return [{ name: 'id', text: token, place: wordsForm(text, sent), isCertainName: true, isTelling }];
}
