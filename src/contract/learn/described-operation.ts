import { type DescribedDocument, METHODS } from '../documents/described.ts';
import { isObject, type JsonObject, listOf, memberOf, objectOf, pointerTo, textOf } from '../documents/json-parts.ts';
import { createReferences, type Placed, type References } from '../documents/references.ts';
import { createSchemaReader, type SchemaReader } from '../schema/expand-schema.ts';
import type { Json } from '../version-1/contract.ts';

/** A described document with what is needed to read it. */
export interface DocumentReading {
  readonly described: DescribedDocument;
  readonly references: References;
  readonly schemas: SchemaReader;
}

export interface OpenApiOperation {
  readonly method: string;
  readonly path: string;
  /** Name for people: `POST /v1/requests`. */
  readonly name: string;
  readonly id: string;
  /** Its summary, description and tags. */
  readonly words: string;
  readonly value: JsonObject;
  readonly pointer: string;
  /** Header, query and path parameters, including those of the path item. */
  readonly parameters: readonly Placed[];
}

/** The content of a body or answer in one media type. */
export interface MediaContent {
  readonly mediaType: string;
  readonly value: JsonObject;
  readonly pointer: string;
}

const MAX_WORDS = 20_000;

/** Prepares a described document for reading. */
export function startReading(described: DescribedDocument): DocumentReading {
  const references = createReferences(described.document);
  return { described, references, schemas: createSchemaReader(references) };
}

export function operationsOf({ described, references }: DocumentReading): OpenApiOperation[] {
  return Object.entries(objectOf(described.document['paths'])).flatMap(([path, item]) => {
    const place = references.follow(item, pointerTo('/paths', path));
    const holder = objectOf(place.value);
    return METHODS.flatMap((method) => {
      const own = holder[method];
      if (!isObject(own) || !path.startsWith('/')) return [];
      const value = 'servers' in holder ? { servers: holder['servers'] ?? null, ...own } : own;
      const pointer = pointerTo(place.pointer, method);
      const parameters = [
        ...references.followAll(holder['parameters'], pointerTo(place.pointer, 'parameters')),
        ...references.followAll(value['parameters'], pointerTo(pointer, 'parameters')),
      ];
      const told = [value['summary'], value['description'], ...listOf(value['tags'])].map(textOf);
      const words = told.join(' ').slice(0, MAX_WORDS);
      const name = `${method.toUpperCase()} ${path}`;
      return [{ method, path, name, id: textOf(value['operationId']), words, value, pointer, parameters }];
    });
  });
}

/** Returns the problems of paths that are outside of the document. */
export function pathProblems({ described, references }: DocumentReading): string[] {
  return Object.entries(objectOf(described.document['paths'])).flatMap(
    ([path, item]) => references.follow(item, pointerTo('/paths', path)).problem ?? [],
  );
}

/** Returns the bodies that an operation accepts, by media type. */
export function bodiesOf({ references }: DocumentReading, operation: OpenApiOperation): MediaContent[] {
  const body = references.follow(operation.value['requestBody'], pointerTo(operation.pointer, 'requestBody'));
  return contentOf(references, body);
}

/** Returns the contents of a body or answer, by media type. */
export function contentOf(references: References, holder: Placed): MediaContent[] {
  return Object.entries(objectOf(objectOf(holder.value)['content'])).map(([mediaType, value]) => {
    const place = references.follow(value, pointerTo(holder.pointer, 'content', mediaType));
    return { mediaType, value: objectOf(place.value), pointer: place.pointer };
  });
}

/** Returns the media type in lower case, without its parameters. */
export const bareMediaType = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

/** Tells whether a media type, or a range of media types, admits JSON. */
export function isJsonType(mediaType: string): boolean {
  return /^(?:application|text)\/(?:[\w.+-]+\+)?json$|^\*\/\*$|^application\/\*$/.test(bareMediaType(mediaType));
}

export function isSameParameter(one: Json, other: Json): boolean {
  const nameOf = (value: Json): string => textOf(memberOf(value, 'name')).toLowerCase();
  return isObject(one) && isObject(other) && one['in'] === other['in'] && nameOf(one) === nameOf(other);
}
