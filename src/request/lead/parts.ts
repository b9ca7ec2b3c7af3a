import { FIELD, type FieldPart } from './fields.ts';

/**
 * A part of the location or of the name. A service may take the parts in parameters of their own, and a file may have
 * them in columns of their own.
 */
export type Part = Exclude<FieldPart, 'notes'> | 'region';

/** The texts of parts. A part without a text is left out. */
export type Parts = Readonly<Partial<Record<Part, string>>>;

export type WholeField = 'location' | 'fullname';

const WHOLE: ReadonlyMap<string, WholeField> = new Map([
  ...[...FIELD.location.joinedFrom, 'region'].map((part) => [part, 'location'] as const),
  ...FIELD.fullname.joinedFrom.map((part) => [part, 'fullname'] as const),
]);

export const PARTS = [...WHOLE.keys()] as readonly Part[];

export function isPart(name: string): name is Part {
  return WHOLE.has(name);
}

/** Returns the field that a part belongs to. Every other name is returned as it is. */
export function wholeOf(name: string): string {
  return WHOLE.get(name) ?? name;
}

const MAX_TOWN_WORDS = 6;
/** Maximum length of a location that is examined. */
const MAX_LOCATION = 300;

/**
 * Splits a location that is a postal code and a town, as the marketplace has them ("1200-109 Lisboa"). Returns null if
 * there is no postal code of this form or more than one, or if the rest is not a town but, for example, contains a
 * number.
 */
export function splitLocation(location: string, form: RegExp): Required<Pick<Parts, 'postal_code' | 'city'>> | null {
  if (location.length > MAX_LOCATION) return null;
  const words = location.split(/[\s,;]+/).filter((word) => word !== '');
  const isCode = (text: string) => form.test(text.toUpperCase());
  // Some postal codes consist of two words, and the first word alone looks like a code, too.
  const codes = words.flatMap((word, at): { at: number; code: string; length: number }[] => {
    const two = `${word} ${words[at + 1] ?? ''}`;
    if (isCode(two)) return [{ at, code: two, length: 2 }];
    return isCode(word) ? [{ at, code: word, length: 1 }] : [];
  });
  const [only, ...others] = codes;
  if (only === undefined || others.length > 0) return null;
  const { at, code, length } = only;
  const town = words.toSpliced(at, length);
  const isTown = town.length > 0 && town.length <= MAX_TOWN_WORDS && (at === 0 || at === words.length - length);
  return isTown && !/\d/.test(town.join('')) ? { postal_code: code, city: town.join(' ') } : null;
}

/** Words before a last name that are part of it. */
const PARTICLE =
  /^(?:a|af|al|am|auf|da|das|de|degli|dei|del|della|den|der|des|di|do|dos|du|el|la|las|le|lo|los|ten|ter|van|vom|von|zu|zum|zur)$/i;
/** Words that join two last names. */
const JOINING = /^(?:y|e|i|und|and)$/i;
const GENERATION = /^(?:jr|sr|junior|senior|filho|neto|ii|iii|iv)\.?$/i;

/**
 * Splits a full name. The last name is the last word, with the particles before it ("van der Berg", "da Silva") and any
 * name that is joined to it ("Ortega y Gasset"). If there is a comma, the last name precedes it ("Berg, Anna"). Returns
 * null for a single word, which may be either.
 */
export function splitName(fullname: string): Required<Pick<Parts, 'first_name' | 'last_name'>> | null {
  const [before = '', after = '', ...more] = fullname.split(',').map((each) => each.trim());
  if (before !== '' && after !== '' && more.length === 0 && !GENERATION.test(after)) {
    return { first_name: after, last_name: before };
  }
  const words = fullname.trim().split(/\s+/);
  let at = words.length - 1;
  const isAt = (index: number, kind: RegExp) => kind.test(words[index] ?? '');
  if (at > 1 && isAt(at, GENERATION)) at -= 1;
  while (at > 1 && isAt(at - 1, PARTICLE)) at -= 1;
  if (at > 2 && isAt(at - 1, JOINING)) at -= 2;
  while (at > 1 && isAt(at - 1, PARTICLE)) at -= 1;
  if (at < 1) return null;
  return { first_name: words.slice(0, at).join(' '), last_name: words.slice(at).join(' ') };
}
