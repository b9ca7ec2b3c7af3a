import type { Json } from '../request/contract/contract.ts';
import { SrqError } from '../request/words/errors.ts';
import { type ApiOperation, bodyOf, Reach } from './document.ts';
import { isObject, type JsonObject, objectOf, textOf } from './json.ts';
import { type FoundPlace, placesOf } from './places.ts';
import type { ApiDescription } from './read-document.ts';

/** Headers that srq or the connection sets itself. */
const OWN_HEADERS = /^(?:authorization|accept(?:-.*)?|content-.*|cookie|host|connection|expect|te|transfer-encoding)$/i;
export const IDEMPOTENT = /idempoten/i;
const MAX_PROSE = 300;

export type Placed = FoundPlace & { readonly in: 'body' | 'header' | 'query' };

/** What the description says of one call: the schema of its requests, and every place in them. */
export interface CallSchema {
  /** A schema of body, headers and query, or null if the description says nothing. */
  readonly schema: Json;
  readonly as: string;
  readonly encoding: 'form' | 'json' | 'multipart';
  readonly places: readonly Placed[];
}

/** Cuts the schema of an operation out. `ownNames` are those of headers that the authorization fills. */
export function schemaOfCall(
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
  const parameters = operation.parameters.flatMap((each) => {
    const name = textOf(each['name']);
    const isOwn = OWN_HEADERS.test(name) || IDEMPOTENT.test(name) || ownNames.includes(name.toLowerCase());
    if (name === '' || isOwn) return [];
    const [media] = Object.values(objectOf(each['content']));
    const said = textOf(each['description']).slice(0, MAX_PROSE);
    const inner = objectOf(reach.of(each['schema'] ?? objectOf(media)['schema']));
    return [
      {
        ...{ in: each['in'], name, isRequired: each['required'] === true },
        schema: said === '' ? inner : { ...inner, description: said },
      },
    ];
  });
  const beside = (where: 'header' | 'query', written: (name: string) => string): JsonObject => {
    const own = parameters.filter((each) => each.in === where);
    return {
      type: 'object',
      properties: Object.fromEntries(own.map((each) => [written(each.name), each.schema])),
      required: own.filter(({ isRequired }) => isRequired).map(({ name }) => written(name)),
    };
  };
  const asIs = (name: string) => name;
  const header = beside('header', (name) => name.toLowerCase());
  const whole = {
    type: 'object',
    properties: { body: schema, header, query: beside('query', asIs) },
    required: ['body'],
    $defs: reach.defs,
  };
  const placesIn = (where: Placed['in'], each: Json) =>
    placesOf(each, reach.defs).map((place): Placed => ({ ...place, in: where }));
  const places = [
    ...placesIn('body', schema),
    ...placesIn('header', beside('header', asIs)),
    ...placesIn('query', beside('query', asIs)),
  ];
  return { schema: places.length > 0 ? whole : null, as: body.as, encoding: body.encoding, places };
}

/** Returns every place of a call's schema. */
export function placesOfCall(schema: Json): Placed[] {
  const { properties, $defs } = objectOf(schema);
  return (['body', 'header', 'query'] as const).flatMap((where) => {
    const own = objectOf(properties)[where];
    return isObject(own) ? placesOf(own, objectOf($defs)).map((place) => ({ ...place, in: where })) : [];
  });
}
