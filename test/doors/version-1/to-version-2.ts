import type { Call, Contract, Json } from '../../../src/request/contract/contract.ts';
import { writePlace } from '../../../src/request/contract/place.ts';
import type { Contract as Contract1, Operation, Parameter } from './contract.ts';

/** Translates what the earlier learner has learned. */
export function toVersion2(contract: Contract1): Contract {
  const { create, validate, hasValidate, source, token, auth, servers, unavailableIsNotActed } = contract;
  const { idempotency, identifiers, duplicate } = create;
  return {
    version: 2,
    source: source && {
      file: source.files[0] ?? '',
      title: source.title,
      kind: source.kind,
      learnedAt: source.learnedAt,
    },
    create: {
      ...callOf(
        create,
        identifiers.map(({ pointer }) => pointer),
        duplicate,
      ),
      again: idempotency && {
        header: idempotency.header,
        hours: idempotency.windowSeconds === null ? null : idempotency.windowSeconds / 3600,
        uuid: idempotency.format === 'uuid',
      },
    },
    validate: hasValidate === false ? null : callOf(validate, [], validate.verdict),
    token,
    ...(auth === undefined ? {} : { auth }),
    unavailableIsNotActed,
    servers,
    guesses: [],
  };
}

function callOf(operation: Operation, id: Call['reads']['id'], duplicate: Call['reads']['duplicate']): Call {
  const { method, path, contentType, parameters, choices, success, refusal, errorTexts } = operation;
  const own = parameters ?? [];
  const chosen = choices.flat().filter(({ constants }) => constants.length > 0);
  const valuesOf = (constants: (typeof chosen)[number]['constants']) =>
    Object.fromEntries(constants.map(({ path: names, value }) => [writePlace({ in: 'body', path: names }), value]));
  return {
    call: `${method} ${path}`,
    as: contentType,
    fields:
      parameters === null
        ? Object.fromEntries(DOCUMENTED.map((name) => [name === 'audio_file' ? 'audio' : name, name]))
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
    answers: { success, refusal },
    reads: { id, duplicate, error: errorTexts },
  };
}

const DOCUMENTED = [
  'country',
  'lang',
  'location',
  'fullname',
  'email',
  'phone',
  'request_text',
  'category',
  'audio_file',
];

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
