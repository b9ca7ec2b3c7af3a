import { FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from '../../request/contract/wire.ts';
import type { Json } from '../version-1/contract.ts';
import { type DescribedDocument, METHODS } from './described.ts';
import { isObject, type JsonObject, listOf, memberOf, objectOf, pointerTo, textOf } from './json-parts.ts';
import { createReferences, type Placed, type References } from './references.ts';

/**
 * Matches the members that belong to a parameter instead of its schema. Swagger 2 has both in one object, and OpenAPI 3
 * separates them.
 */
const NO_SCHEMA_WORDS = /^(?:name|in|required|collectionFormat|allowEmptyValue)$/;

/**
 * Converts a Swagger 2.0 description to the shape of OpenAPI 3: bodies and answers by media type, servers, security
 * schemes.
 */
export function describeSwagger(document: JsonObject): DescribedDocument {
  const references = createReferences(document);
  /** The old pointer of each moved part, by its new pointer. */
  const moved = new Map<string, string>();
  const { paths, securityDefinitions, ...rest } = document;
  const converter: Converter = { document, references, moved };
  const items = Object.entries(objectOf(paths)).map(([path, item]): [string, Json] => {
    const place = references.follow(item, pointerTo('/paths', path));
    return [path, pathItem(converter, place, pointerTo('/paths', path))];
  });
  return {
    kind: 'Swagger 2.0',
    title: textOf(objectOf(document['info'])['title']) || 'without a title',
    document: {
      ...rest,
      paths: Object.fromEntries(items),
      servers: serversOf(document),
      components: { securitySchemes: securitySchemes(objectOf(securityDefinitions)) },
    },
    where: (pointer) => originOf(moved, pointer),
    notes: [],
    provesRequired: true,
  };
}

interface Converter {
  readonly document: JsonObject;
  readonly references: References;
  readonly moved: Map<string, string>;
}

/** Returns the old pointer of a part. It is derived from the longest enclosing part that was moved. */
function originOf(moved: ReadonlyMap<string, string>, pointer: string): string {
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
    const before = moved.get(pointer.slice(0, end));
    if (before !== undefined) return before + pointer.slice(end);
  }
  return pointer
    .replace(/^\/components\/securitySchemes/, '/securityDefinitions')
    .replace('/flows/clientCredentials', '')
    .replace(/^\/servers.*/, '/host');
}

function pathItem(converter: Converter, place: Placed, pointer: string): Json {
  const item = objectOf(place.value);
  const shared = converter.references.followAll(item['parameters'], pointerTo(place.pointer, 'parameters'));
  const operations = METHODS.flatMap((method): [string, Json][] => {
    const operation = item[method];
    if (!isObject(operation)) return [];
    const from: Placed = { value: operation, pointer: pointerTo(place.pointer, method), problem: null };
    return [[method, convertOperation(converter, from, shared, pointerTo(pointer, method))]];
  });
  return Object.fromEntries(operations);
}

function convertOperation(converter: Converter, from: Placed, shared: readonly Placed[], pointer: string): Json {
  const { parameters, consumes, produces, responses, ...rest } = objectOf(from.value);
  const own = converter.references.followAll(parameters, pointerTo(from.pointer, 'parameters'));
  const all = [...shared, ...own];
  const isBody = ({ value }: Placed) => /^(?:body|formData)$/.test(textOf(objectOf(value)['in']));
  const others = all
    .filter((each) => !isBody(each))
    .map((each, index) => {
      converter.moved.set(pointerTo(pointer, 'parameters', String(index)), each.pointer);
      return { ...objectOf(each.value), schema: schemaOfParameter(objectOf(each.value)) };
    });
  const body = requestBody(
    converter,
    all.filter(isBody),
    mediaTypes(consumes, converter.document['consumes']),
    pointer,
  );
  const answers = Object.entries(objectOf(responses)).map(([code, response]): [string, Json] => {
    const place = converter.references.follow(response, pointerTo(from.pointer, 'responses', code));
    return [
      code,
      convertResponse(
        converter,
        place,
        mediaTypes(produces, converter.document['produces']),
        pointerTo(pointer, 'responses', code),
      ),
    ];
  });
  converter.moved.set(pointer, from.pointer);
  return {
    ...rest,
    parameters: others,
    ...(body === null ? {} : { requestBody: body }),
    responses: Object.fromEntries(answers),
  };
}

