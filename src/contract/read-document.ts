import { upgrade } from '@scalar/openapi-upgrader';
import { parseDocument as parseYaml } from 'yaml';
import type { Json } from '../request/contract/contract.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../request/contract/json.ts';
import { SrqError } from '../request/words/errors.ts';
import { type ApiDescription, follow, tooLarge, unlessRefused } from './cut.ts';
import { fromPostman } from './from-postman.ts';

/** A file as it was read. */
export interface SourceFile {
  /** Name of the file, without its folder. */
  readonly name: string;
  readonly bytes: Buffer;
}

const MAX_DEPTH = 200;
const MAX_VALUES = 400_000;
/** Times that YAML aliases may repeat their content. More is an attempt to exhaust the memory. */
const MAX_ALIASED = 10_000;
/** YAML is parsed slowly, a megabyte in most of a second. */
const MAX_YAML = 3 * 1024 * 1024;
const MAX_TITLE = 200;

/**
 * Reads an API description: OpenAPI 3, Swagger 2 or a Postman collection, in JSON or YAML. Only these bytes are read.
 * No other file and no address is opened, and no script is run.
 */
export function readDocument(file: SourceFile, environment: SourceFile | null): ApiDescription {
  const { name } = file;
  const root = parseFile(file);
  const values = environment === null ? {} : parseEnvironment(environment);
  const info = objectOf(root['info']);
  const title = (textOf(info['title']) || textOf(info['name'])).slice(0, MAX_TITLE);
  if (isCollection(root)) {
    const { document, notes } = fromPostman(root, values);
    const version = /v2\.0/.test(textOf(info['schema'])) ? '2.0' : '2.1';
    return { file: name, title, kind: `Postman ${version}`, root: document, notes };
  }
  const openapi = textOf(root['openapi']);
  const isSwagger = Number(root['swagger']) === 2;
  if (!isSwagger && !/^3\.[0-2](?:\.|$)/.test(openapi)) throw foreign(name);
  const kind = isSwagger ? 'Swagger 2.0' : `OpenAPI ${openapi.slice(0, 3)}`;
  const notes = environment === null ? [] : ['An environment works only with a Postman collection.'];
  return { file: name, title, kind, root: upgraded(name, root, isSwagger), notes };
}

/** Converts a description to OpenAPI 3.1. */
function upgraded(name: string, root: JsonObject, isSwagger: boolean): JsonObject {
  if (!isSwagger && !textOf(root['openapi']).startsWith('3.0')) return root;
  try {
    return upgrade(structuredClone(isSwagger ? prepared(name, root) : root), '3.1') as JsonObject;
  } catch {
    throw unusable(name, 'cannot be read as OpenAPI: something in it is not as the standard says');
  }
}

/**
 * The upgrader leaves parameters by reference that are bodies, loses what is allowed in a form, lists http beside https, and
 * has bodies that are no forms sent as forms too. So references to parameters are followed first, a form becomes one body,
 * and https alone and the types that fit are left.
 */
function prepared(file: string, root: JsonObject): JsonObject {
  const resolved = (holder: Json): Json => {
    if (!isObject(holder) || !Array.isArray(holder['parameters'])) return holder;
    const all = listOf(holder['parameters']).map((each) =>
      objectOf(unlessRefused(() => follow({ root, file }, each)) ?? each),
    );
    const form = all.filter((each) => each['in'] === 'formData');
    const others = all.filter((each) => each['in'] !== 'formData');
    const isForm = form.length > 0;
    // Tools write an empty list where they mean nothing.
    const said = [holder['consumes'], root['consumes']].map(listOf).find((each) => each.length > 0) ?? [];
    const types = said.filter((each) => /form/.test(textOf(each)) === isForm);
    const usual = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    const parameters = isForm ? [formBody(form), ...others] : others;
    return { ...holder, parameters, consumes: types.length > 0 ? types : [usual] };
  };
  const paths = mapped(objectOf(root['paths']), (item) => (isObject(item) ? resolved(mapped(item, resolved)) : item));
  return { ...root, ...(listOf(root['schemes']).includes('https') && { schemes: ['https'] }), paths };
}

function formBody(form: readonly JsonObject[]): JsonObject {
  const properties = form.map(({ in: _, name, required: __, ...schema }) => [textOf(name), schema] as const);
  const required = form.filter((each) => each['required'] === true).map(({ name }) => textOf(name));
  return { in: 'body', schema: { type: 'object', properties: Object.fromEntries(properties), required } };
}

