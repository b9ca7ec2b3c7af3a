import { placed, placeFacts, treeOf } from '../request/contract/bindings.ts';
import { judgeFor } from '../request/contract/body-check.ts';
import type { Call, Contract, Guess, Json, Misfit } from '../request/contract/contract.ts';
import { isServicePath } from '../request/contract/contract-schema.ts';
import type { OperationName } from '../request/contract/operations.ts';
import { readPlace, writePlace } from '../request/contract/place.ts';
import { DOCUMENTED_CONTRACT } from '../request/contract/public-api.ts';
import { PATHS } from '../request/contract/wire.ts';
import { isField } from '../request/lead/fields.ts';
import { isPart } from '../request/lead/parts.ts';
import { nearest } from '../request/words/did-you-mean.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';
import { isIdentifyingName, isSecretName, nameWords } from '../request/words/names.ts';
import { type ApiOperation, answersOf, bodyOf, operationCalled, operationsOf, Reach } from './document.ts';
import { boundFields } from './fields.ts';
import { fieldIn, GivenValues, type Question } from './given.ts';
import { type JsonObject, listOf, memberOf, objectOf, scalarOf, textOf } from './json.ts';
import { areWithinBranch, type FoundPlace, isTangled, lastName, placesOf, sampleOf } from './places.ts';
import { proposeAccess, serversOf } from './propose-access.ts';
import type { ApiDescription } from './read-document.ts';

/** What a person said about a description. */
export interface Said {
  readonly operations: Readonly<Partial<Record<OperationName, string>>>;
  /** By place, or by the last name of one: a value, a field in braces (`{email}`), or nothing: each row gives it. */
  readonly values: Readonly<Record<string, string>>;
}

/** A contract that nobody has agreed to yet. */
export interface Proposal {
  readonly contract: Contract;
  /** A question without an answer keeps the contract from being used, unless it says what counts meanwhile. */
  readonly questions: readonly Question[];
  readonly notes: readonly string[];
}

export interface ProposeOptions {
  readonly said: Said;
  readonly baseUrl: string | null;
  readonly learnedAt: string;
}

/** What a person answers if the service has no such operation. */
const NONE = 'none';
const MAX_CHOICES = 9;
/** Bounds of what is looked at to order the operations. */
const MAX_RANKED = 400;
const MAX_RANKED_NODES = 400_000;
/** More than so many values that only a person knows are written into the page, not asked one by one. */
const MAX_ASKED = 4;

/** Proposes a contract from an API description. Operations other than those of the public document are asked. */
export function proposeContract(description: ApiDescription, options: ProposeOptions): Proposal {
  const { said, baseUrl, learnedAt } = options;
  const { file, title, kind } = description;
  const operations = operationsOf(description);
  const questions: Question[] = [];
  const notes = [...description.notes];
  const values = new GivenValues(said.values);
  const create =
    named(description, operations, 'create', said.operations.create) ??
    atPublicPath(description, operations, PATHS.create);
  const validate =
    said.operations.validate?.trim() === NONE
      ? null
      : named(description, operations, 'validate', said.operations.validate);
  const checked = validate === undefined ? atPublicPath(description, operations, PATHS.validate) : validate;
  if (create === undefined) questions.push(createQuestion(description, operations));
  if (checked === undefined || (checked !== null && checked === create))
    questions.push(validateQuestion(operations, create ?? null));
  const access = proposeAccess(
    description,
    operations,
    [create, checked].flatMap((each) => each ?? []),
    {
      said: said.operations.token,
      values,
      baseUrl,
    },
  );
  const source = { file, title, kind, learnedAt };
  const common = { ...DOCUMENTED_CONTRACT, source, servers: serversOf(description), ...access.contract };
  // Of an operation that is not known yet nothing else is asked.
  if (create === undefined) return { contract: common, questions, notes };
  const found = proposeCall(description, create, 'create', values, access.ownNames);
  const look = checked ? proposeCall(description, checked, 'validate', values, access.ownNames) : null;
  const again = againOf(create, values);
  questions.push(...access.questions, ...found.questions, ...again.questions);
  // A value for both calls is asked once.
  questions.push(...(look?.questions.filter(({ name }) => !questions.some((each) => each.name === name)) ?? []));
  notes.push(
    ...access.notes,
    ...found.notes,
    ...(look?.notes ?? []),
    ...proseNotes(create),
    ...pathNotes(description, baseUrl),
  );
  if (!questions.some(({ name }) => name.startsWith('operation:')))
    values.refuseUnused(knownNames(found.call, look?.call));
  const contract: Contract = {
    ...common,
    create: { ...found.call, again: again.again },
    validate: look?.call ?? null,
    guesses: [...found.guesses, ...(look?.guesses ?? [])],
  };
  return { contract, questions: [...new Map(questions.map((each) => [each.name, each])).values()], notes };
}

