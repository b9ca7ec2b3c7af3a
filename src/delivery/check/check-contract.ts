import type { Contract, Operation, Parameter } from '../../request/contract/contract-1.ts';
import {
  audioLength,
  boundProblem,
  describedOperation,
  isFixedByDocument,
  type UnmetRequirement,
  unmetRequirements,
  wireValue,
} from '../../request/contract/contract-rules.ts';
import type { RequestOperationName } from '../../request/contract/operations.ts';
import { AUDIO_PARAMETER } from '../../request/contract/wire.ts';
import { isField } from '../../request/lead/fields.ts';
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
import type { AudioFile } from '../../request/lead/service-request.ts';
import { memoize } from '../../request/small.ts';
import { nearest } from '../../request/words/did-you-mean.ts';
import { type Finding, finding } from '../../request/words/finding.ts';

const SHOWN_VALUES = 8;

/** The contents of a request that are checked against the contract. */
export interface GivenTexts {
  /** Texts by field name, as srq names the fields. */
  readonly texts: Readonly<Record<string, string>>;
  readonly hasRecording: boolean;
  /** Fields that srq has filled itself. If one is optional and not allowed, it is left out. */
  readonly filled: ReadonlySet<string>;
}

/** Tells whether the contract describes what one of the operations takes. */
export function isDescribed(contract: Contract, operations: readonly RequestOperationName[]): boolean {
  return operations.some((name) => contract[name].parameters !== null);
}

/**
 * Checks a request against the contract of the service, for all operations that it is meant for. Returns the findings
 * without duplicates.
 */
export function contractFindings(
  contract: Contract,
  operations: readonly RequestOperationName[],
  given: GivenTexts,
): Finding[] {
  const described = operations.filter((name) => contract[name].parameters !== null);
  const findings = described.flatMap((name) => operationFindings(contract, name, given));
  // A finding of both operations is reported once.
  const byText = new Map(findings.map((each) => [`${each.field} ${each.message}`, each]));
  return [...byText.values()];
}

function operationFindings(contract: Contract, name: RequestOperationName, given: GivenTexts): Finding[] {
  const operation = contract[name];
  const { hasRecording, filled } = given;
  const texts = byField(operation, given.texts);
  const isRecorded = hasRecording || texts[AUDIO_PARAMETER] !== undefined;
  // Only own properties count, because a contract may have a parameter named `constructor`.
  const isGiven = (field: string) => Object.hasOwn(texts, field);
  const has = (field: string) => isGiven(field) || (isRecorded && /^audio_(?:file|type|name)$/.test(field));
  const unmet = unmetRequirements(operation, has).map(unmetFinding);
  const wrong = (operation.parameters ?? []).flatMap((parameter) => {
    const { field, required } = parameter;
    const isLeftOut = !isGiven(field) || isFixedByDocument(parameter) || (filled.has(field) && !required);
    return isLeftOut ? [] : valueFindings(parameter, texts[field] ?? '');
  });
  // Only create must have a parameter for every field. Validate gets the fields that it has parameters for.
  return [...unmet, ...wrong, ...(name === 'create' ? unmappedFindings(operation, { texts, filled }, isRecorded) : [])];
}

/** Replaces whole parameter names, such as `utm.source`, by the names of their fields. */
function byField(operation: Operation, texts: GivenTexts['texts']): GivenTexts['texts'] {
  const { byWholeName } = describedOperation(operation);
  if (byWholeName.size === 0 || !Object.keys(texts).some((name) => byWholeName.has(name))) return texts;
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [byWholeName.get(name) ?? name, text]));
}

function unmetFinding(alternatives: UnmetRequirement): Finding {
  const [[field = ''] = []] = alternatives;
  const ways = alternatives.map((fields) => fields.join(' and ')).join(', or ');
  return alternatives.length === 1
    ? finding('contract.missing', field, { what: ways, hint: sourceHint(field) })
    : finding('contract.none-of', field, { ways });
}

/** Tells how to give a parameter that srq does not know, because no column name is recognised as such a parameter. */
function sourceHint(field: string): string {
  const isKnown = isField(field) || field.startsWith('audio_');
  return isKnown ? '' : ` In a file: --map COLUMN=${field}, or --set '${field}={Column}'.`;
}

