import { isDeepStrictEqual } from 'node:util';
import {
  type Call,
  type Contract,
  type Json,
  type TokenOperation,
  withJudges,
} from '../../src/request/contract/contract.ts';
import type { RequestOperationName } from '../../src/request/contract/operations.ts';
import { writePlace } from '../../src/request/contract/place.ts';
import { DOCUMENTED_CONTRACT as OF_TODAY } from '../../src/request/contract/public-api.ts';
import { FORM_CONTENT_TYPE, PATHS } from '../../src/request/contract/wire.ts';

export type { TokenOperation };

/*
 * Contracts for tests, written as lists of parameters. A list says in one line what takes ten in a schema and on a page.
 */

/** One value of a request: the field it takes, where it goes, and what is allowed there. */
export interface Parameter {
  readonly field: string;
  readonly in: 'body' | 'header' | 'query';
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  /** Whether it is the only element of a list. */
  readonly isList: boolean;
  readonly required: boolean;
  /** The object in which it is required, or null. */
  readonly requiredWithin: readonly string[] | null;
  readonly values: readonly { readonly value: string; readonly label: string | null }[] | null;
  readonly minLength: number | null;
  readonly maxLength: number | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly pattern: string | null;
  readonly constant: string | null;
  readonly audioForm: Call['audio'] | null;
}

/** One of several ways: fields that have to be there, and values that go with them. */
interface Way {
  readonly fields: readonly string[];
  readonly constants: readonly { readonly path: readonly string[]; readonly value: Json }[];
}

export type ContractEncoding = 'form' | 'json' | 'multipart';

interface Operation {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly encoding: ContractEncoding;
  readonly contentType: string;
  /** Null: those of the public document. */
  readonly parameters: readonly Parameter[] | null;
  readonly choices: readonly (readonly Way[])[];
  /** What is demanded beside the parameters. */
  readonly schema: Json;
  readonly success: Call['success'];
}

export interface CreateOperation extends Operation {
  readonly identifiers: readonly { readonly pointer: string }[];
  readonly idempotency: {
    readonly header: string;
    readonly windowSeconds: number | null;
    readonly format: 'uuid' | 'text';
  } | null;
}

export type ValidateOperation = Operation;

export interface Described {
  readonly source: Contract['source'];
  readonly create: CreateOperation;
  readonly validate: ValidateOperation;
  readonly hasValidate: boolean | null;
  readonly token: TokenOperation;
}

const documentedRequest = (name: RequestOperationName): Operation => ({
  ...{ method: 'POST', path: PATHS[name], encoding: 'form', contentType: FORM_CONTENT_TYPE },
  ...{ parameters: null, choices: [], schema: null, success: null },
});

/** The contract that the public document describes. */
export const DOCUMENTED_CONTRACT: Described = {
  source: null,
  create: { ...documentedRequest('create'), identifiers: [], idempotency: null },
  validate: documentedRequest('validate'),
  hasValidate: true,
  token: OF_TODAY.token,
};

// The validator of requests is loaded once, for all contracts.
await withJudges({ ...OF_TODAY, create: { ...OF_TODAY.create, schema: {} } });

/** Returns the contract that a list of parameters describes, ready to judge requests. */
export function described(given: Described): Contract {
  const contract = contractOf(given);
  const source = { file: 'api.json', title: 'An API', kind: 'OpenAPI 3.1', learnedAt: '2026-11-21T00:00:00.000Z' };
  return isDeepStrictEqual(contract, OF_TODAY) ? OF_TODAY : { ...contract, source: contract.source ?? source };
}

function contractOf({ create, validate, hasValidate, source, token }: Described): Contract {
  const { idempotency, identifiers } = create;
  return {
    ...{ version: 2, source, token, servers: [], guesses: [] },
    create: {
      ...callOf(create),
      identifiers: identifiers.map(({ pointer }) => pointer),
      again: idempotency && {
        header: idempotency.header,
        hours: idempotency.windowSeconds === null ? null : idempotency.windowSeconds / 3600,
        uuid: idempotency.format === 'uuid',
      },
    },
    validate: hasValidate === false ? null : callOf(validate),
  };
}

function callOf(operation: Operation): Call {
  const { method, path, contentType, parameters, choices, success } = operation;
  const own = parameters ?? [];
  const chosen = choices.flat().filter(({ constants }) => constants.length > 0);
  const valuesOf = (constants: (typeof chosen)[number]['constants']) =>
    Object.fromEntries(constants.map(({ path: names, value }) => [writePlace({ in: 'body', path: names }), value]));
  return {
    call: `${method} ${path}`,
    as: contentType,
    fields:
      parameters === null
        ? OF_TODAY.create.fields
        : Object.fromEntries(own.filter((each) => !isFixed(each)).map((each) => [placeOf(each), each.field])),
    always: {
      ...Object.fromEntries(own.flatMap((each) => (each.constant === null ? [] : [[placeOf(each), typed(each)]]))),
      ...Object.assign(
        {},
        ...chosen.filter(({ fields }) => fields.length === 0).map((each) => valuesOf(each.constants)),
      ),
    },
    when: Object.fromEntries(
      chosen.flatMap(({ fields: [field], constants }) => (field === undefined ? [] : [[field, valuesOf(constants)]])),
    ),
    codes: {},
    audio: own.find(({ audioForm }) => audioForm !== null)?.audioForm ?? 'base64',
    schema: schemaOf(operation),
    success,
  };
}

