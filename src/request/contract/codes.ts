import { parseLanguage, parseMarket } from '../lead/markets.ts';
import { namesOfMediaType } from '../lead/media-type.ts';
import { folded } from '../words/names.ts';

/** A value that the service has for something, and what people call it, or null if nobody says. */
export interface Code {
  readonly value: string;
  readonly label: string | null;
}

export type ValueType = 'string' | 'integer' | 'number' | 'boolean';

/** Maximum length of a number. No service takes a longer one, and parsing time grows with the square of the length. */
const MAX_NUMBER = 400;

/**
 * Returns the function that converts what a person wrote to the text that goes on the wire: one of the codes by its value,
 * its label or another name of it, an integer in digits without an exponent, a boolean as `true` or `false`. It returns null
 * for a text that is none of the codes, or not of the type.
 */
export function wireText(
  field: string,
  type: ValueType,
  codes: readonly Code[] | null,
): (text: string) => string | null {
  const typed = (text: string) => typedText(type, text);
  if (codes === null) return typed;
  const meaning = meaningOf(field, codes);
  return (text) => meaning(text.trim()) ?? meaning(typed(text) ?? '');
}

function typedText(type: ValueType, text: string): string | null {
  if (type === 'string') return text;
  const bare = text.trim();
  if (type !== 'boolean') return numberText(type, bare);
  if (/^(?:true|yes|1)$/i.test(bare)) return 'true';
  return /^(?:false|no|0)$/i.test(bare) ? 'false' : null;
}

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

/** Returns the one allowed value that a text means, or null if it means none or several. */
type ValueMeaning = (text: string) => string | null;

/**
 * Builds the lookup from people's texts to the values of a service. The steps, most certain first, are the value
 * itself, the value in another case, its label, and for some fields another name of the same thing. Two values that
 * match equally well are no match, because srq does not guess.
 */
function meaningOf(field: string, values: readonly Code[]): ValueMeaning {
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

function stepsOfField(field: string, values: readonly Code[]): MatchStep[] {
  const named =
    (keysOf: (text: string) => readonly string[]) =>
    ({ value, label }: Code) => [...keysOf(value), ...(label === null ? [] : keysOf(label))];
  if (field === 'country') return [byKey(values, named(countries), countries)];
  if (field === 'audio_type') return [byKey(values, ({ value }) => namesOfMediaType(value), namesOfMediaType, true)];
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

/** If one thing has several names, as media types do, the first one is used. */
function byKey(
  values: readonly Code[],
  keysOfValue: (value: Code) => readonly string[],
  keysOfText: (text: string) => readonly string[],
  takesFirst = false,
): MatchStep {
  const found = new Map<string, string | null>();
  for (const each of values) {
    for (const key of new Set(keysOfValue(each)))
      if (!takesFirst || !found.has(key)) found.set(key, found.has(key) ? null : each.value);
  }
  return (text) => {
    const key = keysOfText(text).find((name) => found.has(name));
    return key === undefined ? undefined : found.get(key);
  };
}

const SHOWN_VALUES = 20;

/** Says which values are allowed, or the first of them. */
export function mustBeOneOf(values: readonly unknown[]): string {
  const more = values.length > SHOWN_VALUES ? ` or ${values.length - SHOWN_VALUES} more` : '';
  return `must be one of ${values.slice(0, SHOWN_VALUES).join(', ')}${more}`;
}
