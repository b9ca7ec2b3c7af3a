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

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const ANY = new Set(['const', 'default', 'example', 'examples']);
/** Keywords by the type of their value. */
const SCALARS: Readonly<Record<string, RegExp>> = {
  number: /^(?:min|max)(?:Length|Items|Properties)$|^(?:exclusiveM|m)(?:ini|axi)mum$|^multipleOf$/,
  string: /^(?:format|pattern|title|contentEncoding|contentMediaType|x-ms-visibility)$/,
  boolean: /^uniqueItems$/,
};
const MAX_PARTS = 20_000;

/** Number of parts that may still be cut out. */
export interface Budget {
  parts: number;
}
const MAX_PROSE = 300;

/**
 * Cuts schemas out of a description, with all that their references lead to. All other keywords of JSON Schema stay out,
 * so that nothing of a stranger gets to the compiler. What is said by them, such as `not` and `if`, is left to the service.
 */
export class Cut {
  readonly defs: Record<string, Json> = {};
  readonly #names = new Map<string, string>();
  readonly #pending: [string, Json][] = [];
  readonly #description: ApiDescription;
  readonly #budget: Budget;
  readonly #hidden: 'readOnly' | 'writeOnly';

  /** Members that are marked with `hidden` go only the other way, and stay out. */
  constructor(description: ApiDescription, hidden: 'readOnly' | 'writeOnly', budget = { parts: MAX_PARTS }) {
    this.#description = description;
    this.#hidden = hidden;
    this.#budget = budget;
  }

  of(schema: Json | undefined): Json {
    const copied = this.#copy(schema);
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop())
      this.defs[next[0]] = this.#copy(next[1]);
    return copied;
  }

  #copy(schema: Json | undefined): Json {
    this.#budget.parts -= 1;
    if (this.#budget.parts < 0)
      throw tooLarge(`What ${this.#description.file} says of the request is too large: more than ${MAX_PARTS} parts.`);
    if (!isObject(schema)) return typeof schema === 'boolean' ? schema : {};
    const copied: Record<string, Json> = {};
    for (const [word, value] of Object.entries(schema)) {
      const kept = this.#kept(word, value, schema);
      if (kept !== undefined) copied[word] = kept;
    }
    // Names for the values of an enumeration, as tools write them beside it.
    const labels = listOf(schema['x-enumNames'] ?? schema['x-enum-varnames'] ?? schema['x-enum-descriptions']);
    const { enum: values, ...others } = copied;
    if (labels.length > 0 && labels.length === listOf(values).length)
      return { ...others, oneOf: listOf(values).map((value, at) => ({ const: value, title: textOf(labels[at]) })) };
    return copied;
  }

  #kept(word: string, value: Json, schema: JsonObject): Json | undefined {
    switch (word) {
      case '$ref':
        return typeof value === 'string' ? this.#reference(value) : undefined;
      case 'properties':
      case 'patternProperties':
        return Object.fromEntries(
          Object.entries(objectOf(value)).flatMap(([name, each]) =>
            this.#isHidden(schema, name) ? [] : [[name, this.#copy(each)]],
          ),
        );
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
      case 'prefixItems':
        return listOf(value).length > 0 ? listOf(value).map((each) => this.#copy(each)) : undefined;
      case 'items':
      case 'additionalProperties':
        return isObject(value) || typeof value === 'boolean' ? this.#copy(value) : undefined;
      case 'required':
        return listOf(value).filter((name) => typeof name === 'string' && !this.#isHidden(schema, name));
      case 'description':
        return textOf(value).slice(0, MAX_PROSE);
      case 'type':
        return [value].flat().length > 0 && [value].flat().every((each) => TYPES.has(textOf(each))) ? value : undefined;
      case 'enum':
        return listOf(value).length > 0 ? value : undefined;
      default:
        return ANY.has(word) || SCALARS[typeof value]?.test(word) ? value : undefined;
    }
  }

  #isHidden(schema: JsonObject, name: string): boolean {
    const member = unlessRefused(() => follow(this.#description, memberOf(schema['properties'], name)));
    return objectOf(member)[this.#hidden] === true;
  }

  #reference(reference: string): string {
    let name = this.#names.get(reference);
    if (name === undefined) {
      // A reference that leads nowhere, or only back to itself, is reported.
      follow(this.#description, { $ref: reference });
      name = `part-${this.#names.size + 1}`;
      this.#names.set(reference, name);
      this.#pending.push([name, partAt(this.#description.root, reference.slice(1)) ?? null]);
    }
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
