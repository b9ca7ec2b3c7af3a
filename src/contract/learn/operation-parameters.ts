import type { RequestOperationName } from '../../request/contract/operations.ts';
import { FIELDS } from '../../request/lead/fields.ts';
import { PARTS } from '../../request/lead/parts.ts';
import { SrqError } from '../../request/words/errors.ts';
import { type JsonObject, objectOf, scalarOf, textOf } from '../documents/json-parts.ts';
import { flatten, valuesOf } from '../schema/flat-schema.ts';
import type { Alternative, Json, Parameter } from '../version-1/contract.ts';
import { boundProblem, wireValue } from '../version-1/contract-rules.ts';
import { isBelow, type Leaf, pathKey, requiredObjects } from './body-leaves.ts';
import { type DecidedFields, decidedFields, doubtQuestion, isNeeded } from './decided-fields.ts';
import type { DocumentReading, OpenApiOperation } from './described-operation.ts';
import { fieldNamed, type NamedField } from './field-names.ts';
import { addressQuestion, EACH_ROW, type GivenConstants, type OperationConstants } from './given-constants.ts';
import { leafParameter } from './leaf-parameter.ts';
import type { Findings } from './notebook.ts';
import type { OperationBody } from './operation-body.ts';
import { fieldsQuestion } from './said-places.ts';

/** A parameter with its provenance. */
export interface PlacedParameter {
  readonly parameter: Parameter;
  readonly named: NamedField | undefined;
  readonly where: string;
}

interface OperationParameters {
  readonly parameters: readonly PlacedParameter[];
  readonly choices: readonly (readonly Alternative[])[];
}

const RESERVED: ReadonlySet<string> = new Set([...FIELDS, ...PARTS, 'audio_type', 'audio_name']);
/** Matches headers that srq writes itself. */
const OWN_HEADERS = /^(?:authorization|content-type|content-length|accept|host)$/i;
/** Matches the names of headers that look like an idempotency key. */
export const IDEMPOTENCY_HEADER = /idempoten/i;

/**
 * Returns all parameters of an operation, with the values that are fixed or were given for those that no request fills.
 */
export function operationParameters(
  reading: DocumentReading,
  role: RequestOperationName,
  operation: OpenApiOperation,
  body: OperationBody,
  given: GivenConstants,
  notebook: Findings,
): OperationParameters {
  const isMultipart = body.encoding === 'multipart';
  const { fields } = body.assignment;
  const own = given.among(body.leaves.map((leaf) => ({ path: leaf.path, isCarried: fields.has(leaf) })));
  const known = decidedFields(body, own);
  const { decided, asked } =
    role === 'create'
      ? askForPlace(operation, body, known, given, notebook)
      : { decided: known, asked: new Set<Leaf>() };
  const nameOf = fieldNames(body, decided);
  const lists = fixedLists(body, own);
  const inBody = body.leaves
    .filter((leaf) => leaf.shape !== 'object' && !lists.has(leaf))
    .map((leaf): PlacedParameter => {
      const parameter = leafParameter(leaf, nameOf(leaf), 'body', isMultipart);
      return {
        parameter: settled(parameter, decided, leaf, own, notebook),
        named: decided.fields.get(leaf),
        where: leaf.where,
      };
    });
  const taken = new Set(inBody.map(({ parameter }) => parameter.field));
  const beside = besideBody(reading, operation, taken, given.among([]), notebook);
  const alternatives = body.choices.map((choice) => choice.map((each) => alternativeOf(each, body.leaves, nameOf)));
  const fixed = [...lists].map(([{ path }, value]) => [{ fields: [], constants: [{ path, value }] }]);
  return {
    parameters: [...inBody, ...beside],
    choices: [
      ...alternatives,
      ...fixed,
      ...fixedObjects(body, decided, own, asked, notebook).map(([leaf, value]) => fixedChoice(leaf, value, inBody)),
      ...emptyObjects(body, inBody),
    ],
  };
}

