import type { Json } from '../request/contract/contract.ts';
import { isObject, type JsonObject, listOf, memberOf, objectOf, partAt, textOf } from '../request/contract/json.ts';
import { SrqError } from '../request/words/errors.ts';

/** An API description in the shape of OpenAPI 3.1, whatever it was written in. */
export interface ApiDescription {
  readonly file: string;
  readonly title: string;
  /** `OpenAPI 3.0`, `Swagger 2.0`, `Postman 2.1` */
  readonly kind: string;
  readonly root: JsonObject;
  /** What a person should know of the file, such as the secrets in it. */
  readonly notes: readonly string[];
}

/** Follows references within the description. They lead nowhere else: no other file and no address is opened. */
export function follow(
  { root, file }: Pick<ApiDescription, 'root' | 'file'>,
  start: Json | undefined,
): Json | undefined {
  const seen = new Set<string>();
  for (let value = start; ; ) {
    const reference = isObject(value) ? value['$ref'] : undefined;
    if (typeof reference !== 'string') return value;
    const bad = (why: string, hint: string) =>
      new SrqError('document.unreadable', `${file} refers to "${reference.slice(0, 200)}", ${why}.`, hint);
    if (!/^#(?:\/|$)/.test(reference)) throw bad('outside of this file', BUNDLE);
    if (seen.has(reference)) throw bad('which refers to itself alone', ASK);
    seen.add(reference);
    value = partAt(root, reference.slice(1));
    if (value === undefined) throw bad('which is not there', ASK);
  }
}

const ASK = 'Ask the service for a corrected description, then: srq contract learn FILE';
const BUNDLE = 'srq reads one file. Put the description into one: npx @redocly/cli bundle openapi.yaml -o api.json';

/** Returns undefined if what is read is refused, such as a reference that leads nowhere. */
export function unlessRefused<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SrqError) return undefined;
    throw error;
  }
}

const TYPES = /^(?:string|number|integer|boolean|object|array|null)$/;
/** Keywords whose values are schemas: one, a list of them, or a table. */
const ONE = /^(?:items|additionalProperties)$/;
const LIST = /^(?:allOf|anyOf|oneOf|prefixItems)$/;
const TABLE = /^(?:properties|patternProperties)$/;
/** All other keywords, by the type of their value. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  number: /^(?:min|max)(?:Length|Items|Properties)$|^(?:exclusiveM|m)(?:ini|axi)mum$|^multipleOf$/,
  string: /^(?:format|pattern|title|contentEncoding|contentMediaType|x-ms-visibility)$/,
  boolean: /^uniqueItems$/,
};
const ANY = /^(?:const|default|examples?)$/;
const MAX_PARTS = 20_000;
const MAX_PROSE = 300;

/** Number of parts that may still be cut out. */
export interface Budget {
  parts: number;
}

/**
 * Returns what cuts schemas out of a description. What their references lead to is in `defs`.
 *
 * All other keywords of JSON Schema stay out, so that nothing of a stranger gets to the compiler. What is said by them, such
 * as `not` and `if`, is left to the service. Members that are marked with `hidden` go only the other way, and stay out too.
 */
export function cutOf(
  description: ApiDescription,
  hidden: 'readOnly' | 'writeOnly',
  budget: Budget = { parts: MAX_PARTS },
) {
  const defs: Record<string, Json> = {};
  const names = new Map<string, string>();
  return {
    defs,
    of(schema: Json | undefined): Json {
      const copied = copy(schema);
      // What these lead to comes behind them.
      for (const [reference, name] of names) defs[name] ??= copy(partAt(description.root, reference.slice(1)));
      return copied;
    },
  };

  function spend(parts: number): void {
    budget.parts -= parts;
    if (budget.parts < 0)
      throw tooLarge(`What ${description.file} says of the request is too large: more than ${MAX_PARTS} parts.`);
  }

  function copy(schema: Json | undefined): Json {
    spend(1);
    if (!isObject(schema)) return typeof schema === 'boolean' ? schema : {};
    const entries = Object.entries(schema).map(([word, value]) => [word, kept(word, value, schema)] as const);
    const copied = Object.fromEntries(entries.filter((each): each is [string, Json] => each[1] !== undefined));
    // Names for the values of an enumeration, as tools write them beside it.
    const labels = listOf(schema['x-enumNames'] ?? schema['x-enum-varnames'] ?? schema['x-enum-descriptions']);
    const { enum: values, ...others } = copied;
    if (labels.length > 0 && labels.length === listOf(values).length)
      return { ...others, oneOf: listOf(values).map((value, at) => ({ const: value, title: textOf(labels[at]) })) };
    return copied;
  }

  function kept(word: string, value: Json, schema: JsonObject): Json | undefined {
    const list = listOf(value);
    // Names that are required and values that are allowed are parts as well.
    spend(list.length);
    const isSeen = (name: Json) => typeof name === 'string' && !isHidden(schema, name);
    if (word === '$ref') return typeof value === 'string' ? referenceTo(value) : undefined;
    if (ONE.test(word)) return isObject(value) || typeof value === 'boolean' ? copy(value) : undefined;
    if (LIST.test(word)) return list.length > 0 ? list.map(copy) : undefined;
    if (TABLE.test(word)) {
      const members = Object.entries(objectOf(value)).filter(([name]) => isSeen(name));
      return Object.fromEntries(members.map(([name, each]) => [name, copy(each)]));
    }
    if (word === 'required') return list.filter(isSeen);
    if (word === 'description') return textOf(value).slice(0, MAX_PROSE);
    if (word === 'enum') return list.length > 0 ? value : undefined;
    const types = [value].flat();
    if (word === 'type') return types.length > 0 && types.every((each) => TYPES.test(textOf(each))) ? value : undefined;
    return ANY.test(word) || PLAIN[typeof value]?.test(word) ? value : undefined;
  }

  function isHidden({ properties }: JsonObject, name: string): boolean {
    const member = unlessRefused(() => follow(description, memberOf(properties, name)));
    return objectOf(member)[hidden] === true;
  }

  function referenceTo(reference: string): string {
    // A reference that leads nowhere, or only back to itself, is reported.
    if (!names.has(reference)) follow(description, { $ref: reference });
    const name = names.get(reference) ?? `part-${names.size + 1}`;
    names.set(reference, name);
    return `#/$defs/${name}`;
  }
}

/** Returns the error for a description of which more would have to be read than anybody needs. */
export const tooLarge = (message: string): SrqError =>
  new SrqError(
    'document.too-large',
    message,
    'Ask the service for the description of these operations alone, then: srq contract learn FILE',
  );
