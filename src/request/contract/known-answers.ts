import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { isSuccess } from '../log/outcome.ts';
import type { ReadOnly } from './contract-schema.ts';

/** Maximum number of values that are kept of one place. A place with more never matches a new one. */
const MAX_VALUES = 50;

const count = z.int().check(z.nonnegative());
const pathSchema = z.object({
  values: z.array(z.string().check(z.maxLength(300))).check(z.maxLength(MAX_VALUES)),
  /** Number of answers that had this path. */
  count,
});

/**
 * What proven answers of one meaning have looked like. `paths` maps each place of the answer to the values that were
 * seen there. Values hold no personal data: sent words are replaced, and the digits of sentences and times.
 */
const formSchema = z.object({
  operation: z.enum(['create', 'validate']),
  /** What an answer of the form means. An `open` form is one whose meaning nobody knows yet. */
  means: z.enum(['taken', 'refused', 'clear', 'duplicate', 'open']),
  /** What has shown the meaning: an experiment with validate, the API description, a person, or only that it was a 201. */
  by: z.enum(['experiment', 'document', 'person', 'status']),
  status: z.int(),
  /** Media type in lower case, without parameters, or empty. */
  type: z.string(),
  paths: z.record(z.string(), pathSchema),
  /** Number of answers that were compared with this form. */
  count,
  /** The first answer of this form, as it may be shown. */
  text: z.string(),
  /** Whether an identifier that no other request has is the proof, whatever stands beside it. Only a person says so. */
  byIdentifier: z.boolean(),
  /** Time of the last change, as wall-clock milliseconds. */
  atMs: z.number(),
});

/**
 * What is known about the answers of one service, for one client under one contract. srq learns it by experiment, from
 * the contract or from a person, and only ever compares with it.
 */
export const knownAnswersSchema = z.object({
  forms: z.array(formSchema),
  /** Places of answers to create that are named like an identifier and have had the same value for two requests. */
  shared: z.array(z.string()),
  /** Digests of the last identifiers, each with the key of its request. */
  identifiers: z.array(z.object({ digest: z.string(), key: z.string() })),
  /** Number of experiments in which validate told a created request from one that cannot exist. */
  experiments: count,
});

export type KnownPath = ReadOnly<z.infer<typeof pathSchema>>;
export type KnownForm = ReadOnly<z.infer<typeof formSchema>>;
export type KnownAnswers = ReadOnly<z.infer<typeof knownAnswersSchema>>;
export type AnsweredOperation = KnownForm['operation'];
export type FormMeaning = KnownForm['means'];
export type ProvenBy = KnownForm['by'];

export const NOTHING_KNOWN: KnownAnswers = { forms: [], shared: [], identifiers: [], experiments: 0 };

const MAX_FORMS = 50;
const MAX_SHARED = 20;
const MAX_IDENTIFIERS = 200;

/** Tells whether it is known how the service answers when it has taken a request. */
export function isFamiliar({ forms }: KnownAnswers): boolean {
  return forms.some(({ operation, means }) => operation === 'create' && means === 'taken');
}

/** Tells whether a success waits for its meaning, or only a person could say that it means a creation. Validate has not shown it. */
export function hasHiddenSuccess({ forms }: KnownAnswers): boolean {
  return forms.some(
    ({ operation, status, means, by }) =>
      operation === 'create' && isSuccess(status) && (means === 'open' || (means === 'taken' && by === 'person')),
  );
}

/** Tells whether two forms are kept as one. */
function isSameForm(one: KnownForm, other: KnownForm): boolean {
  const isAlike = one.operation === other.operation && one.status === other.status && one.type === other.type;
  if (!isAlike || isSaid(one) !== isSaid(other)) return false;
  if (isSaid(one)) return one.byIdentifier === other.byIdentifier && isSameSaid(one, other);
  return one.means === other.means && one.by === other.by && areOfOneShape(one, other);
}

/**
 * What a person said of a form is kept by its exact values, as what was shown of it may be the same sooner. Statements about what
 * is shown alike and differs in numbers alone are one: once there are enough of them, those numbers mean nothing. In a refusal
 * without a word a number may be what says so.
 */
