import type { FieldPart } from './fields.ts';

/**
 * A part of the location or of the name. A service may take the parts in parameters of their own, and a file may have
 * them in columns of their own.
 */
export type Part = Exclude<FieldPart, 'notes'> | 'region';

/** The texts of parts. A part without a text is left out. */
export type Parts = Readonly<Partial<Record<Part, string>>>;

/** The fields that have parts. */
export type WholeField = 'location' | 'fullname';

const WHOLE: Readonly<Record<Part, WholeField>> = {
  street: 'location',
  house_number: 'location',
  postal_code: 'location',
  city: 'location',
  region: 'location',
  first_name: 'fullname',
  last_name: 'fullname',
};

export const PARTS = Object.keys(WHOLE) as readonly Part[];

export function isPart(name: string): name is Part {
  return Object.hasOwn(WHOLE, name);
}

/** Returns the field that a part belongs to. Every other name is returned as it is. */
export function wholeOf(name: string): string {
  return isPart(name) ? WHOLE[name] : name;
}

/** Words before a last name that belong to it. */
const PARTICLES = new Set(
  'a af al am auf da das de degli dei del della den der des di do dos du el la las le lo los ten ter van vom von zu zum zur'.split(
    ' ',
  ),
);
/** Words that join two last names. */
const JOINING = new Set(['y', 'e', 'i', 'und', 'and']);
const GENERATION = /^(?:jr|sr|junior|senior|filho|neto|ii|iii|iv)\.?$/i;

/**
 * Splits a full name: the last name is the last word, with the particles before it ("van der Berg", "da Silva") and what
 * joins it to another one ("Ortega y Gasset"). A comma decides by itself: "Berg, Anna". Returns null for a single word,
 * which may be either.
 */
export function splitName(fullname: string): Required<Pick<Parts, 'first_name' | 'last_name'>> | null {
  const [before = '', after = '', ...more] = fullname.split(',').map((each) => each.trim());
  if (before !== '' && after !== '' && more.length === 0 && !GENERATION.test(after)) {
    return { first_name: after, last_name: before };
  }
  const words = fullname.trim().split(/\s+/);
  let at = words.length - 1;
  if (at > 1 && GENERATION.test(words[at] ?? '')) at -= 1;
  const isAt = (index: number, set: ReadonlySet<string>) => set.has((words[index] ?? '').toLowerCase());
  while (at > 1 && isAt(at - 1, PARTICLES)) at -= 1;
  if (at > 2 && isAt(at - 1, JOINING)) at -= 2;
  while (at > 1 && isAt(at - 1, PARTICLES)) at -= 1;
  if (at < 1) return null;
  return { first_name: words.slice(0, at).join(' '), last_name: words.slice(at).join(' ') };
}
