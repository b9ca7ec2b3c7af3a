import type { DescribedDocument } from '../../src/contract/documents/described.ts';
import type { JsonObject } from '../../src/contract/documents/json-parts.ts';
import { describePostman } from '../../src/contract/postman/postman.ts';
import type { Json } from '../../src/contract/version-1/contract.ts';

/** A collection of version 2.1 with these items. */
export const aCollection = (...item: Json[]): JsonObject => ({
  info: { name: 'Requests', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  item,
});

/** `POST https://api.example.com/a`, but for what is given. */
export const anItem = (item: JsonObject = {}, request: JsonObject = {}): JsonObject => ({
  name: 'A',
  request: { method: 'POST', url: 'https://api.example.com/a', ...request },
  ...item,
});

export const described = (collection: Json): DescribedDocument => describePostman(collection, null);

/** What a JSON pointer leads to; undefined if nothing. */
export function at(value: Json | undefined, pointer: string): Json | undefined {
  const names = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<Json | undefined>((each, name) => Object(each)[name], value);
}

export const bodyOf = (document: Json, path: string, mediaType: string): Json | undefined =>
  at(document, `/paths/${path.replaceAll('/', '~1')}/post/requestBody/content/${mediaType.replaceAll('/', '~1')}`);