const mapped = (value: JsonObject, change: (each: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each)]));

function parseEnvironment(file: SourceFile): JsonObject {
  const environment = parseFile(file);
  if (Array.isArray(environment['values'])) return environment;
  throw new SrqError(
    'document.unreadable',
    `${file.name} is not a Postman environment: it has no list of values.`,
    'Export the environment, or leave it out: srq contract learn FILE',
  );
}

/**
 * Parses a file in JSON or YAML to plain JSON. Dates and names become texts. `__proto__` is left out, because nothing
 * that is read here has that name.
 */
export function parseFile({ name, bytes }: SourceFile): JsonObject {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (FOREIGN.test(text.slice(0, 4096))) throw foreign(name);
  if (text.trim() === '') throw unusable(name, 'is empty');
  const value = plain(name, parsed(name, text));
  if (!isObject(value)) throw unusable(name, 'is neither an OpenAPI description nor a Postman collection');
  return value;
}

/** Whatever begins as JSON is JSON, which is parsed faster. */
function parsed(name: string, text: string): unknown {
  const isJson = /^\s*[[{]/.test(text);
  try {
    return isJson ? JSON.parse(text) : fromYaml(name, text);
  } catch (error) {
    if (error instanceof SrqError) throw error;
    if (error instanceof RangeError) throw tooDeep(name);
    // The rest of the message quotes the document, which may hold a secret.
    if (isJson) throw unusable(name, `is not JSON: ${(error as Error).message.replace(/, ?(?:\.\.\.)?".*$/s, '')}`);
    throw unusable(name, 'has aliases that repeat too much, or that stand for nothing');
  }
}

function fromYaml(name: string, text: string): unknown {
  if (text.length > MAX_YAML) {
    const hint = 'JSON may be larger. To convert it: npx @redocly/cli bundle openapi.yaml -o api.json';
    throw new SrqError('document.too-large', `${name} is YAML of more than 3 MB.`, hint);
  }
  // The library takes seconds to refuse lists within lists within lists.
  if (text.split(/[^\s[{]+/).some((run) => run.replace(/\s+/g, '').length > MAX_DEPTH)) throw tooDeep(name);
  // If a name occurs twice, the last one counts, as in JSON. The library's own check would compare each name with all
  // before it.
  const options = {
    schema: 'core',
    merge: true,
    resolveKnownTags: false,
    stringKeys: true,
    uniqueKeys: false,
  } as const;
  const document = parseYaml(text, { ...options, logLevel: 'silent' });
  const [error] = document.errors;
  if (/call stack/.test(error?.message ?? '')) throw tooDeep(name);
  // The lines after the first quote the document.
  if (error) throw unusable(name, `is neither JSON nor YAML: ${error.message.split('\n')[0]?.replace(/:$/, '')}`);
  return document.toJS({ maxAliasCount: MAX_ALIASED });
}

/** Copies a value as plain JSON within bounds, because an alias is the same object in many places. */
function plain(name: string, root: unknown): Json {
  let count = 0;
  return copy(root, 0);

  function copy(value: unknown, depth: number): Json {
    count += 1;
    if (count > MAX_VALUES) throw tooLarge(`${name} holds more than ${MAX_VALUES} values.`);
    if (depth > MAX_DEPTH) throw tooDeep(name);
    if (Array.isArray(value)) return value.map((each) => copy(each, depth + 1));
    if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value).filter(([key]) => key !== '__proto__');
      return Object.fromEntries(members.map(([key, each]) => [key, copy(each, depth + 1)]));
    }
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  }
}

const tooDeep = (name: string): SrqError => unusable(name, `is nested more than ${MAX_DEPTH} levels deep`);

function unusable(name: string, what: string): SrqError {
  return new SrqError(
    'document.unreadable',
    `${name} ${what}.`,
    'Give the OpenAPI description or the Postman collection that you were sent: srq contract learn FILE',
  );
}

/** Beginnings of packed files, RAML, pages and XML, and Bruno. */
const FOREIGN = /^PK\x03\x04|^\x1f|^#%RAML|^\s*<|^\s*meta\s*\{/;

const isCollection = ({ item, info }: JsonObject): boolean => Array.isArray(item) && isObject(info);

function foreign(name: string): SrqError {
  return new SrqError(
    'document.unreadable',
    `${name} is no API description that srq reads.`,
    'srq learns from OpenAPI 3.0 to 3.2, Swagger 2.0 and Postman 2.0 and 2.1: srq contract learn FILE',
  );
}
