import { hash } from 'node:crypto';
import type { output } from 'zod/mini';
import { type BodyEncoding, FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from '../../request/contract/wire.ts';
import { isLoopback } from '../../request/small.ts';
import type { contractSchema, Json, ReadOnly } from './contract-schema.ts';
import {
  byOperation,
  OPERATION_NAMES,
  OPERATIONS,
  type OperationName,
  REQUEST_OPERATION_NAMES,
  type RequestOperationName,
} from './operations.ts';

export type { Json };

/**
 * srq's description of the service's interface: the public document, and what was learned from the partner's own
 * documents. Everything that maps, validates, encodes or reads uses it. It never changes a request's parameters (which
 * keep srq's names and the texts given), only how they are sent. Learning a contract therefore changes no content key,
 * and nothing that was sent before looks new.
 */
export type Contract = ReadOnly<output<typeof contractSchema>>;

export type CreateOperation = Contract['create'];
export type ValidateOperation = Contract['validate'];
export type TokenOperation = Contract['token'];
/** How the calls that carry a request are authorized. */
export type Authorization = NonNullable<Contract['auth']>;
/**
 * The members common to all operations that carry a request: where they are, how the request is sent, how they refuse.
 */
export type Operation = Pick<CreateOperation, keyof CreateOperation & keyof ValidateOperation>;
/** The encoding of bodies. `multipart` means multipart/form-data. */
export type ContractEncoding = Operation['encoding'];
export type Parameter = NonNullable<Operation['parameters']>[number];
export type AllowedValue = NonNullable<Parameter['values']>[number];
export type Alternative = Operation['choices'][number][number];
export type SampleAnswer = NonNullable<Operation['success']>;
/**
 * A JSON pointer (RFC 6901) into an answer. A part `*` stands for every member or element, and `''` is the whole
 * answer.
 */
export type Pointer = Operation['errorTexts'][number];
export type VerdictRule = ValidateOperation['verdict'][number];
export type Idempotency = NonNullable<CreateOperation['idempotency']>;
export type ServerSuggestion = Contract['servers'][number];
export type ContractFinding = Contract['findings'][number];
/** Confidence in a value. `certain` means that the document states it, and `weak` that a person has to confirm it. */
export type Confidence = ContractFinding['confidence'];

/** The name in a parameter's path that stands for the only element of a list: `['phones', '0', 'number']`. */
export const ONLY_ELEMENT = '0';

/** Time for which an idempotency key is relied on if the description names none. */
export const DEFAULT_KEY_LIFE_SECONDS = 600;

/** A question that the document leaves open and only a person can answer. */
export interface Question {
  /** Stable name: `constant:partner_id`, `operation:create`, `idempotency:Idempotency-Key`, … */
  readonly name: string;
  readonly text: string;
  /** The literal flag that answers the question: `--set partner_id=VALUE`. */
  readonly answer: string;
  /** The possible answers, which the text numbers from 1. */
  readonly choices?: readonly string[];
  /** A value as the flag takes it: an example of the document, or one that shows the form. */
  readonly example?: string;
  /** The default if nobody answers. Without one, the contract cannot be used before the question is answered. */
  readonly unanswered?: string;
}

/** A contract learned from documents, before a person has agreed to it. */
export interface Proposal {
  readonly contract: Contract;
  /** While there are questions that must be answered, the contract cannot be used. */
  readonly questions: readonly Question[];
  /**
   * Contradictions between documents, secrets found in them, limits named in prose, and patterns that are left to the
   * service.
   */
  readonly notes: readonly string[];
}

/** Builds the public document's description of an operation that carries a request. */
function documentedRequest(name: RequestOperationName, encoding: BodyEncoding = 'form') {
  const { method, path } = OPERATIONS[name];
  const contentType = encoding === 'form' ? FORM_CONTENT_TYPE : JSON_CONTENT_TYPE;
  const answers = { schema: null, success: null, refusal: null, errorTexts: [] };
  return { ...answers, choices: [], parameters: null, method, path, encoding, contentType };
}

/** The contract that the public document describes. */
export const DOCUMENTED_CONTRACT: Contract = {
  version: 1,
  source: null,
  create: { ...documentedRequest('create'), identifiers: [], duplicate: [], idempotency: null },
  validate: { ...documentedRequest('validate'), verdict: [] },
  hasValidate: true,
  token: {
    path: OPERATIONS.token.path,
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

/** Returns the documented contract for a partner who was told which encoding to use. */
export function documentedContract(encoding: BodyEncoding): Contract {
  if (encoding === 'form') return DOCUMENTED_CONTRACT;
  return withRequestOperations(DOCUMENTED_CONTRACT, (_, name) => documentedRequest(name, encoding));
}

/** Applies the same change to all operations that carry a request. Members that `change` leaves out are kept. */
export function withRequestOperations(
  contract: Contract,
  change: (operation: Operation, name: RequestOperationName) => Partial<Operation>,
): Contract {
  const changed = byOperation<RequestOperationName, Contract>(REQUEST_OPERATION_NAMES, (name) => ({
    ...contract[name],
    ...change(contract[name], name),
  }));
  return { ...contract, ...changed };
}

/**
 * Returns the contract as used under this base URL. If the URL does not end in the common path of the servers, that
 * path is put before each operation's path. If the service runs on this machine, it is asked for its tokens itself, so
 * that a trial run sends no secret to another machine.
 */
export function contractAt(contract: Contract, baseUrl: string): Contract {
  const { token } = contract;
  const isAway = isElsewhere(token) && isLoopback(baseUrl) && !isLoopback(token.origin);
  return withBasePathAt(isAway ? withTokenAtService(contract) : contract, baseUrl);
}

function withBasePathAt(contract: Contract, baseUrl: string): Contract {
  const { basePath } = contract;
  if (basePath === '' || new URL(baseUrl).pathname.replace(/\/+$/, '').endsWith(basePath)) return contract;
  return { ...withPathsBelow(contract, basePath), basePath: '' };
}

/**
 * Returns a base URL without the beginning of an operation's path, such as `/v1` or `/oauth/token`. People copy that
 * part along with the base URL, and it would be sent twice.
 */
export function withoutOperationPath(contract: Contract, baseUrl: string): string {
  const { basePath, token } = contract;
  if (basePath !== '' && baseUrl.endsWith(basePath)) return baseUrl;
  const atBaseUrl = OPERATION_NAMES.filter((name) => name !== 'token' || token.origin === undefined);
  const { origin, pathname } = new URL(baseUrl);
  const copied = atBaseUrl
    .flatMap((name) => beginningsOf(basePath + contract[name].path))
    .filter((beginning) => pathname.endsWith(beginning))
    .sort((a, b) => b.length - a.length)[0];
  return copied === undefined ? baseUrl : origin + pathname.slice(0, -copied.length);
}

/** Returns the base URL without the path that the contract adds itself. A base URL may be written with or without it. */
export function withoutBasePath(baseUrl: string, basePath: string): string {
  return baseUrl.endsWith(basePath) ? baseUrl.slice(0, baseUrl.length - basePath.length) : baseUrl;
}

/** Returns the beginnings of a path that end before a slash: /v1 and /v1/leads. */
function beginningsOf(path: string): string[] {
  return [...path.matchAll(/\/[^/]+/g)].map(({ 0: part, index }) => path.slice(0, index + part.length));
}

/** Tells whether tokens are issued at another host than the service's. */
export function isElsewhere<Token extends Pick<TokenOperation, 'origin'>>(
  token: Token,
): token is Token & { readonly origin: string } {
  return token.origin !== undefined && token.origin !== 'service';
}

/** Returns the contract with tokens issued by the service's own host, at the same path. */
export function withTokenAtService(contract: Contract): Contract {
  return isElsewhere(contract.token) ? { ...contract, token: { ...contract.token, origin: 'service' } } : contract;
}

/** Returns the base URL of the token request for a service with the base URL `baseUrl`. */
export function tokenBaseUrl({ origin }: TokenOperation, baseUrl: string): string {
  return origin === 'service' ? new URL(baseUrl).origin : (origin ?? baseUrl);
}

/** Returns the key that the contract holds in place of the profile's client secret, or null. */
export function ownKey({ auth }: Contract): string | null {
  return auth?.kind === 'apiKey' ? auth.value : null;
}

/**
 * Returns the address that gets the client secret in a token request, or null if calls are authorized without tokens.
 */
export function tokenAddress({ token, auth }: Contract, baseUrl: string): string | null {
  return auth === undefined || auth.kind === 'bearer' ? tokenBaseUrl(token, baseUrl) + token.path : null;
}

function withPathsBelow(contract: Contract, basePath: string): Contract {
  const moved = byOperation<OperationName, Contract>(OPERATION_NAMES, (name) => ({
    ...contract[name],
    path: basePath + contract[name].path,
  }));
  // A path that begins at the root of a host has no base path before it.
  return { ...contract, ...moved, ...(contract.token.origin === undefined ? {} : { token: contract.token }) };
}

/** Returns all parameters of the operations that carry a request, those of create first. */
export function parametersOf(contract: Pick<Contract, RequestOperationName>): readonly Parameter[] {
  return REQUEST_OPERATION_NAMES.flatMap((name) => contract[name].parameters ?? []);
}

/**
 * Tells whether the service has an operation. Null means that nobody said, so that the one of the public document is
 * tried.
 */
export function isOffered(contract: Contract, name: OperationName): boolean | null {
  const { presence } = OPERATIONS[name];
  return presence === null || contract[presence];
}

/**
 * Counts how often live answers confirmed or contradicted a setting of the contract. Settings are named as in
 * {@link ContractFinding}.
 */
export type Observations = Readonly<Record<string, { readonly confirmed: number; readonly contradicted: number }>>;

/**
 * Returns a hash of what a contract says about create and validate, as 16 hex digits. Knowledge gained about a service
 * with one contract does not apply to another, which may ask other questions and read the answers otherwise.
 */
export function contractFingerprint(contract: Contract): string {
  const operations = REQUEST_OPERATION_NAMES.map((name) => contract[name]);
  return digestOf([...operations, contract.hasValidate]);
}

/** Returns the contract as if it gave all requests this country, or none. */
export function withCountry(contract: Contract, code: string | null): Contract {
  const { create } = contract;
  const others = (create.parameters ?? []).filter(({ field }) => field !== 'country');
  const bounds = { minLength: null, maxLength: null, minimum: null, maximum: null, pattern: null };
  const place = { field: 'country', in: 'body', path: ['country'], type: 'string', isList: false } as const;
  const needs = { required: false, requiredWithin: null, values: null, audioForm: null };
  const parameters = [...others, { ...place, ...needs, ...bounds, constant: code }];
  return { ...contract, create: { ...create, parameters } };
}

/**
 * Returns a hash of how a contract has creates written, as 16 hex digits, or null if that is how the public document has
 * them written, in any of its encodings. A reading of answers is no part of it, and neither is what a request must hold.
 */
export function wireFormOf({ create }: Pick<Contract, 'create'>): string | null {
  const form = formOf(create);
  const isDocumented = (['form', 'json'] as const).some((each) => formOf(documentedContract(each).create) === form);
  return isDocumented ? null : form;
}

function formOf({ method, path, encoding, contentType, parameters, choices, idempotency }: CreateOperation): string {
  const places = parameters?.map(({ field, in: place, path: names, type, isList, values, constant, audioForm }) => {
    return { field, place, names, type, isList, values, constant, audioForm };
  });
  const key = idempotency && `${idempotency.header.toLowerCase()} ${idempotency.format}`;
  return digestOf([method, path, encoding, contentType, places ?? null, choices, key]);
}

function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(sorted(value)), 'hex').slice(0, 16);
}

/** Sorts the members of all objects in a value, so that the order in which they were built does not matter. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
