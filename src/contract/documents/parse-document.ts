import { posix } from 'node:path';
import { isAlias, isMap, isScalar, parseDocument as parseYaml, visit } from 'yaml';
import { pointerNames } from '../../request/small.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { Json } from '../version-1/contract.ts';
import { documentText } from './document-text.ts';
import { isObject, type JsonObject, memberOf, percentDecoded, pointerPart, textOf } from './json-parts.ts';

/** A file as it was read. */
export interface SourceDocument {
  /** Name of the file, without its folder. */
  readonly name: string;
  readonly bytes: Buffer;
  /** The folder that references may lead to. Without it, only these bytes are read. */
  readonly folder?: DescriptionFolder;
}

/** The folder of a description that consists of several files. */
export interface DescriptionFolder {
  /** Path of the document itself within the folder, with `/` between its parts. */
  readonly path: string;
  /**
   * Reads a file by its path within the folder. Returns null if the file does not exist or lies outside of the folder.
   */
  read(path: string): Buffer | null;
}

const DOCUMENT_LIMIT_BYTES = 10 * 1024 * 1024;
const MAX_DEPTH = 200;
const MAX_VALUES = 2_000_000;
/** Maximum number of times that YAML aliases may repeat their content. More is an attempt to exhaust the memory. */
const MAX_ALIASED = 10_000;

/**
 * Parses a document written in JSON or YAML to plain JSON. Dates and names become texts. `__proto__` is left out,
 * because nothing that is read here has that name.
 *
 * Throws `SrqError('input')` if the document is too large, too deep, neither JSON nor YAML, or not an object.
 */
export function parseDocument({ name, bytes }: SourceDocument): JsonObject {
  if (bytes.length > DOCUMENT_LIMIT_BYTES) {
    throw unusable(name, `is larger than ${DOCUMENT_LIMIT_BYTES / 1024 / 1024} MB`);
  }
  const text = documentText(bytes);
  if (text === null) throw unusable(name, 'is not a text in UTF-8 or UTF-16');
  refuseForeignText(name, text);
  if (text.trim() === '') throw unusable(name, 'is empty');
  const value = plain(name, parsed(name, text));
  if (!isObject(value)) throw unusable(name, 'is neither an OpenAPI description nor a Postman collection');
  return value;
}

function unusable(name: string, what: string): SrqError {
  return new SrqError(
    'document.unreadable',
    `${name} ${what}.`,
    'Give the OpenAPI description or the Postman collection that you were sent: srq contract learn FILE',
  );
}

/**
 * Parses a text as JSON, because that is faster, and as YAML if that fails. YAML allows comments and superfluous
 * commas.
 */
function parsed(name: string, text: string): unknown {
  let wrong = '';
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.parse(text) as unknown;
    } catch (error) {
      // The rest of the message quotes the document, which may hold a secret.
      wrong = (error as Error).message.replace(/, ?(?:\.\.\.)?".*$/s, '');
    }
  }
  try {
    return fromYaml(name, text);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(name);
    throw wrong !== '' && /\.json$/i.test(name) ? unusable(name, `is not JSON: ${wrong}`) : error;
  }
}

const tooDeep = (name: string): SrqError => unusable(name, `is nested more than ${MAX_DEPTH} levels deep`);

function fromYaml(name: string, text: string): unknown {
  const document = parseYaml(text, {
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    // The library's own check compares each key with all keys before it, which takes quadratic time. `refuseOddKeys`
    // checks them instead.
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  // The library reports a stack overflow as a mistake in the text.
  if (/call stack/.test(error?.message ?? '')) throw tooDeep(name);
  // Only the first line is kept, because those after it quote the document, which may hold a secret.
  if (error) throw unusable(name, `is neither JSON nor YAML: ${error.message.split('\n')[0]?.replace(/:$/, '')}`);
  refuseOddKeys(name, document);
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASED });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooDeep(name);
    throw unusable(name, 'has aliases that repeat too much, or that stand for nothing');
  }
}

function refuseOddKeys(name: string, document: ReturnType<typeof parseYaml>): void {
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const value = isScalar(key) ? key.value : key;
        if (isAlias(key) || isMap(key)) throw unusable(name, 'has a key that is no text');
        if (seen.has(value)) throw unusable(name, `says "${String(value).slice(0, 100)}" twice in one place`);
        seen.add(value);
      }
    },
  });
}

const MERGE_KEY = '<<';

/** Copies a value as plain JSON, with aliases and merge keys expanded within bounds. */
function plain(name: string, root: unknown): Json {
  let count = 0;
  return copy(root, 0);

  function copy(value: unknown, depth: number): Json {
    countOne();
    if (depth > MAX_DEPTH) throw tooDeep(name);
    if (Array.isArray(value)) return value.map((each) => copy(each, depth + 1));
    if (typeof value === 'object' && value !== null) {
      const members = membersOf(value).filter(([key]) => key !== '__proto__');
      return Object.fromEntries(members.map(([key, each]) => [key, copy(each, depth + 1)]));
    }
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  }

  /**
   * Returns the members of a map, including those of its merge key. The map's own members take precedence, and of
   * several merged maps the first one does.
   */
  function membersOf(map: object): [string, unknown][] {
    const members = Object.entries(map);
    const [, merged] = members.find(([key]) => key === MERGE_KEY) ?? [];
    if (merged === undefined) return members;
    const all = new Map<string, unknown>();
    for (const each of (Array.isArray(merged) ? merged : [merged]).toReversed()) {
      if (typeof each !== 'object' || each === null || Array.isArray(each)) {
        throw unusable(name, 'has a YAML merge key (<<) that is no map');
      }
      for (const [key, value] of membersOf(each)) {
        countOne();
        all.set(key, value);
      }
    }
    for (const [key, value] of members) if (key !== MERGE_KEY) all.set(key, value);
    return [...all];
  }

  function countOne(): void {
    count += 1;
    if (count > MAX_VALUES) throw unusable(name, `holds more than ${MAX_VALUES} values`);
  }
}

