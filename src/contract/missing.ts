import { placed, treeOf } from '../request/contract/bindings.ts';
import { judgeFor } from '../request/contract/body-check.ts';
import type { Call, Json } from '../request/contract/contract.ts';
import { type PlaceParts, readPlace, writePlace } from '../request/contract/place.ts';
import { type FoundPlace, placeFacts, placesIn } from '../request/contract/places.ts';
import { sampleOf } from './sample.ts';

/** Tells whether each request of a page has to hold a place: it is required in an object that the page fills. */
export function demandsOf(...filled: readonly object[]): (place: FoundPlace) => boolean {
  const others = filled.flatMap((each) => Object.keys(each).map(readPlace));
  return ({ in: where, path, requiredFrom, branches }) =>
    branches.length === 0 &&
    (requiredFrom === 0 ||
      others.some(
        (each) => isWithin(each, { in: where, path: path.slice(0, requiredFrom) }) && each.path.length > requiredFrom,
      ));
}

function isWithin(place: PlaceParts, outer: PlaceParts): boolean {
  const nameOf = (name = '') => (place.in === 'header' ? name.toLowerCase() : name);
  return place.in === outer.in && outer.path.every((name, at) => nameOf(place.path[at]) === nameOf(name));
}

/** Returns what a page leaves open that each of its requests has to hold. */
export function openPlaces({ schema, fields, always }: Call, places = placesIn(schema)): FoundPlace[] {
  const filled = Object.keys({ ...fields, ...always }).map(readPlace);
  const isDemanded = demandsOf(fields, always);
  return places.filter((place) => !filled.some((each) => isWithin(each, place)) && isDemanded(place));
}

/** Returns samples of what a page leaves open, by place. */
export const samplesFor = (open: readonly FoundPlace[]): Readonly<Record<string, Json>> =>
  Object.fromEntries(open.map((place) => [writePlace(place), sampleOf(place.keywords)]));

/** Returns the places that a row would still lack which gives every field, and samples of what is open. */
export function lackingIn(call: Call, open: readonly FoundPlace[] = openPlaces(call)): string[] {
  const whole: Call = { ...call, always: { ...samplesFor(open), ...call.always } };
  const text = (field: string): string | null => {
    const [place] = Object.entries(call.fields).find(([, each]) => each === field) ?? [];
    if (place === undefined || field === 'audio_file') return null;
    const facts = placeFacts(call.schema, readPlace(place));
    return facts?.codes?.[0]?.value ?? (facts === null || facts.type === 'string' ? 'text' : '1');
  };
  const row = placed<never>(whole, { text, recording: null, names: [], isSaid: () => true });
  const lacking = judgeFor(whole)(treeOf(whole, row)).filter(({ code }) =>
    /^contract\.(?:missing|none-of)$/.test(code),
  );
  return lacking.map(({ place }) => place);
}
