import { isField } from '../../request/lead/fields.ts';
import { parseLanguage, parseMarket } from '../../request/lead/markets.ts';
import { namesOfMediaType } from '../../request/lead/media-type.ts';
import { isPart } from '../../request/lead/parts.ts';
import { memoize } from '../../request/small.ts';
import { folded } from '../../request/words/names.ts';
import type { AllowedValue, Alternative, Operation, Parameter } from './contract.ts';

/** Maximum length of a text that is tested against a pattern. Longer ones are left to the service. */
export const MAX_PATTERN_TEXT_LENGTH = 10_000;

/** Maximum length of a number. No service takes a longer one, and parsing time grows with the square of the length. */
const MAX_NUMBER = 400;

interface ParameterRules {
  /** See {@link wireValue}. */
  readonly wire: (text: string) => string | null;
  readonly pattern: RegExp | null;
}

/** The rules derived from a parameter alone. They are memoized, because an import has tens of thousands of rows. */
const rulesOf = memoize(({ field, values, type, pattern }: Parameter): ParameterRules => {
  const meaning = values && meaningOf(field, values);
  const typed = (text: string) => typedText(type, text);
  return {
    wire: meaning ? (text) => meaning(text.trim()) ?? meaning(typed(text) ?? '') : typed,
    pattern: pattern === null ? null : compiled(pattern),
  };
});

/**
 * Converts what a person wrote to the text that goes on the wire: an allowed value by its value, its label or another
 * name of it, an integer in digits without an exponent, a boolean as `true` or `false`. Returns null if the service's
 * description does not allow the text.
 */
export function wireValue(parameter: Parameter, text: string): string | null {
  return rulesOf(parameter).wire(text);
}

/** Tells whether the document itself fixes the parameter's value, so that a request's own value does not count. */
export function isFixedByDocument({ constant, values }: Parameter): boolean {
  return constant !== null && values?.length === 1;
}

function typedText(type: Parameter['type'], text: string): string | null {
  switch (type) {
    case 'string':
      return text;
    case 'boolean':
      return BOOLEANS.get(text.trim().toLowerCase()) ?? null;
    case 'integer':
    case 'number':
      return numberText(type, text.trim());
  }
}

const BOOLEANS = new Map([
  ...['true', 'yes', '1'].map((word) => [word, 'true'] as const),
  ...['false', 'no', '0'].map((word) => [word, 'false'] as const),
]);

/** Formats a number as JSON does, without a plus or leading zeros. `12.0`, as spreadsheets save it, is an integer. */
function numberText(type: 'integer' | 'number', text: string): string | null {
  if (text.length > MAX_NUMBER) return null;
  const [, minus = '', whole = '', fraction = ''] = /^([+-]?)0*(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') return null;
  const decimals = fraction.replace(/0+$/, '');
  if (type === 'integer' && decimals !== '') return null;
  const digits = decimals === '' ? whole : `${whole}.${decimals}`;
  return minus === '-' && digits !== '0' ? `-${digits}` : digits;
}

/**
 * Checks a wire value against the parameter's bounds. Returns the problem as the end of a sentence that names the
 * field, or null if there is none.
 */
export function boundProblem(parameter: Parameter, wire: string): string | null {
  const { values, type, minLength, maxLength, minimum, maximum } = parameter;
  if (values !== null) return null;
  if (type === 'integer' || type === 'number') {
    if (minimum !== null && Number(wire) < minimum) return `is less than ${minimum}, the least that is allowed`;
    if (maximum !== null && Number(wire) > maximum) return `is more than ${maximum}, the most that is allowed`;
    return null;
  }
  // A code point is one or two UTF-16 units, so the length of most texts decides without counting.
  if (maxLength !== null && wire.length > maxLength && codePoints(wire) > maxLength)
    return `has ${codePoints(wire)} characters; at most ${maxLength} are allowed`;
  if (minLength !== null && wire.length < 2 * minLength && codePoints(wire) < minLength)
    return `has ${codePoints(wire)} characters; at least ${minLength} are needed`;
  const { pattern } = rulesOf(parameter);
  if (!pattern || wire.length > MAX_PATTERN_TEXT_LENGTH) return null;
  return pattern.test(wire) ? null : `is not of the form ${pattern.source}`;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function compiled(pattern: string): RegExp | null {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // A pattern of another dialect may be invalid here, or valid only without `u`. The service itself checks the
      // value then.
    }
  }
  return null;
}

/** The alternative ways to meet a requirement that is not met. Each one is a list of fields by srq's names. */
export type UnmetRequirement = readonly (readonly string[])[];