function isSameSaid(one: KnownForm, other: KnownForm): boolean {
  const isEqual = (seen: KnownPath, also: KnownPath) => isDeepStrictEqual(seen.values, also.values);
  if (isAtAllPlaces(isEqual, one, other)) return true;
  if (one.byIdentifier) return false;
  if (one.by === 'person' && other.by === 'person') {
    const isAlike = one.means === other.means && one.text === other.text && (one.means === 'taken' || hasWord(one));
    const isClose = (seen: KnownPath, also: KnownPath) => isEqual(seen, also) || (isNumbered(seen) && isNumbered(also));
    return isAlike && isAtAllPlaces(isClose, one, other);
  }
  // A form that waited for its meaning.
  const isSeen = (seen: KnownPath, { values }: KnownPath) =>
    values.every((value) => seen.values.includes(value) || isOpenTo(seen, value));
  return one.by === 'person'
    ? isAtAllPlaces(isSeen, one, other)
    : other.by === 'person' && isAtAllPlaces(isSeen, other, one);
}

function isAtAllPlaces(
  is: (seen: KnownPath, also: KnownPath) => boolean,
  one: KnownForm,
  { paths }: KnownForm,
): boolean {
  const isThere = ([place, seen]: [string, KnownPath]) => {
    const also = paths[place];
    return also !== undefined && is(seen, also);
  };
  return Object.keys(one.paths).length === Object.keys(paths).length && Object.entries(one.paths).every(isThere);
}

/** Tells whether a place has shown only numbers, and words with digits. */
function isNumbered({ values }: KnownPath): boolean {
  return values.every((value) => /^\*(?:number|token)(?: |$)/.test(value) || /^(?:number|token)$/.test(kindOf(value)));
}

const hasWord = ({ paths }: KnownForm): boolean =>
  Object.values(paths).some(({ values }) =>
    values.some((value) => /^(?:text|sentence|true|false)$/.test(kindOf(value)) && !/#|^sent$/.test(value)),
  );

/**
 * Tells whether two forms have most places in common. A service that says one thing in two ways has two forms: merged, they
 * would let an answer pass that lacks what each of them always has.
 */
function areOfOneShape(one: KnownForm, other: KnownForm): boolean {
  const [places, others] = [one, other].map(({ paths }) => Object.keys(paths).filter((path) => path !== ''));
  const common = places?.filter((path) => others?.includes(path)).length ?? 0;
  const least = Math.min(places?.length ?? 0, others?.length ?? 0);
  return common * 2 > least || (places?.length === others?.length && least === 0);
}

/** Open forms and a person's statements are kept one by one; what was proven by comparison is kept by its meaning. */
const isSaid = ({ by, means }: KnownForm) => by === 'person' || means === 'open';

/** Adds what an answer has shown. A form that waited for its meaning ends once a person has given it. */
export function withForm(known: KnownAnswers, added: KnownForm, countOf = sum): KnownAnswers {
  const same = known.forms.filter((each) => isSameForm(each, added));
  const before = isSaid(added) ? same : same.slice(0, 1);
  const now = before.reduce((form, each) => mergedForm(each, form, countOf), added);
  const forms = [...known.forms.filter((each) => !before.includes(each)), now];
  return { ...known, forms: forms.length > MAX_FORMS ? withoutOldest(forms) : forms };
}

/** Merges two states of one form. A person's word counts more than an open form, and else the newer one. */
function mergedForm(one: KnownForm, other: KnownForm, countOf: (one: number, other: number) => number): KnownForm {
  const [older, newer] = one.atMs <= other.atMs ? [one, other] : [other, one];
  const isWaiting = (form: KnownForm) => form.by !== 'person';
  if (isSaid(one) && (isWaiting(one) || isWaiting(other) || one.means !== other.means))
    return isWaiting(newer) && !isWaiting(older) ? older : newer;
  const paths = mergedPaths(older.paths, newer.paths, countOf, isSaid(one) ? OPEN_SAID : OPEN_VALUES);
  return { ...newer, paths, text: older.text, count: countOf(older.count, newer.count) };
}

/** Adds what some answers have shown at each place to what others have. */
export function mergedPaths(
  one: KnownForm['paths'],
  other: KnownForm['paths'],
  countOf = sum,
  least = OPEN_VALUES,
): KnownForm['paths'] {
  const paths: Record<string, KnownPath> = { ...one };
  for (const [path, { values, count }] of Object.entries(other)) {
    const known = paths[path];
    paths[path] = opened([...(known?.values ?? []), ...values], countOf(known?.count ?? 0, count), least);
  }
  return paths;
}

const sum = (one: number, other: number) => one + other;

/** Number of different values from which a place may be open, and in answers that a person has explained one by one. */
const OPEN_VALUES = 8;
const OPEN_SAID = 3;
/** Share of the answers that had a value of their own at an open place. */
const OPEN_SHARE = 0.8;
export const OPEN = '*';

/**
 * Returns what a place has shown. One with a different value nearly every time, as a time or a counter has, is open from then
 * on: it keeps each kind that most values had, with the words that all of them had, as in `/leads/4711` or `faro-accepted`.
 */
function opened(all: readonly string[], count: number, least: number): KnownPath {
  const values = [...new Set(all)].slice(0, MAX_VALUES);
  // A sentence says what it says, however many there are.
  const single = values.filter((value) => !value.startsWith(OPEN) && kindOf(value) !== 'sentence');
  if (single.length < least || single.length < OPEN_SHARE * count) return { values, count };
  const open = [...new Set(single.map(kindOf))].flatMap((kind) => {
    const [first = '', ...more] = single.filter((value) => kindOf(value) === kind);
    const common = wordsOf(first).filter((word) => more.every((each) => wordsOf(each).includes(word)));
    return more.length + 1 < least ? [] : [OPEN + [kind, ...common].join(' ')];
  });
  const kinds = [...new Set([...values.filter((value) => value.startsWith(OPEN)), ...open])];
  const isLeft = (value: string) => !value.startsWith(OPEN) && !isOpenTo({ values: kinds }, value);
  return { values: [...kinds, ...values.filter(isLeft)], count };
}

/** The words in a text without blanks, and its short numbers, which may be codes. Single letters are those of a random text. */
const wordsOf = (value: string): readonly string[] => value.match(/\p{L}{2,}|(?<!\d)\d{1,3}(?!\d)/gu) ?? [];

/** Tells whether a place is open to a value. See {@link opened}. */
export function isOpenTo({ values }: Pick<KnownPath, 'values'>, value: string): boolean {
  const own = kindOf(value);
  return values.some((open) => {
    if (!open.startsWith(OPEN)) return false;
    const [kind, ...words] = open.slice(OPEN.length).split(' ');
    // A token may happen to have digits only.
    const isOfKind = kind === own || (kind === 'token' && own === 'number');
    return isOfKind && (words.length === 0 || words.every((word) => wordsOf(value).includes(word)));
  });
}

export const isOpen = ({ values }: KnownPath): boolean => values.some((value) => value.startsWith(OPEN));

export const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text);

