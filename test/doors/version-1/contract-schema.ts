import * as z from 'zod/mini';
import type { OperationName } from '../../../src/request/contract/operations.ts';
import { isLoopback } from '../../../src/request/small.ts';

/**
 * Tells whether a path stays under the base URL. Another host, a query, or a step up (even an encoded one) would send
 * the credentials elsewhere.
 */
function isServicePath(path: string): boolean {
  const decoded = path.replace(/%2e/gi, '.').replace(/%(?:2f|5c)/gi, '/');
  return /^\/(?!\/)[^\s?#\\]*$/.test(path) && !/\/\.\.?(?:\/|$)/.test(decoded);
}

/** Tells whether a text is an origin (`https://login.example.com`) that a secret may be sent to. */
function isTokenOrigin(text: string): boolean {
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
const count = z.nullable(z.number());
const texts = z.array(z.string());
/** A path that begins with `/` and stays under the base URL. */
const path = z.string().check(z.refine(isServicePath, 'is not a path under the base URL'));
const basePath = z.union([path.check(z.regex(/^(?:\/[^/]+)+$/, 'is not a path')), z.literal('')]);
/**
 * A JSON pointer (RFC 6901) into an answer. A part `*` stands for every member or element, and `''` is the whole
 * answer.
 */
const pointer = z.string().check(z.regex(/^(?:\/.*)?$/s, 'is not a JSON pointer'));
/** The pattern of headers that srq sets itself, so that a contract must not name them. */
const OWN_HEADERS = /^(?:authorization|connection|content-.*|cookie|expect|host|te|transfer-encoding|upgrade)$/i;
const header = z.string().check(
  z.regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'is not the name of a header'),
  z.refine((name) => !OWN_HEADERS.test(name), 'is a header that srq sets itself'),
);
const mediaType = z.string().check(z.regex(/^[\w.+*-]+\/[\w.+*-]+(?:;[ -~]*)?$/, 'is not a media type'));

const allowedValue = z.object({
  /** The value as it goes on the wire. */
  value: z.string(),
  /** The value's name for people (`Plumbing` for 12), or null if the document does not say. */
  label: z.nullable(z.string()),
});

const parameter = z
  .object({
    /**
     * srq's name of the content, one of `FIELDS`, or of `PARTS` if the service takes the location or the name in parts.
     * `audio_file` is the content of the recording, `audio_type` and `audio_name` are its media type and file name. A
     * parameter that is none of these is called by its own (last) name.
     */
    field: z.string(),
    in: z.enum(['body', 'header', 'query']),
    /**
     * Member names from the top of the body (`['data', 'attributes', 'phone']`), or the single name of a header or
     * query parameter. The name `0` stands for the only element of a list.
     */
    path: texts.check(z.minLength(1)),
    type: z.enum(['string', 'integer', 'number', 'boolean']),
    /** Whether the value is sent as the only element of a list. */
    isList: z.boolean(),
    required: z.boolean(),
    /**
     * Path of the optional object of the body in which the parameter is required once that object holds anything, or
     * null if there is none.
     */
    requiredWithin: z.nullable(texts),
    /** The allowed values, or null if any value is allowed. */
    values: z.nullable(z.array(allowedValue)),
    /** Minimum length in code points. The length of a recording is that of its encoded text. */
    minLength: count,
    maxLength: count,
    minimum: count,
    maximum: count,
    /**
     * ECMAScript pattern that may match anywhere in the text. Null if there is none, or if it could backtrack
     * catastrophically (ReDoS).
     */
    pattern: z.nullable(z.string()),
    /**
     * A constant value. If the document fixes it, `values` holds this value alone, and it is sent whatever a request
     * says. Otherwise the partner has set it because srq cannot know it (a partner id), and a request's own value takes
     * precedence.
     */
    constant: z.nullable(z.string()),
    /**
     * Encoding of a recording. With `data-url`, the text begins with `data:<media type>;base64,`. With `binary`, the
     * bytes themselves are sent, which only multipart allows.
     */
    audioForm: z.nullable(z.enum(['base64', 'data-url', 'binary'])),
  })
  .check(
    z.refine(
      ({ in: place, path: [name] }) => place !== 'header' || header.safeParse(name).success,
      'is not a header that a contract may name',
    ),
  );

/** One way to meet a choice. */
const alternative = z.object({
  /** The fields that must be given, by srq's names. */
  fields: texts,
  constants: z.array(z.object({ path: texts, value: json })),
});

const sampleAnswer = z.object({ status: z.int(), contentType: mediaType, body: json });

/** The members that all operations carrying a service request have. */
const requestOperation = z.object({
  method: z.enum(['POST', 'PUT']),
  path,
  /** The encoding of bodies. `multipart` means multipart/form-data. */
  encoding: z.enum(['form', 'json', 'multipart']),
  /** The exact media type: `application/json`, `application/vnd.api+json`, … */
  contentType: mediaType,
  /**
   * The parameters, or null if their names are not known, so that each field is sent under its own name. A field that
   * is not in the list is sent under its own name in the object that holds the others.
   */
  parameters: z.nullable(z.array(parameter)),
  /**
   * Groups of alternatives, of which one per group must be met ("text or audio"). The first one that is met adds its
   * constants.
   */
  choices: z.array(z.array(alternative)),
  /**
   * JSON Schema of the whole body for the sandbox, without references and without patterns that could backtrack
   * catastrophically. Null if it is not known.
   */
  schema: json,
  /**
   * Answers for the sandbox, which are an example of the document or are made from its schema. Null if neither is
   * known.
   */
  success: z.nullable(sampleAnswer),
  refusal: z.nullable(sampleAnswer),
  /** Pointers to the error texts of a refusal. If empty, srq searches for them. */
  errorTexts: z.array(pointer),
});

/**
 * A rule that reads from an answer whether a request is a duplicate. Values are compared as text (`true`, `duplicate`,
 * `1`).
 */
const verdictRule = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('status'), status: z.int(), verdict: z.enum(['clear', 'duplicate']) }),
  z.object({ kind: z.literal('value'), pointer, duplicate: texts, clear: texts }),
  /** A list: a non-empty one means duplicate, an empty one means clear. */
  z.object({ kind: z.literal('list'), pointer }),
]);

