import {
  DUPLICATE_FLAG,
  DUPLICATES,
  duplicateStatement,
  EXISTS_FLAG,
  saysClear,
  UNIQUE_FLAG,
} from '../../request/words/duplicate-words.ts';
import { isIdentifyingName, nameWords } from '../../request/words/names.ts';
import type { Confidence, CreateOperation, VerdictRule } from '../version-1/contract.ts';
import { type AnswerPlace, type DescribedAnswer, isRefusalAnswer, isSuccessAnswer } from './answers.ts';
import { singular } from './field-words.ts';

/** Matches the names of parts of an answer that are about something other than the request. */
const ABOUT_ANOTHER =
  /^(?:links?|users?|account|client|customer|contact|person|partner|categor(?:y|ies)|location|country|meta|included|relationships)$/;
/** Matches the names of parts that are about earlier requests or about errors. */
const ABOUT_EARLIER = /^(?:errors?|duplicates?|matches)$/;
/**
 * Returns the places in the answers of create that identify what was created. For a create at `/contacts`, `contact_id`
 * identifies the created contact. For any other path, it may be the id of a contact that existed before.
 */
export function identifierPlaces(answers: readonly DescribedAnswer[], path: string): CreateOperation['identifiers'] {
  const created = createdThing(path);
  const places = answers.filter(isSuccessAnswer).flatMap((answer) => answer.places);
  const named = places.filter((place) => isIdentifier(place, created));
  const telling = named.filter(({ words }) => words.join('') !== 'code');
  const kept = telling.length > 0 ? telling : named;
  const names = kept.map(({ path }) => path.findLast((name) => name !== '*') ?? 'id');
  return [...new Map(kept.map((place, index) => [place.pointer, index])).values()].flatMap((index) => {
    const place = kept[index];
    const name = names[index] ?? 'id';
    const isAlone = names.filter((each) => each === name).length === 1;
    return place === undefined ? [] : [{ name: isAlone ? name : place.path.join('.'), pointer: place.pointer }];
  });
}

/** Returns the words for what a create makes, in singular and plural. They are taken from the last name of its path. */
function createdThing(path: string): ReadonlySet<string> {
  const last = path.split('/').findLast((name) => /^[a-z]/i.test(name)) ?? '';
  return new Set(nameWords(last).flatMap((word) => [word, singular(word)]));
}

/** Tells whether a part of an answer is about something other than the request: `customer`, `contactMethods`. */
function isAboutAnother(name: string, created: ReadonlySet<string>): boolean {
  const words = nameWords(name);
  const isOfAnother = words.some((word) => ABOUT_ANOTHER.test(word) && !created.has(word));
  // What is created may itself be called a request.
  return isOfAnother && !words.some((word) => OF_REQUEST.test(word));
}

const OF_REQUEST = /^(?:requests?|leads?|orders?|jobs?|tickets?|enquir(?:y|ies)|inquir(?:y|ies))$/;

function isIdentifier({ words, path, types }: AnswerPlace, created: ReadonlySet<string>): boolean {
  const around = path.slice(0, -1).filter((name) => name !== '*');
  if (
    around.some((name) => isAboutAnother(name, created) || ABOUT_EARLIER.test(name.toLowerCase())) ||
    types.some((type) => /object|array|boolean/.test(type))
  ) {
    return false;
  }
  return isIdentifyingName(words.filter((word) => !created.has(word)));
}

const TELLING = [
  /^(?:detail|details)$/,
  /^(?:msg|message|defaultmessage|errordescription|description|errormessage)$/,
  /^(?:title|reason|error|errors|text)$/,
];

/**
 * Returns the places where refusals give their reason: one for the answer as a whole, and one within a list or an
 * object of reasons.
 */
export function errorTextPlaces(answers: readonly DescribedAnswer[]): { pointers: string[]; where: string } {
  const usual = [...answers.filter(isRefusalAnswer)].sort((a, b) => preference(a.status) - preference(b.status));
  const answer = usual.find(({ places }) => places.length > 0);
  if (answer === undefined) return { pointers: [], where: '' };
  const texts = answer.places.filter(({ types, values }) =>
    types.length > 0 ? types.includes('string') : values.some((each) => typeof each === 'string'),
  );
  const of = (isWithin: boolean) => {
    const places = texts.filter(({ path }) => path.includes('*') === isWithin);
    return TELLING.map((pattern) => places.find(({ words }) => pattern.test(words.join('')))).find(Boolean)?.pointer;
  };
  return { pointers: [of(false), of(true)].flatMap((each) => each ?? []), where: answer.pointer };
}

/** Ranks refusals. Those about the data come before those about the caller and the rate. */
const preference = (status: number): number =>
  [422, 400, 409].indexOf(status) + 1 || (status === 401 || status === 429 ? 9 : 5);

/** A rule with its place and its confidence. */
export interface FoundRule {
  readonly rule: VerdictRule;
  readonly where: string;
  readonly confidence: Confidence;
  readonly why: string;
}