/** Returns the operation that a person named, or undefined if nobody did. */
function named(
  { file }: ApiDescription,
  operations: readonly ApiOperation[],
  role: OperationName,
  said: string | undefined,
): ApiOperation | undefined {
  if (said === undefined) return undefined;
  const found = operationCalled(operations, said);
  if (found !== undefined) return found;
  const some = operations.slice(0, MAX_CHOICES).map(({ name }) => name);
  throw new SrqError(
    'operation.not-found',
    `${file} has no operation "${said.trim()}" that takes a body.`,
    some.length === 0
      ? 'It has none at all.'
      : `Name one of it: --operation ${role}=${shellWord(nearest(said, some) ?? some[0] ?? '')}`,
  );
}

/** An operation of the public document is taken unasked. It may stand below the path of the servers. */
function atPublicPath(
  description: ApiDescription,
  operations: readonly ApiOperation[],
  path: string,
): ApiOperation | undefined {
  const before = sharedPath(description);
  const found = operations.filter(
    (each) => each.method === 'POST' && (each.path === path || before + each.path === path),
  );
  return found.length === 1 ? found[0] : undefined;
}

/** Returns the path that all servers of a description have, or `''`. */
function sharedPath({ root }: ApiDescription): string {
  const paths = listOf(root['servers']).map((server) => {
    const url = textOf(objectOf(server)['url']);
    return URL.canParse(url, 'http://x.invalid') ? new URL(url, 'http://x.invalid').pathname.replace(/\/+$/, '') : '';
  });
  return paths.every((each) => each === paths[0]) ? (paths[0] ?? '') : '';
}

function createQuestion(description: ApiDescription, operations: readonly ApiOperation[]): Question {
  const budget = { left: MAX_RANKED_NODES };
  const ranked = operations
    .slice(0, MAX_RANKED)
    .map((operation) => ({ operation, known: knownFields(description, operation, budget) }))
    .sort((a, b) => b.known - a.known)
    .slice(0, MAX_CHOICES);
  const [first] = ranked;
  if (first === undefined) {
    throw new SrqError(
      'operation.not-found',
      `${description.file} describes no operation that takes a body, so none that creates a request.`,
      'Give the description of the service that requests are sent to: srq contract learn FILE',
    );
  }
  const list = ranked.map(
    ({ operation, known }, index) =>
      `${index + 1}. ${titled(operation)}: ${known} known ${known === 1 ? 'field' : 'fields'}`,
  );
  return {
    name: 'operation:create',
    text: `Which operation creates a request? ${list.join('; ')}`,
    answer: `--operation create=${shellWord(first.operation.name)}`,
    choices: ranked.map(({ operation }) => operation.name),
  };
}

const titled = ({ name, id }: ApiOperation): string => (id === '' || id === name ? name : `${name} (${id})`);

function knownFields(description: ApiDescription, operation: ApiOperation, budget: { left: number }): number {
  try {
    const { places } = schemaOfCall(description, operation, [], budget);
    const { fields, guesses } = boundFields(places);
    return new Set([...fields.values(), ...guesses.map(({ field }) => field)]).size;
  } catch (error) {
    if (error instanceof SrqError) return 0;
    throw error;
  }
}

