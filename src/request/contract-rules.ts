import type { AllowedValue, Alternative, Operation, Parameter } from './contract.ts';
import { isField } from './fields.ts';
import { marketFromText, parseLanguage } from './markets.ts';
import { namesOfMediaType } from './media-type.ts';
import { memoize } from './memoize.ts';
import { folded } from './names.ts';

/** Length of the longest text that is held against a pattern; longer ones are left to the service. */
export const MAX_FOR_PATTERN = 10_000;

/** No number that a service takes is longer, and reading one takes the square of its length. */
const MAX_NUMBER = 400;

interface ParameterRules {
  /** See {@link wireValue}. */
  readonly wire: (text: string) => string | null;
  readonly pattern: RegExp | null;
}

/** Rows come by the ten thousand: what depends on the parameter alone is made once. */
const rulesOf = memoize(({ field, values, type, pattern }: Parameter): ParameterRules => {
  const meaning = values && meaningOf(field, values);
  const typed = (text: string) => typedText(type, text);
  return {
    wire: meaning ? (text) => meaning(text.trim()) ?? meaning(typed(text) ?? '') : typed,
    pattern: pattern === null ? null : compiled(pattern),
  };
});

/**
 * The text that goes on the wire for what a person wrote: an allowed value by its value, its label or another name of it;
 * an integer digit by digit, without exponent; `true` or `false`. Null: the service's description does not allow it.
 */
export function wireValue(parameter: Parameter, text: string): string | null {
  return rulesOf(parameter).wire(text);
}

/** A constant that the document itself fixes: a request's own value does not count. */
export function isFixed({ constant, values }: Parameter): boolean {
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

/** As JSON writes it: no plus, no leading zeros; `12.0`, as spreadsheets save it, is an integer. */
function numberText(type: 'integer' | 'number', text: string): string | null {
  if (text.length > MAX_NUMBER) return null;
  const [, minus = '', whole = '', fraction = ''] = /^([+-]?)0*(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') return null;
  const decimals = fraction.replace(/0+$/, '');
  if (type === 'integer' && decimals !== '') return null;
  const digits = decimals === '' ? whole : `${whole}.${decimals}`;
  return minus === '-' && digits !== '0' ? `-${digits}` : digits;
}

/** What is wrong with a value on the wire, as the end of a sentence that names its field; null if nothing is. */
export function boundProblem(parameter: Parameter, wire: string): string | null {
  const { values, type, minLength, maxLength, minimum, maximum } = parameter;
  if (values !== null) return null;
  if (type === 'integer' || type === 'number') {
    if (minimum !== null && Number(wire) < minimum) return `is less than ${minimum}, the least that is allowed`;
    if (maximum !== null && Number(wire) > maximum) return `is more than ${maximum}, the most that is allowed`;
    return null;
  }
  // A code point is one or two units of a text's length: most texts need no counting.
  if (maxLength !== null && wire.length > maxLength && codePoints(wire) > maxLength)
    return `has ${codePoints(wire)} characters; at most ${maxLength} are allowed`;
  if (minLength !== null && wire.length < 2 * minLength && codePoints(wire) < minLength)
    return `has ${codePoints(wire)} characters; at least ${minLength} are needed`;
  const { pattern } = rulesOf(parameter);
  if (!pattern || wire.length > MAX_FOR_PATTERN) return null;
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
      // Patterns of other dialects may be none here, or only without u: the service judges itself then.
    }
  }
  return null;
}

/** The ways to meet what is not met; fields by srq's names. */
export type Unmet = readonly (readonly string[])[];