/** Matches names for a person's data. An e-mail address that exists is a valid one, not a duplicate. */
const ABOUT_DATA = /^(?:address|city|phone|mobile|e?mail)$/;
/** Matches words that mean a duplicate only if they are the whole text. */
const BARE_DUPLICATE =
  /^(?:already[ _-]?)?(?:exists?|existing|repeated|known|existe|existente|existiert|vorhanden|existant|esiste|esistente|repetid[oa]|wiederholt|ripetut[oa])$/i;
/** Matches further names of flags that are true for something that exists. */
const EXISTING_FLAG = /^(?:is|has)?(?:exists|existing|existente|existant|esistente|vorhanden)$/;
/** Matches the beginning of a flag that may also be true for a request that is no duplicate. */
const POSSIBLE = /^(?:possible|potential|possivel|posible|mogliche?|possibile)/;
/** Matches further names of flags that are true for a request that is no duplicate. */
const CLEAR_FLAG = /^(?:is)?(?:new|clear|nuev[oa]|nov[oa]|neu|nouveau|nouvelle|nuov[oa])$/;
/**
 * Matches flags of validity. `success` and `ok` are left out, because they may be about the call alone, and a verdict
 * of clear can let a request be sent again.
 */
const VALID_FLAG = /^(?:is)?valid$/;
const DUPLICATE_LIST = /^(?:possible|potential|existing|similar)?(?:duplicates?(?:ids|requests|of)?|existing|similar)$/;

/** Returns the rules by which the answers of validate show a duplicate, first by status, then by body. */
export function verdictRules(answers: readonly DescribedAnswer[]): FoundRule[] {
  const told = answers.flatMap((answer) => [...conflictRules(answer), ...bareStatusRule(answer)]);
  const inBody = answers.filter(isSuccessAnswer).flatMap((answer) => bodyRules(answer));
  const strongest = inBody.filter(({ confidence }) => confidence === best(inBody));
  if (strongest.length > 0) return [...told, ...strongest.slice(0, 1)];
  const isTold = told.some(
    ({ rule }) => rule.kind === 'value' || (rule.kind === 'status' && rule.verdict === 'duplicate'),
  );
  const clear = answers.filter(isSuccessAnswer).map(
    ({ status, pointer }): FoundRule => ({
      rule: { kind: 'status', status, verdict: 'clear' },
      where: pointer,
      confidence: 'likely',
      why: 'a duplicate is told by another status',
    }),
  );
  return isTold ? [...told, ...clear] : told;
}

function best(rules: readonly FoundRule[]): Confidence | undefined {
  return (['certain', 'likely', 'weak'] as const).find((each) => rules.some(({ confidence }) => confidence === each));
}

const isConflict = ({ status }: DescribedAnswer): boolean => status === 409 || status === 208;

/** Returns the rules for 409 and 208. If such a status has several meanings, the codes in its body decide. */
function conflictRules(answer: DescribedAnswer, created?: ReadonlySet<string>): FoundRule[] {
  const { status, description, pointer, places } = answer;
  if (!isConflict(answer)) return [];
  const always = (confidence: Confidence, why: string): FoundRule[] => [
    { rule: { kind: 'status', status, verdict: 'duplicate' }, where: pointer, confidence, why },
  ];
  const meansDuplicate = (text: string) => duplicateStatement(text, created) === 'yes';
  const codes = places.filter((place) => textsOf(place).length > 0);
  const [coded] = codes.filter((place) => textsOf(place).some(meansDuplicate));
  const said = duplicateStatement(description, created);
  if (coded !== undefined) {
    if (!textsOf(coded).every(meansDuplicate)) return codeRule(coded, pointer, created);
    if (coded.isEnum) return always('certain', 'all its codes say so');
    return said === 'yes' ? always('certain', 'its description says so') : codeRule(coded, pointer, created);
  }
  if (said === null || said === 'no' || said === 'another') return [];
  const otherCodes = codes.some(
    ({ words, isEnum }) => isEnum && /^(?:code|error|reason|type)$/.test(words.at(-1) ?? ''),
  );
  return said === 'yes' && !otherCodes
    ? always('certain', 'its description says so')
    : always('weak', 'its description says so, and speaks of something else besides');
}

/**
 * Returns the rule that a status implies by itself. 409 and 208 without any text usually mean a duplicate, and the
 * description of a 404 may say that there is none.
 */
function bareStatusRule(answer: DescribedAnswer): FoundRule[] {
  const { status, description, pointer, places } = answer;
  const rule = (verdict: 'clear' | 'duplicate', confidence: Confidence, why: string): FoundRule[] => [
    { rule: { kind: 'status', status, verdict }, where: pointer, confidence, why },
  ];
  const isBare = SAYS_NOTHING.test(description.trim()) && places.every((place) => textsOf(place).length === 0);
  if (isConflict(answer) && isBare) {
    return rule('duplicate', status === 208 ? 'likely' : 'weak', `HTTP ${status} usually means so`);
  }
  if (status === 404 && saysNoDuplicate(description)) {
    return rule('clear', 'likely', 'its description says so');
  }
  return [];
}

