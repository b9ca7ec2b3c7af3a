import { wireText } from '../request/contract/codes.ts';
import { type Call, encodingOf, type Guess, type Json, type Misfit } from '../request/contract/contract.ts';
import { isServicePath } from '../request/contract/contract-schema.ts';
import { jsonIn, objectOf, scalarOf, textOf } from '../request/contract/json.ts';
import { ONLY_ELEMENT, writePlace } from '../request/contract/place.ts';
import { type FoundPlace, isTangled, lastName, placesIn } from '../request/contract/places.ts';
import { isField } from '../request/lead/fields.ts';
import { isPart } from '../request/lead/parts.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';
import { isIdentifyingName, nameWords } from '../request/words/names.ts';
import { unlessRefused } from './cut.ts';
import { type ApiOperation, schemaOfCall, successOf } from './document.ts';
import { boundFields } from './fields.ts';
import { fieldIn, type GivenValues, type Learning, type Question, valueQuestion, variablesIn } from './given.ts';
import { lackingIn, misfitsOf } from './missing.ts';
import { schemaOf, valueFor } from './sample.ts';

/** More than so many values that only a person knows are written into the page, not asked one by one. */
const MAX_ASKED = 4;
const MAX_LISTED = 1000;
const IN_PAGE =
  'Write it into the page (srq contract show > contract.yaml), and learn the page (srq contract learn contract.yaml). Until then rows are refused.';

/**
 * Proposes the page of one call: what goes where, and what a person has to say for it. `others` are the names of places of
 * the other call.
 */
export function proposeCall(
  { description, values }: Learning,
  operation: ApiOperation,
  role: 'create' | 'validate',
  others: readonly string[] = [],
): Call {
  const { schema, as, places } = schemaOfCall(description, operation);
  const path = filledPath(operation, values);
  const bound = boundFields(places);
  const { fields, always } = bindingsOf(places, bound.fields, values);
  const sendsSome = () => Object.values(fields).some((each) => isField(each) || isPart(each));
  // A call that has no place for any field is asked for one, so whatever is said may be for it.
  if (role === 'create') Object.assign(fields, values.furtherFields(sendsSome() ? others : []));
  const call: Call = {
    ...{ call: `${operation.method} ${path}`, as, fields, always, when: whenOf(places, { fields, always }), codes: {} },
    ...{ audio: audioForm(places, fields, encodingOf({ as })), schema, success: successOf(description, operation) },
  };
  const misfits = isTangled(schema) ? undefined : unlessRefused(() => misfitsOf(call));
  refuseMisfits(misfits ?? [], Object.keys(always));
  const lacking = misfits === undefined ? null : lackingIn(call, places);
  const open = (lacking?.open ?? []).filter((place) => {
    const value = constantOf(place);
    if (value !== undefined) always[writePlace(place)] = value;
    return value === undefined;
  });
  const guesses = bound.guesses
    .map(({ place, field, why }) => ({ operation: role, place: writePlace(place), value: field, why }))
    .filter(({ place }) => !(place in fields) && !(place in always));
  values.guesses.push(...guesses);
  const { name } = operation;
  const demand = (what: string, names: readonly string[]) =>
    values.notes.push(`${name} ${what} ${names.join(', ').slice(0, MAX_LISTED)}. ${IN_PAGE}`);
  if (open.length > MAX_ASKED) demand(`demands ${open.length} values that srq knows nothing of:`, open.map(writePlace));
  else for (const place of open) values.ask(placeQuestion(place, nameIn(places, place), guesses));
  if (role === 'create' && !sendsSome()) values.ask(fieldsQuestion(operation, guesses));
  if (lacking === null) values.notes.push(`The schema of ${name} cannot be used, so no row is checked by it.`);
  else if (lacking.others.length > 0) demand('also demands a value for', lacking.others);
  return lacking === null ? { ...call, schema: null } : call;
}

/** Returns the names by which a person may give each place: its own, and its last one if no other place has that. */
export function namedBy(places: readonly FoundPlace[]): (readonly [FoundPlace, readonly string[]])[] {
  const names = places.map((place) => lastName(place).toLowerCase());
  const isOnce = (name: string) => names.indexOf(name.toLowerCase()) === names.lastIndexOf(name.toLowerCase());
  return places.map((place) => [place, [writePlace(place), ...[lastName(place)].filter(isOnce)]] as const);
}

/** Says which places take a field, and which are always the same because a person says so. */
function bindingsOf(places: readonly FoundPlace[], bound: ReadonlyMap<FoundPlace, string>, values: GivenValues) {
  const fields: Record<string, string> = {};
  const always: Record<string, Json> = {};
  for (const [place, names] of namedBy(places)) {
    const [text = ''] = names;
    const value = values.of(...names);
    const field = value === undefined ? bound.get(place) : value === '' ? lastName(place) : fieldIn(value);
    if (field) fields[text] = field;
    else if (value !== undefined) always[text] = valueIn(place, value);
  }
  return { fields, always };
}

/** A yes may be a consent, in whatever language it is named. Nobody gives that for a person. */
const isYes = (value: Json | undefined): boolean => wireText('', 'boolean', null)(String(value)) === 'true';

/** Returns the value that the description gives a place that must be there. */
function constantOf({ fixed, keywords }: FoundPlace): Json | undefined {
  const value = fixed.get('') ?? (typeof keywords['default'] === 'object' ? undefined : keywords['default']);
  return isYes(value) ? undefined : value;
}

