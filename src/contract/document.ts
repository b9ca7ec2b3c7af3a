import type { Call, Json, SampleAnswer } from '../request/contract/contract.ts';
import { SrqError } from '../request/words/errors.ts';
import { isObject, type JsonObject, listOf, memberOf, objectOf, partAt, scalarOf, textOf } from './json.ts';
import { placesOf, sampleOf, schemaOf } from './places.ts';
import type { ApiDescription } from './read-document.ts';

/** An operation of an API description. */
export interface ApiOperation {
  /** `POST /v1/leads`, as the description has it */
  readonly name: string;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly value: JsonObject;
  /** Those of the path are among them. */
  readonly parameters: readonly JsonObject[];
  /** What the description says about it in words. */
  readonly prose: string;
}

/** Returns the operations that take a body, in the order of the description. */
export function operationsOf({ root, file }: ApiDescription): readonly ApiOperation[] {
  return Object.entries(objectOf(root['paths'])).flatMap(([path, entry]) => {
    const item = objectOf(follow(root, entry, file));
    return ['post', 'put'].flatMap((method) => {
      const value = item[method];
      if (!isObject(value)) return [];
      const listed = [...listOf(value['parameters']), ...listOf(item['parameters'])];
      const parameters = listed.flatMap((each) => {
        const parameter = unlessElsewhere(() => follow(root, each, file));
        return isObject(parameter) ? [parameter] : [];
      });
      const prose = [textOf(value['summary']), textOf(value['description'])].filter((each) => each !== '').join('. ');
      const id = textOf(value['operationId']);
      return [
        { name: `${method.toUpperCase()} ${path}`, id, method: method.toUpperCase(), path, value, parameters, prose },
      ];
    });
  });
}

/** Finds an operation by its name, its path alone or its id. */
export function operationCalled(operations: readonly ApiOperation[], said: string): ApiOperation | undefined {
  const plain = (text: string) =>
    text
      .trim()
      .replace(/\s+/g, ' ')
      .replace(/\{\{|\}\}/g, (each) => each[0] ?? '');
  const name = plain(said);
  return (
    operations.find((each) => plain(each.name).toLowerCase() === name.toLowerCase()) ??
    operations.find(({ path, id }) => plain(path) === name || id === name)
  );
}

/** Follows references within the description. They lead nowhere else: no other file and no address is opened. */
export function follow(root: JsonObject, start: Json | undefined, file: string): Json | undefined {
  const seen = new Set<string>();
  let value = start;
  for (;;) {
    const reference = isObject(value) ? value['$ref'] : undefined;
    if (typeof reference !== 'string') return value;
    if (seen.has(reference)) throw badReference(file, reference, 'which refers to itself alone');
    seen.add(reference);
    value = targetOf(root, reference, file);
  }
}

function targetOf(root: JsonObject, reference: string, file: string): Json {
  if (!/^#(?:\/|$)/.test(reference)) {
    throw new SrqError(
      'document.unreadable',
      `${file} refers to "${reference.slice(0, 200)}", outside of this file.`,
      'srq reads one file. Put the description into one: npx @redocly/cli bundle openapi.yaml -o api.json',
    );
  }
  const target = partAt(root, reference.slice(1));
  if (target === undefined) throw badReference(file, reference, 'which is not there');
  return target;
}

const badReference = (file: string, reference: string, why: string): SrqError =>
  new SrqError(
    'document.unreadable',
    `${file} refers to "${reference.slice(0, 200)}", ${why}.`,
    'Ask the service for a corrected description, then: srq contract learn FILE',
  );

function unlessElsewhere<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SrqError) return undefined;
    throw error;
  }
}

/** A description's body of a request. */
export interface Body {
  readonly as: string;
  readonly encoding: 'form' | 'json' | 'multipart';
  readonly schema: Json;
  readonly example: Json | undefined;
}

const FORM = /^application\/x-www-form-urlencoded\b/i;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b|^(?:application\/)?\*\/\*$|^text\/json\b/i;
const MULTIPART = /^multipart\/form-data\b/i;