/**
 * Returns the requirements of an operation that a request does not meet. `has` tells whether the request gives a field.
 */
export function unmetRequirements(operation: Operation, has: (field: string) => boolean): UnmetRequirement[] {
  const gives = orConstant(operation, has);
  const parameters = operation.parameters ?? [];
  const isBegun = (parent: readonly string[]) =>
    parameters.some(({ in: place, path, field }) => place === 'body' && isWithin(path, parent) && gives(field));
  const absent = parameters.filter(
    ({ required, requiredWithin, field }) =>
      !gives(field) && (required || (requiredWithin !== null && isBegun(requiredWithin))),
  );
  const filled = new Set(
    absent.length === 0 ? [] : chosenAlternatives(operation, has).flatMap(({ constants }) => constants.map(pathName)),
  );
  const missing = absent.filter((each) => !filled.has(pathName(each)));
  const open = operation.choices.filter((choice) => !choice.some((each) => isMet(each, gives)));
  return [...missing.map(({ field }) => [[field]]), ...open.map((choice) => choice.map(({ fields }) => fields))];
}

/** Returns the first alternative of each choice that a request meets. */
export function chosenAlternatives(operation: Operation, has: (field: string) => boolean): Alternative[] {
  const gives = orConstant(operation, has);
  return operation.choices.flatMap((choice) => choice.find((each) => isMet(each, gives)) ?? []);
}

/** Extends `has` by the fields that are constant, because a request need not give those. */
function orConstant(operation: Operation, has: (field: string) => boolean): (field: string) => boolean {
  const { constants } = describedOperation(operation);
  return constants.size === 0 ? has : (field) => has(field) || constants.has(field);
}

const isWithin = (path: readonly string[], parent: readonly string[]): boolean =>
  path.length > parent.length && parent.every((name, index) => name === path[index]);
const isMet = ({ fields }: Alternative, has: (field: string) => boolean): boolean => fields.every(has);
const pathName = ({ path }: { readonly path: readonly string[] }): string => JSON.stringify(path);

/** Returns the length of the encoded text of a recording, or of its bytes if they are sent as they are. */
export function audioLength({ audioForm }: Parameter, sizeBytes: number, mediaType: string | null): number {
  if (audioForm === 'binary') return sizeBytes;
  return (audioForm === 'data-url' ? dataUrlPrefix(mediaType).length : 0) + 4 * Math.ceil(sizeBytes / 3);
}

/** Returns the beginning of a data URL, up to its content. */
export function dataUrlPrefix(mediaType: string | null): string {
  return `data:${mediaType ?? 'application/octet-stream'};base64,`;
}

/** A summary of an operation's description that does not depend on the request. */
export interface DescribedOperation {
  /** Whether the description says which fields are required. A collection of examples cannot. */
  readonly saysRequired: boolean;
  /** Whether the text is required even beside a recording. */
  readonly needsText: boolean;
  /** The described fields, by srq's names. */
  readonly fields: ReadonlySet<string>;
  /** The fields by their full names (`utm.source`) where these differ from srq's names. A person may use them, too. */
  readonly byWholeName: ReadonlyMap<string, string>;
  /** The fields with a constant value. */
  readonly constants: ReadonlySet<string>;
  /** The fields whose length the description bounds. */
  readonly bounded: ReadonlySet<string>;
  /** The country of all requests if it is constant, or null. */
  readonly country: string | null;
  /** The place of fields that are not described. */
  readonly others: OtherFields;
}

interface OtherFields {
  /** Path, from the top of the body, of the object that holds most of the fields. */
  readonly parent: readonly string[];
  /** Whether the description forbids further members there. */
  readonly closed: boolean;
  /** Whether the description names any of srq's own fields besides the reference, which alone is no request. */
  readonly namesOwn: boolean;
  /**
   * Whether srq's own fields may be sent there: nothing is known of the body, or only examples of it, which name some of
   * them.
   */
  readonly takesOwn: boolean;
}

/** Summarises an operation's description. It is memoized, because an import has tens of thousands of rows. */
export const describedOperation = memoize(describe);

function describe(operation: Operation): DescribedOperation {
  const { choices } = operation;
  const parameters = operation.parameters ?? [];
  const fieldsWhere = (holds: (parameter: (typeof parameters)[number]) => boolean) =>
    new Set(parameters.filter(holds).map(({ field }) => field));
  return {
    saysRequired: choices.length > 0 || parameters.some(({ required, constant }) => required && constant === null),
    needsText: parameters.some(({ field, required }) => field === 'request_text' && required),
    fields: fieldsWhere(() => true),
    byWholeName: byWholeName(parameters),
    constants: fieldsWhere(({ constant }) => constant !== null),
    bounded: fieldsWhere(({ maxLength, values }) => maxLength !== null || values !== null),
    country: parameters.find(({ field }) => field === 'country')?.constant ?? null,
    others: placeOfOthers(operation),
  };
}

