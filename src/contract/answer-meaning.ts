import type { Confidence, CreateOperation, Json, VerdictRule } from '../model/contract.ts';
import { isIdentifyingName } from '../model/identifying-name.ts';
import type { AnswerPlace, DescribedAnswer } from './answers.ts';
import { scalarOf } from './json-parts.ts';

/** A rule with where it stands and how sure it is. */
export interface FoundRule {
  readonly rule: VerdictRule;
  readonly where: string;
  readonly confidence: Confidence;
  readonly why: string;
}

/** Parts of an answer that speak of something else than the request. */
const FOREIGN =
  /^(?:errors?|links?|users?|account|client|customer|contact|person|partner|categor(?:y|ies)|location|country|meta|included|relationships|duplicates?|matches)$/;
const SAYS_DUPLICATE = /duplicat|already|exist|repeat|seen before/i;
const SAYS_OTHERWISE = /(?:^|[\W_])(?:no|not|non|un|never|without)(?:$|[\W_])|nonexist|inexist|unique/i;
const SAYS_CLEAR = /unique|new|clear|none|\bok\b|free|fresh|first|pass|accept|(?:^|[\W_])(?:no|not)(?:$|[\W_])/i;
const DUPLICATE_FLAG =
  /^(?:is|has|possible|potential)?(?:duplicate|duplicated|duplicates|exists|alreadyexists|existing)$/;
const UNIQUE_FLAG = /^(?:is)?(?:unique|new|clear)$/;
const VALID_FLAG = /^(?:is)?(?:valid|ok|success)$/;
const DUPLICATE_LIST =
  /^(?:possible|potential|existing|similar)?(?:duplicates?(?:ids|requests|of)?|matches|existing|similar)$/;

const succeeded = ({ status }: DescribedAnswer): boolean => status >= 200 && status < 300 && status !== 208;
const refused = ({ status }: DescribedAnswer): boolean => status >= 400 && status < 500;

