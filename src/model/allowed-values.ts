import type { AllowedValue } from './contract.ts';
import { folded } from './folded.ts';
import { parseLanguage } from './language.ts';
import { marketFromText } from './markets.ts';
import { namesOfMediaType } from './media-type.ts';

/** Gives the one allowed value that a text means; null if it means none, or several. */
type ValueMeaning = (text: string) => string | null;

/**
 * How the texts of people become the values of a service, surest first: the value itself, the value in another case, its
 * label, and for some fields another name of the same thing. Two values that fit alike are no answer: no guess is made.
 */
export function meaningOf(field: string, values: readonly AllowedValue[]): ValueMeaning {
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
