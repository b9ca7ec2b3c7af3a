import type { output } from 'zod/mini';
import type { contractSchema, Json } from './contract-schema.ts';
import { type BodyEncoding, FORM_CONTENT_TYPE, JSON_CONTENT_TYPE, PATHS } from './wire.ts';

export type { Json };

/** The type of a value that nobody changes: what zod infers could be changed. */
type ReadOnly<Value> = [Json] extends [Value]
  ? Value
  : Value extends readonly (infer Element)[]
    ? readonly ReadOnly<Element>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: ReadOnly<Value[Name]> }
      : Value;

/**
 * What srq knows of the service's interface: what the public document says, and what was learned from the partner's own
 * documents. Everything that maps, checks, encodes or reads asks it. It never changes a request's parameters (they keep
 * srq's names and the texts given), only how they travel: so learning changes no content key, and nothing that was sent
 * before looks new.
 */
export type Contract = ReadOnly<output<typeof contractSchema>>;

export type CreateOperation = Contract['create'];
export type ValidateOperation = Contract['validate'];
export type TokenOperation = Contract['token'];
/** What all operations that carry a request have in common: where they are, how the request travels, how they refuse. */
export type Operation = Pick<CreateOperation, keyof CreateOperation & keyof ValidateOperation>;
/** How bodies travel. `multipart`: multipart/form-data. */
export type ContractEncoding = Operation['encoding'];
export type Parameter = NonNullable<Operation['parameters']>[number];
export type AllowedValue = NonNullable<Parameter['values']>[number];
export type Alternative = Operation['choices'][number][number];
export type SampleAnswer = NonNullable<Operation['success']>;
/** JSON pointer (RFC 6901) into an answer; a part `*` stands for every member or element. `''` is the whole answer. */
export type Pointer = Operation['errorTexts'][number];
export type VerdictRule = ValidateOperation['verdict'][number];
export type Idempotency = NonNullable<CreateOperation['idempotency']>;
export type ServerSuggestion = Contract['servers'][number];
export type Finding = Contract['findings'][number];
/** How sure a value is. `certain`: the document states it. `weak`: needs a person's yes. */
export type Confidence = Finding['confidence'];

/** How long an idempotency key is believed where no time is named. */
export const DEFAULT_KEY_LIFE_SECONDS = 600;

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