/** The words of operations that may only look. They make a choice of it, never an answer. */
const LOOKS = /valid|check|duplic|dedup|exist|verif|pr(?:ü|ue)f|comprob/i;

function validateQuestion(operations: readonly ApiOperation[], create: ApiOperation | null): Question {
  const choices = operations
    .filter((each) => each !== create && LOOKS.test(`${each.path} ${each.id}`))
    .slice(0, MAX_CHOICES);
  const list = [...choices.map(titled), 'none'].map((each, index) => `${index + 1}. ${each}`);
  return {
    name: 'operation:validate',
    text:
      choices.length === 0
        ? 'srq asks first whether a request is a duplicate, if the service has an operation that only looks. None of the description resembles one.'
        : `Which operation only looks whether a request is a duplicate, and stores nothing? srq sends each request there first. ${list.join('; ')}`,
    answer: `--operation validate=${NONE}`,
    choices: [...choices.map(({ name }) => name), NONE],
    ...(choices.length === 0 && { unanswered: NONE }),
  };
}

/** Headers that srq or the connection sets itself. */
const OWN_HEADERS =
  /^(?:authorization|accept(?:-.*)?|content-.*|cookie|host|user-agent|connection|expect|te|transfer-encoding)$/i;
const IDEMPOTENT = /idempoten/i;

type Placed = FoundPlace & { readonly in: 'body' | 'header' | 'query' };

interface CallSchema {
  readonly schema: Json;
  readonly as: string;
  readonly encoding: 'form' | 'json' | 'multipart';
  readonly places: readonly Placed[];
}

