import { placed, treeOf } from '../request/contract/bindings.ts';
import { judgeFor } from '../request/contract/body-check.ts';
import type { Call, Json, Misfit } from '../request/contract/contract.ts';
import { scalarOf } from '../request/contract/json.ts';
import { type Place, readPlace, writePlace } from '../request/contract/place.ts';
import { type FoundPlace, placeFacts, placesIn } from '../request/contract/places.ts';
import { valueFor } from './sample.ts';

const MAX_ROUNDS = 12;

/**
 * Finds what the schema of a call demands of each request, and its page does not give: places of one value (`open`), whatever
 * else there is, such as an object of which nothing is described (`others`), and a sample of each. It judges an example row
 * that gives every field, fills in samples of what is missing, and goes on until nothing is.
 */
export function lackingIn(call: Call, places = placesIn(call.schema)) {
  const open = new Map<Place, FoundPlace>();
  const others = new Set<Place>();
  const samples: Record<Place, Json> = {};
  const at = new Map(places.map((each) => [nameOf(each).replace(/\.0$/, ''), each]));
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = open.size + others.size;
    for (const { place, code } of misfitsOf({ ...call, always: { ...call.always, ...samples } })) {
      if (code !== 'contract.missing') continue;
      const found = at.get(place);
      if (found !== undefined && found.branches.length === 0) {
        open.set(place, found);
        samples[writePlace(found)] = valueFor(found.keywords);
      } else {
        others.add(place);
        samples[place] = [...at.keys()].some((each) => each.startsWith(`${place}.0.`)) ? [{}] : {};
      }
    }
    if (open.size + others.size === before) break;
  }
  // An object is there once something is in it.
  const isEmpty = (place: Place) => ![...open.keys()].some((each) => each.startsWith(`${place}.`));
  return { open: [...open.values()], others: [...others].filter(isEmpty), samples };
}

const nameOf = (place: FoundPlace): Place =>
  place.in === 'header' ? writePlace(place).toLowerCase() : writePlace(place);

/** Returns what is wrong with a row that gives every field. */
export function misfitsOf(call: Call): readonly Misfit[] {
  const text = (field: string): string | null => {
    const [place] = Object.entries(call.fields).find(([, each]) => each === field) ?? [];
    if (place === undefined || field === 'audio_file') return null;
    const facts = placeFacts(call.schema, readPlace(place));
    return facts?.codes?.[0]?.value ?? scalarOf(valueFor(facts?.keywords ?? {})) ?? 'text';
  };
  const row = placed<never>(call, { text, recording: null, names: [], isSaid: () => true });
  return judgeFor(call)(treeOf(call, row));
}