function byWholeName(parameters: readonly Parameter[]): ReadonlyMap<string, string> {
  const nested = parameters.filter(({ in: place, path }) => place === 'body' && path.length > 1);
  const named = nested.map(({ path, field }) => [path.join('.'), field] as const);
  return new Map(named.filter(([name]) => parameters.every(({ field }) => field !== name)));
}

function placeOfOthers({ parameters, schema }: Operation): OtherFields {
  const filled = (parameters ?? []).filter(({ in: place, constant }) => place === 'body' && constant === null);
  const counts = new Map<string, number>();
  for (const { path } of filled) {
    const parent = JSON.stringify(path.slice(0, -1));
    counts.set(parent, (counts.get(parent) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  const parent: readonly string[] = most ? JSON.parse(most[0]) : [];
  let place: unknown = schema;
  for (const name of parent) place = member(member(place, 'properties'), name);
  const closed = member(place, 'additionalProperties') === false;
  const namesOwn = (parameters ?? []).some(({ field }) => field !== 'ref' && (isField(field) || isPart(field)));
  return { parent, closed, namesOwn, takesOwn: !closed && schema === null && (parameters === null || namesOwn) };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** Returns the one allowed value that a text means, or null if it means none or several. */
type ValueMeaning = (text: string) => string | null;

/**
 * Builds the lookup from people's texts to the values of a service. The steps, most certain first, are the value
 * itself, the value in another case, its label, and for some fields another name of the same thing. Two values that
 * match equally well are no match, because srq does not guess.
 */
function meaningOf(field: string, values: readonly AllowedValue[]): ValueMeaning {
  const exact = new Set(values.map(({ value }) => value));
  const steps = [
    byKey(values, ({ value }) => [value.toLowerCase()], lowerCase),
    byKey(values, ({ label }) => withoutBlanks(label ?? ''), withoutBlanks),
    ...stepsOfField(field, values),
  ];
  return (text) => {
    if (exact.has(text)) return text;
    for (const step of steps) {
      const found = step(text);
      if (found !== undefined) return found;
    }
    return null;
  };
}

/** Returns the matching value, undefined if no value matches, or null if several do. */
type MatchStep = (text: string) => string | null | undefined;

function stepsOfField(field: string, values: readonly AllowedValue[]): MatchStep[] {
  const named =
    (keysOf: (text: string) => readonly string[]) =>
    ({ value, label }: AllowedValue) => [...keysOf(value), ...(label === null ? [] : keysOf(label))];
  if (field === 'country') return [byKey(values, named(countries), countries)];
  if (field === 'audio_type') return [firstByKey(values, namesOfMediaType)];
  if (field !== 'lang') return [];
  return [
    byKey(values, named(languages), languages),
    byKey(values, named(languages), baseLanguages),
    byKey(values, named(baseLanguages), languages),
  ];
}

const lowerCase = (text: string): string[] => [text.toLowerCase()];
const withoutBlanks = (text: string): string[] => [folded(text).replaceAll(' ', '')].filter((name) => name !== '');
/** Treats UK, GB, `United Kingdom` and `Reino Unido` as equal. */
const countries = (text: string): string[] => [parseMarket(text)?.code ?? []].flat();
const languages = (text: string): string[] => [parseLanguage(text).code.toLowerCase()];
const baseLanguages = (text: string): string[] => languages(text).map((code) => code.split('-')[0] ?? '');

function byKey(
  values: readonly AllowedValue[],
  keysOfValue: (value: AllowedValue) => readonly string[],
  keysOfText: (text: string) => readonly string[],
): MatchStep {
  const found = new Map<string, string | null>();
  for (const each of values) {
    for (const key of new Set(keysOfValue(each))) found.set(key, found.has(key) ? null : each.value);
  }
  return (text) => {
    const key = keysOfText(text).find((name) => found.has(name));
    return key === undefined ? undefined : found.get(key);
  };
}

/** Matches by the first listed value. All names of a media type mean the same recording, so any of them will do. */
function firstByKey(values: readonly AllowedValue[], keysOf: (text: string) => readonly string[]): MatchStep {
  const found = new Map(
    [...values].reverse().flatMap(({ value }) => keysOf(value).map((key) => [key, value] as const)),
  );
  return (text) =>
    keysOf(text)
      .map((key) => found.get(key))
      .find((value) => value !== undefined);
}
