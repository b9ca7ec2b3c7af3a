import type { Json } from '../request/contract/contract.ts';
import { type JsonObject, objectOf, textOf } from '../request/contract/json.ts';
import { type FoundPlace, placesIn } from '../request/contract/places.ts';
import { SrqError } from '../request/words/errors.ts';
import { type Budget, Cut } from './cut.ts';
import { type ApiOperation, bodyOf } from './document.ts';
import type { ApiDescription } from './read-document.ts';

/** Headers that srq or the connection sets itself. */
const OWN_HEADERS = /^(?:authorization|accept(?:-.*)?|content-.*|cookie|host|connection|expect|te|transfer-encoding)$/i;
export const IDEMPOTENT = /idempoten/i;
const MAX_PROSE = 300;

/** What the description says of one call: the schema of its requests, and every place in them. */
export interface CallSchema {
  /** A schema of body, headers and query, or null if the description says nothing. */
  readonly schema: Json;
  readonly as: string;
  readonly places: readonly FoundPlace[];
}

/** Cuts the schema of an operation out. `ownNames` are those of headers that the authorization fills. */
export function schemaOfCall(
  description: ApiDescription,
  operation: ApiOperation,
  ownNames: readonly string[] = [],
  budget?: Budget,
): CallSchema {
  const body = bodyOf(description, operation);
  if (body === null) {
    throw new SrqError(
      'operation.unusable',
      `${operation.name} takes no body that srq can write.`,
      'It writes JSON, forms and multipart/form-data. Name another operation: --operation NAME=OPERATION',
    );
  }
  const cut = new Cut(description, 'readOnly', budget);
  const written = new Map<string, string>();
  const beside = (where: string): JsonObject => {
    const properties: Record<string, Json> = {};
    const required: string[] = [];
    for (const each of operation.parameters) {
      const name = textOf(each['name']);
      if (each['in'] !== where || name === '' || OWN_HEADERS.test(name) || IDEMPOTENT.test(name)) continue;
      if (ownNames.includes(name.toLowerCase())) continue;
      const key = where === 'header' ? name.toLowerCase() : name;
      const [media] = Object.values(objectOf(each['content']));
      const said = textOf(each['description']).slice(0, MAX_PROSE);
      const schema = objectOf(cut.of(each['schema'] ?? objectOf(media)['schema']));
      properties[key] = said === '' ? schema : { ...schema, description: said };
      if (each['required'] === true) required.push(key);
      if (where === 'header') written.set(key, name);
    }
    return { type: 'object', properties, required };
  };
  const properties = { body: cut.of(body.schema), header: beside('header'), query: beside('query') };
  const schema = { type: 'object', properties, required: ['body'], $defs: cut.defs };
  // Headers are shown as the description writes them.
  const places = placesIn(schema).map((place) =>
    place.in === 'header' ? { ...place, path: place.path.map((name) => written.get(name) ?? name) } : place,
  );
  return { schema: places.length > 0 ? schema : null, as: body.as, places };
}
