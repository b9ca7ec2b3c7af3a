import { type BodyEncoding, FORM_CONTENT_TYPE, JSON_CONTENT_TYPE, PATHS } from './wire.ts';

/** Plain JSON, as it stands in a document. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * What srq knows of the service's interface: what the public document says, and what was learned from the partner's own
 * documents. Everything that maps, checks, encodes or reads asks it. It never changes a request's parameters (they keep
 * srq's names and the texts given), only how they travel: so learning changes no content key, and nothing that was sent
 * before looks new.
 */
export interface Contract {
  readonly version: 1;
  /** Null: the public document alone. */
  readonly source: ContractSource | null;
  readonly create: CreateOperation;
  readonly validate: ValidateOperation;
  /** Null: the document describes none, so the public document's is tried. False: a person says that there is none. */
  readonly hasValidate: boolean | null;
  readonly token: TokenOperation;
  /** Path that all servers of the document share before the operations' paths; `''` if none. The sandbox answers with and without it. */
  readonly basePath: string;
  /** 503 with Retry-After certainly means: not acted on. */
  readonly unavailableIsNotActed: boolean;
  /** The addresses the document names. Suggestions for profiles, nothing else. */
  readonly servers: readonly ServerSuggestion[];
  /** Where each value comes from. */
  readonly findings: readonly Finding[];
}

interface ContractSource {
  /** Names of the files, without folders. */
  readonly files: readonly string[];
  readonly title: string;
  /** `OpenAPI 3.1`, `Swagger 2.0`, `Postman 2.1`, joined by ` + `. */
  readonly kind: string;
  /** ISO 8601. */
  readonly learnedAt: string;
}

export interface ServerSuggestion {
  /** A name for a profile: `sandbox`, `live`, … */
  readonly name: string;
  readonly url: string;
  readonly description: string;
  /** Null: the document does not say. Counts as live. */
  readonly test: boolean | null;
}

/** How sure a value is. `certain`: the document states it. `weak`: needs a person's yes. */
export type Confidence = 'certain' | 'likely' | 'weak';

/** One value of a contract with its provenance, for people. */
export interface Finding {
  /** What it is about: `create.path`, `validate.verdict`, `category.values`, … */
  readonly setting: string;
  readonly value: string;
  /** JSON pointer into the document, after the file's name if there are several. */
  readonly where: string;
  readonly confidence: Confidence;
  readonly why: string;
}

/** How bodies travel. `multipart`: multipart/form-data. */
export type ContractEncoding = 'form' | 'json' | 'multipart';

export interface Operation {
  readonly method: 'POST' | 'PUT';
  /** Under the base URL; begins with `/`. */
  readonly path: string;
  readonly encoding: ContractEncoding;
  /** The exact media type: `application/json`, `application/vnd.api+json`, … */
  readonly contentType: string;
  /**
   * Null: nobody said what the parameters are called, so each field travels under its own name. Otherwise a field that is
   * not here travels under its own name at the place where the others are.
   */
  readonly parameters: readonly Parameter[] | null;
  /** One of each group must be met ("text or audio"); the first that is met adds its constants. */
  readonly choices: readonly (readonly Alternative[])[];
  /** JSON Schema of the whole body, for the sandbox, without references and patterns that run away; null if not known. */
  readonly schema: Json;
  /** Answers of the document, for the sandbox: an example or one made from its schema; null if not known. */
  readonly success: SampleAnswer | null;
  readonly refusal: SampleAnswer | null;
  /** Pointers to the words of a refusal; empty: searched for. */
  readonly errorTexts: readonly Pointer[];
}

export interface SampleAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Json;
}

/** JSON pointer (RFC 6901) into an answer; a part `*` stands for every member or element. `''` is the whole answer. */
export type Pointer = string;

export interface CreateOperation extends Operation {
  /** Where a 2xx answer holds identifiers; empty: searched for. */
  readonly identifiers: readonly { readonly name: string; readonly pointer: Pointer }[];
  /** How create itself says that a request is a duplicate; empty: srq's own reading. */
  readonly duplicate: readonly VerdictRule[];
  /** Header by which the service recognises a repeated create; null: none, as far as is known. */
  readonly idempotency: Idempotency | null;
}

export interface Idempotency {
  readonly header: string;
  readonly format: 'uuid' | 'text';
  /**
   * For so long after its first use a value is recognised, and never acted on twice. Null: nobody said, which counts as
   * {@link DEFAULT_KEY_LIFE_SECONDS}. 0: the service demands the header, but nobody said that it recognises anything by it.
   */
  readonly windowSeconds: number | null;
}

/** How long an idempotency key is believed where no time is named. */
export const DEFAULT_KEY_LIFE_SECONDS = 600;

export interface ValidateOperation extends Operation {
  /** The first that applies to an answer decides; empty: srq's own reading. */
  readonly verdict: readonly VerdictRule[];
}

/** How an answer says whether a request is a duplicate. Values are compared as text (`true`, `duplicate`, `1`). */
export type VerdictRule =
  | { readonly kind: 'status'; readonly status: number; readonly verdict: 'clear' | 'duplicate' }
  | {
      readonly kind: 'value';
      readonly pointer: Pointer;
      readonly duplicate: readonly string[];
      readonly clear: readonly string[];
    }
  /** A list: with something in it, duplicate; empty, clear. */
  | { readonly kind: 'list'; readonly pointer: Pointer };

