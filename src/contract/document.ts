import type { Call, Json } from '../request/contract/contract.ts';
import { isObject, type JsonObject, listOf, memberOf, objectOf, scalarOf, textOf } from '../request/contract/json.ts';
import { placesIn } from '../request/contract/places.ts';
import { OWN_HEADERS } from '../request/contract/wire.ts';
import { SrqError } from '../request/words/errors.ts';
import { type ApiDescription, type Budget, cutOf, follow, tooLarge, unlessRefused } from './cut.ts';
import { sampleOf, schemaOf } from './sample.ts';

/** An operation of an API description. */
export type ApiOperation = ReturnType<typeof operationsOf>[number];

/** The largest public descriptions have a thousand or two. */
const MAX_PATHS = 5000;

/**
 * Returns the operations that take a body, in the order of the description. The name is `POST /v1/leads`, as the description
 * has it. Those of the path are among the parameters, and the keys that the operation demands.
 */
export function operationsOf(description: ApiDescription) {
  const paths = Object.entries(objectOf(description.root['paths']));
  if (paths.length > MAX_PATHS) throw tooLarge(`${description.file} describes more than ${MAX_PATHS} paths.`);
  return paths.flatMap(([path, entry]) => {
    const item = objectOf(follow(description, entry));
    return ['post', 'put'].flatMap((verb) => {
      const value = item[verb];
      if (!isObject(value)) return [];
      const declared = [...listOf(value['parameters']), ...listOf(item['parameters'])]
        .map((each) => unlessRefused(() => follow(description, each)))
        .filter(isObject);
      const parameters = [...keysOf(description, value), ...declared];
      const method = verb.toUpperCase();
      return [{ name: `${method} ${path}`, id: textOf(value['operationId']), method, path, value, parameters }];
    });
  });
}

/** Returns the keys that go along with a token. If there are only ways without one, their keys may go along. */
function keysOf(description: ApiDescription, operation: JsonObject): JsonObject[] {
  const { security, components } = description.root;
  const ways = listOf(operation['security'] ?? security).map(objectOf);
  const schemes = objectOf(objectOf(components)['securitySchemes']);
  const schemeOf = (id: string) => objectOf(unlessRefused(() => follow(description, memberOf(schemes, id))));
  const isKey = (id: string) => {
    const { type, name } = schemeOf(id);
    return type === 'apiKey' && !/^authorization$/i.test(textOf(name));
  };
  const withToken = ways.filter((way) => !Object.keys(way).every(isKey));
  const [first = {}, ...others] = withToken.length > 0 ? withToken : ways;
  return Object.keys(first)
    .filter((id) => isKey(id) && others.every((way) => Object.hasOwn(way, id)))
    .map((id) => ({ ...schemeOf(id), required: withToken.length > 0, schema: { type: 'string' } }));
}