function mediaTypes(own: Json | undefined, common: Json | undefined): string[] {
  const said = (Array.isArray(own) ? own : listOf(common)).filter((each): each is string => typeof each === 'string');
  return said.length > 0 ? said : [JSON_CONTENT_TYPE];
}

function schemaOfParameter(parameter: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(parameter).filter(([name]) => !NO_SCHEMA_WORDS.test(name)));
}

function requestBody(converter: Converter, parts: readonly Placed[], types: readonly string[], pointer: string): Json {
  const [only] = parts.filter(({ value }) => objectOf(value)['in'] === 'body');
  if (only !== undefined) {
    const schema = objectOf(only.value)['schema'] ?? {};
    for (const type of types) {
      converter.moved.set(pointerTo(pointer, 'requestBody', 'content', type), only.pointer);
    }
    return { content: Object.fromEntries(types.map((type) => [type, { schema }])) };
  }
  if (parts.length === 0) return null;
  const isFile = parts.some(({ value }) => objectOf(value)['type'] === 'file');
  const forms = types.filter((type) => type === FORM_CONTENT_TYPE || type === 'multipart/form-data');
  const [form] = isFile ? ['multipart/form-data'] : forms.length > 0 ? forms.toSorted() : [FORM_CONTENT_TYPE];
  const type = form ?? FORM_CONTENT_TYPE;
  const content = pointerTo(pointer, 'requestBody', 'content', type);
  for (const { value, pointer: from } of parts) {
    converter.moved.set(pointerTo(content, 'schema', 'properties', textOf(objectOf(value)['name'])), from);
  }
  converter.moved.set(content, parts[0]?.pointer.replace(/\/\d+$/, '') ?? content);
  return { content: { [type]: { schema: formSchema(parts.map(({ value }) => objectOf(value))) } } };
}

function formSchema(parts: readonly JsonObject[]): JsonObject {
  const named = parts.map((part): [string, JsonObject] => [textOf(part['name']), part]).filter(([name]) => name !== '');
  return {
    type: 'object',
    required: named.filter(([, part]) => part['required'] === true).map(([name]) => name),
    properties: Object.fromEntries(named.map(([name, part]) => [name, schemaOfParameter(part)])),
  };
}

function convertResponse(converter: Converter, place: Placed, types: readonly string[], pointer: string): Json {
  const { schema, examples, ...rest } = objectOf(place.value);
  const shown = objectOf(examples);
  converter.moved.set(pointer, place.pointer);
  if (schema === undefined && Object.keys(shown).length === 0) return rest;
  const all = [...new Set([...types, ...Object.keys(shown)])];
  for (const type of all) converter.moved.set(pointerTo(pointer, 'content', type), place.pointer);
  const content = all.map((type): [string, Json] => {
    const example = Object.hasOwn(shown, type) ? { example: shown[type] ?? null } : {};
    return [type, { ...(schema === undefined ? {} : { schema }), ...example }];
  });
  return { ...rest, content: Object.fromEntries(content) };
}

function serversOf(document: JsonObject): Json {
  const host = textOf(document['host']);
  const base = textOf(document['basePath']);
  const schemes = listOf(document['schemes']).filter((each) => each === 'https' || each === 'http');
  const scheme = schemes.includes('https') || schemes.length === 0 ? 'https' : 'http';
  return host === '' ? (base === '' ? [] : [{ url: base }]) : [{ url: `${scheme}://${host}${base}` }];
}

/** The names of the flows in OpenAPI 3, by those in Swagger 2. */
const FLOWS: Readonly<Record<string, string>> = {
  application: 'clientCredentials',
  accessCode: 'authorizationCode',
  implicit: 'implicit',
  password: 'password',
};

function securitySchemes(definitions: JsonObject): Json {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, definition]): [string, Json] => {
      const said = objectOf(definition);
      if (said['type'] === 'basic') return [name, { type: 'http', scheme: 'basic' }];
      if (said['type'] !== 'oauth2') return [name, said];
      const flow = { tokenUrl: said['tokenUrl'] ?? null, scopes: said['scopes'] ?? {} };
      return [name, { type: 'oauth2', flows: { [textOf(memberOf(FLOWS, textOf(said['flow']))) || 'unknown']: flow } }];
    }),
  );
}
