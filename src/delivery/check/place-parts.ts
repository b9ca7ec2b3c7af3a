import { describedCall } from '../../request/contract/bindings.ts';
import type { Contract } from '../../request/contract/contract.ts';
import type { Market } from '../../request/lead/markets.ts';
import {
  isPart,
  type Part,
  type Parts,
  splitLocation,
  splitName,
  type WholeField,
  wholeOf,
} from '../../request/lead/parts.ts';
import { memoize } from '../../request/small.ts';
import { finding, type Problem } from '../../request/words/finding.ts';

/** The parts that are sent in places of their own. */
export interface PlacedParts {
  readonly parts: Parts;
  readonly findings: readonly Problem[];
}

/** The result for a contract that has no places for parts. */
export const NO_PARTS: PlacedParts = { parts: {}, findings: [] };

/** The fields that have a place, those that are required, and the parts with a place that the request does not fill itself. */
interface Places {
  readonly fields: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  readonly open: ReadonlySet<Part>;
}

type Texts = Readonly<Record<string, string>>;

const partsOf = memoize((create: Contract['create']) => [...describedCall(create).fields].filter(isPart));

/**
 * Decides what is sent in the places that a contract has for parts of the location and of the name. Parts from
 * columns are sent in their own places. Otherwise a name is split, and so is a location that consists of a postal
 * code and a town. Any other location is sent as the street, and never as a postal code or a town. Each such decision
 * is reported as a finding.
 *
 * @param texts The fields of the request. A part that a person has given by its name is left as it is.
 * @param given The parts that columns hold.
 * @param market The market of the request, which defines the form of its postal codes.
 */
export function placedParts({ create }: Contract, texts: Texts, given: Parts, market: Market | undefined): PlacedParts {
  const open = new Set(partsOf(create).filter((part) => texts[part] === undefined));
  if (open.size === 0) return NO_PARTS;
  const { fields, required } = describedCall(create);
  const places = { fields, required, open };
  const both = [location(places, texts['location'], given, market), fullname(places, texts['fullname'], given)];
  return {
    parts: Object.assign({}, ...both.map(({ parts }) => parts)),
    findings: both.flatMap(({ findings }) => findings),
  };
}

function location(places: Places, whole: string | undefined, given: Parts, market: Market | undefined): PlacedParts {
  const { fields, open } = places;
  const parts = open.has('house_number') ? given : withHouseInStreet(given);
  if (partNames(parts, 'location').some((part) => part !== 'house_number')) return place('location', places, parts);
  if (whole === undefined || fields.has('location')) return NO_PARTS;
  const form = market?.postalCode?.[1];
  const split = form === undefined ? null : splitLocation(whole, form);
  const placed = split && place('location', places, split, finding('location.split', 'location', {}, whole));
  if (placed && placed !== NO_PARTS) return placed;
  if (!/\p{L}/u.test(whole)) return NO_PARTS;
  return place('location', places, { street: whole }, finding('location.whole', 'location', {}, whole));
}

function withHouseInStreet({ house_number: house, ...others }: Parts): Parts {
  return house === undefined ? others : { ...others, street: `${others.street ?? ''} ${house}`.trimStart() };
}

function fullname(places: Places, whole: string | undefined, given: Parts): PlacedParts {
  const { fields, required, open } = places;
  if (partNames(given, 'fullname').length > 0) return place('fullname', places, given);
  const isWanted = [...open].some((part) => wholeOf(part) === 'fullname' && required.has(part));
  if (whole === undefined || (fields.has('fullname') && !isWanted)) return NO_PARTS;
  const split = splitName(whole);
  if (split !== null) return place('fullname', places, split, finding('fullname.split', 'fullname', {}, whole));
  // A single word may be a first or a last name. It is sent as the one that is required, or else as the one that the
  // contract has a place for.
  const isLast = open.has('last_name') && (required.has('last_name') || !open.has('first_name'));
  return place('fullname', places, isLast ? { last_name: whole } : { first_name: whole });
}

const partNames = (parts: Parts, whole: WholeField): Part[] =>
  Object.keys(parts).filter((part): part is Part => isPart(part) && wholeOf(part) === whole);

/**
 * Assigns parts to their own places. A part without a place is reported, unless the whole field has one. `told` is said of
 * the field if one of its parts has a place.
 */
function place(whole: WholeField, { fields, open }: Places, parts: Parts, told: Problem | null = null): PlacedParts {
  const given = partNames(parts, whole);
  const placed = given.filter((part) => open.has(part));
  if (placed.length === 0) return NO_PARTS;
  const lost = fields.has(whole) ? [] : given.filter((part) => !open.has(part) && !fields.has(part));
  const leftOut = lost.map((part) => finding('contract.left-out', part, {}, parts[part] ?? null));
  return {
    parts: Object.fromEntries(placed.map((part) => [part, parts[part]])),
    findings: told ? [told, ...leftOut] : leftOut,
  };
}