const saysNoDuplicate = (description: string): boolean =>
  duplicateStatement(description) === 'no' || /\b(?:no|not)\b.{0,40}\b(?:match|seen)/i.test(description);

const SAYS_NOTHING = /^(?:(?:http )?\d{3}[ :-]*)?(?:conflict|already reported|error|ok|response)?\.?$/i;

function bodyRules({ places, pointer }: DescribedAnswer): FoundRule[] {
  return places.flatMap((place): FoundRule[] => {
    const found = placeRule(place);
    return found === null ? [] : [{ ...found, where: pointer }];
  });
}

/** Returns the texts that a place can hold, according to the schema or the examples. */
const textsOf = ({ values }: AnswerPlace): string[] =>
  values.filter((each): each is string => typeof each === 'string');

function placeRule(place: AnswerPlace): Omit<FoundRule, 'where'> | null {
  const { pointer, path, words, types, values, isEnum } = place;
  const name = words.join('');
  if (path.slice(0, -1).some((part) => nameWords(part).some((word) => ABOUT_ANOTHER.test(word)))) return null;
  const isFlag = types.includes('boolean') || (values.length > 0 && values.every((each) => typeof each === 'boolean'));
  if (isFlag) return flagRule(place, name);
  if (types.includes('array')) {
    if (!DUPLICATE_LIST.test(name) && !DUPLICATES.test(name)) return null;
    return { rule: { kind: 'list', pointer }, confidence: 'likely', why: 'a list of what was found' };
  }
  const texts = textsOf(place);
  const duplicate = texts.filter((text) => duplicateStatement(text) === 'yes' || BARE_DUPLICATE.test(text));
  const clear = texts.filter((text) => !duplicate.includes(text) && saysClear(text));
  if (duplicate.length === 0 || texts.some((text) => text.length > MAX_CODE)) return null;
  const confidence = isEnum && clear.length > 0 ? 'certain' : clear.length > 0 ? 'likely' : 'weak';
  const why = isEnum ? 'one of its values says so' : 'an example says so';
  return { rule: { kind: 'value', pointer, duplicate, clear }, confidence, why };
}

const MAX_CODE = 60;
function flagRule({ pointer, path, description }: AnswerPlace, name: string): Omit<FoundRule, 'where'> | null {
  const rule = (whenTrue: 'duplicate' | 'clear'): VerdictRule => ({
    ...{ kind: 'value', pointer },
    duplicate: [String(whenTrue === 'duplicate')],
    clear: [String(whenTrue === 'clear')],
  });
  if (path.slice(0, -1).some((part) => nameWords(part).some((word) => ABOUT_DATA.test(word)))) return null;
  if (DUPLICATE_FLAG.test(name)) return { rule: rule('duplicate'), confidence: 'certain', why: 'a flag of this name' };
  if (DUPLICATE_FLAG.test(name.replace(POSSIBLE, '')))
    return { rule: rule('duplicate'), confidence: 'weak', why: 'what is possible need not be so' };
  if (EXISTS_FLAG.test(name) || EXISTING_FLAG.test(name)) {
    const isTop = path.length === 1;
    const why = isTop ? 'a flag of this name' : 'what exists may be something else';
    return { rule: rule('duplicate'), confidence: isTop ? 'likely' : 'weak', why };
  }
  if (UNIQUE_FLAG.test(name) || CLEAR_FLAG.test(name))
    return { rule: rule('clear'), confidence: 'likely', why: 'a flag of this name' };
  if (!VALID_FLAG.test(name)) return null;
  const speaks = duplicateStatement(description) !== null || /already|exist|repeat/i.test(description);
  return { rule: rule('clear'), confidence: speaks ? 'likely' : 'weak', why: 'it may speak of the data alone' };
}

/** Returns the rules by which create itself shows a duplicate: a status that says so, or a code of its refusals. */
export function duplicateRules(answers: readonly DescribedAnswer[], path: string): FoundRule[] {
  const created = createdThing(path);
  const isOne = (text: string) => duplicateStatement(text, created) === 'yes';
  const told = answers
    .filter((answer) => isRefusalAnswer(answer) && !isConflict(answer))
    .flatMap(({ places, pointer }) =>
      places.flatMap((place) => (place.isEnum && textsOf(place).some(isOne) ? codeRule(place, pointer, created) : [])),
    );
  return [...answers.flatMap((answer) => conflictRules(answer, created)), ...told];
}

function codeRule(place: AnswerPlace, where: string, created?: ReadonlySet<string>): FoundRule[] {
  const duplicate = textsOf(place).filter((text) => duplicateStatement(text, created) === 'yes');
  const rule: VerdictRule = { kind: 'value', pointer: place.pointer, duplicate, clear: [] };
  const why = place.isEnum ? 'one of its codes says so' : 'an example says so';
  return [{ rule, where, confidence: 'likely', why }];
}
