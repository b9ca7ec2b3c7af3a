import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import {
  type Alternative,
  type Json,
  ONLY_ELEMENT,
  type Operation,
  type Parameter,
} from '../../request/contract/contract-1.ts';
import { MAX_PATTERN_TEXT_LENGTH } from '../../request/contract/contract-rules.ts';
import { pointerNames } from '../../request/small.ts';
import { SrqError } from '../../request/words/errors.ts';

/** Problems by wire path (`customer.phone`). Empty if there are none. */
export type Problems = Readonly<Record<string, string>>;

export interface SchemaOptions {
  /** The owner of the body, for messages. */
  readonly name: string;
  /** Whether all values arrived as texts, so that numbers and booleans are parsed from them. */
  readonly texts: boolean;
}

export const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Formats that are checked. All others are ignored. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+$/,
  uuid: UUID,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i,
  uri: /^[a-z][a-z\d+.-]*:\S+$/i,
};
/** Keywords that only say that one of several schemas did not match. The other errors tell why. */
const GENERAL_KEYWORDS: readonly string[] = ['anyOf', 'oneOf', 'if'];
const WHOLE_BODY = 'body';

/**
 * Compiles a schema to a function that validates values. The patterns in it are known to terminate. Throws
 * `SrqError('input')` if the schema cannot be used.
 */
export function schemaCheck(schema: Json, options: SchemaOptions): (value: Json) => Problems {
  const validate = compile(schema, options);
  return (value) => (validate(value) ? {} : problemsOf(validate.errors ?? []));
}

function compile(schema: Json, { name, texts }: SchemaOptions): ValidateFunction {
  const ajv = new Ajv2020({
    strict: false,
    code: { regExp: Object.assign(bounded, { code: 'bounded' }) },
    allErrors: true,
    coerceTypes: texts,
    validateSchema: false,
    logger: false,
    formats: FORMATS,
  });
  try {
    return ajv.compile(typeof schema === 'object' && schema !== null ? { ...schema } : {});
  } catch (error) {
    const hint = 'Mend it in the document and learn again: srq contract learn FILE.';
    throw new SrqError('document.bad-schema', `The contract's schema of ${name} cannot be used.`, hint, error);
  }
}

/**
 * Limits a pattern to texts of bounded length, and longer ones always match. The compiler distinguishes patterns by
 * their texts.
 */
function bounded(pattern: string): { test(text: string): boolean; toString(): string } {
  const compiled = compiledPattern(pattern);
  return { test: (text) => text.length > MAX_PATTERN_TEXT_LENGTH || compiled.test(text), toString: () => pattern };
}

/** Compiles a pattern with `u` as JSON Schema defines it. Patterns of other dialects may compile only without. */
function compiledPattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

function problemsOf(errors: readonly ErrorObject[]): Problems {
  const telling = errors.filter(({ keyword }) => !GENERAL_KEYWORDS.includes(keyword));
  const told = telling.length > 0 ? telling : errors;
  const problems = new Map<string, string>();
  for (const error of told) {
    const name = nameOf(error);
    if (!problems.has(name)) problems.set(name, wordsOf(error));
  }
  return Object.fromEntries(problems);
}

function nameOf({ instancePath, params }: ErrorObject): string {
  const parts = pointerNames(instancePath);
  const member: unknown = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  if (typeof member === 'string') parts.push(member);
  return parts.join('.') || WHOLE_BODY;
}

function wordsOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return 'is not known';
  if (keyword === 'enum') return `must be one of ${params['allowedValues'].join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params['allowedValue'])}`;
  return message ?? 'is wrong';
}

interface Node {
  readonly properties: Record<string, Node | Json>;
  readonly required: Set<string>;
}

/**
 * Builds the schema of everything in one place (body, header, query) from its parameters and the choices between them.
 */
export function parametersSchema(parameters: readonly Parameter[], choices: Operation['choices']): Json {
  const root = newNode();
  for (const parameter of parameters) insert(root, parameter.path, leafSchema(parameter), parameter.required);
  return {
    ...nodeSchema(root),
    allOf: choices.map((group) => ({ anyOf: group.map((alternative) => alternativeSchema(alternative, parameters)) })),
  };
}

function leafSchema(parameter: Parameter): Json {
  const { type, values, isList, required } = parameter;
  const { minLength, maxLength, minimum, maximum, pattern } = parameter;
  const known = Object.entries({ minLength, maxLength, minimum, maximum, pattern }).filter(
    ([, bound]) => bound !== null,
  );
  const single = {
    type,
    ...Object.fromEntries(known),
    ...(values && { enum: values.map(({ value }) => typedValue(value, type)) }),
  };
  return isList ? { type: 'array', items: single, minItems: required ? 1 : 0 } : single;
}

function typedValue(text: string, type: Parameter['type']): Json {
  if (type === 'string') return text;
  return type === 'boolean' ? text === 'true' : Number(text);
}

function alternativeSchema({ fields, constants }: Alternative, parameters: readonly Parameter[]): Json {
  const root = newNode();
  for (const { field, path } of parameters) if (fields.includes(field)) insert(root, path, {}, true);
  for (const { path, value } of constants)
    insert(root, path, isEmptyObject(value) ? { type: 'object' } : { const: value }, true);
  return nodeSchema(root);
}

/** Tells whether a constant is an object that has to be there, whatever a request puts into it. */
const isEmptyObject = (value: Json): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

const newNode = (): Node => ({ properties: {}, required: new Set() });
const isNode = (value: Node | Json | undefined): value is Node =>
  typeof value === 'object' && value !== null && 'required' in value && value.required instanceof Set;

function insert(root: Node, path: readonly string[], schema: Json, required: boolean): void {
  let node = root;
  for (const name of path.slice(0, -1)) {
    const there = node.properties[name];
    const next = isNode(there) ? there : newNode();
    node.properties[name] = next;
    if (required) node.required.add(name);
    node = next;
  }
  const last = path.at(-1) ?? '';
  node.properties[last] = schema;
  if (required) node.required.add(last);
}

function nodeSchema({ properties, required }: Node): { readonly [keyword: string]: Json } {
  const element = properties[ONLY_ELEMENT];
  if (isNode(element))
    return { type: 'array', items: nodeSchema(element), minItems: required.has(ONLY_ELEMENT) ? 1 : 0 };
  const members = Object.entries(properties).map(
    ([name, value]) => [name, isNode(value) ? nodeSchema(value) : value] as const,
  );
  return { type: 'object', properties: Object.fromEntries(members), required: [...required] };
}
