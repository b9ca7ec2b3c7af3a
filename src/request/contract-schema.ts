import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { SrqError } from './errors.ts';
import type { OperationName } from './operations.ts';

/**
 * Whether a path stays under the base URL, and is nothing else: another host, a query, or a step up, also an encoded one,
 * would take the credentials elsewhere.
 */
export function isServicePath(path: string): boolean {
  const decoded = path.replace(/%2e/gi, '.').replace(/%(?:2f|5c)/gi, '/');
  return /^\/(?!\/)[^\s?#\\]*$/.test(path) && !/\/\.\.?(?:\/|$)/.test(decoded);
}

/*
 * This file is the one description of a contract: it is checked by it, and its type is inferred from it (`contract.ts`).
 * Loading it loads zod, so what only needs the type imports that.
 */

/** Plain JSON, as it stands in a document. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The schema of any JSON value. It does not check a parsed value again, which would only bound its depth by the stack. */
const json = z.custom<Json>(() => true);
const count = z.nullable(z.number());
const texts = z.array(z.string());
/** Begins with `/`, and stays under the base URL. */
const path = z.string().check(z.refine(isServicePath, 'is not a path under the base URL'));
const basePath = z.union([path.check(z.regex(/^(?:\/[^/]+)+$/, 'is not a path')), z.literal('')]);
/** JSON pointer (RFC 6901) into an answer; a part `*` stands for every member or element. `''` is the whole answer. */
const pointer = z.string().check(z.regex(/^(?:\/.*)?$/s, 'is not a JSON pointer'));
/** The pattern of headers that srq sets itself, so that a contract must not name them. */
const OWN_HEADERS = /^(?:authorization|connection|content-.*|cookie|expect|host|te|transfer-encoding|upgrade)$/i;
const header = z.string().check(
  z.regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'is not the name of a header'),
  z.refine((name) => !OWN_HEADERS.test(name), 'is a header that srq sets itself'),
);
const mediaType = z.string().check(z.regex(/^[\w.+*-]+\/[\w.+*-]+(?:;[ -~]*)?$/, 'is not a media type'));

const allowedValue = z.object({
  /** As it goes on the wire. */
  value: z.string(),
  /** What people call it (`Plumbing` for 12); null if the document does not say. */
  label: z.nullable(z.string()),
});

/** One parameter of an operation. */
const parameter = z
  .object({
    /**
     * srq's name of what it carries: one of `FIELDS`; `audio_file` is the recording's content, `audio_type` and `audio_name`
     * its media type and file name. A parameter that is none of these is called by its own (last) name.
     */
    field: z.string(),
    in: z.enum(['body', 'header', 'query']),
    /** Names from the top of the body (`['data', 'attributes', 'phone']`); a single one for a header or query parameter. */
    path: texts.check(z.minLength(1)),
    type: z.enum(['string', 'integer', 'number', 'boolean']),
    /** The value goes as the only element of a list. */
    isList: z.boolean(),
    required: z.boolean(),
    /** The object of the body in which it is required once that holds anything; null: none that is not required itself. */
    requiredWithin: z.nullable(texts),
    /** Null: anything. */
    values: z.nullable(z.array(allowedValue)),
    /** In code points; of a recording, of its encoded text. */
    minLength: count,
    maxLength: count,
    minimum: count,
    maximum: count,
    /** ECMAScript pattern that cannot run away (ReDoS), to be found anywhere in the text; null if none, or if it could. */
    pattern: z.nullable(z.string()),
    /**
     * By the document, which then allows nothing else (`values` is this one alone): always this, whatever a request says.
     * Otherwise by the partner, for what srq cannot know (a partner id): a request's own value goes before it.
     */
    constant: z.nullable(z.string()),
    /** Of a recording: the text begins with `data:<media type>;base64,`. `binary`: the bytes themselves, in multipart alone. */
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
  /** Fields that must be given, by srq's names. */
  fields: texts,
  constants: z.array(z.object({ path: texts, value: json })),
});

const sampleAnswer = z.object({ status: z.int(), contentType: mediaType, body: json });

/** What every operation that carries a service request has. */
const requestOperation = z.object({
  method: z.enum(['POST', 'PUT']),
  path,
  /** How bodies travel. `multipart`: multipart/form-data. */
  encoding: z.enum(['form', 'json', 'multipart']),
  /** The exact media type: `application/json`, `application/vnd.api+json`, … */
  contentType: mediaType,
  /**
   * Null: nobody said what the parameters are called, so each field travels under its own name. Otherwise a field that is
   * not here travels under its own name at the place where the others are.
   */
  parameters: z.nullable(z.array(parameter)),
  /** One of each group must be met ("text or audio"); the first that is met adds its constants. */
  choices: z.array(z.array(alternative)),
  /** JSON Schema of the whole body, for the sandbox, without references and patterns that run away; null if not known. */
  schema: json,
  /** Answers of the document, for the sandbox: an example or one made from its schema; null if not known. */
  success: z.nullable(sampleAnswer),
  refusal: z.nullable(sampleAnswer),
  /** Pointers to the words of a refusal; empty: searched for. */
  errorTexts: z.array(pointer),
});

