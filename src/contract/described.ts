import type { Json } from '../model/contract.ts';

export type JsonObject = { readonly [name: string]: Json };

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
