import { type JsonObject, objectOf, textOf } from './json-parts.ts';

/** The methods of the operations that are read. srq calls none of the others, such as HEAD. */
export const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** A document of any supported kind, converted to the one shape that contracts are learned from. */
export interface DescribedDocument {
  /** Kind of the original: `OpenAPI 3.1`, `Swagger 2.0`, `Postman 2.1`. */
  readonly kind: string;
  readonly title: string;
  /** The document in the shape of OpenAPI 3.1. It contains internal references only. */
  readonly document: JsonObject;
  /** Converts a pointer into {@link document} to a pointer into the original document. */
  where(pointer: string): string;
  readonly notes: readonly string[];
  /** Whether a parameter that is not marked as required is optional. A collection of examples cannot say that. */
  readonly provesRequired: boolean;
}

/**
 * Describes an OpenAPI 3 document, which already has the target shape. The differences between 3.0 and 3.1 are resolved
 * where a schema is read.
 */
export function describeOpenApi(document: JsonObject): DescribedDocument {
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