/** Asks which object takes the fields if that is not known. The doubts that this settles are not asked about. */
function askForPlace(
  { name }: OpenApiOperation,
  body: OperationBody,
  decided: DecidedFields,
  given: GivenConstants,
  notebook: Findings,
): { readonly decided: DecidedFields; readonly asked: ReadonlySet<Leaf> } {
  const open = fieldsQuestion(name, body, decided, given);
  if (open === null) return { decided, asked: new Set() };
  notebook.ask(open.question);
  notebook.add('create.fields', 'nowhere', body.where, 'weak', 'the description does not say where they go');
  const doubts = [...decided.doubts].filter(([leaf]) => leaf.required || !open.settles.has(leaf));
  return { decided: { ...decided, doubts: new Map(doubts) }, asked: open.free };
}

/**
 * Returns a function that names each place. The name is the field that is sent there, or its own name, or its full path
 * if that name is reserved or not unique.
 */
function fieldNames(body: OperationBody, { fields }: DecidedFields): (leaf: Leaf) => string {
  const counts = new Map<string, number>();
  for (const { path } of body.leaves) counts.set(path.at(-1) ?? '', (counts.get(path.at(-1) ?? '') ?? 0) + 1);
  return (leaf) => {
    const own = leaf.path.at(-1) ?? '';
    const field = fields.get(leaf)?.field;
    if (field !== undefined) return field;
    const isTaken = RESERVED.has(own) || (leaf.path.length > 1 && (counts.get(own) ?? 0) > 1);
    const whole = leaf.path.length > 1 ? leaf.path.join('.') : `body.${own}`;
    return isTaken ? (RESERVED.has(whole) ? `body.${whole}` : whole) : own;
  };
}

function settled(
  parameter: Parameter,
  { fields, said, doubts }: DecidedFields,
  leaf: Leaf,
  given: OperationConstants,
  notebook: Findings,
): Parameter {
  const value = said.has(leaf) ? null : given.valueOf(leaf.path);
  if (value === EACH_ROW) {
    const { field } = parameter;
    notebook.note(`Each row has to give ${field}: srq bulk FILE --map COLUMN=${field}, or --set '${field}={COLUMN}'`);
    return parameter;
  }
  if (value !== null) {
    return { ...parameter, constant: constantValue(parameter, textOf(leaf.keywords['format']), value) };
  }
  if (fields.has(leaf)) return parameter;
  const fixed = fixedValue(leaf);
  if (fixed !== null) return { ...parameter, constant: fixed };
  const doubt = doubts.get(leaf);
  if (doubt !== undefined) notebook.ask(doubtQuestion(leaf, doubt, given.nameOf(leaf.path), leaf.required));
  else if (isNeeded(leaf, fields)) notebook.ask(given.question(leaf.path, leaf.keywords));
  return parameter;
}

/** Returns a fixed value: a constant, an `enum` of one value, or, if a value is required, the default. */
function fixedValue({ path, keywords, required }: Leaf): string | null {
  const [value, ...others] = valuesOf(keywords);
  const isMark = /^(?:type|kind)$/i.test(path.at(-1) ?? '') && path.length > 1;
  if (value !== undefined && others.length === 0) return required || isMark ? scalarOf(value) : null;
  return required ? scalarOf(keywords['default']) : null;
}

/** Returns the lists of scalars whose whole content a person gave as JSON. */
function fixedLists(body: OperationBody, given: OperationConstants): Map<Leaf, Json> {
  const lists = new Map<Leaf, Json>();
  for (const leaf of body.leaves) {
    const text = leaf.shape === 'list' ? given.valueOf(leaf.path) : null;
    const parameter = leafParameter(leaf, '', 'body', false);
    const value = text === null ? null : constantList(parameter, textOf(leaf.keywords['format']), text);
    if (value !== null) lists.set(leaf, value);
  }
  return lists;
}

/**
 * Returns the needed objects and lists of objects with their values. Only a person can give them, as JSON, and they are
 * the same in every request. `asked`: those of which a person was asked whether they take the fields.
 */
function fixedObjects(
  body: OperationBody,
  { fields }: DecidedFields,
  given: OperationConstants,
  asked: ReadonlySet<Leaf>,
  notebook: Findings,
): [Leaf, Json][] {
  return body.leaves
    .filter(({ shape }) => shape === 'object')
    .flatMap((leaf) => {
      const [fixed] = valuesOf(leaf.keywords);
      const text = given.valueOf(leaf.path);
      const value = text === null ? (fixed ?? leaf.keywords['default']) : jsonGiven(leaf.path, text);
      if (text === null && !isNeeded(leaf, fields)) return [];
      if (value === undefined && !asked.has(leaf)) notebook.ask(given.question(leaf.path, leaf.keywords, 'object'));
      return value === undefined ? [] : [[leaf, value]];
    });
}