/** Returns the constants that go with the fields of a branch. */
function whenOf(places: readonly FoundPlace[], { fields, always }: Pick<Call, 'fields' | 'always'>): Call['when'] {
  const when: Record<string, Record<string, Json>> = {};
  for (const place of places) {
    const field = fields[writePlace(place)];
    if (field === undefined || place.branches.length === 0) continue;
    for (const other of places) {
      if (writePlace(other) in always || [...other.fixed.values()].every(isYes)) continue;
      for (const [branch, constant] of other.fixed) {
        if (branch !== '' && place.branches.every((each) => each.startsWith(branch)))
          when[field] = { ...when[field], [writePlace(other)]: constant };
      }
    }
  }
  return when;
}

/** Returns the places of the identifiers in the success that a description shows: the outermost ones. */
export function identifiersIn(body: Json): string[] {
  const named = placesIn({ properties: { body: schemaOf(body) } }).filter(({ path, keywords }) => {
    const name = path.at(-1) ?? '';
    const isScalar = /^(?:string|integer|number)$/.test(textOf(keywords['type']));
    return isScalar && !path.includes(ONLY_ELEMENT) && name !== 'code' && isIdentifyingName(nameWords(name));
  });
  const depth = Math.min(...named.map(({ path }) => path.length));
  return named.filter(({ path }) => path.length === depth).map(({ path }) => pointerTo(path));
}

const pointerTo = (path: readonly string[]): string =>
  path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** A contract without a place for any field sends nothing. A person says at least one. */
function fieldsQuestion({ name }: ApiOperation, guesses: readonly Guess[]): Question {
  const some = guesses.slice(0, 3).map(({ place, value }) => `${place}={${value}}`);
  const asked = some.length === 0 ? '' : ` It may be ${some.join(' or ')}.`;
  return {
    name: 'fields',
    text: `No place of ${name} certainly takes a field of srq. Say at least one, as PLACE={field}.${asked}`,
    answer: `--set ${shellWord(some[0] ?? 'PLACE={phone}')}`,
  };
}

/** Returns the name by which a place outside the body is asked for: its own, unless another place has that, too. */
function nameIn(places: readonly FoundPlace[], place: FoundPlace): string {
  const [, names = []] = namedBy(places).find(([each]) => each === place) ?? [];
  return (place.in === 'body' ? names[0] : names.at(-1)) ?? writePlace(place);
}

function placeQuestion(place: FoundPlace, name: string, guesses: readonly Guess[]): Question {
  const guess = guesses.find((each) => each.place === writePlace(place));
  const values = (place.codes ?? []).map(({ value }) => value);
  const prose = textOf(place.keywords['description']);
  const sample = valueFor(place.keywords);
  const said = [
    `${place.in === 'body' ? '' : `The ${place.in} `}${name} is required, and only you know what it holds.`,
    ...(prose === '' ? [] : [`The description says: "${prose}"`]),
    ...(values.length > 0 ? [`It may only be ${values.slice(0, 20).join(', ')}.`] : []),
    ...(guess === undefined
      ? []
      : [`It may take the field ${guess.value}: --set ${shellWord(`${name}={${guess.value}}`)}`]),
    `If each row gives it: --set ${shellWord(`${name}=`)}`,
  ];
  return {
    ...valueQuestion(name, said.join(' ')),
    example: guess === undefined ? (scalarOf(sample) ?? JSON.stringify(sample)) : `{${guess.value}}`,
  };
}

/** Reads what a person said as JSON where the place takes more than a text. */
function valueIn({ keywords, type }: FoundPlace, text: string): Json {
  const isText = type === 'string' && ![keywords['type']].flat().includes('object');
  return isText ? text : (jsonIn(text) ?? text);
}

/** Refuses a value that a person gave for a place and that the description does not allow there. */
function refuseMisfits(misfits: readonly Misfit[], given: readonly string[]): void {
  for (const { place, code, words } of misfits) {
    const said = given.find((each) => each.toLowerCase() === place.toLowerCase());
    if (said === undefined || code !== 'contract.bound') continue;
    const message = `The value given for "${said}" ${words}.`;
    throw new SrqError('parameter.not-allowed', message, `Give one that fits: --set ${shellWord(`${said}=VALUE`)}`);
  }
}

function filledPath({ path, parameters }: ApiOperation, values: GivenValues): string {
  const filled = values.fill(path).trim();
  for (const name of variablesIn(filled)) {
    const known = parameters.find((each) => each['in'] === 'path' && each['name'] === name);
    const example = scalarOf(valueFor(objectOf(known?.['schema']))) ?? 'text';
    values.ask({ ...valueQuestion(name, `The path ${path} holds {${name}}, and only you know it.`), example });
  }
  const plain = filled.replaceAll(' ', '%20');
  if (isServicePath(plain)) return plain;
  throw new SrqError(
    'address.outside',
    `The API description has the path "${path}", which is not below the base URL.`,
    'Nothing is sent to such an address. Correct it in the file, then: srq contract learn FILE',
  );
}

function audioForm(places: readonly FoundPlace[], fields: Readonly<Record<string, string>>, encoding: string) {
  const place = places.find((each) => fields[writePlace(each)] === 'audio_file');
  const { description, format, contentMediaType } = place?.keywords ?? {};
  if (/data:/.test(textOf(description))) return 'data-url';
  const isFile = encoding === 'multipart' && (format === 'binary' || contentMediaType !== undefined);
  return isFile ? 'binary' : 'base64';
}