/** Returns the body of an operation that srq can write, or null. Nested bodies go as JSON if the service takes that. */
export function bodyOf(description: ApiDescription, { value }: ApiOperation): Body | null {
  const { root, file } = description;
  const body = objectOf(follow(root, value['requestBody'], file));
  const bodies = Object.entries(objectOf(body['content'])).flatMap(([type, each]): Body[] => {
    const media = objectOf(each);
    const encoding = FORM.test(type)
      ? 'form'
      : JSON_TYPE.test(type)
        ? 'json'
        : MULTIPART.test(type)
          ? 'multipart'
          : null;
    const [first] = Object.values(objectOf(media['examples']));
    const example = media['example'] ?? objectOf(follow(root, first, file))['value'];
    const shown = media['schema'] ?? (example === undefined ? undefined : schemaOf(example));
    if (encoding === null) return [];
    const as = type.includes('*') ? 'application/json' : (type.split(';')[0]?.trim().toLowerCase() ?? '');
    return [{ as, encoding, schema: shown ?? {}, example }];
  });
  const json = bodies.find(({ encoding }) => encoding === 'json');
  const flat = bodies.find(({ encoding }) => encoding !== 'json');
  const form = bodies.find(({ encoding }) => encoding === 'form') ?? flat;
  if (json === undefined || form === undefined) return json ?? form ?? null;
  const reach = new Reach(description);
  const places = placesOf(reach.of(form.schema), reach.defs);
  return places.every(({ path }) => path.length === 1 || (path.length === 2 && path[1] === '0')) ? form : json;
}

/**
 * Keywords of JSON Schema by what they hold. All others stay out, so that nothing of a stranger gets to the compiler. What
 * is said by other words, such as `not` and `if`, is left to the service.
 */
const SCHEMA_MAPS = new Set(['properties', 'patternProperties']);
const SCHEMA_LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SCHEMAS = new Set(['items', 'additionalProperties']);
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const ANY = new Set(['const', 'default', 'example', 'examples']);
/** Keywords by the type of their value. */
const SCALARS: Readonly<Record<string, RegExp>> = {
  number: /^(?:min|max)(?:Length|Items|Properties)$|^(?:exclusiveM|m)(?:ini|axi)mum$|^multipleOf$/,
  string: /^(?:format|pattern|title|contentEncoding|contentMediaType|x-ms-visibility)$/,
  boolean: /^(?:readOnly|writeOnly|uniqueItems)$/,
};

/** Names for the values of an enumeration, as tools write them beside it. */
const labelsOf = (schema: JsonObject): readonly Json[] =>
  listOf(schema['x-enumNames'] ?? schema['x-enum-varnames'] ?? schema['x-enum-descriptions']);
const MAX_NODES = 20_000;
const MAX_PROSE = 300;

/**
 * Cuts schemas out of a description, with all that their references lead to. Together they hold at most 20,000 parts.
 */
export class Reach {
  readonly defs: Record<string, Json> = {};
  readonly #names = new Map<string, string>();
  readonly #root: JsonObject;
  readonly #file: string;
  readonly #budget: { left: number };
  #left = MAX_NODES;

  constructor({ root, file }: ApiDescription, budget = { left: Number.POSITIVE_INFINITY }) {
    this.#budget = budget;
    this.#root = root;
    this.#file = file;
  }