/** How an answer says whether a request is a duplicate. Values are compared as text (`true`, `duplicate`, `1`). */
const verdictRule = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('status'), status: z.int(), verdict: z.enum(['clear', 'duplicate']) }),
  z.object({ kind: z.literal('value'), pointer, duplicate: texts, clear: texts }),
  /** A list: with something in it, duplicate; empty, clear. */
  z.object({ kind: z.literal('list'), pointer }),
]);

const idempotency = z.object({
  header,
  format: z.enum(['uuid', 'text']),
  /**
   * For so long after its first use a value is recognised, and never acted on twice. Null: nobody said, which counts as
   * `DEFAULT_KEY_LIFE_SECONDS`; so do contracts that were kept before it was asked for. 0: the service demands the header,
   * but nobody said that it recognises anything by it.
   */
  windowSeconds: z._default(z.nullable(z.number().check(z.nonnegative())), null),
});

const createOperation = z.object({
  ...requestOperation.shape,
  /** Where a 2xx answer holds identifiers; empty: searched for. */
  identifiers: z.array(z.object({ name: z.string(), pointer })),
  /** How create itself says that a request is a duplicate; empty: srq's own reading. */
  duplicate: z.array(verdictRule),
  /** Header by which the service recognises a repeated create; null: none, as far as is known. */
  idempotency: z.nullable(idempotency),
});

const validateOperation = z.object({
  ...requestOperation.shape,
  /** The first that applies to an answer decides; empty: srq's own reading. */
  verdict: z.array(verdictRule),
});

const tokenOperation = z.object({
  path,
  /** Where the credentials go. */
  auth: z.enum(['body', 'basic']),
  encoding: z.enum(['form', 'json']),
  /** Further parameters: scope, audience. */
  extra: z.record(z.string(), z.string()),
  /** Where the answer holds the token and its life in seconds; null: searched for. */
  tokenPointer: z.nullable(pointer),
  lifetimePointer: z.nullable(pointer),
  /** Life of a token whose answer does not tell it, seconds. */
  lifetimeSeconds: count,
});

const source = z.object({
  /** Names of the files, without folders. */
  files: texts,
  title: z.string(),
  /** `OpenAPI 3.1`, `Swagger 2.0`, `Postman 2.1`, joined by ` + `. */
  kind: z.string(),
  /** ISO 8601. */
  learnedAt: z.string(),
});

const serverSuggestion = z.object({
  /** A name for a profile: `sandbox`, `live`, … */
  name: z.string(),
  url: z.string(),
  description: z.string(),
  /** Null: the document does not say. Counts as live. */
  test: z.nullable(z.boolean()),
});

/** One value of a contract with its provenance, for people. */
const finding = z.object({
  /** What it is about: `create.path`, `validate.verdict`, `category.values`, … */
  setting: z.string(),
  value: z.string(),
  /** JSON pointer into the document, after the file's name if there are several. */
  where: z.string(),
  /** How sure a value is. `certain`: the document states it. `weak`: needs a person's yes. */
  confidence: z.enum(['certain', 'likely', 'weak']),
  why: z.string(),
});

/** The members stand in the order in which `srq contract show --json` prints them; each operation is one of them. */
const members = {
  version: z.literal(1),
  /** Null: the public document alone. */
  source: z.nullable(source),
  create: createOperation,
  validate: validateOperation,
  /** Null: the document describes none, so the public document's is tried. False: a person says that there is none. */
  hasValidate: z.nullable(z.boolean()),
  token: tokenOperation,
  /** Path that all servers of the document share before the operations' paths; `''` if none. The sandbox answers with and without it. */
  basePath,
  /** Whether a 503 with Retry-After certainly means that the service did not act. */
  unavailableIsNotActed: z.boolean(),
  /** The addresses the document names. Suggestions for profiles, nothing else. */
  servers: z.array(serverSuggestion),
  /** Where each value comes from. */
  findings: z.array(finding),
} satisfies Record<OperationName, z.ZodMiniType> & Record<string, z.ZodMiniType>;

export const contractSchema = z.object(members);

/**
 * Returns true if parsed JSON looks like a contract of any version, and not like a document that a contract is learned
 * from.
 */
export function isContractLike(document: unknown): boolean {
  const names = ['version', 'create', 'validate', 'token', 'findings'];
  return typeof document === 'object' && document !== null && names.every((name) => Object.hasOwn(document, name));
}

/**
 * Reads a contract from parsed JSON and leaves out unknown members. `what` names the file in errors, and `hint` says
 * what to do. Throws `SrqError('settings')` if it is not a contract, or is one of a version that this srq does not
 * know.
 */
export function readContract(document: unknown, what: string, hint: string): z.output<typeof contractSchema> {
  const { version } = z.catch(z.object({ version: z.unknown() }), { version: 1 }).parse(document);
  if (typeof version === 'number' && version !== 1) {
    const message = `${what} is a contract of version ${version}; this srq reads version 1.`;
    throw new SrqError('settings', message, `Update srq, or: ${hint}`);
  }
  const parsed = contractSchema.safeParse(document, { error: en().localeError });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  const why = `${where} ${issue?.message ?? 'is not as expected'}`.trim();
  throw new SrqError('settings', `${what} is not a contract (${why}).`, hint, parsed.error);
}