const isFixed = ({ constant, values }: Parameter): boolean => constant !== null && values?.length === 1;
const pathOf = ({ path, isList }: Parameter): readonly string[] => (isList ? [...path, '0'] : path);
const placeOf = (each: Parameter): string => writePlace({ in: each.in, path: pathOf(each) });

function typed({ constant, type }: Parameter): Json {
  const text = constant ?? '';
  if (type === 'boolean') return text === 'true';
  return type === 'string' || !Number.isSafeInteger(Number(text)) ? text : Number(text);
}

function schemaOf({ parameters, choices, schema }: Operation): Json {
  const isBounded = (each: Parameter) =>
    each.required ||
    each.requiredWithin !== null ||
    each.values !== null ||
    each.type !== 'string' ||
    [each.minLength, each.maxLength, each.minimum, each.maximum, each.pattern].some((bound) => bound !== null);
  const own = parameters ?? [];
  if (schema === null && choices.length === 0 && !own.some(isBounded)) return null;
  const placed = (where: Parameter['in']) => own.filter((each) => each.in === where);
  const body = parametersSchema(placed('body'), choices);
  const lower = placed('header').map((each) => ({ ...each, path: each.path.map((name) => name.toLowerCase()) }));
  return {
    type: 'object',
    properties: {
      body: isBare(schema) ? { ...(schema as object), ...(body as object) } : { allOf: [body, schema] },
      header: parametersSchema(lower, []),
      query: parametersSchema(placed('query'), []),
    },
    required: ['body', 'header', 'query'],
  };
}

/** Tells whether a schema says nothing of single members, so that it can be joined with that of the parameters. */
const isBare = (schema: Json): boolean =>
  schema === null || Object.keys(schema).every((word) => word === 'type' || word === 'additionalProperties');

interface Node {
  readonly properties: Record<string, Node | Json>;
  readonly required: Set<string>;
}

function parametersSchema(parameters: readonly Parameter[], choices: Operation['choices']): Json {
  const root = newNode();
  for (const each of parameters) {
    insert(root, pathOf(each), leafSchema(each), each.required);
    if (each.requiredWithin !== null) nodeAt(root, each.path.slice(0, -1)).required.add(each.path.at(-1) ?? '');
  }
  return {
    ...nodeSchema(root),
    allOf: choices.map((group) => ({
      anyOf: group.map(({ fields, constants }) => {
        const way = newNode();
        for (const each of parameters) if (fields.includes(each.field)) insert(way, pathOf(each), {}, true);
        for (const { path, value } of constants)
          insert(way, path, isEmptyObject(value) ? { type: 'object' } : { const: value }, true);
        return nodeSchema(way);
      }),
    })),
  };
}

function leafSchema({ type, values, minLength, maxLength, minimum, maximum, pattern }: Parameter): Json {
  const bounds = Object.entries({ minLength, maxLength, minimum, maximum, pattern }).filter(
    ([, bound]) => bound !== null,
  );
  const code = (text: string): Json => (type === 'string' ? text : type === 'boolean' ? text === 'true' : Number(text));
  const isLabelled = values?.some(({ label }) => label !== null);
  const allowed =
    values === null
      ? {}
      : isLabelled
        ? {
            oneOf: values.map(({ value, label }) => ({
              const: code(value),
              ...(label === null ? {} : { title: label }),
            })),
          }
        : { enum: values.map(({ value }) => code(value)) };
  return { type, ...Object.fromEntries(values === null ? bounds : []), ...allowed };
}

const isEmptyObject = (value: Json): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

const newNode = (): Node => ({ properties: {}, required: new Set() });
const isNode = (value: Node | Json | undefined): value is Node =>
  typeof value === 'object' && value !== null && 'required' in value && value.required instanceof Set;

function nodeAt(root: Node, path: readonly string[]): Node {
  let node = root;
  for (const name of path) {
    const there = node.properties[name];
    const next = isNode(there) ? there : newNode();
    node.properties[name] = next;
    node = next;
  }
  return node;
}

function insert(root: Node, path: readonly string[], schema: Json, required: boolean): void {
  if (required) for (const [at, name] of path.entries()) nodeAt(root, path.slice(0, at)).required.add(name);
  nodeAt(root, path.slice(0, -1)).properties[path.at(-1) ?? ''] = schema;
}

function nodeSchema({ properties, required }: Node): { readonly [keyword: string]: Json } {
  const element = properties['0'];
  if (element !== undefined)
    return {
      type: 'array',
      items: isNode(element) ? nodeSchema(element) : element,
      minItems: required.has('0') ? 1 : 0,
    };
  const members = Object.entries(properties).map(
    ([name, value]) => [name, isNode(value) ? nodeSchema(value) : value] as const,
  );
  return { type: 'object', properties: Object.fromEntries(members), required: [...required] };
}