/**
 * Returns what kind of value this is: a number or a word with digits (`token`), above zero, below, or zero, as in `0%`; a
 * word; a sentence; an identifier by its shape. Anything else is a kind of its own.
 */
export function kindOf(value: string): string {
  if (/^(?:null|true|false|\[\]|list|object|"")$/.test(value)) return value;
  if (value.startsWith('@')) return value.split(' ', 1)[0] ?? value;
  if (/[\s<]/.test(value)) return 'sentence';
  if (!/\d/.test(value)) return 'text';
  if (isNumber(value) ? Number(value) === 0 : !/[1-9]/.test(value)) return '0';
  return /^[-−]\d/.test(value) ? 'negative' : isNumber(value) ? 'number' : 'token';
}

function withoutOldest(forms: readonly KnownForm[]): readonly KnownForm[] {
  const waiting = forms.filter(({ means }) => means === 'open');
  const ofMachine = forms.filter(({ by }) => by !== 'person');
  const some = [waiting, ofMachine].find(({ length }) => length > 0) ?? forms;
  const [oldest] = some.toSorted((one, other) => one.atMs - other.atMs);
  return forms.filter((each) => each !== oldest);
}

/** Adds a place whose value two requests had in common. */
export function withShared(known: KnownAnswers, place: string): KnownAnswers {
  if (known.shared.includes(place)) return known;
  return { ...known, shared: [...known.shared, place].slice(-MAX_SHARED) };
}

/** Adds identifiers that requests got, with their keys, the newest last. */
export function withIdentifiers(known: KnownAnswers, added: KnownAnswers['identifiers']): KnownAnswers {
  const keys = new Map<string, string>();
  for (const { digest, key } of [...known.identifiers, ...added]) {
    keys.delete(digest);
    keys.set(digest, key);
  }
  const last = [...keys].slice(-MAX_IDENTIFIERS);
  return { ...known, identifiers: last.map(([digest, key]) => ({ digest, key })) };
}

/**
 * Merges what is stored with what a process has found. A person's word stays, and the newer of two counts. Answers that
 * both know are not counted twice.
 */
export function mergeKnownAnswers(stored: KnownAnswers, own: KnownAnswers): KnownAnswers {
  let merged = stored;
  for (const form of own.forms) merged = withForm(merged, form, Math.max);
  for (const place of own.shared) merged = withShared(merged, place);
  merged = withIdentifiers(merged, own.identifiers);
  return { ...merged, experiments: Math.max(stored.experiments, own.experiments) };
}
