import type { Alternative, Json, Parameter } from '../model/contract.ts';
import { SrqError } from '../model/errors.ts';
import { FIELDS } from '../model/service-request.ts';
import { type Leaf, pathKey } from './body-leaves.ts';
import type { DescribedOperation, Reading } from './described-operation.ts';
import { fieldNamed, type NamedField } from './field-names.ts';
import { flatten, valuesOf } from './flat-schema.ts';
import type { GivenConstants } from './given-constants.ts';
import { memberOf, objectOf, scalarOf, textOf } from './json-parts.ts';
import { leafParameter } from './leaf-parameter.ts';
import type { Notebook } from './notebook.ts';
import type { OperationBody } from './operation-body.ts';

/** A parameter with what is known of where it comes from. */
export interface PlacedParameter {
  readonly parameter: Parameter;
  readonly named: NamedField | undefined;
  readonly where: string;
}

interface OperationParameters {
  readonly parameters: readonly PlacedParameter[];
  readonly choices: readonly (readonly Alternative[])[];
}

const RESERVED: ReadonlySet<string> = new Set([...FIELDS, 'audio_type', 'audio_name']);
/** Headers that srq writes itself. */
const OWN_HEADERS = /^(?:authorization|content-type|content-length|accept|host|user-agent)$/i;
export const IDEMPOTENCY_HEADER = /idempoten/i;

/** All parameters of an operation, with what is fixed or was given for those that no request carries. */
export function operationParameters(
  reading: Reading,
  operation: DescribedOperation,
  body: OperationBody,
  given: GivenConstants,
  notebook: Notebook,
): OperationParameters {
  const nameOf = fieldNames(body);
  const isMultipart = body.encoding === 'multipart';
  const inBody = body.leaves
    .filter(({ shape }) => shape !== 'object')
    .map((leaf): PlacedParameter => {
      const parameter = leafParameter(leaf, nameOf(leaf), 'body', isMultipart);
      const named = body.assignment.get(leaf);
      return { parameter: settled(parameter, named, leaf, given, notebook), named, where: leaf.where };
    });
  const taken = new Set(inBody.map(({ parameter }) => parameter.field));
  const beside = besideBody(reading, operation, taken, given, notebook);
  const alternatives = body.choices.map((choice) => choice.map((each) => alternativeOf(each, body.leaves, nameOf)));
  return { parameters: [...inBody, ...beside], choices: [...alternatives, ...fixedObjects(body, given, notebook)] };
}

/** What each place is called: the field it carries, its own name, or its whole path where that is taken. */
function fieldNames(body: OperationBody): (leaf: Leaf) => string {
  const names = new Map<Leaf, string>();
  const used = new Set<string>(RESERVED);
  for (const leaf of body.leaves) {
    const own = leaf.path.at(-1) ?? '';
    const free = used.has(own) ? leaf.path.join('.') : own;
    const name = body.assignment.get(leaf)?.field ?? free;
    used.add(name);
    names.set(leaf, name);
  }
  return (leaf) => names.get(leaf) ?? leaf.path.join('.');
}

function settled(
  parameter: Parameter,
  named: NamedField | undefined,
  leaf: Leaf,
  given: GivenConstants,
  notebook: Notebook,
): Parameter {
  const value = given.valueOf(leaf.path);
  if (value !== null) return { ...parameter, constant: value };
  if (named !== undefined) return parameter;
  const fixed = fixedValue(leaf);
  if (fixed !== null) return { ...parameter, constant: fixed };
  if (leaf.required) notebook.ask(given.question(leaf.path, leaf.keywords));
  return parameter;
}

/** By a constant, an `enum` of one, or, where something has to be sent, the default. */
function fixedValue({ path, keywords, required }: Leaf): string | null {
  const [value, ...others] = valuesOf(keywords);
  const isMark = /^(?:type|kind)$/i.test(path.at(-1) ?? '') && path.length > 1;
  if (value !== undefined && others.length === 0) return required || isMark ? scalarOf(value) : null;
  return required ? scalarOf(keywords['default']) : null;
}

/** Objects and lists of objects that are required: only a person can say them, as JSON, and they never change. */
function fixedObjects(body: OperationBody, given: GivenConstants, notebook: Notebook): Alternative[][] {
  return body.leaves
    .filter(({ shape }) => shape === 'object')
    .flatMap((leaf) => {
      const [fixed] = valuesOf(leaf.keywords);
      const text = given.valueOf(leaf.path);
      const value = text === null ? (fixed ?? leaf.keywords['default']) : jsonGiven(leaf.path, text);
      if (text === null && !leaf.required) return [];
      if (value === undefined) notebook.ask(given.question(leaf.path, leaf.keywords));
      return value === undefined ? [] : [[{ fields: [], constants: [{ path: leaf.path, value }] }]];
    });
}

function jsonGiven(path: readonly string[], text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    const name = path.join('.');
    throw new SrqError(
      'input',
      `"${name}" is no single value, and what was given for it is not JSON.`,
      `Give it as JSON: --set '${name}={"a":1}'`,
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
  // What goes with a recording is known once there is one.
  const hasAudio = fields.includes('audio_file');
  return { fields: fields.filter((field) => !hasAudio || !/^audio_(?:type|name)$/.test(field)), constants };
}

/** Required header and query parameters. Optional ones are left out unless a value was given. */
function besideBody(
  reading: Reading,
  operation: DescribedOperation,
  taken: ReadonlySet<string>,
  given: GivenConstants,
  notebook: Notebook,
): PlacedParameter[] {
  return operation.parameters.flatMap(({ value, pointer, problem }): PlacedParameter[] => {
    if (problem !== null) notebook.note(problem);
    const said = objectOf(value);
    const [name, place] = [textOf(said['name']), said['in']];
    if ((place !== 'header' && place !== 'query') || name === '') return [];
    if (place === 'header' && (OWN_HEADERS.test(name) || IDEMPOTENCY_HEADER.test(name))) return [];
    const required = said['required'] === true;
    if (!required && given.valueOf([name]) === null) return [];
    const { schema } = reading.schemas.expand(said['schema'], `${pointer}/schema`);
    const flat = flatten(schema).keywords;
    const keywords = { ...flat, ...(said['description'] === undefined ? {} : { description: said['description'] }) };
    const leaf: Leaf = { path: [name], keywords, shape: 'scalar', required, where: pointer };
    const found = fieldNamed([name]);
    const named = found && found.rank < 10 && !taken.has(found.field) ? found : undefined;
    const parameter = leafParameter(leaf, named?.field ?? name, place, false);
    return [{ parameter: settled(parameter, named, leaf, given, notebook), named, where: pointer }];
  });
}

/** The path with the values of its parameters, which only a person can say. */
export function filledPath(operation: DescribedOperation, given: GivenConstants, notebook: Notebook): string {
  return operation.path.replace(/\{([^{}]{1,100})\}/g, (placeholder, name: string) => {
    const value = given.valueOf([name]);
    const parameter = operation.parameters.find((each) => memberOf(each.value, 'name') === name);
    if (value === null) notebook.ask(given.question([name], objectOf(parameter?.value)));
    return value === null ? placeholder : encodeURIComponent(value);
  });
}