/** What names the created request in the answers of create. */
export function identifierPlaces(answers: readonly DescribedAnswer[]): CreateOperation['identifiers'] {
  const places = answers.filter(succeeded).flatMap((answer) => answer.places);
  const named = places.filter(isIdentifier);
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

function isIdentifier({ words, path, types }: AnswerPlace): boolean {
  const around = path.slice(0, -1).filter((name) => name !== '*');
  if (
    around.some((name) => FOREIGN.test(name.toLowerCase())) ||
    types.some((type) => /object|array|boolean/.test(type))
  ) {
    return false;
  }
  return isIdentifyingName(words);
}

/** How the answers of validate tell a duplicate: by status, then by their body. */
export function verdictRules(answers: readonly DescribedAnswer[]): FoundRule[] {
  const byStatus = answers.flatMap(statusRule);
  const inBody = answers.filter(succeeded).flatMap((answer) => bodyRules(answer));
  const strongest = inBody.filter(({ confidence }) => confidence === best(inBody));
  if (strongest.length > 0) return [...byStatus, ...strongest.slice(0, 1)];
  const isTold = byStatus.some(({ rule }) => rule.kind === 'status' && rule.verdict === 'duplicate');
  const clear = answers.filter(succeeded).map(
    ({ status, pointer }): FoundRule => ({
      rule: { kind: 'status', status, verdict: 'clear' },
      where: pointer,
      confidence: 'likely',
      why: 'a duplicate is told by another status',
    }),
  );
  return isTold ? [...byStatus, ...clear] : byStatus;
}

function best(rules: readonly FoundRule[]): Confidence | undefined {
  return (['certain', 'likely', 'weak'] as const).find((each) => rules.some(({ confidence }) => confidence === each));
}

function statusRule(answer: DescribedAnswer): FoundRule[] {
  const { status, description, pointer } = answer;
  const rule = (verdict: 'clear' | 'duplicate', confidence: Confidence, why: string): FoundRule[] => [
    { rule: { kind: 'status', status, verdict }, where: pointer, confidence, why },
  ];
  if (status === 409 || status === 208) {
    return saysDuplicate(answer)
      ? rule('duplicate', 'certain', 'its description says so')
      : rule('duplicate', status === 208 ? 'likely' : 'weak', `HTTP ${status} usually means so`);
  }
  if (status === 404 && /\b(?:no|not)\b.{0,40}(?:duplicate|match|seen|request)/i.test(description)) {
    return rule('clear', 'likely', 'its description says so');
  }
  return [];
}

/** Whether the words or the examples of an answer speak of duplicates. */
function saysDuplicate({ description, sample, places }: DescribedAnswer): boolean {
  const texts = [
    description,
    ...(sample === null ? [] : [JSON.stringify(sample.body)]),
    ...places.flatMap((each) => each.values.map(String)),
  ];
  return texts.some((text) => /duplicat|already (?:exists|submitted|created|received|sent)/i.test(text));
}

function bodyRules({ places, pointer }: DescribedAnswer): FoundRule[] {
  return places.flatMap((place): FoundRule[] => {
    const found = placeRule(place);
    return found === null ? [] : [{ ...found, where: pointer }];
  });
}

function placeRule(place: AnswerPlace): Omit<FoundRule, 'where'> | null {
  const { pointer, words, types, values, isEnum } = place;
  const name = words.join('');
  const isFlag = types.includes('boolean') || (values.length > 0 && values.every((each) => typeof each === 'boolean'));
  if (isFlag) return flagRule(place, name);
  if (types.includes('array')) {
    if (!DUPLICATE_LIST.test(name)) return null;
    return { rule: { kind: 'list', pointer }, confidence: 'likely', why: 'a list of what was found' };
  }
  const texts = values.filter((each): each is Exclude<Json, null> => typeof each === 'string').map(String);
  const duplicate = texts.filter(meansDuplicate);
  const clear = texts.filter((text) => !meansDuplicate(text) && SAYS_CLEAR.test(text));
  if (duplicate.length === 0 || texts.some((text) => text.length > 60)) return null;
  const confidence = isEnum && clear.length > 0 ? 'certain' : clear.length > 0 ? 'likely' : 'weak';
  const why = isEnum ? 'one of its values says so' : 'an example says so';
  return { rule: { kind: 'value', pointer, duplicate, clear }, confidence, why };
}

const meansDuplicate = (text: string): boolean => SAYS_DUPLICATE.test(text) && !SAYS_OTHERWISE.test(text);

function flagRule({ pointer, description }: AnswerPlace, name: string): Omit<FoundRule, 'where'> | null {
  const rule = (whenTrue: 'duplicate' | 'clear'): VerdictRule => ({
    ...{ kind: 'value', pointer },
    duplicate: [String(whenTrue === 'duplicate')],
    clear: [String(whenTrue === 'clear')],
  });
  if (DUPLICATE_FLAG.test(name)) return { rule: rule('duplicate'), confidence: 'certain', why: 'a flag of this name' };
  if (UNIQUE_FLAG.test(name)) return { rule: rule('clear'), confidence: 'likely', why: 'a flag of this name' };
  const speaks = SAYS_DUPLICATE.test(description);
  if (!VALID_FLAG.test(name) || (name !== 'valid' && name !== 'isvalid' && !speaks)) return null;
  return { rule: rule('clear'), confidence: speaks ? 'likely' : 'weak', why: 'it may speak of the data alone' };
}

/** How create itself tells a duplicate: by a status that says so, or a code among those of its refusals. */
export function duplicateRules(answers: readonly DescribedAnswer[]): FoundRule[] {
  const byStatus = answers
    .filter(({ status }) => status === 409 || status === 208)
    .filter(saysDuplicate)
    .flatMap(statusRule);
  const told = answers
    .filter((answer) => refused(answer) && answer.status !== 409)
    .flatMap(({ places, pointer }) =>
      places.flatMap((place): FoundRule[] => {
        const duplicate = place.isEnum
          ? place.values.flatMap((each) => scalarOf(each) ?? []).filter(meansDuplicate)
          : [];
        if (duplicate.length === 0 || place.types.includes('boolean')) return [];
        const rule: VerdictRule = { kind: 'value', pointer: place.pointer, duplicate, clear: [] };
        return [{ rule, where: pointer, confidence: 'likely', why: 'one of its codes says so' }];
      }),
    );
  return [...byStatus, ...told];
}

const TELLING = [
  /^(?:detail|details)$/,
  /^(?:msg|message|defaultmessage|errordescription|description|errormessage)$/,
  /^(?:title|reason|error|errors|text)$/,
];

/** Where the refusals say why: one place for the whole, one within a list or an object of them. */
export function errorTextPlaces(answers: readonly DescribedAnswer[]): { pointers: string[]; where: string } {
  const usual = [...answers.filter(refused)].sort((a, b) => preference(a.status) - preference(b.status));
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

/** Those that speak of the data before those that speak of who asks, and how often. */
const preference = (status: number): number =>
  [422, 400, 409].indexOf(status) + 1 || (status === 401 || status === 429 ? 9 : 5);
