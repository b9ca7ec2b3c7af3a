import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { isField } from '../lead/fields.ts';
import { isPart } from '../lead/parts.ts';
import { isLoopback } from '../small.ts';
import { SrqError } from '../words/errors.ts';
import { readPlace } from './place.ts';
import { OWN_HEADERS } from './wire.ts';

/**
 * Tells whether a path stays under the base URL. Another host, a query, or a step up (even an encoded one) would send
 * the credentials elsewhere.
 */
export function isServicePath(path: string): boolean {
  const decoded = path.replace(/%2e/gi, '.').replace(/%(?:2f|5c)/gi, '/');
  return /^\/(?!\/)[^\s?#\\]*$/.test(path) && !/\/\.\.?(?:\/|$)/.test(decoded);
}

/** Tells whether a text is an origin (`https://login.example.com`) that a secret may be sent to. */
export function isTokenOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  const isName = /^(?:[a-z\d.-]+|\[[a-f\d:.]+\])$/.test(hostname);
  return isName && origin === text && (protocol === 'https:' || (protocol === 'http:' && isLoopback(text)));
}

/*
 * This file is the only definition of a contract: contracts are validated by it, and their type is inferred from it
 * (`contract.ts`). Loading it loads zod, so modules that only need the type import `contract.ts`.
 */

/** A JSON value of a document. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Makes a type deeply read-only, which the types that zod infers are not. */
export type ReadOnly<Value> = [Json] extends [Value]
  ? Value
  : Value extends readonly (infer Element)[]
    ? readonly ReadOnly<Element>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: ReadOnly<Value[Name]> }
      : Value;

/**
 * The schema of any JSON value. It does not check a parsed value again, because that recursion would only limit the
 * value's depth by the stack.
 */
const json = z.custom<Json>(() => true);
/** A path that begins with `/` and stays under the base URL. */
const path = z.string().check(z.refine(isServicePath, 'is not a path under the base URL'));
/** A JSON pointer (RFC 6901) into an answer. A part `*` stands for every element, and `''` is the whole answer. */
const pointer = z.string().check(z.regex(/^(?:\/.*)?$/s, 'is not a JSON pointer'));
const header = z.string().check(
  z.regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'is not the name of a header'),
  z.refine((name) => !OWN_HEADERS.test(name), 'is a header that srq sets itself'),
);
const mediaType = z.string().check(z.regex(/^[\w.+*-]+\/[\w.+*-]+(?:;[ -~]*)?$/, 'is not a media type'));

/** Tells whether all places of a table, as `place.ts` reads them, are such that a contract may name them. */
function areOpen(table: unknown): boolean {
  return Object.keys(table as object).every((text) => {
    const { in: where, path: names } = readPlace(text);
    return where !== 'header' || header.safeParse(names[0]).success;
  });
}

/** If one place lies within another, only one of their values could be sent. */
const apart = z.check<Record<string, string>>((payload) => {
  const places = Object.keys(payload.value);
  const outerOf = (inner: string) => places.find((outer) => inner.startsWith(`${outer}.`));
  const inner = places.find((place) => outerOf(place) !== undefined);
  if (inner === undefined) return;
  const message = `lies within ${outerOf(inner)}, which takes a field itself`;
  payload.issues.push({ code: 'custom', input: payload.value, path: [inner], message });
});

const open = z.refine(areOpen, 'is not a header that an API description may name');
const atPlaces = z.record(z.string(), json).check(open);

const sampleAnswer = z.strictObject({ status: z.int(), contentType: mediaType, body: json });

/** An operation that carries a request. */
const call = z.strictObject({
  /** Method and path below the base URL: `POST /v1/leads`. */
  call: z
    .string()
    .check(
      z.refine((text) => /^(?:POST|PUT) /.test(text) && isServicePath(text.replace(/^\w+ /, '')), 'is not a call'),
    ),
  /** The exact media type of the body. Whether it is a form, JSON or multipart follows from it. */
  as: mediaType,
  /**
   * What goes where: a field of srq (`FIELDS`, or `PARTS` if the service takes the location or the name in parts), or a
   * further parameter by its own name. `audio_file` is the content of the recording, `audio_type` and `audio_name` are its
   * media type and file name. A place that is in `always` as well takes that value if a request does not give the field.
   */
  fields: z.record(z.string(), z.string().check(z.minLength(1))).check(open, apart),
  /** What is the same in every request. */
  always: atPlaces,
  /** By a field: what goes along with it. It replaces what the request gives for these places. */
  when: z.record(z.string(), atPlaces),
  /** By a field: what a person writes, and the value of the service for it, where the schema has no names for values. */
  codes: z.record(z.string(), z.record(z.string(), z.string())),
  /**
   * How a recording is written. With `data-url`, the text begins with `data:<media type>;base64,`. With `binary`, the bytes
   * themselves are sent, which only multipart allows.
   */
  audio: z.enum(['base64', 'data-url', 'binary']),
  /**
   * One JSON Schema (2020-12) of an object with the members `body`, `header` (names in lower case) and `query`, as the
   * document has it. References lead to its own `$defs`. Null if nothing is known.
   */
  schema: json,
  /** A success as the document shows it, or as its schema has it, for the sandbox. Null if neither is known. */
  success: z.nullable(sampleAnswer),
});