const idempotency = z.object({
  header,
  format: z.enum(['uuid', 'text']),
  /**
   * Time after its first use in which the service recognises a key and does not act on it again. Null means that nobody
   * said, which counts as `DEFAULT_KEY_LIFE_SECONDS`; contracts that were saved before this member existed are read as
   * null. 0 means that the service demands the header, but nobody said that it recognises anything by it.
   */
  windowSeconds: z._default(z.nullable(z.number().check(z.nonnegative())), null),
});

const createOperation = z.object({
  ...requestOperation.shape,
  /** The places in a 2xx answer that hold identifiers. If the list is empty, srq searches for them. */
  identifiers: z.array(z.object({ name: z.string(), pointer })),
  /**
   * The rules by which an answer of create itself says that a request is a duplicate. If the list is empty, srq's own
   * reading applies.
   */
  duplicate: z.array(verdictRule),
  /** The header by which the service recognises a repeated create, or null if none is known. */
  idempotency: z.nullable(idempotency),
});

const validateOperation = z.object({
  ...requestOperation.shape,
  /**
   * The rules for the verdict, of which the first one that applies decides. If the list is empty, srq's own reading
   * applies.
   */
  verdict: z.array(verdictRule),
});

const tokenOperation = z.object({
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
  /** The place of the token in the answer, and that of its lifetime in seconds. If one is null, srq searches for it. */
  tokenPointer: z.nullable(pointer),
  lifetimePointer: z.nullable(pointer),
  /** Lifetime in seconds of a token whose answer does not tell it. */
  lifetimeSeconds: count,
});

/** How the calls that carry a request are authorized. */
const authorization = z.discriminatedUnion('kind', [
  /** A token of the token operation, as a bearer token. */
  z.object({ kind: z.literal('bearer') }),
  /** HTTP Basic (RFC 7617) with the client id and the client secret of the profile. */
  z.object({ kind: z.literal('basic') }),
  /** A key that does not change. */
  z
    .object({
      kind: z.literal('apiKey'),
      in: z.enum(['header', 'query']),
      name: z.string().check(z.minLength(1), z.maxLength(100)),
      /** The text before the key: `Bearer `, or `''` if there is none. */
      prefix: z.string().check(z.regex(/^(?:[\w-]{1,50} )?$/, 'is not a scheme')),
      /** The key, or null if the profile's client secret is the key. */
      value: z.nullable(z.string()),
    })
    .check(
      z.refine(
        ({ in: place, name }) => place !== 'header' || /^authorization$/i.test(name) || header.safeParse(name).success,
        'is not a header that a key may be in',
      ),
    ),
]);

const source = z.object({
  /** Names of the files, without folders. */
  files: texts,
  title: z.string(),
  /** `OpenAPI 3.1`, `Swagger 2.0`, `Postman 2.1`, joined by ` + `. */
  kind: z.string(),
  /** Time in ISO 8601. */
  learnedAt: z.string(),
});

const serverSuggestion = z.object({
  /** The suggested name of a profile: `sandbox`, `live`, … */
  name: z.string(),
  url: z.string(),
  description: z.string(),
  /** Whether it is a test server. Null if the document does not say, which counts as live. */
  test: z.nullable(z.boolean()),
});

/** One value of a contract with its provenance, for people. */
const finding = z.object({
  /** The setting: `create.path`, `validate.verdict`, `category.values`, … */
  setting: z.string(),
  value: z.string(),
  /** JSON pointer into the document, preceded by the file's name if there are several files. */
  where: z.string(),
  /**
   * Confidence in the value. `certain` means that the document states it, and `weak` that a person has to confirm it.
   */
  confidence: z.enum(['certain', 'likely', 'weak']),
  why: z.string(),
});

/**
 * The members of a contract in the order in which `srq contract show --json` prints them. Each operation is one of
 * them.
 */
const members = {
  version: z.literal(1),
  /** The documents the contract was learned from, or null if it is the public document alone. */
  source: z.nullable(source),
  create: createOperation,
  validate: validateOperation,
  /**
   * Whether the service has validate. Null means that the document describes none, so that the one of the public
   * document is tried. False means that a person said that there is none.
   */
  hasValidate: z.nullable(z.boolean()),
  token: tokenOperation,
  /** If this member is absent, calls are authorized by a token, as the public document says. */
  auth: z.optional(authorization),
  /**
   * Path shared by all servers of the document before the operations' paths, or `''` if there is none. The sandbox
   * answers with and without it.
   */
  basePath,
  /** Whether a 503 with Retry-After certainly means that the service did not act. */
  unavailableIsNotActed: z.boolean(),
  /** The addresses named in the document. They are only suggestions for profiles. */
  servers: z.array(serverSuggestion),
  /** Provenance of the values. */
  findings: z.array(finding),
} satisfies Record<OperationName, z.ZodMiniType> & Record<string, z.ZodMiniType>;

export const contractSchema = z.object(members);