  of(schema: Json | undefined): Json {
    const pending: [string, Json][] = [];
    const copied = this.#copy(schema, pending);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      this.defs[next[0]] = this.#copy(next[1], pending);
    }
    return copied;
  }

  #copy(schema: Json | undefined, pending: [string, Json][]): Json {
    this.#left -= 1;
    this.#budget.left -= 1;
    if (this.#left < 0 || this.#budget.left < 0) throw tooLarge(this.#file);
    if (!isObject(schema)) return typeof schema === 'boolean' ? schema : {};
    const copy = (each: Json) => this.#copy(each, pending);
    const members = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
      if (key === '$ref' && typeof value === 'string') return [[key, this.#reference(value, pending)]];
      if (SCHEMA_MAPS.has(key) && isObject(value))
        return [[key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copy(each)]))]];
      if (SCHEMA_LISTS.has(key) && Array.isArray(value) && value.length > 0) return [[key, value.map(copy)]];
      if (SCHEMAS.has(key)) return isObject(value) || typeof value === 'boolean' ? [[key, copy(value)]] : [];
      return isKept(key, value) ? [[key, value]] : [];
    });
    const copied = Object.fromEntries(members);
    const required = this.#required(schema);
    if (required.length > 0) copied['required'] = required;
    if (typeof schema['description'] === 'string') copied['description'] = schema['description'].slice(0, MAX_PROSE);
    const labels = labelsOf(schema);
    const values = listOf(schema['enum']);
    if (labels.length > 0 && labels.length === values.length) {
      delete copied['enum'];
      copied['oneOf'] = values.map((value, at) => ({ const: value, title: textOf(labels[at]) }));
    }
    return schema['type'] === 'file' ? { ...copied, type: 'string', format: 'binary' } : copied;
  }

  /** Members that only the service may set are not required of a request. */
  #required(schema: JsonObject): string[] {
    return listOf(schema['required']).flatMap((name) => {
      if (typeof name !== 'string') return [];
      const member = unlessElsewhere(() => follow(this.#root, memberOf(schema['properties'], name), this.#file));
      return objectOf(member)['readOnly'] === true ? [] : [name];
    });
  }

  #reference(reference: string, pending: [string, Json][]): string {
    let name = this.#names.get(reference);
    if (name === undefined) {
      // A reference that leads nowhere, or back to itself alone, is told of.
      follow(this.#root, { $ref: reference }, this.#file);
      name = `part-${this.#names.size + 1}`;
      this.#names.set(reference, name);
      pending.push([name, targetOf(this.#root, reference, this.#file)]);
    }
    return `#/$defs/${name}`;
  }
}

function isKept(key: string, value: Json): boolean {
  const list = [value].flat();
  if (key === 'type') return list.length > 0 && list.every((each) => TYPES.has(textOf(each)));
  if (key === 'enum') return Array.isArray(value) && value.length > 0;
  return ANY.has(key) || (SCALARS[typeof value]?.test(key) ?? false);
}

const tooLarge = (file: string): SrqError =>
  new SrqError(
    'document.too-large',
    `What ${file} says of the request is too large: more than ${MAX_NODES} parts.`,
    'Ask the service for the description of these operations alone, then: srq contract learn FILE',
  );

/** Statuses of refusals that are not about the content of the request. */
const OTHER_REFUSALS = [401, 403, 404, 409, 429];

/** Returns a success and a refusal as the description shows them, for the sandbox. */
export function answersOf(description: ApiDescription, { value }: ApiOperation): Call['answers'] {
  const { root, file } = description;
  const all = Object.entries(objectOf(value['responses'])).map(
    ([status, entry]) => [Number(status.replace(/xx$/i, '00')), entry] as const,
  );
  const answer = (fits: (status: number) => boolean) => {
    const [status, entry] = all.find((each) => fits(each[0])) ?? [];
    const read = () => objectOf(follow(root, entry, file));
    return status === undefined ? null : sampleAnswer(description, status, unlessElsewhere(read) ?? {});
  };
  return {
    success: answer((status) => status >= 200 && status < 300),
    refusal: answer((status) => status >= 400 && status < 500 && !OTHER_REFUSALS.includes(status)),
  };
}

function sampleAnswer(description: ApiDescription, status: number, response: JsonObject): SampleAnswer {
  const contents = Object.entries(objectOf(response['content']));
  const [type, media] = contents.find(([name]) => JSON_TYPE.test(name)) ?? contents[0] ?? ['', null];
  const { example, examples, schema } = objectOf(media);
  const [first] = Object.values(objectOf(examples));
  const shown = example ?? objectOf(first)['value'];
  const body = shown ?? (schema === undefined ? null : unlessElsewhere(() => wholeSample(description, schema))) ?? null;
  const contentType = type.includes('*') || scalarOf(type) === '' ? 'application/json' : type;
  return { status, contentType, body };
}

function wholeSample(description: ApiDescription, schema: Json): Json {
  const reach = new Reach(description);
  const copied = reach.of(schema);
  return sampleOf(objectOf(copied), reach.defs);
}
