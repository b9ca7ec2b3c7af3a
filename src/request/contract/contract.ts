import { hash } from 'node:crypto';
import type { output } from 'zod/mini';
import { isLoopback, memoize } from '../small.ts';
import { folded } from '../words/names.ts';
import type { contractSchema, Json, ReadOnly } from './contract-schema.ts';
import { REQUEST_OPERATION_NAMES } from './operations.ts';
import { type Place, readPlace } from './place.ts';

export type { Json };

/**
 * What srq knows of the service's interface: for each operation in use a page of bindings (which place takes which field)
 * and the document's own schema, which checks the rows. It never changes a request's parameters (which keep srq's names and
 * the texts given), only how they are sent. Learning a contract therefore changes no content key, and nothing that was sent
 * before looks new.
 */
export type Contract = ReadOnly<output<typeof contractSchema>>;

export type CreateCall = Contract['create'];
/** An operation that carries a request: where it is, what goes where, how its answers are read. */
export type Call = NonNullable<Contract['validate']>;
/** What holds for a call if the page says nothing else. */
export const USUAL_CALL = { always: {}, when: {}, codes: {}, audio: 'base64', schema: null, success: null } as const;
export type TokenOperation = Contract['token'];
/** A JSON pointer (RFC 6901) into an answer. A part `*` stands for every element, and `''` is the whole answer. */
export type Pointer = CreateCall['identifiers'][number];
export type ServerSuggestion = Contract['servers'][number];
export type Guess = Contract['guesses'][number];

/** How a body is written. */
export type Encoding = 'form' | 'json' | 'multipart';

/** What is wrong with a request, by the schema of its call. */
export interface Misfit {
  readonly place: Place;
  readonly code: 'contract.missing' | 'contract.bound';
  /** The end of a sentence that begins with the place. */
  readonly words: string;
  /** Places any one of which may be filled in place of one that is missing. */
  readonly others?: readonly Place[];
}

/** A request as its schema sees it. The names of headers are in lower case. */
export interface Tree {
  readonly body: unknown;
  readonly header: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** Returns what is wrong with a request. */
export type Judge = (tree: Tree) => readonly Misfit[];

type Judged = Pick<Call, 'schema' | 'as'>;
let judgeFor: ((call: Judged) => Judge) | null = null;

/**
 * Gets the schemas of a contract ready to judge requests. The validator is loaded only here, because that takes a while, and
 * most profiles have no contract.
 */
export async function withJudges(contract: Contract): Promise<Contract> {
  if (callsOf(contract).some(({ schema }) => schema !== null)) ({ judgeFor } = await import('./body-check.ts'));
  return contract;
}

/** Returns the judge of a call's requests, or null if nothing is known of them. It is asked for each row. */
export const judgeOf = memoize((call: Judged): Judge | null => {
  if (call.schema === null) return null;
  if (judgeFor === null) throw new TypeError('The judges of this contract were not made ready.');
  return judgeFor(call);
});

/** Time for which an idempotency key is relied on if nobody names one. */
export const DEFAULT_KEY_LIFE_SECONDS = 600;

export function encodingOf({ as }: Pick<Call, 'as'>): Encoding {
  if (/^multipart\/form-data\b/i.test(as)) return 'multipart';
  return /^application\/x-www-form-urlencoded\b/i.test(as) ? 'form' : 'json';
}

/** Returns method and path of a call: `POST /v1/leads`. */
export function addressOf({ call }: Pick<Call, 'call'>): { readonly method: 'POST' | 'PUT'; readonly path: string } {
  const at = call.indexOf(' ');
  return { method: call.slice(0, at) === 'PUT' ? 'PUT' : 'POST', path: call.slice(at + 1) };
}

/** Returns the descriptions of the operations that carry a request and that the service has. */
export const callsOf = (contract: Contract): readonly Call[] =>
  REQUEST_OPERATION_NAMES.flatMap((name) => contract[name] ?? []);

/**
 * Returns the contract as used under this base URL. If the service runs on this machine, it is asked for its tokens
 * itself, so that a trial run sends no secret to another machine.
 */
export function contractAt(contract: Contract, baseUrl: string): Contract {
  const { token } = contract;
  const isAway = isElsewhere(token) && isLoopback(baseUrl) && !isLoopback(token.origin);
  return isAway ? withTokenAtService(contract) : contract;
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

/**
 * Returns the contract for a rehearsal. It sends nothing to another host, even if the contract names one for tokens. The
 * sandbox answers each request that it takes with the success shown, which can mean nothing else there.
 */
export function forRehearsal(contract: Contract): Contract {
  return { ...withTokenAtService(contract), create: { ...contract.create, success: null } };
}

/** Returns the base URL of the token request for a service with the base URL `baseUrl`. */
export function tokenBaseUrl({ origin }: TokenOperation, baseUrl: string): string {
  return origin === 'service' ? new URL(baseUrl).origin : (origin ?? baseUrl);
}

/** Returns the address that gets the client secret in a token request. */
export function tokenAddress({ token }: Contract, baseUrl: string): string {
  return tokenBaseUrl(token, baseUrl) + token.path;
}

/**
 * Returns a hash of what a contract says about create and validate, as 16 hex digits. Knowledge gained about a service
 * with one contract does not apply to another, which may ask other questions and read the answers otherwise.
 */
export function contractFingerprint({ create, validate }: Contract): string {
  return shortDigestOf([create, validate]);
}

/** Returns the country that a contract gives to requests without one, or null. */
export function countryOf({ create }: Pick<Contract, 'create'>): string | null {
  const [, country] = Object.entries(create.always).find(([place]) => takesCountry(create, place)) ?? [];
  return typeof country === 'string' ? country : null;
}

/** Returns the contract as if it gave no country. */
export function withoutCountry(contract: Contract): Contract {
  const { create } = contract;
  const always = Object.fromEntries(Object.entries(create.always).filter(([place]) => !takesCountry(create, place)));
  return { ...contract, create: { ...create, always } };
}

function takesCountry({ fields }: Pick<Call, 'fields'>, place: string): boolean {
  return (fields[place] ?? folded(readPlace(place).path.at(-1) ?? '')) === 'country';
}

/** Returns a hash of a JSON value, as 16 hex digits, that does not depend on the order of members. */
export function shortDigestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value, sorted), 'hex').slice(0, 16);
}

/** Sorts the members of an object, so that the order in which they were built does not matter. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
