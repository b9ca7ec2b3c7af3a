import type { Described, JsonObject } from './described.ts';
import { objectOf, textOf } from './json-parts.ts';

/** OpenAPI 3 is the shape that is learned from; what 3.0 says otherwise than 3.1 is settled where a schema is read. */
export function describeOpenApi(document: JsonObject): Described {
  const version = textOf(document['openapi']).split('.').slice(0, 2).join('.');
  return {
    kind: `OpenAPI ${version}`,
    title: textOf(objectOf(document['info'])['title']) || 'without a title',
    document,
    where: (pointer) => pointer,
    notes: [],
    provesRequired: true,
  };
}
