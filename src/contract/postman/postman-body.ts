import { isSecretName, SECRET } from '../../request/words/names.ts';
import { isObject, type JsonObject, objectOf, scalarOf } from '../documents/json-parts.ts';
import type { Json } from '../version-1/contract.ts';
import { type Pair, pairNamed, pairsOf } from './postman-format.ts';
import { withoutSecrets } from './postman-secrets.ts';
import { isUnknown, isUnquoted, MADE_ANEW, parsed, type Variables } from './postman-variables.ts';

const FORM = 'application/x-www-form-urlencoded';
const MAX_BODY = 1 << 20;

/** A request body as the collection shows it. */
export interface Body {
  readonly mediaType: string;
  readonly schema: JsonObject;
  /** The known values, or undefined if there are none. */
  readonly example: Json | undefined;
  readonly where: string;
  /** The place of each named part. */
  readonly parts: ReadonlyMap<string, string>;
}

/**
 * Reads the body of a request. Returns a text with the reason if it cannot be read, or null if the request has none.
 */
export function bodyOf(request: JsonObject, where: string, variables: Variables): Body | string | null {
  const body = readBody(request, where, variables);
  return body === null || typeof body === 'string' ? body : { ...body, schema: tokenSchema(body) };
}

/**
 * Makes the shown values of a token request constant. Such a request is not an example: its values have to be sent as
 * shown.
 */
function tokenSchema({ schema, example }: Body): JsonObject {
  const { properties } = schema;
  const shown = Object.entries(objectOf(example)).filter(([, value]) => scalarOf(value) !== null);
  if (!shown.some(([name]) => /^grant_?type$/i.test(name)) || !isObject(properties)) return schema;
  const fixed = shown.map(([name, value]) => {
    const property = objectOf(properties[name]);
    // The collection's secrets were removed, so the value is asked for.
    return [name, value === SECRET ? property : { ...property, default: value }] as const;
  });
  return {
    ...schema,
    properties: { ...properties, ...Object.fromEntries(fixed) },
    required: shown.map(([name]) => name),
  };
}

function readBody(request: JsonObject, where: string, variables: Variables): Body | string | null {
  const body = objectOf(request['body']);
  const at = `${where}/body`;
  const mode = scalarOf(body['mode']);
  if (mode === null || body['disabled'] === true) return null;
  const contentType = pairNamed(pairsOf(request['header'], ''), 'content-type')?.value ?? '';
  const mediaType = mediaTypeOf(variables.fill(contentType));
  if (mode === 'urlencoded' || mode === 'formdata') {
    const pairs = pairsOf(body[mode], `${at}/${mode}`);
    return formBody(constantPairs(pairs), mode === 'formdata', at, variables);
  }
  if (mode !== 'raw') return `a body of the kind "${mode}"`;
  const text = scalarOf(body['raw']) ?? '';
  if (text.trim() === '') return null;
  if (text.length > MAX_BODY) return 'a body of more than 1 MB';
  if (mediaType === FORM) return formBody(constantPairs(textPairs(text, at)), false, at, variables);
  return rawBody(GRANT_TYPE.test(text) ? withoutMadeAnew(text) : text, mediaType || languageType(body), at, variables);
}

const GRANT_TYPE = /\bgrant_?type\b/i;

/**
 * Leaves values unknown that the client tool generates for each request. In a body that is sent as shown, a made-up
 * value would be the same in all requests.
 */
const withoutMadeAnew = (text: string): string =>
  text.replace(MADE_ANEW, (_, name: string) => `{{${name.slice(1)} made anew}}`);

/** Returns the pairs of a form. Those of a token request contain no made-up values. */
function constantPairs(pairs: readonly Pair[]): readonly Pair[] {
  if (!pairs.some(({ name }) => GRANT_TYPE.test(name))) return pairs;
  return pairs.map((each) => ({ ...each, value: each.value && withoutMadeAnew(each.value) }));
}

const mediaTypeOf = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

function languageType(body: JsonObject): string {
  const language = scalarOf(objectOf(objectOf(body['options'])['raw'])['language']);
  return language === null || language === 'json' || language === 'text' ? 'application/json' : `text/${language}`;
}

function rawBody(text: string, mediaType: string, where: string, variables: Variables): Body | string {
  if (!/\bjson\b/.test(mediaType)) return `a body of the kind "${mediaType}"`;
  const content = parsed(variables.fillJson(text));
  if (content === undefined || !isObject(content)) return 'a body that is no JSON object';
  if (isTooDeep(content)) return 'a body nested too deeply';
  return bodyFrom(content, mediaType, where);
}

function bodyFrom(content: JsonObject, mediaType: string, where: string): Body {
  const open = objectOf(withoutSecrets(content));
  const parts = new Map(Object.keys(open).map((name) => [name, `${where}/raw`]));
  return { mediaType, schema: schemaOf(open), example: knownPart(open), where: `${where}/raw`, parts };
}