/** What an operation demands and a request does not give. `has`: whether it gives a field. */
export function unmetRequirements(operation: Operation, has: (field: string) => boolean): Unmet[] {
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

/** The first alternative of each choice that a request meets. */
export function chosenAlternatives(operation: Operation, has: (field: string) => boolean): Alternative[] {
  const gives = orConstant(operation, has);
  return operation.choices.flatMap((choice) => choice.find((each) => isMet(each, gives)) ?? []);
}

/** What is always the same needs no request to give it. */
function orConstant(operation: Operation, has: (field: string) => boolean): (field: string) => boolean {
  const { constants } = describedOperation(operation);
  return constants.size === 0 ? has : (field) => has(field) || constants.has(field);
}

const isWithin = (path: readonly string[], parent: readonly string[]): boolean =>
  path.length > parent.length && parent.every((name, index) => name === path[index]);
const isMet = ({ fields }: Alternative, has: (field: string) => boolean): boolean => fields.every(has);
const pathName = ({ path }: { readonly path: readonly string[] }): string => JSON.stringify(path);

/** Length of the text in which a recording travels; of its bytes if they go as they are. */
export function audioLength({ audioForm }: Parameter, sizeBytes: number, mediaType: string | null): number {
  if (audioForm === 'binary') return sizeBytes;
  return (audioForm === 'data-url' ? dataUrlPrefix(mediaType).length : 0) + 4 * Math.ceil(sizeBytes / 3);
}

export function dataUrlPrefix(mediaType: string | null): string {
  return `data:${mediaType ?? 'application/octet-stream'};base64,`;
}

/** What an operation's description comes to, whatever the request. */
export interface DescribedOperation {
  /** It says which fields are required; a collection of examples cannot. */
  readonly saysRequired: boolean;
  /** The text is required even beside a recording. */
  readonly needsText: boolean;
  /** The fields that it knows, by srq's names. */
  readonly fields: ReadonlySet<string>;
  /** The fields by their whole names, `utm.source`, where those are others: a person may say these, too. */
  readonly byWholeName: ReadonlyMap<string, string>;
  /** Those of them that are always the same. */
  readonly constants: ReadonlySet<string>;
  /** Those whose length it bounds. */
  readonly bounded: ReadonlySet<string>;
  /** The one country of all requests. */
  readonly country: string | null;
  /** Where fields go that it does not know. */
  readonly others: OtherFields;
}

interface OtherFields {
  /** The place of most others, from the top of the body. */
  readonly parent: readonly string[];
  /** The description says that it takes nothing else there. */
  readonly closed: boolean;
  /** srq's own fields may be among them: the description names none, or only examples of a body are known. */
  readonly takesOwn: boolean;
}

/** Rows come by the ten thousand: it is worked out once. */
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
  const counts = new Map<string, number>();
  for (const { in: place, path, constant } of parameters ?? []) {
    if (place !== 'body' || constant !== null) continue;
    const parent = JSON.stringify(path.slice(0, -1));
    counts.set(parent, (counts.get(parent) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  const parent: readonly string[] = most ? JSON.parse(most[0]) : [];
  let place: unknown = schema;
  for (const name of parent) place = member(member(place, 'properties'), name);
  const closed = member(place, 'additionalProperties') === false;
  const namesOwn = (parameters ?? []).some(({ field }) => isField(field));
  return { parent, closed, takesOwn: !closed && (schema === null || !namesOwn) };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** Gives the one allowed value that a text means; null if it means none, or several. */
type ValueMeaning = (text: string) => string | null;

/**
 * How the texts of people become the values of a service, surest first: the value itself, the value in another case, its
 * label, and for some fields another name of the same thing. Two values that fit alike are no answer: no guess is made.
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

/** Undefined: no value fits; null: several do. */
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
/** UK, GB, `United Kingdom` and `Reino Unido` are one. */
const countries = (text: string): string[] => [marketFromText(text)?.code ?? []].flat();
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

/** All names of a media type mean the same recording, so whichever the service lists first will do. */
function firstByKey(values: readonly AllowedValue[], keysOf: (text: string) => readonly string[]): MatchStep {
  const found = new Map(
    [...values].reverse().flatMap(({ value }) => keysOf(value).map((key) => [key, value] as const)),
  );
  return (text) =>
    keysOf(text)
      .map((key) => found.get(key))
      .find((value) => value !== undefined);
}