function schemaOfCall(
  description: ApiDescription,
  operation: ApiOperation,
  ownNames: readonly string[] = [],
  budget?: { left: number },
): CallSchema {
  const body = bodyOf(description, operation);
  if (body === null) {
    throw new SrqError(
      'operation.unusable',
      `${operation.name} takes no body that srq can write.`,
      'It writes JSON, forms and multipart/form-data. Name another operation: --operation NAME=OPERATION',
    );
  }
  const reach = new Reach(description, budget);
  const schema = reach.of(body.schema);
  const outside = (['header', 'query'] as const).map((where) => {
    const own = operation.parameters.filter(
      (each) => each['in'] === where && isAskedFor(textOf(each['name']), ownNames),
    );
    const properties = own.map((each): [string, Json] => {
      const [media] = Object.values(objectOf(each['content']));
      const inner = objectOf(reach.of(each['schema'] ?? objectOf(media)['schema']));
      const text = textOf(each['description']).slice(0, 300);
      return [textOf(each['name']), text === '' ? inner : { ...inner, description: text }];
    });
    const required = own.filter((each) => each['required'] === true).map((each) => textOf(each['name']));
    return { where, schema: { type: 'object', properties: Object.fromEntries(properties), required } };
  });
  const inBody = placesOf(schema, reach.defs).map((each) => ({ ...each, in: 'body' as const }));
  const beside = outside.flatMap(({ where, schema: each }) =>
    placesOf(each, reach.defs).map((place) => ({ ...place, in: where })),
  );
  const lower = (each: JsonObject): JsonObject => ({
    ...each,
    properties: Object.fromEntries(
      Object.entries(objectOf(each['properties'])).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    required: listOf(each['required']).map((name) => textOf(name).toLowerCase()),
  });
  const [header, query] = outside.map((each) => each.schema);
  const whole = {
    type: 'object',
    properties: { body: schema, header: lower(header ?? {}), query: query ?? {} },
    required: ['body'],
    $defs: reach.defs,
  };
  const isKnown = inBody.length > 0;
  const { as, encoding } = body;
  return { schema: isKnown ? whole : null, as, encoding, places: [...inBody, ...beside] };
}

const isAskedFor = (name: string, ownNames: readonly string[]): boolean =>
  name !== '' && !OWN_HEADERS.test(name) && !IDEMPOTENT.test(name) && !ownNames.includes(name.toLowerCase());

interface ProposedCall {
  readonly call: Call;
  readonly guesses: readonly Guess[];
  readonly questions: readonly Question[];
  readonly notes: readonly string[];
}

function proposeCall(
  description: ApiDescription,
  operation: ApiOperation,
  role: 'create' | 'validate',
  values: GivenValues,
  ownNames: readonly string[],
): ProposedCall {
  const { schema, as, encoding, places } = schemaOfCall(description, operation, ownNames);
  const path = filledPath(operation, values);
  const bound = boundFields(places);
  const fields: Record<string, string> = {};
  const always: Record<string, Json> = {};
  const when: Record<string, Record<string, Json>> = {};
  const open: Placed[] = [];
  const present = new Set<string>();
  for (const place of places) {
    const text = writePlace(place);
    const name = lastName(place.path);
    const value = values.of(text, ...(isNamedOnce(places, name) ? [name] : []));
    if (value !== undefined) {
      const field = fieldIn(value);
      if (value === '' || field !== null) fields[text] = field ?? name;
      else always[text] = valueFor(place, text, value);
    } else {
      const field = bound.fields.get(place);
      const constant = constantOf(place, field !== undefined);
      if (field !== undefined) fields[text] = field;
      else if (constant !== undefined && place.requiredFrom < place.path.length) always[text] = constant;
      else {
        open.push(place);
        continue;
      }
    }
    if (place.in === 'body')
      for (let at = 1; at < place.path.length; at += 1) present.add(place.path.slice(0, at).join('\n'));
  }
  if (role === 'create') Object.assign(fields, values.furtherFields());
  // What goes with an object that no request holds is not sent.
  for (const place of places) {
    const text = writePlace(place);
    const around = place.path.slice(0, -1).join('\n');
    if (
      text in always &&
      place.requiredFrom > 0 &&
      values.of(text, lastName(place.path)) === undefined &&
      around !== '' &&
      !hasField(around, fields, places)
    )
      delete always[text];
  }
  for (const place of places) {
    if (fields[writePlace(place)] === undefined || place.branches.length === 0) continue;
    for (const other of places) {
      for (const [branch, constant] of other.fixed) {
        if (branch === '' || !areWithinBranch(place.branches, branch)) continue;
        const field = fields[writePlace(place)] ?? '';
        when[field] = { ...when[field], [writePlace(other)]: constant };
      }
    }
  }
  const guesses = bound.guesses
    .filter(({ place }) => open.includes(place))
    .map(({ place, field, why }) => ({ operation: role, place: writePlace(place), value: field, why }));
  const answers = answersOf(description, operation);
  const call: Call = {
    call: `${operation.method} ${path.path}`,
    ...{ as, fields, always, when, codes: {}, audio: audioForm(places, fields, encoding), schema },
    answers,
    reads: { id: role === 'create' ? identifiersIn(answers.success?.body ?? null) : [], duplicate: [], error: [] },
  };
  const { missing, unmet, schema: usable } = missingIn(call, open);
  const isFew = missing.length <= MAX_ASKED;
  const questions = isFew ? missing.map((place) => placeQuestion(place, guesses)) : [];
  if (role === 'create' && !Object.values(fields).some((each) => isField(each) || isPart(each)))
    questions.push(fieldsQuestion(operation, guesses));
  const notes = [];
  if (!isFew) {
    const list = missing.map(writePlace).join(', ').slice(0, MAX_LISTED);
    notes.push(`${operation.name} demands ${missing.length} values that srq knows nothing of: ${list}. ${IN_PAGE}`);
  }
  if (usable === null && schema !== null)
    notes.push(`The schema of ${operation.name} cannot be used, so no row is checked by it.`);
  if (unmet.length > 0)
    notes.push(`${operation.name} also demands ${unmet.join('; ').slice(0, MAX_LISTED)}. ${IN_PAGE}`);
  return { call: { ...call, schema: usable }, guesses, questions: [...path.questions, ...questions], notes };
}

/** Returns the places of the identifiers in the success that a description shows: the outermost ones. */
function identifiersIn(body: Json): string[] {
  let level: readonly (readonly [pointer: string, value: Json])[] = [['', body]];
  for (let depth = 0; depth < 5 && level.length > 0; depth += 1) {
    const members = level.flatMap(([pointer, value]) =>
      Object.entries(objectOf(value)).map(
        ([name, each]) => [`${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, name, each] as const,
      ),
    );
    const isIdentifier = (name: string, value: Json) =>
      scalarOf(value) !== null && typeof value !== 'boolean' && name !== 'code' && isIdentifyingName(nameWords(name));
    const found = members.filter(([, name, value]) => isIdentifier(name, value));
    if (found.length > 0) return found.map(([pointer]) => pointer);
    level = members.map(([pointer, , value]) => [pointer, value] as const);
  }
  return [];
}

const MAX_LISTED = 1000;
const IN_PAGE =
  'Write it into the page: srq contract show > contract.yaml, then: srq contract learn contract.yaml. Until then rows are refused.';

interface Missing {
  /** Places whose values only a person knows. */
  readonly missing: readonly Placed[];
  /** What else the schema demands, in words. */
  readonly unmet: readonly string[];
  /** The schema, or null if it cannot be used. */
  readonly schema: Json;
}

/** Finds what a row that gives every field still lacks, by what the schema says about such rows. */
function missingIn(call: Call, open: readonly Placed[]): Missing {
  const { properties, $defs } = objectOf(call.schema);
  if (Object.values(objectOf(properties)).some((each) => isTangled(each, objectOf($defs))))
    return { missing: [], unmet: [], schema: null };
  // Patterns say nothing of what is missing, and their engine is loaded for rows alone.
  const lenient: Call = { ...call, schema: withoutPatterns(call.schema) };
  const missing = new Set<Placed>();
  try {
    for (;;) {
      const misfits = misfitsOf(lenient, [...missing]);
      const found = open.filter((place) => !missing.has(place) && misfits.some((each) => isDemanded(place, each)));
      if (found.length === 0 || missing.size > MAX_ROW) {
        const unmet = misfits.map(({ place, words }) => `that ${place} ${words}`);
        return { missing: [...missing], unmet, schema: call.schema };
      }
      for (const place of found) missing.add(place);
    }
  } catch (error) {
    if (error instanceof SrqError) return { missing: [], unmet: [], schema: null };
    throw error;
  }
}

/** Returns what a page leaves open that its schema demands of each row, with a sample of each value. */
export function lackingIn(call: Call): Readonly<Record<string, Json>> {
  const { properties, $defs } = objectOf(call.schema);
  const places = WHERE.flatMap((where) =>
    placesOf(objectOf(properties)[where] ?? {}, objectOf($defs)).map((place) => ({ ...place, in: where })),
  );
  const isBound = (place: Placed) => writePlace(place) in call.fields || writePlace(place) in call.always;
  const { missing } = missingIn(
    call,
    places.filter((place) => !isBound(place)),
  );
  return Object.fromEntries(missing.map((place) => [writePlace(place), sampleOf(place.keywords, {})]));
}

const WHERE = ['body', 'header', 'query'] as const;
const MAX_ROW = 500;

function withoutPatterns(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).filter(
    ([name, value]) => name !== 'patternProperties' && !(name === 'pattern' && typeof value === 'string'),
  );
  return Object.fromEntries(members.map(([name, value]) => [name, withoutPatterns(value)]));
}

function misfitsOf(call: Call, asked: readonly Placed[]): readonly Misfit[] {
  const given = Object.fromEntries(asked.map((place) => [writePlace(place), sampleOf(place.keywords, {})]));
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
function isDemanded(place: Placed, { code, place: lacking }: Misfit): boolean {
  const { in: where, path } = readPlace(lacking);
  if (code !== 'contract.missing' || where !== place.in) return false;
  const isSame = (name: string, at: number) =>
    where === 'header' ? name.toLowerCase() === place.path[at]?.toLowerCase() : name === place.path[at];
  return path.length <= place.path.length && place.requiredFrom <= path.length && path.every(isSame);
}

const hasField = (around: string, fields: Readonly<Record<string, string>>, places: readonly Placed[]): boolean =>
  places.some(
    (each) =>
      each.in === 'body' &&
      fields[writePlace(each)] !== undefined &&
      `${each.path.join('\n')}\n`.startsWith(`${around}\n`),
  );

const isNamedOnce = (places: readonly FoundPlace[], name: string): boolean =>
  places.filter(({ path }) => lastName(path) === name).length === 1;

/** Names of what a person has to agree to themselves. It is never said for them unasked. */
const CONSENT =
  /consent|agree|accept|gdpr|privacy|terms|permission|opt_?in|newsletter|marketing|consentim|einwillig|zustimm/i;

/** Returns the value that the description gives a place that must be there. */
function constantOf(place: FoundPlace, isField: boolean): Json | undefined {
  if (CONSENT.test(place.path.join('_'))) return undefined;
  const fixed = place.fixed.get('');
  if (fixed !== undefined || isField) return fixed;
  const preset = place.keywords['default'];
  return place.branches.length > 0 || typeof preset === 'object' ? undefined : preset;
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
  const shown = typeof sample === 'object' ? JSON.stringify(sample) : scalarOf(sample);
  return {
    name: `constant:${name}`,
    text:
      `${place.in === 'body' ? '' : `The ${place.in} `}${name} is required, and only you know what it holds.` +
      (prose === '' ? '' : ` The description says: "${prose}"`) +
      (values.length > 1 ? ` It is one of ${values.slice(0, 20).join(', ')}.` : '') +
      (guess === undefined
        ? ''
        : ` It may take the field ${guess.value}: --set ${shellWord(`${name}={${guess.value}}`)}`) +
      ` If each row gives it: --set ${shellWord(`${name}=`)}`,
    answer: isSecretName(name) ? `--set ${shellWord(name)}=@FILE` : `--set ${shellWord(`${name}=VALUE`)}`,
    ...(guess !== undefined ? { example: `{${guess.value}}` } : shown !== null && { example: shown }),
  };
}

/** Converts what a person said to the type that the place takes. */
function valueFor({ keywords }: FoundPlace, place: string, text: string): Json {
  const types = [keywords['type']].flat().map((each) => textOf(each));
  const values = listOf(keywords['enum']);
  const chosen = values.find((each) => scalarOf(each) === text);
  const bad = (why: string) =>
    new SrqError(
      'parameter.not-allowed',
      `The value given for "${place}" ${why}.`,
      `Give one that fits: --set ${shellWord(`${place}=VALUE`)}`,
    );
  if (values.length > 0 && chosen === undefined) throw bad('is none of those that the description allows');
  let value: Json = chosen ?? text;
  if (chosen === undefined && (types.includes('integer') || types.includes('number')) && !types.includes('string')) {
    if (text.trim() === '' || !Number.isFinite(Number(text))) throw bad('is no number');
    value = Number(text);
  } else if (chosen === undefined && types.includes('boolean') && !types.includes('string')) {
    if (!/^(?:true|false)$/.test(text)) throw bad('is neither true nor false');
    value = text === 'true';
  } else if (types.includes('object')) {
    try {
      value = JSON.parse(text) as Json;
    } catch {
      throw bad('is no JSON');
    }
  }
  return value;
}

function filledPath(
  { path }: ApiOperation,
  values: GivenValues,
): { readonly path: string; readonly questions: readonly Question[] } {
  const questions: Question[] = [];
  const filled = path.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const value = values.of(name);
    if (value) return encodeURIComponent(value);
    questions.push({
      name: `constant:${name}`,
      text: `The path ${path} holds {${name}}, and only you know it.`,
      answer: `--set ${shellWord(`${name}=VALUE`)}`,
    });
    return whole;
  });
  const plain = filled.trim().replaceAll(' ', '%20');
  if (isServicePath(plain)) return { path: plain, questions };
  throw new SrqError(
    'address.outside',
    `The document has the path "${path}", which is not below the base URL.`,
    'Nothing is sent to such an address. Correct it in the document, then: srq contract learn FILE',
  );
}

function audioForm(
  places: readonly Placed[],
  fields: Readonly<Record<string, string>>,
  encoding: string,
): Call['audio'] {
  const place = places.find((each) => fields[writePlace(each)] === 'audio_file');
  const { description, format, contentMediaType } = place?.keywords ?? {};
  if (/data:/.test(textOf(description))) return 'data-url';
  const isFile = encoding === 'multipart' && (format === 'binary' || contentMediaType !== undefined);
  return isFile ? 'binary' : 'base64';
}

/** An idempotency key is trusted by a person's word alone. What the description says of it is quoted, not believed. */
function againOf(
  { parameters, prose }: ApiOperation,
  values: GivenValues,
): { readonly again: Contract['create']['again']; readonly questions: readonly Question[] } {
  const isKey = (each: JsonObject) =>
    each['in'] === 'header' && IDEMPOTENT.test(textOf(each['name'])) && each['deprecated'] !== true;
  const parameter = parameters.find(isKey);
  if (parameter === undefined) return { again: null, questions: [] };
  const header = textOf(parameter['name']);
  const said = values.of(header);
  const uuid = textOf(objectOf(parameter['schema'])['format']) === 'uuid';
  const unheeded = parameter['required'] === true ? { header, hours: 0, uuid } : null;
  if (said !== undefined) {
    const hours = hoursIn(header, said);
    return { again: hours === undefined ? unheeded : { header, hours, uuid }, questions: [] };
  }
  const quoted = textOf(parameter['description']) || prose;
  const question = {
    name: `idempotency:${header}`,
    text:
      `The operation takes the header ${header}. ${quoted === '' ? 'The description says no more.' : `The description says: "${quoted.slice(0, 500)}"`} ` +
      'Does the service recognise a repeated create by it, and for how many hours? If you say so and it does not, a request may be created twice.',
    answer: `--set ${shellWord(`${header}=24h`)}`,
    unanswered: 'no',
  };
  return { again: unheeded, questions: [question] };
}

/** Returns the hours, null for "yes" without a time, or undefined for "no". */
function hoursIn(header: string, said: string): number | null | undefined {
  const text = said.trim().toLowerCase();
  if (/^(?:no?|none)$/.test(text)) return undefined;
  if (/^y(?:es)?$/.test(text)) return null;
  const [, count = '', unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?) ?(h|hours?|min|minutes?|d|days?)$/.exec(text) ?? [];
  const hours = Number(count) * (unit.startsWith('d') ? 24 : unit.startsWith('m') ? 1 / 60 : 1);
  if (hours > 0) return hours;
  throw new SrqError(
    'parameter.not-allowed',
    `"${said}" does not say whether a repeated create is recognised by ${header}.`,
    `Say for how long, yes, or no: --set ${shellWord(`${header}=24h`)}`,
  );
}

/** Prose that matters is quoted for a person. srq draws no conclusion from it. */
function proseNotes({ value }: ApiOperation): string[] {
  const said = textOf(objectOf(objectOf(value['responses'])['503'])['description']);
  if (said === '') return [];
  return [
    `Of a 503 the description says: "${said.slice(0, 300)}". If that means that nothing was done, write "503: not acted" into the page.`,
  ];
}

function pathNotes(description: ApiDescription, baseUrl: string | null): string[] {
  const path = sharedPath(description);
  if (path === '' || path.includes('{')) return [];
  if (baseUrl === null || new URL(baseUrl).pathname.replace(/\/+$/, '').endsWith(path)) return [];
  const { origin, pathname } = new URL(baseUrl);
  const whole = `${origin}${pathname.replace(/\/+$/, '')}${path}`;
  return [
    `The servers of the description have the path ${path}, which the base URL lacks. If yours has it too: srq login --base-url ${whole}`,
  ];
}

const knownNames = (...calls: readonly (Call | undefined)[]): string[] =>
  calls.flatMap((call) => {
    const names = ['body', 'header', 'query'].flatMap((where) =>
      Object.keys(objectOf(memberOf(memberOf(memberOf(call?.schema, 'properties'), where), 'properties'))),
    );
    return [...names, ...Object.keys(call?.fields ?? {}), ...Object.keys(call?.always ?? {})];
  });
