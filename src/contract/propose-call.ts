import type { Call, Guess, Json } from '../request/contract/contract.ts';
import { isServicePath } from '../request/contract/contract-schema.ts';
import { writePlace } from '../request/contract/place.ts';
import { isField } from '../request/lead/fields.ts';
import { isPart } from '../request/lead/parts.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';
import { isIdentifyingName, isSecretName, nameWords } from '../request/words/names.ts';
import { type Placed, schemaOfCall } from './call-schema.ts';
import { type ApiOperation, answersOf } from './document.ts';
import { boundFields } from './fields.ts';
import { fieldIn, type GivenValues, type Question, valueQuestion } from './given.ts';
import { jsonIn, listOf, objectOf, scalarOf, textOf } from './json.ts';
import { missingIn } from './missing.ts';
import { areWithinBranch, type FoundPlace, lastName, sampleOf } from './places.ts';
import type { ApiDescription } from './read-document.ts';

export interface ProposedCall {
  readonly call: Call;
  readonly guesses: readonly Guess[];
  readonly questions: readonly Question[];
  readonly notes: readonly string[];
}

interface CallOptions {
  readonly role: 'create' | 'validate';
  readonly values: GivenValues;
  /** Names of headers and query parameters that the authorization fills. */
  readonly ownNames: readonly string[];
}

/** More than so many values that only a person knows are written into the page, not asked one by one. */
const MAX_ASKED = 4;
const MAX_LISTED = 1000;
const IN_PAGE =
  'Write it into the page: srq contract show > contract.yaml, then: srq contract learn contract.yaml. Until then rows are refused.';

/** Proposes the page of one call: what goes where, and what a person has to say for it. */
export function proposeCall(
  description: ApiDescription,
  operation: ApiOperation,
  { role, values, ownNames }: CallOptions,
): ProposedCall {
  const { schema, as, encoding, places } = schemaOfCall(description, operation, ownNames);
  const path = filledPath(operation, values);
  const { fields, always, open, guessed } = bindingsOf(places, values);
  if (role === 'create') Object.assign(fields, values.furtherFields());
  const guesses = guessed.map(({ place, field, why }) => ({
    ...{ operation: role, place: writePlace(place), value: field, why },
  }));
  const answers = answersOf(description, operation);
  const id = role === 'create' ? identifiersIn(answers.success?.body ?? null) : [];
  const call: Call = {
    ...{ call: `${operation.method} ${path.path}`, as, fields, always, when: whenOf(places, fields), codes: {} },
    ...{ audio: audioForm(places, fields, encoding), schema, answers, reads: { id, duplicate: [], error: [] } },
  };
  const missing = missingIn(call, open);
  const isFew = missing.places.length <= MAX_ASKED;
  const questions = isFew ? missing.places.map((place) => placeQuestion(place, guesses)) : [];
  if (role === 'create' && !Object.values(fields).some((each) => isField(each) || isPart(each)))
    questions.push(fieldsQuestion(operation, guesses));
  const names = missing.places.map(writePlace).join(', ').slice(0, MAX_LISTED);
  const unmet = [...Object.keys(missing.objects).map((place) => `a value for ${place}`), ...missing.unmet];
  const notes = [
    ...(isFew
      ? []
      : [`${operation.name} demands ${missing.places.length} values that srq knows nothing of: ${names}. ${IN_PAGE}`]),
    ...(missing.schema === null && schema !== null
      ? [`The schema of ${operation.name} cannot be used, so no row is checked by it.`]
      : []),
    ...(unmet.length > 0
      ? [`${operation.name} also demands ${unmet.join('; ').slice(0, MAX_LISTED)}. ${IN_PAGE}`]
      : []),
  ];
  return { call: { ...call, schema: missing.schema }, guesses, questions: [...path.questions, ...questions], notes };
}

/** Says which places take a field, which are always the same, and which are open. */
function bindingsOf(places: readonly Placed[], values: GivenValues) {
  const bound = boundFields(places);
  const fields: Record<string, string> = {};
  const always: Record<string, Json> = {};
  const open: Placed[] = [];
  const names = places.map(({ path }) => lastName(path));
  const saidOf = (place: Placed) => {
    const name = lastName(place.path);
    const isOnce = names.indexOf(name) === names.lastIndexOf(name);
    return values.of(writePlace(place), ...(isOnce ? [name] : []));
  };
  const unsaid: Placed[] = [];
  for (const place of places) {
    const said = saidOf(place);
    const text = writePlace(place);
    const field = said === undefined ? bound.fields.get(place) : said === '' ? lastName(place.path) : fieldIn(said);
    if (field) fields[text] = field;
    else if (said !== undefined) always[text] = valueFor(place, text, said);
    else unsaid.push(place);
  }
  // What goes with an object that no request holds is not sent.
  const isHeld = ({ in: where, path, requiredFrom }: Placed) =>
    requiredFrom === 0 ||
    path.length === 1 ||
    places.some(
      (each) =>
        each.in === where &&
        writePlace(each) in fields &&
        path.slice(0, -1).every((name, at) => each.path[at] === name),
    );
  for (const place of unsaid) {
    const constant = constantOf(place);
    if (constant !== undefined && place.requiredFrom < place.path.length) {
      if (isHeld(place)) always[writePlace(place)] = constant;
    } else open.push(place);
  }
  return { fields, always, open, guessed: bound.guesses.filter(({ place }) => open.includes(place)) };
}