/**
 * Returns the choice that sends a value: always, or, if it is required within an optional object, with each parameter
 * that begins this object.
 */
function fixedChoice({ path, requiredWithin }: Leaf, value: Json, inBody: readonly PlacedParameter[]): Alternative[] {
  const constants = [{ path, value }];
  if (requiredWithin === null) return [{ fields: [], constants }];
  const beginning = inBody.filter(({ parameter }) => isBelow(parameter.path, requiredWithin));
  const none = { fields: [], constants: [] };
  return [...beginning.map(({ parameter: { field } }) => ({ fields: [field], constants })), none];
}

/** Returns the required objects that are empty unless a row fills them. They are sent even if they are empty. */
function emptyObjects(body: OperationBody, filled: readonly PlacedParameter[]): Alternative[][] {
  const held = filled.filter(({ parameter }) => parameter.required || parameter.constant !== null);
  const isHeld = (path: readonly string[]) =>
    held.some(({ parameter }) => pathKey(parameter.path).startsWith(`${pathKey(path)}\u0000`));
  return requiredObjects(body.schema)
    .filter((path) => !isHeld(path))
    .map((path) => [{ fields: [], constants: [{ path, value: {} }] }]);
}

function jsonGiven(path: readonly string[], text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    const name = path.join('.');
    throw new SrqError(
      'parameter.not-allowed',
      `"${name}" is not a single value, and what was given for it is not JSON.`,
      `Give it as JSON: --set '${name}={"a":1}'    Or, if it takes the fields of a request: --set '${name}={fields}'`,
    );
  }
}

function alternativeOf(
  { paths, constants }: OperationBody['choices'][number][number],
  leaves: readonly Leaf[],
  nameOf: (leaf: Leaf) => string,
): Alternative {
  const fields = paths.flatMap((path) => {
    const leaf = leaves.find((each) => pathKey(each.path) === pathKey(path));
    return leaf === undefined ? [] : [nameOf(leaf)];
  });
  // The media type and the file name are known whenever there is a recording.
  const hasAudio = fields.includes('audio_file');
  return { fields: fields.filter((field) => !hasAudio || !/^audio_(?:type|name)$/.test(field)), constants };
}

/** Returns the required header and query parameters, and optional ones for which a value was given. */
function besideBody(
  reading: DocumentReading,
  operation: OpenApiOperation,
  taken: ReadonlySet<string>,
  given: OperationConstants,
  notebook: Findings,
): PlacedParameter[] {
  return operation.parameters.flatMap(({ value, pointer, problem }): PlacedParameter[] => {
    if (problem !== null) notebook.note(problem);
    const said = objectOf(value);
    const [name, place] = [textOf(said['name']), said['in']];
    if ((place !== 'header' && place !== 'query') || name === '') return [];
    if (place === 'header' && (OWN_HEADERS.test(name) || IDEMPOTENCY_HEADER.test(name))) return [];
    const required = said['required'] === true;
    if (!required && given.valueOf([name]) === null) return [];
    const leaf = leafBeside(reading, name, { said, pointer });
    const found = fieldNamed(name, leaf);
    const named = found && found.rank < 10 && !taken.has(found.field) ? found : undefined;
    const parameter = leafParameter(leaf, named?.field ?? name, place, false);
    const decided = { fields: new Map(named ? [[leaf, named]] : []), said: new Set<Leaf>(), doubts: new Map() };
    return [{ parameter: settled(parameter, decided, leaf, given, notebook), named, where: pointer }];
  });
}

/** Converts a header or query parameter to the form of a value in a body, with its schema and its own description. */
function leafBeside(
  reading: DocumentReading,
  name: string,
  { said, pointer }: { readonly said: JsonObject; readonly pointer: string },
): Leaf {
  const { schema } = reading.schemas.expand(said['schema'], `${pointer}/schema`);
  const flat = flatten(schema).keywords;
  const keywords = { ...flat, ...(said['description'] === undefined ? {} : { description: said['description'] }) };
  return {
    ...{ path: [name], keywords, shape: 'scalar', required: said['required'] === true },
    ...{ requiredWithin: null, where: pointer, elements: [] },
  };
}