/** Reads a form body. Disabled names are in the schema, but not in the example. */
function formBody(pairs: readonly Pair[], isMultipart: boolean, where: string, variables: Variables): Body {
  const properties = new Map<string, JsonObject>();
  const example = new Map<string, Json>();
  for (const pair of [...pairs].sort((a, b) => Number(a.isDisabled) - Number(b.isDisabled))) {
    const name = variables.fill(pair.name);
    if (properties.has(name)) continue;
    properties.set(name, partSchema(pair, variables));
    const value = partValue(pair, variables);
    if (!pair.isDisabled && value !== null && !isUnknown(value)) example.set(name, value);
  }
  return {
    mediaType: isMultipart ? 'multipart/form-data' : FORM,
    schema: { type: 'object', properties: Object.fromEntries(properties) },
    example: example.size === 0 ? undefined : Object.fromEntries(example),
    where,
    parts: new Map(pairs.map(({ name, where: place }) => [variables.fill(name), place])),
  };
}

function partSchema(pair: Pair, variables: Variables): JsonObject {
  const description = pair.description === '' ? {} : { description: pair.description };
  if (pair.type === 'file') return { type: 'string', format: 'binary', ...description };
  const value = partValue(pair, variables);
  return { ...schemaOf(value ?? '{{unknown}}'), ...description };
}

/** Returns the value of a part, or null if it is a file or missing. */
function partValue({ name, value, type }: Pair, variables: Variables): string | null {
  if (type === 'file' || value === null) return null;
  return isSecretName(name) || type === 'secret' ? SECRET : variables.fill(value);
}

function textPairs(text: string, where: string): Pair[] {
  const rest = { isDisabled: false, description: '', type: '', where: `${where}/raw` };
  return text.split('&').flatMap((each) => {
    const [name = '', ...value] = each.split('=').map((part) => part.trim());
    return name === '' ? [] : [{ ...rest, name, value: unescaped(value.join('=')) }];
  });
}

function unescaped(text: string): string {
  return isUnknown(text) ? text : (new URLSearchParams(`v=${text}`).get('v') ?? text);
}

const MAX_DEPTH = 32;
const MAX_ELEMENTS = 20;

/** Tells whether a value is nested more deeply than in any real service. */
export function isTooDeep(value: Json, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === MAX_DEPTH || Object.values(value).some((each) => isTooDeep(each, depth + 1));
}

/** Derives a JSON Schema from an example. It contains the names and types, and nothing is required. */
export function schemaOf(example: Json): JsonObject {
  if (example === null) return {};
  if (Array.isArray(example)) {
    const items = example.slice(0, MAX_ELEMENTS).map(schemaOf);
    return { type: 'array', items: items.length === 0 ? {} : items.reduce(mergedSchemas) };
  }
  if (isObject(example)) {
    const properties = Object.entries(example).map(([name, each]) => [name, schemaOf(each)] as const);
    return withFixedType({ type: 'object', properties: Object.fromEntries(properties) }, example);
  }
  if (typeof example === 'string') return textSchema(example);
  const type = Number.isInteger(example) ? 'integer' : typeof example;
  return { type, example };
}

/** Makes the type constant that is beside the attributes in JSON:API, because it is always the same. */
function withFixedType(schema: { type: 'object'; properties: JsonObject }, example: JsonObject): JsonObject {
  const { type, attributes } = example;
  if (typeof type !== 'string' || isUnknown(type) || !isObject(attributes)) return schema;
  return { ...schema, properties: { ...schema.properties, type: { ...schemaOf(type), enum: [type] } } };
}

function textSchema(example: string): JsonObject {
  if (isUnquoted(example)) return { type: 'number' };
  return isUnknown(example) ? { type: 'string' } : { type: 'string', example };
}

/** Merges two schemas to one that allows the values of both. Names and examples of the first come first. */
export function mergedSchemas(first: JsonObject, second: JsonObject): JsonObject {
  if (first['type'] === undefined || second['type'] === undefined) return { ...second, ...first };
  const numbers = [first, second].every(({ type }) => type === 'integer' || type === 'number');
  if (first['type'] !== second['type']) return numbers ? { ...second, ...first, type: 'number' } : {};
  const { enum: values, items, properties } = first;
  if (Array.isArray(values) && Array.isArray(second['enum'])) {
    return { ...second, ...first, enum: [...new Set([...values, ...second['enum']])] };
  }
  if (isObject(items) && isObject(second['items'])) return { ...first, items: mergedSchemas(items, second['items']) };
  if (!isObject(properties) || !isObject(second['properties'])) return { ...second, ...first };
  return { ...first, properties: mergedProperties(properties, second['properties']) };
}

function mergedProperties(first: JsonObject, second: JsonObject): JsonObject {
  const merged = new Map(Object.entries(first));
  for (const [name, each] of Object.entries(second)) {
    const known = merged.get(name);
    merged.set(name, isObject(known) && isObject(each) ? mergedSchemas(known, each) : each);
  }
  return Object.fromEntries(merged);
}

/** Removes unknown values from an example. Returns undefined if nothing is left. */
function knownPart(example: Json): Json | undefined {
  if (typeof example === 'string') return isUnknown(example) ? undefined : example;
  if (Array.isArray(example)) return example.flatMap((each) => knownPart(each) ?? []);
  if (!isObject(example)) return example;
  const members = Object.entries(example).flatMap(([name, each]) => {
    const known = knownPart(each);
    return known === undefined ? [] : [[name, known] as const];
  });
  return Object.fromEntries(members);
}