/** The kinds of documents that are recognised. */
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

/** Throws `SrqError('input')` if the beginning of a text shows that it is something else. */
function refuseForeignText(name: string, text: string): void {
  const found = FOREIGN_TEXTS.find(([pattern]) => pattern.test(text.slice(0, 4096)));
  if (found) throw foreign(name, found[1]);
}

/**
 * Returns the kind of a document, which its keys show. Throws `SrqError('input')` for any other document, and names its
 * kind if that is known.
 */
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
    'document.unreadable',
    `${name} is ${what}.`,
    'srq learns from OpenAPI 3.0 to 3.2, Swagger 2.0 and Postman 2.0 and 2.1: srq contract learn FILE',
  );
}

/** The member of a document that holds the files to which it refers, by their paths within the folder. */
const FILES = 'x-srq-files';
const MAX_FILES = 300;
const MAX_BYTES = 20 * 1024 * 1024;

/**
 * Parses a document together with the files of its folder to which it refers. The files become members of the document
 * and the references to them become internal, so that all other code knows of no files. A reference that leads out of
 * the folder, to an address or to a missing file is left unchanged, and is reported if its target is needed.
 *
 * Throws `SrqError('input')` if a file cannot be parsed, or if there are too many files or they are too large.
 */
export function parseWithReferredFiles(document: SourceDocument): JsonObject {
  const root = parseDocument(document);
  const { folder, name } = document;
  if (folder === undefined) return root;
  const files = new Map<string, JsonObject | null>();
  let bytesLeft = MAX_BYTES;

  function fileAt(path: string): JsonObject | null {
    const known = files.get(path);
    if (known !== undefined) return known;
    const bytes = folder?.read(path) ?? null;
    bytesLeft -= bytes?.length ?? 0;
    if (files.size >= MAX_FILES || bytesLeft < 0) throw tooMuch(name);
    const content = bytes === null ? null : parseDocument({ name: path, bytes });
    files.set(path, content);
    return content;
  }

  /** Returns the internal reference that replaces a reference in the file at `path`. */
  function internalReference(reference: string, path: string): string {
    const target = targetOf(reference, path);
    if (target === null) return reference;
    const { file, fragment } = target;
    const content = file === folder?.path ? root : fileAt(file);
    // Files often refer to the components of the main document as if they were part of it.
    const isOfMain = file === path && content !== null && !hasPointer(content, fragment) && hasPointer(root, fragment);
    if (content === null) return reference;
    if (content === root || isOfMain || (fragment !== '' && !fragment.startsWith('/'))) return `#${fragment}`;
    return `#/${FILES}/${pointerPart(file).replaceAll('%', '%25')}${fragment}`;
  }

  function withInternal(value: Json, path: string): Json {
    if (Array.isArray(value)) return value.map((each: Json) => withInternal(each, path));
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, each]): [string, Json] => {
      const isReference = name === '$ref' && typeof each === 'string';
      return [name, isReference ? internalReference(each, path) : withInternal(each, path)];
    });
    return Object.fromEntries(members);
  }

  const whole = withInternal(root, folder.path);
  const parts: Record<string, Json> = {};
  // The map grows while it is read, because parts refer to further parts.
  for (const [path, content] of files) if (content !== null) parts[path] = withInternal(content, path);
  return isObject(whole) ? { ...whole, [FILES]: parts } : root;
}

/** Returns the file and the fragment that a relative reference means, or null for an address or an absolute path. */
function targetOf(reference: string, path: string): { file: string; fragment: string } | null {
  const [before = '', fragment = ''] = reference.split(/#(.*)/s);
  if (before === '') return { file: path, fragment };
  const file = percentDecoded(before);
  if (/^[a-z][a-z\d+.-]*:|^[\\/]|\\/i.test(file)) return null;
  const joined = posix.normalize(posix.join(posix.dirname(path), file));
  return joined.startsWith('../') || joined === '..' ? null : { file: joined, fragment };
}

const hasPointer = (document: JsonObject, fragment: string): boolean =>
  !fragment.startsWith('/') ||
  pointerNames(percentDecoded(fragment)).reduce<Json | undefined>((value, name) => memberOf(value, name), document) !==
    undefined;

function tooMuch(name: string): SrqError {
  return new SrqError(
    'document.too-large',
    `${name} refers to more than ${MAX_FILES} files, or to more than ${MAX_BYTES / 1024 / 1024} MB.`,
    'Bundle the description into one file, then: srq contract learn FILE',
  );
}

/**
 * Converts a pointer to the form that people know: the file, unless it is the document itself, and the pointer within
 * it.
 */
export function placeInFiles(pointer: string): string {
  const [, start = '', file = '', ...rest] = pointer.split('/');
  if (start !== FILES || file === '') return pointer;
  const [path = ''] = pointerNames(`/${file}`);
  return [path, `/${rest.join('/')}`].join(' ');
}
