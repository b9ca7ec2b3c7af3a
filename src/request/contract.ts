import { hash } from 'node:crypto';
import type { output } from 'zod/mini';
import type { contractSchema, Json } from './contract-schema.ts';
import {
  byOperation,
  OPERATION_NAMES,
  OPERATIONS,
  type OperationName,
  REQUEST_OPERATION_NAMES,
  type RequestOperationName,
} from './operations.ts';
import { type BodyEncoding, FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from './wire.ts';

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

/** What the public document says of an operation that carries a request. */
function documentedRequest(name: RequestOperationName, encoding: BodyEncoding = 'form') {
  const { method, path } = OPERATIONS[name];
  const contentType = encoding === 'form' ? FORM_CONTENT_TYPE : JSON_CONTENT_TYPE;
  const answers = { schema: null, success: null, refusal: null, errorTexts: [] };
  return { ...answers, choices: [], parameters: null, method, path, encoding, contentType };
}

/** What the public document says. */
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

/** The same for a partner who was told how requests travel. */
export function documentedContract(encoding: BodyEncoding): Contract {
  if (encoding === 'form') return DOCUMENTED_CONTRACT;
  return withRequestOperations(DOCUMENTED_CONTRACT, (_, name) => documentedRequest(name, encoding));
}

/** The contract with all operations that carry a request changed alike; what `change` leaves out stays as it is. */
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

/** The contract as used under this base URL: one that does not end in the servers' common path has it put before each. */
export function contractAt(contract: Contract, baseUrl: string): Contract {
  const { basePath } = contract;
  if (basePath === '' || new URL(baseUrl).pathname.replace(/\/+$/, '').endsWith(basePath)) return contract;
  return { ...withPathsBelow(contract, basePath), basePath: '' };
}

function withPathsBelow(contract: Contract, basePath: string): Contract {
  const moved = byOperation<OperationName, Contract>(OPERATION_NAMES, (name) => ({
    ...contract[name],
    path: basePath + contract[name].path,
  }));
  return { ...contract, ...moved };
}

/** All parameters of the operations that carry a request, those of create first. */
export function parametersOf(contract: Pick<Contract, RequestOperationName>): readonly Parameter[] {
  return REQUEST_OPERATION_NAMES.flatMap((name) => contract[name].parameters ?? []);
}

/** Whether the service has an operation; null: nobody said, so the public document's is tried. */
export function isOffered(contract: Contract, name: OperationName): boolean | null {
  const { presence } = OPERATIONS[name];
  return presence === null || contract[presence];
}

/** How often live answers bore out a setting of the contract, or did not. Settings as in {@link Finding}. */
export type Observations = Readonly<Record<string, { readonly confirmed: number; readonly contradicted: number }>>;

/**
 * Names what a contract says of create and validate, as 16 hex digits: what was found out about a service by one contract
 * is not known by another, which may ask other questions and read the answers otherwise.
 */
export function contractFingerprint(contract: Contract): string {
  const operations = REQUEST_OPERATION_NAMES.map((name) => contract[name]);
  return hash('sha256', JSON.stringify(sorted([...operations, contract.hasValidate])), 'hex').slice(0, 16);
}

/** The same value with the members of its objects in order, so that it does not matter who built it. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