/** Finds an operation by its name, its path alone or its id. */
export function operationCalled(operations: readonly ApiOperation[], said: string): ApiOperation | undefined {
  const plain = (text: string) => text.trim().replace(/\s+/g, ' ').toLowerCase();
  return (
    operations.find((each) => plain(each.name) === plain(said)) ??
    operations.find(({ path, id }) => [path, id].map(plain).includes(plain(said)))
  );
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b|^(?:application\/)?\*\/\*$|^text\/json\b/i;
/** The types that srq can write. Of several bodies the first one counts. */
const TYPES = [/^application\/x-www-form-urlencoded\b/i, /^multipart\/form-data\b/i, JSON_TYPE];

/** Returns the body of an operation that srq can write, or null. Nested bodies go as JSON if the service takes that. */
function bodyOf(description: ApiDescription, { value }: ApiOperation) {
  const { content } = objectOf(follow(description, value['requestBody']));
  const bodies = TYPES.flatMap((type) => {
    const [name = '', media] = Object.entries(objectOf(content)).find(([each]) => type.test(each)) ?? [];
    if (media === undefined) return [];
    const as = name.includes('*') ? 'application/json' : (name.split(';')[0]?.trim().toLowerCase() ?? '');
    const { schema = schemaOf(exampleIn(description, media) ?? null) } = objectOf(media);
    return [{ as, schema }];
  });
  const isNested = (schema: Json | undefined) => {
    const { properties } = objectOf(follow(description, schema));
    return Object.values(objectOf(properties)).some((each) => 'properties' in objectOf(follow(description, each)));
  };
  return (bodies.length > 1 && isNested(bodies[0]?.schema) ? bodies.at(-1) : bodies[0]) ?? null;
}

function exampleIn(description: ApiDescription, media: Json): Json | undefined {
  const { example, examples } = objectOf(media);
  return example ?? objectOf(follow(description, Object.values(objectOf(examples))[0]))['value'];
}

/** Returns the documented successes: the one that says that something was created (RFC 9110, section 15.3.2), a 200, the others. */
export function successesOf({ value }: ApiOperation): (readonly [status: string, response: Json])[] {
  const rank = (status: string) => ['200', '201'].indexOf(status);
  return Object.entries(objectOf(value['responses']))
    .filter(([status]) => /^2(?:\d\d|xx)$/i.test(status))
    .sort(([one], [other]) => rank(other) - rank(one));
}

/** Returns the first of the successes as the description shows it. */
export function successOf(description: ApiDescription, operation: ApiOperation): Call['success'] {
  const [found] = successesOf(operation);
  if (found === undefined) return null;
  const [status, entry] = found;
  const response = objectOf(unlessRefused(() => follow(description, entry)));
  const contents = Object.entries(objectOf(response['content']));
  const [type, media] = contents.find(([name]) => JSON_TYPE.test(name)) ?? contents[0] ?? ['', null];
  const contentType = type.includes('*') || scalarOf(type) === '' ? 'application/json' : type;
  const sample = () => {
    const example = exampleIn(description, media);
    const { schema } = objectOf(media);
    if (example !== undefined || schema === undefined) return example;
    const cut = cutOf(description, 'writeOnly');
    const copied = cut.of(schema);
    return sampleOf(copied, cut.defs);
  };
  return { status: Number(status.replace(/xx$/i, '00')), contentType, body: unlessRefused(sample) ?? null };
}

export const IDEMPOTENT = /idempoten/i;

/**
 * Cuts out what the description says of one call: a schema of body, headers and query, or null if it says nothing, and every
 * place in them.
 */
export function schemaOfCall(description: ApiDescription, operation: ApiOperation, budget?: Budget) {
  const body = bodyOf(description, operation);
  if (body === null) {
    throw new SrqError(
      'operation.unusable',
      `${operation.name} takes no body that srq can write.`,
      'It writes JSON, forms and multipart/form-data. Name another operation: --operation NAME=OPERATION',
    );
  }
  const cut = cutOf(description, 'readOnly', budget);
  const own = operation.parameters.filter((each) => {
    const name = textOf(each['name']);
    return name !== '' && !OWN_HEADERS.test(name) && !IDEMPOTENT.test(name);
  });
  const beside = (where: string): JsonObject => {
    const here = own.filter((each) => each['in'] === where);
    const keyOf = ({ name }: JsonObject) => (where === 'header' ? textOf(name).toLowerCase() : textOf(name));
    const properties = here.map((each): [string, Json] => {
      const [media] = Object.values(objectOf(each['content']));
      const schema = objectOf(each['schema'] ?? objectOf(media)['schema']);
      const said = textOf(each['description']);
      return [keyOf(each), cut.of(said === '' ? schema : { ...schema, description: said })];
    });
    const required = here.filter((each) => each['required'] === true).map(keyOf);
    return { type: 'object', properties: Object.fromEntries(properties), required };
  };
  const properties = { body: cut.of(body.schema), header: beside('header'), query: beside('query') };
  const schema = { type: 'object', properties, required: ['body'], $defs: cut.defs };
  // Headers are shown as the description writes them.
  const written = new Map(own.map(({ name }) => [textOf(name).toLowerCase(), textOf(name)]));
  const places = placesIn(schema).map((place) =>
    place.in === 'header' ? { ...place, path: place.path.map((name) => written.get(name) ?? name) } : place,
  );
  return { schema: places.length > 0 ? schema : null, as: body.as, places };
}
