import { type JsonObject, objectOf, textOf } from './json-parts.ts';

/** One document, whatever its kind, in the one shape that is learned from. */
export interface Described {
  /** `OpenAPI 3.1`, `Swagger 2.0`, `Postman 2.1`. */
  readonly kind: string;
  readonly title: string;
  /** Shaped as OpenAPI 3.1, with internal references at most. */
  readonly document: JsonObject;
  /** The pointer in the document as it was given, for a pointer into {@link document}. */
  where(pointer: string): string;
  readonly notes: readonly string[];
  /** Whether a parameter that is not said to be required is optional. A collection of examples cannot say. */
  readonly provesRequired: boolean;
}

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
