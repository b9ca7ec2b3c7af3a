import { SrqError } from '../model/errors.ts';
import type { JsonObject } from './described.ts';
import { isObject, memberOf, textOf } from './json-parts.ts';

/** What a document can be learned as. */
type DocumentKind = 'openapi' | 'swagger' | 'postman' | 'contract';

const FOREIGN_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^PK\x03\x04|^\x1f/, 'a packed file'],
  [/^#%RAML/, 'a RAML description'],
  [/^\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,2000}-->\s*)?<(?:[\w-]{1,40}:)?definitions\b/, 'a WSDL description'],
  [/^\s*<(?:!doctype|html)/i, 'a web page'],
  [/^\s*</, 'an XML document'],
  [/^\s*meta\s*\{/, 'a Bruno request'],
  [
    /^\s*(?:"""|(?:type|schema|interface|enum|input|scalar|directive|union|extend)\b[^:\n]{0,200}[{=@(])/,
    'a GraphQL schema',
  ],
];

/** Throws `SrqError('input')` for a text that is known to be something else, by its beginning. */
export function refuseForeignText(name: string, text: string): void {
  const found = FOREIGN_TEXTS.find(([pattern]) => pattern.test(text.slice(0, 4096)));
  if (found) throw foreign(name, found[1]);
}

/** The kind of a document by its keys. Throws `SrqError('input')`, naming what it is instead where that is known. */
export function documentKind(name: string, document: JsonObject): DocumentKind {
  const version = textOf(document['openapi']);
  if (/^3\.[0-2](?:\.|$)/.test(version)) return 'openapi';
  if (String(document['swagger']) === '2.0' || document['swagger'] === 2) return 'swagger';
  if (isPostman(document)) return 'postman';
  if (document['version'] === 1 && isObject(document['create']) && isObject(document['token'])) return 'contract';
  throw foreign(name, foreignKind(document, version));
}

function isPostman(document: JsonObject): boolean {
  if (!Array.isArray(document['item']) || !isObject(document['info'])) return false;
  return 'schema' in document['info'] || '_postman_id' in document['info'] || 'name' in document['info'];
}

function foreignKind(document: JsonObject, version: string): string {
  if (version !== '') return `OpenAPI ${version.slice(0, 20)}, which srq does not read`;
  if ('swaggerVersion' in document || 'swagger' in document) return 'Swagger of another version than 2.0';
  if (isObject(memberOf(document['log'], 'creator')) || Array.isArray(memberOf(document['log'], 'entries'))) {
    return 'a HAR recording';
  }
  if (/insomnia/i.test(textOf(document['_type']) + textOf(document['type']) + textOf(document['__export_source']))) {
    return 'an Insomnia export';
  }
  if ('_type' in document && '__export_format' in document) return 'an Insomnia export';
  if ('bruno' in document || 'opencollection' in document) return 'a Bruno collection';
  if (Array.isArray(document['requests']) && Array.isArray(document['order']))
    return 'a Postman collection of version 1';
  if (Array.isArray(document['values']) && '_postman_variable_scope' in document) return 'a Postman environment alone';
  if ('asyncapi' in document) return 'an AsyncAPI description';
  if (isObject(document['__schema']) || isObject(memberOf(document['data'], '__schema'))) return 'a GraphQL schema';
  if ('$schema' in document || 'properties' in document) return 'a JSON Schema alone';
  return 'no description that srq knows';
}

function foreign(name: string, what: string): SrqError {
  return new SrqError(
    'input',
    `${name} is ${what}.`,
    'srq learns from OpenAPI 3.0 and 3.1, Swagger 2.0 and Postman 2.0 and 2.1: srq contract learn FILE',
  );
}