const createCall = z
  .strictObject({
    ...call.shape,
    /** Where a success names the request, if srq does not find it by itself. */
    identifiers: z.array(pointer),
    /** The idempotency key, which only a person can promise, or null if the service recognises no repetition by a header. */
    again: z.nullable(
      z.strictObject({
        header,
        /**
         * Time after its first use in which the service recognises a key. Null means that nobody said, which counts as
         * `DEFAULT_KEY_LIFE_SECONDS`. 0 means that the service demands the header, but recognises nothing by it.
         */
        hours: z.nullable(z.number().check(z.nonnegative())),
        uuid: z.boolean(),
      }),
    ),
  })
  .check(
    z.refine(
      ({ fields, schema }) => schema === null || Object.values(fields).some((field) => isField(field) || isPart(field)),
      'has no place for any field of a row',
    ),
  );

const tokenOperation = z.strictObject({
  path,
  /**
   * The place where `path` begins, if that is not the base URL. `service` means the root of the base URL's host. An
   * origin means another host, which a person has named as one that may receive the secret.
   */
  origin: z.optional(
    z.union([z.literal('service'), z.string().check(z.refine(isTokenOrigin, 'is not an origin that secrets go to'))]),
  ),
  /** Where the credentials are sent. */
  auth: z.enum(['body', 'basic']),
  encoding: z.enum(['form', 'json']),
  /** Further parameters, such as scope or audience. */
  extra: z.record(z.string(), z.string()),
  /** The place of the token in the answer, or null: srq searches for it. */
  answer: z.nullable(pointer),
});

const source = z.object({
  /** Name of the file, without folders. */
  file: z.string(),
  title: z.string(),
  /** `OpenAPI 3.1`, `Swagger 2.0`, `Postman 2.1`. */
  kind: z.string(),
  /** Time in ISO 8601. */
  learnedAt: z.string(),
});

/** A binding that srq is not sure of. It is not in force; the page shows it as a comment. */
const guess = z.object({
  operation: z.enum(['create', 'validate', 'token']),
  place: z.string(),
  value: z.string(),
  why: z.string(),
});

/** The members in the order in which `srq contract show --json` prints them. */
export const contractSchema = z
  .strictObject({
    version: z.literal(2),
    /** The document the contract was learned from, or null if it is the public document. */
    source: z.nullable(source),
    create: createCall,
    /** Null if the service has no validate. */
    validate: z.nullable(call),
    token: tokenOperation,
    /** The addresses named in the document. They are only suggestions for profiles. */
    servers: z.array(z.object({ url: z.string(), description: z.string() })),
    guesses: z.array(guess),
  })
  .check(
    // A constant may make a check of it, such as "query dry_run".
    z.refine(
      ({ create, validate: look }) => create.call !== look?.call || !isDeepStrictEqual(create.always, look.always),
      {
        message: 'is the call that creates. If the service has no other, write "validate: none"',
        path: ['validate', 'call'],
      },
    ),
  );

/**
 * Reads a contract from parsed JSON. `what` names the file in errors, and `hint` says
 * what to do. Throws `SrqError('settings')` if it is not a contract of this version.
 */
export function readContract(document: unknown, what: string, hint: string): z.output<typeof contractSchema> {
  const { version } = z.catch(z.object({ version: z.unknown() }), { version: 2 }).parse(document);
  if (typeof version === 'number' && version !== 2) {
    const message = `${what} has version ${version}; this srq reads version 2.`;
    throw new SrqError('contract.unusable', message, hint);
  }
  const parsed = contractSchema.safeParse(document, { error: en().localeError });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  const why = `${where} ${issue?.message ?? 'is not as expected'}`.trim();
  throw new SrqError('contract.unusable', `${what} is not as srq writes it (${why}).`, hint, parsed.error);
}