/** One parameter of an operation. */
export interface Parameter {
  /**
   * srq's name of what it carries: one of `FIELDS`; `audio_file` is the recording's content, `audio_type` and `audio_name`
   * its media type and file name. A parameter that is none of these is called by its own (last) name.
   */
  readonly field: string;
  readonly in: 'body' | 'header' | 'query';
  /** Names from the top of the body (`['data', 'attributes', 'phone']`); a single one for a header or query parameter. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  /** The value goes as the only element of a list. */
  readonly isList: boolean;
  readonly required: boolean;
  /** The object of the body in which it is required once that holds anything; null: none that is not required itself. */
  readonly requiredWithin: readonly string[] | null;
  /** Null: anything. */
  readonly values: readonly AllowedValue[] | null;
  /** In code points; of a recording, of its encoded text. */
  readonly minLength: number | null;
  readonly maxLength: number | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
  /** ECMAScript pattern that cannot run away (ReDoS), to be found anywhere in the text; null if none, or if it could. */
  readonly pattern: string | null;
  /**
   * By the document, which then allows nothing else (`values` is this one alone): always this, whatever a request says.
   * Otherwise by the partner, for what srq cannot know (a partner id): a request's own value goes before it.
   */
  readonly constant: string | null;
  /** Of a recording: the text begins with `data:<media type>;base64,`. `binary`: the bytes themselves, in multipart alone. */
  readonly audioForm: 'base64' | 'data-url' | 'binary' | null;
}

export interface AllowedValue {
  /** As it goes on the wire. */
  readonly value: string;
  /** What people call it (`Plumbing` for 12); null if the document does not say. */
  readonly label: string | null;
}

/** One way to meet a choice. */
export interface Alternative {
  /** Fields that must be given, by srq's names. */
  readonly fields: readonly string[];
  readonly constants: readonly { readonly path: readonly string[]; readonly value: Json }[];
}

export interface TokenOperation {
  readonly path: string;
  /** Where the credentials go. */
  readonly auth: 'body' | 'basic';
  readonly encoding: 'form' | 'json';
  /** Further parameters: scope, audience. */
  readonly extra: Readonly<Record<string, string>>;
  /** Where the answer holds the token and its life in seconds; null: searched for. */
  readonly tokenPointer: Pointer | null;
  readonly lifetimePointer: Pointer | null;
  /** Life of a token whose answer does not tell it, seconds. */
  readonly lifetimeSeconds: number | null;
}

/** What the document leaves open and only a person can say. */
export interface Question {
  /** Stable: `constant:partner_id`, `operation:create`, `idempotency:Idempotency-Key`, … */
  readonly name: string;
  readonly text: string;
  /** The flag that answers it, literally: `--set partner_id=VALUE`. */
  readonly answer: string;
  /** What it may be answered with, numbered from 1 in the text. */
  readonly choices?: readonly string[];
  /** What counts if nobody answers; left out: the contract cannot be used before it is answered. */
  readonly unanswered?: string;
}

/** What documents come to, before a person has agreed. */
export interface Proposal {
  readonly contract: Contract;
  /** While there are any that have to be answered, the contract cannot be used. */
  readonly questions: readonly Question[];
  /** Contradictions between documents, secrets found in them, limits named in prose, patterns that are left to the service. */
  readonly notes: readonly string[];
}

const NOTHING_KNOWN = { schema: null, success: null, refusal: null, errorTexts: [], choices: [], parameters: null };

/** What the public document says. */
export const DOCUMENTED_CONTRACT: Contract = {
  version: 1,
  source: null,
  create: {
    ...NOTHING_KNOWN,
    method: 'POST',
    path: PATHS.create,
    encoding: 'form',
    contentType: FORM_CONTENT_TYPE,
    identifiers: [],
    duplicate: [],
    idempotency: null,
  },
  validate: {
    ...NOTHING_KNOWN,
    method: 'POST',
    path: PATHS.validate,
    encoding: 'form',
    contentType: FORM_CONTENT_TYPE,
    verdict: [],
  },
  hasValidate: true,
  token: {
    path: PATHS.token,
    auth: 'body',
    encoding: 'form',
    extra: {},
    tokenPointer: null,
    lifetimePointer: null,
    lifetimeSeconds: null,
  },
  basePath: '',
  unavailableIsNotActed: false,
  servers: [],
  findings: [],
};

/** The same for a partner who was told how requests travel. */
export function documentedContract(encoding: BodyEncoding): Contract {
  if (encoding === 'form') return DOCUMENTED_CONTRACT;
  const { create, validate } = DOCUMENTED_CONTRACT;
  const json = { encoding, contentType: JSON_CONTENT_TYPE };
  return { ...DOCUMENTED_CONTRACT, create: { ...create, ...json }, validate: { ...validate, ...json } };
}

/** The contract as used under this base URL: one that does not end in the servers' common path has it put before each. */
export function contractAt(contract: Contract, baseUrl: string): Contract {
  const { basePath, create, validate, token } = contract;
  if (basePath === '' || new URL(baseUrl).pathname.replace(/\/+$/, '').endsWith(basePath)) return contract;
  return {
    ...contract,
    basePath: '',
    create: { ...create, path: basePath + create.path },
    validate: { ...validate, path: basePath + validate.path },
    token: { ...token, path: basePath + token.path },
  };
}

/** How often live answers bore out a setting of the contract, or did not. Settings as in {@link Finding}. */
export type Observations = Readonly<Record<string, { readonly confirmed: number; readonly contradicted: number }>>;