/** Names of what a person has to agree to themselves. It is never said for them unasked. */
const CONSENT =
  /consent|agree|accept|gdpr|privacy|terms|permission|opt_?in|newsletter|marketing|consentim|einwillig|zustimm/i;

/** Returns the value that the description gives a place that must be there. */
function constantOf({ path, fixed, keywords, branches }: FoundPlace): Json | undefined {
  if (CONSENT.test(path.join('_'))) return undefined;
  const preset = branches.length > 0 || typeof keywords['default'] === 'object' ? undefined : keywords['default'];
  return fixed.get('') ?? preset;
}

/** Returns the constants that go with the fields of a branch. */
function whenOf(places: readonly Placed[], fields: Readonly<Record<string, string>>): Call['when'] {
  const when: Record<string, Record<string, Json>> = {};
  for (const place of places) {
    const field = fields[writePlace(place)];
    if (field === undefined || place.branches.length === 0) continue;
    for (const other of places) {
      for (const [branch, constant] of other.fixed) {
        if (branch !== '' && areWithinBranch(place.branches, branch))
          when[field] = { ...when[field], [writePlace(other)]: constant };
      }
    }
  }
  return when;
}

/** Returns the places of the identifiers in the success that a description shows: the outermost ones. */
function identifiersIn(body: Json): string[] {
  let level: readonly (readonly [pointer: string, name: string, value: Json])[] = [['', '', body]];
  for (let depth = 0; depth < 5; depth += 1) {
    level = level.flatMap(([pointer, , value]) =>
      Object.entries(objectOf(value)).map(
        ([name, each]) => [`${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, name, each] as const,
      ),
    );
    const found = level.filter(
      ([, name, value]) => /string|number/.test(typeof value) && name !== 'code' && isIdentifyingName(nameWords(name)),
    );
    if (found.length > 0) return found.map(([pointer]) => pointer);
  }
  return [];
}

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

function placeQuestion(place: Placed, guesses: readonly Guess[]): Question {
  const name = place.in === 'body' ? writePlace(place) : (place.path[0] ?? '');
  const { keywords } = place;
  const guess = guesses.find((each) => each.place === writePlace(place));
  const values = listOf(keywords['enum']).flatMap((each) => scalarOf(each) ?? []);
  const prose = textOf(keywords['description']);
  const sample = sampleOf(keywords, {});
  const shown = typeof sample === 'object' ? JSON.stringify(sample) : String(sample);
  const said = [
    `${place.in === 'body' ? '' : `The ${place.in} `}${name} is required, and only you know what it holds.`,
    ...(prose === '' ? [] : [`The description says: "${prose}"`]),
    ...(values.length > 1 ? [`It is one of ${values.slice(0, 20).join(', ')}.`] : []),
    ...(guess === undefined
      ? []
      : [`It may take the field ${guess.value}: --set ${shellWord(`${name}={${guess.value}}`)}`]),
    `If each row gives it: --set ${shellWord(`${name}=`)}`,
  ];
  return {
    ...valueQuestion(name, said.join(' ')),
    ...(isSecretName(name) && { answer: `--set ${shellWord(name)}=@FILE` }),
    example: guess === undefined ? shown : `{${guess.value}}`,
  };
}

/** Converts what a person said to the type that the place takes. */
function valueFor({ keywords }: FoundPlace, place: string, text: string): Json {
  const values = listOf(keywords['enum']);
  const types = [keywords['type']].flat().flatMap((each) => textOf(each) || []);
  if (values.length === 0 && (types.length === 0 || types.includes('string'))) return text;
  const value = values.find((each) => scalarOf(each) === text) ?? (values.length === 0 ? jsonIn(text) : undefined);
  if (value !== undefined) return value;
  throw new SrqError(
    'parameter.not-allowed',
    `The value given for "${place}" is ${values.length > 0 ? 'none of those that the description allows' : `no ${types.join(' or ')}`}.`,
    `Give one that fits: --set ${shellWord(`${place}=VALUE`)}`,
  );
}

function filledPath(
  { path, parameters }: ApiOperation,
  values: GivenValues,
): { readonly path: string; readonly questions: readonly Question[] } {
  const questions: Question[] = [];
  const filled = path.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const value = values.of(name);
    if (value) return encodeURIComponent(value);
    const known = parameters.find((each) => each['in'] === 'path' && each['name'] === name);
    const example = scalarOf(sampleOf(known?.['schema'] ?? {}, {})) ?? 'text';
    questions.push({ ...valueQuestion(name, `The path ${path} holds {${name}}, and only you know it.`), example });
    return whole;
  });
  const plain = filled.trim().replaceAll(' ', '%20');
  if (isServicePath(plain)) return { path: plain, questions };
  throw new SrqError(
    'address.outside',
    `The API description has the path "${path}", which is not below the base URL.`,
    'Nothing is sent to such an address. Correct it in the file, then: srq contract learn FILE',
  );
}

function audioForm(places: readonly Placed[], fields: Readonly<Record<string, string>>, encoding: string) {
  const place = places.find((each) => fields[writePlace(each)] === 'audio_file');
  const { description, format, contentMediaType } = place?.keywords ?? {};
  if (/data:/.test(textOf(description))) return 'data-url';
  const isFile = encoding === 'multipart' && (format === 'binary' || contentMediaType !== undefined);
  return isFile ? 'binary' : 'base64';
}
