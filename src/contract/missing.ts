import { placed, placeFacts, treeOf } from '../request/contract/bindings.ts';
import { judgeFor } from '../request/contract/body-check.ts';
import type { Call, Json, Misfit } from '../request/contract/contract.ts';
import { readPlace, writePlace } from '../request/contract/place.ts';
import { SrqError } from '../request/words/errors.ts';
import { type Placed, placesOfCall } from './call-schema.ts';
import { objectOf } from './json.ts';
import { isTangled, sampleOf } from './places.ts';

export interface Missing {
  /** Places whose values only a person knows. */
  readonly places: readonly Placed[];
  /** Objects and lists that have to be there, with the least that they can be. */
  readonly objects: Readonly<Record<string, Json>>;
  /** What else the schema demands, in words. */
  readonly unmet: readonly string[];
  /** The schema, or null if it cannot be used. */
  readonly schema: Json;
}

const UNUSABLE: Missing = { places: [], objects: {}, unmet: [], schema: null };
const MAX_ROW = 500;

/** Finds what a row that gives every field still lacks, by what the schema says about such rows. */
export function missingIn(call: Call, open: readonly Placed[]): Missing {
  const { properties, $defs } = objectOf(call.schema);
  if (Object.values(objectOf(properties)).some((each) => isTangled(each, objectOf($defs)))) return UNUSABLE;
  // Patterns say nothing of what is missing, and their engine is loaded for rows alone.
  const lenient: Call = { ...call, schema: withoutPatterns(call.schema) };
  const places = new Set<Placed>();
  const objects: Record<string, Json> = {};
  const given = () => ({
    ...objects,
    ...Object.fromEntries([...places].map((place) => [writePlace(place), sampleOf(place.keywords, {})])),
  });
  try {
    for (;;) {
      const misfits = misfitsOf(lenient, given());
      const lacking = misfits.filter(({ code }) => code === 'contract.missing');
      const found = open.filter((place) => !places.has(place) && lacking.some((each) => isDemanded(place, each)));
      for (const place of found) places.add(place);
      if (found.length > 0 && places.size <= MAX_ROW) continue;
      const object = lacking.find(({ place }) => !(place in objects) && open.some((each) => isWithin(each, place)));
      if (object === undefined || places.size > MAX_ROW) {
        const unmet = misfits.map(({ place, words }) => `that ${place} ${words}`);
        return { places: [...places], objects, unmet, schema: call.schema };
      }
      const { path } = readPlace(object.place);
      objects[object.place] = open.find((each) => isWithin(each, object.place))?.path[path.length] === '0' ? [{}] : {};
    }
  } catch (error) {
    if (error instanceof SrqError) return UNUSABLE;
    throw error;
  }
}

/** Returns what a page leaves open that its schema demands of each row, with a sample of each value. */
export function lackingIn(call: Call): Readonly<Record<string, Json>> {
  const isBound = (place: string) => place in call.fields || place in call.always;
  const open = placesOfCall(call.schema).filter((place) => !isBound(writePlace(place)));
  const { places, objects } = missingIn(call, open);
  return {
    ...objects,
    ...Object.fromEntries(places.map((place) => [writePlace(place), sampleOf(place.keywords, {})])),
  };
}

function withoutPatterns(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).filter(
    ([name, value]) => name !== 'patternProperties' && !(name === 'pattern' && typeof value === 'string'),
  );
  return Object.fromEntries(members.map(([name, value]) => [name, withoutPatterns(value)]));
}

/** Judges a row that gives every field of a page, and these values. */
function misfitsOf(call: Call, given: Readonly<Record<string, Json>>): readonly Misfit[] {
  const whole: Call = { ...call, always: { ...given, ...call.always } };
  const text = (field: string): string | null => {
    const [place] = Object.entries(call.fields).find(([, each]) => each === field) ?? [];
    if (place === undefined || field === 'audio_file') return null;
    const facts = placeFacts(call.schema, readPlace(place));
    return facts?.codes?.[0]?.value ?? (facts?.type === 'string' || facts === null ? 'text' : '1');
  };
  const row = placed<never>(whole, { text, recording: null, names: [], isSaid: () => true });
  return judgeFor(whole)(treeOf(whole, row)).filter(({ code }) => /^contract\.(?:missing|none-of)$/.test(code));
}

/** Tells whether a place is the one that is missing, or has to be in the object that is. */
function isDemanded(place: Placed, { place: lacking }: Misfit): boolean {
  return isWithin(place, lacking, true) && place.requiredFrom <= readPlace(lacking).path.length;
}

function isWithin(place: Placed, outer: string, orSame = false): boolean {
  const { in: where, path } = readPlace(outer);
  const isSame = (name: string, at: number) =>
    where === 'header' ? name.toLowerCase() === place.path[at]?.toLowerCase() : name === place.path[at];
  const isLong = orSame ? path.length <= place.path.length : path.length < place.path.length;
  return where === place.in && isLong && path.every(isSame);
}
