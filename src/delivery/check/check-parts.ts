import type { Contract } from '../../request/contract.ts';
import { type Finding, finding } from '../../request/finding.ts';
import type { Market } from '../../request/markets.ts';
import { memoize } from '../../request/memoize.ts';
import {
  isPart,
  type Part,
  type Parts,
  splitLocation,
  splitName,
  type WholeField,
  wholeOf,
} from '../../request/parts.ts';

/** The parts that are sent in parameters of their own. */
export interface PlacedParts {
  readonly parts: Parts;
  /** The fields without a parameter of their own, which are sent as parts. */
  readonly carried: readonly WholeField[];
  readonly findings: readonly Finding[];
}

type TextsByField = Readonly<Record<string, string>>;

/** The parameters that a contract has for the location and the name, and for their parts. */
interface PartPlaces {
  readonly fields: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  readonly parts: ReadonlySet<Part>;
}

const placesOf = memoize(({ parameters }: Contract['create']): PartPlaces => {
  const open = (parameters ?? []).filter(({ constant }) => constant === null);
  return {
    fields: new Set(open.map(({ field }) => field)),
    required: new Set(open.filter(({ required }) => required).map(({ field }) => field)),
    parts: new Set(open.map(({ field }) => field).filter(isPart)),
  };
});

/** The result for a contract that has no parameters for parts. */
export const NO_PARTS: PlacedParts = { parts: {}, carried: [], findings: [] };

/**
 * Decides what is sent in the parameters that a contract has for parts of the location and of the name. Parts from
 * columns are sent in their own parameters. Otherwise a name is split, and so is a location that consists of a postal
 * code and a town. Any other location is sent as the street, and never as a postal code or a town. Each such decision
 * is reported as a finding.
 *
 * @param texts The fields of the request. A part that a person has given by its name is left as it is.
 * @param given The parts that columns hold.
 * @param market The market of the request, which defines the form of its postal codes.
 */
export function placedParts(
  { create }: Contract,
  texts: TextsByField,
  given: Parts,
  market: Market | undefined,
): PlacedParts {
  const places = placesOf(create);
  const open = new Set([...places.parts].filter((part) => texts[part] === undefined));
  if (open.size === 0) return NO_PARTS;
  const [location, name] = [placedLocation(places, open, texts, given, market), placedName(places, open, texts, given)];
  return {
    parts: { ...location.parts, ...name.parts },
    carried: [...location.carried, ...name.carried],
    findings: [...location.findings, ...name.findings],
  };
}

function placedLocation(
  { fields }: PartPlaces,
  open: ReadonlySet<Part>,
  texts: TextsByField,
  given: Parts,
  market: Market | undefined,
): PlacedParts {
  const { house_number: house, ...others } = given;
  const street = house === undefined || open.has('house_number') ? given.street : joined(given.street, house);
  const parts = {
    ...others,
    ...(street === undefined ? {} : { street }),
    ...(house === undefined ? {} : { house_number: house }),
  };
  const hasOwn = partNames(parts, 'location').some((part) => part !== 'house_number');
  if (hasOwn) return fromColumns('location', fields, open, parts, ['house_number']);
  const whole = texts['location'];
  if (whole === undefined || fields.has('location')) return NO_PARTS;
  const form = market?.postalCode?.[1];
  const split = form === undefined ? null : splitLocation(whole, form);
  const placed = split && fromColumns('location', fields, open, split, []);
  if (placed && placed.carried.length > 0) {
    return { ...placed, findings: [finding('location.split', 'location', {}, whole), ...placed.findings] };
  }
  if (!open.has('street') || !/\p{L}/u.test(whole)) return NO_PARTS;
  return {
    parts: { street: whole },
    carried: ['location'],
    findings: [finding('location.whole', 'location', {}, whole)],
  };
}

const joined = (street: string | undefined, house: string): string =>
  street === undefined ? house : `${street} ${house}`;

function placedName(places: PartPlaces, open: ReadonlySet<Part>, texts: TextsByField, given: Parts): PlacedParts {
  const { fields, required } = places;
  if (partNames(given, 'fullname').length > 0) return fromColumns('fullname', fields, open, given, []);
  const whole = texts['fullname'];
  const isWanted = !fields.has('fullname') || [...open].some((part) => isOf(part, 'fullname') && required.has(part));
  if (whole === undefined || !isWanted) return NO_PARTS;
  const split = splitName(whole);
  if (split !== null) {
    const placed = fromColumns('fullname', fields, open, split, []);
    if (placed.carried.length === 0) return placed;
    return { ...placed, findings: [finding('fullname.split', 'fullname', {}, whole), ...placed.findings] };
  }
  // A single word may be a first or a last name. It is sent as the one that is required, or else as the one that the
  // contract has a parameter for.
  const isLast = open.has('last_name') && (required.has('last_name') || !open.has('first_name'));
  return fromColumns('fullname', fields, open, isLast ? { last_name: whole } : { first_name: whole }, []);
}

const isOf = (part: Part, whole: WholeField): boolean => wholeOf(part) === whole;

const partNames = (parts: Parts, whole: WholeField): Part[] =>
  Object.keys(parts).filter((part): part is Part => isPart(part) && isOf(part, whole));

/**
 * Assigns parts to their own parameters. A part without a parameter is reported, unless the whole field has one or
 * another part contains it.
 */
function fromColumns(
  whole: WholeField,
  fields: ReadonlySet<string>,
  open: ReadonlySet<Part>,
  parts: Parts,
  within: readonly Part[],
): PlacedParts {
  const given = partNames(parts, whole);
  const placed = given.filter((part) => open.has(part));
  if (placed.length === 0) return NO_PARTS;
  const isLost = (part: Part) => !open.has(part) && !within.includes(part) && !fields.has(part);
  const lost = fields.has(whole) ? [] : given.filter(isLost);
  return {
    parts: Object.fromEntries(placed.map((part) => [part, parts[part]])),
    carried: [whole],
    findings: lost.map((part) => finding('contract.left-out', part, {}, parts[part] ?? null)),
  };
}