/** Fills the parameters of the path, which are the same in every request. Only a person can give their values. */
export function filledPath(
  reading: DocumentReading,
  { path, parameters }: Pick<OpenApiOperation, 'path' | 'parameters'>,
  given: GivenConstants,
  notebook: Findings,
): string {
  const own = given.among([]);
  return path.replace(/\{([^{}]{1,100})\}/g, (placeholder, name: string) => {
    const leaf = leafInPath(reading, parameters, name);
    const value = own.valueOf([name]) || null;
    if (value === null) {
      notebook.ask(addressQuestion(path, name, leaf.keywords));
      return placeholder;
    }
    refusePlaceholder(name, value, 'One contract serves one value: learn it in a profile for each.');
    if (fieldNamed(name) !== undefined) {
      notebook.note(`All requests go to the address of ${name} ${value}, whatever their rows say: a profile for each.`);
    }
    const parameter = leafParameter(leaf, name, 'query', false);
    return encodeURIComponent(constantValue(parameter, textOf(leaf.keywords['format']), value));
  });
}

/** Returns the document's description of a placeholder in a path. It may be empty. */
function leafInPath(reading: DocumentReading, parameters: OpenApiOperation['parameters'], name: string): Leaf {
  const described = parameters.map(({ value, pointer }) => ({ said: objectOf(value), pointer }));
  const own = described.findLast(({ said }) => said['in'] === 'path' && said['name'] === name);
  return leafBeside(reading, name, own ?? { said: {}, pointer: '' });
}

/**
 * Returns the wire value for a value that a person gave. Throws `SrqError('input')` if the document does not allow it,
 * without repeating the value, which may be a key.
 */
function constantValue(parameter: Parameter, format: string, text: string): string {
  const name = parameter.path.join('.');
  refusePlaceholder(name, text, `If each row gives it: srq contract learn FILE --set ${name}=`);
  const wire = wireValue(parameter, text);
  if (wire === null) throw notAllowed(name, `is not ${allowedText(parameter)}`);
  const problem = boundProblem(parameter, wire) ?? formatProblem(format, wire);
  if (problem !== null) throw notAllowed(name, problem);
  return wire;
}

/** Returns the wire value of a list that a person gave as JSON, or null if the text is not a list. */
function constantList(parameter: Parameter, format: string, text: string): Json | null {
  if (!text.trim().startsWith('[')) return null;
  const name = parameter.path.join('.');
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw notAllowed(name, 'begins like a list, and is not JSON');
  }
  return (Array.isArray(given) ? given : [given]).map((each) => {
    if (typeof each === 'object') throw notAllowed(name, 'is not a list of single values');
    const wire = constantValue(parameter, format, String(each));
    return parameter.type === 'string' ? wire : (JSON.parse(wire) as Json);
  });
}

/** Throws `SrqError('input')` if a value names a column, because it would be sent literally. */
function refusePlaceholder(name: string, text: string, hint: string): void {
  const [placeholder] = /\{[^{}":,]+\}/.exec(text) ?? [];
  if (placeholder === undefined) return;
  const message = `The value of "${name}" is the same in every request: "${placeholder}" would be sent as it stands.`;
  throw new SrqError('parameter.not-allowed', message, hint);
}

function allowedText({ values, type }: Parameter): string {
  if (values === null) return type === 'boolean' ? 'true or false' : `of type ${type}`;
  const names = values.slice(0, 8).map(({ value }) => value);
  return `one of ${names.join(', ')}${values.length > names.length ? ', …' : ''}`;
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
};

function formatProblem(format: string, wire: string): string | null {
  const form = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return form === undefined || form.test(wire) ? null : `is not of the format ${format}`;
}

function notAllowed(name: string, problem: string): SrqError {
  return new SrqError(
    'parameter.not-allowed',
    `The value given for "${name}" ${problem}, as the document demands.`,
    `Give one that fits: --set ${name}=VALUE`,
  );
}