function valueFindings(parameter: Parameter, text: string): Finding[] {
  const { field } = parameter;
  if (field === 'audio_file') return [];
  const wire = wireValue(parameter, text);
  if (wire === null) return [notAllowed(parameter, text)];
  const problem = boundProblem(parameter, wire);
  return problem === null ? [] : [finding('contract.bound', field, { problem }, text)];
}

function notAllowed({ field, values, type }: Parameter, text: string): Finding {
  if (values === null) {
    return finding('contract.type', field, { type: type === 'boolean' ? 'true or false' : type }, text);
  }
  const names = values.map(({ value, label }) => label ?? value);
  const more = names.length > SHOWN_VALUES ? `, … (${names.length} in all)` : '';
  const similar =
    nearest(text, names) ??
    nearest(
      text,
      values.map(({ value }) => value),
    );
  const allowed = `${names.slice(0, SHOWN_VALUES).join(', ')}${more}`;
  return finding('contract.not-allowed', field, { allowed, hint: didYouMean(similar) }, text);
}

function didYouMean(name: string | null): string {
  return name === null ? '' : ` Did you mean ${name}?`;
}

/**
 * Finds fields for which the contract has no parameter. srq's own fields are left out with a warning. A parameter that
 * the user named explicitly is an error.
 */
function unmappedFindings(
  operation: Operation,
  { texts, filled }: Pick<GivenTexts, 'texts' | 'filled'>,
  isRecorded: boolean,
): Finding[] {
  const { others, fields: described, byWholeName } = describedOperation(operation);
  const names = [...described, ...byWholeName.keys()];
  const given = [...Object.keys(texts), ...(isRecorded ? ['audio_file'] : [])];
  const withoutPlace = given.filter(
    (field) => !described.has(field) && !filled.has(field) && field !== AUDIO_PARAMETER && field !== 'ref',
  );
  if (!others.takesOwn && !others.namesOwn && withoutPlace.some(isField)) {
    return [finding('contract.no-fields', '', { command: "srq contract learn FILE --set 'PLACE={fields}'" })];
  }
  return withoutPlace.flatMap((field): Finding[] => {
    const noPlace = () => finding('contract.no-place', field, { hint: didYouMean(nearest(field, names)) });
    if (isField(field)) {
      if (others.takesOwn) return [];
      // A request must not be sent without its recording.
      return [field === 'audio_file' ? noPlace() : finding('contract.left-out', field, {})];
    }
    const parent = field.slice(0, field.lastIndexOf('.') + 1);
    const isInside = parent !== '' && names.some((name) => name.startsWith(parent));
    return others.closed || isInside ? [noPlace()] : [];
  });
}

/** Checks a recording against the contract by its size and media type, before it is read. */
export function audioFindings(
  contract: Contract,
  operations: readonly RequestOperationName[],
  { sizeBytes, mediaType }: Pick<AudioFile, 'sizeBytes' | 'mediaType'>,
): Finding[] {
  for (const name of operations) {
    for (const parameter of contract[name].parameters ?? []) {
      const wrong = audioFinding(parameter, sizeBytes, mediaType);
      if (wrong !== null) return [wrong];
    }
  }
  return [];
}

function audioFinding(parameter: Parameter, sizeBytes: number, mediaType: string | null): Finding | null {
  const { field, maxLength: most, values, required } = parameter;
  if (field === 'audio_file' && most !== null) {
    const length = audioLength(parameter, sizeBytes, mediaType);
    return length <= most ? null : finding('contract.recording-length', 'audio_file', { length, most });
  }
  if (field !== 'audio_type' || isFixedByDocument(parameter)) return null;
  if (mediaType === null) return required ? finding('contract.recording-unknown', 'audio_file', {}) : null;
  if (wireValue(parameter, mediaType) !== null) return null;
  const allowed = (values ?? []).map(({ value }) => value).slice(0, SHOWN_VALUES);
  return finding('contract.recording-kind', 'audio_file', { kind: mediaType, allowed: allowed.join(', ') });
}

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
