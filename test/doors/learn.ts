import { pageOf } from '../../src/contract/contract-text.ts';
import type { Question } from '../../src/contract/given.ts';
import { lackingIn } from '../../src/contract/missing.ts';
import { type Proposal, proposeContract, type Said } from '../../src/contract/propose.ts';
import { readDocument } from '../../src/contract/read-document.ts';
import { readPage } from '../../src/contract/read-page.ts';
import { type Contract, tokenAddress, withJudges } from '../../src/request/contract/contract.ts';
import { readPlace } from '../../src/request/contract/place.ts';
import { placeFacts } from '../../src/request/contract/places.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import { SrqError } from '../../src/request/words/errors.ts';

export type { Contract, Proposal, Question };

/** What a person has beside an API description. */
export interface Around {
  readonly name?: string;
  readonly environment?: object;
  readonly operations?: Said['operations'];
  readonly values?: Said['values'];
  readonly baseUrl?: string | null;
}

/** What srq makes of an API description: an object, or the text or the bytes of a file. */
export function learn(document: object | string | Buffer, around: Around = {}): Proposal {
  const { name = 'api.json', environment, operations = {}, values = {}, baseUrl = null } = around;
  const bytes = (given: object | string) =>
    Buffer.isBuffer(given) ? given : Buffer.from(typeof given === 'string' ? given : JSON.stringify(given));
  const beside = environment === undefined ? null : { name: 'env.json', bytes: bytes(environment) };
  const options = { said: { operations, values }, baseUrl, learnedAt: '2026-11-21T12:00:00.000Z' };
  return proposeContract(readDocument({ name, bytes: bytes(document) }, beside), options);
}

/** A refusal in words for a person. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** Returns how something is refused. Whatever else goes wrong is thrown. */
export function refusalOf(action: () => unknown): Refusal {
  const refusal = unlessRefused(action);
  if (isRefusal(refusal)) return refusal;
  throw new Error('It was not refused.');
}

export function unlessRefused<Value>(action: () => Value): Value | Refusal {
  try {
    return action();
  } catch (error) {
    if (error instanceof SrqError) return { code: error.code, message: error.message, hint: error.hint ?? '' };
    throw error;
  }
}

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'hint' in value && 'code' in value;

/** The page of a contract, as `srq contract show` prints it. */
export const page = (contract: Contract): string => pageOf(contract);

/** Reads a page, with what the contract in force knows beside it. */
export function edited(text: string, known: Contract = DOCUMENTED_CONTRACT, values: Said['values'] = {}) {
  return readPage(text, 'contract.yaml', known, values);
}

/** Returns the address that gets the secret under a base URL. */
export const secretGoesTo = (contract: Contract, baseUrl: string): string => tokenAddress(contract, baseUrl);

export const PUBLIC: Contract = DOCUMENTED_CONTRACT;

/** Returns a contract with these fields in force as well, by their places. */
export function withFields(contract: Contract, fields: Readonly<Record<string, string>>): Contract {
  const own = contract.create.fields;
  const more = Object.entries(fields).filter(([place]) => !Object.hasOwn(own, place));
  return more.length === 0
    ? contract
    : { ...contract, create: { ...contract.create, fields: { ...own, ...Object.fromEntries(more) } } };
}

/** Returns a contract that always sends a sample of what its page leaves open. */
export function withLacking(contract: Contract): Contract {
  const { create } = contract;
  const { samples } = lackingIn(create);
  return Object.keys(samples).length === 0
    ? contract
    : { ...contract, create: { ...create, always: { ...create.always, ...samples } } };
}

/** Returns the values that the schema of create allows a field, or null if it allows any. */
export function allowedFor({ create }: Contract, field: string): readonly string[] | null {
  const [place] = Object.entries(create.fields).find(([, each]) => each === field) ?? [];
  const facts = place === undefined ? null : placeFacts(create.schema, readPlace(place));
  return facts?.codes?.map(({ value }) => value) ?? null;
}

/** Gets a contract ready to judge requests, as a sandbox does. */
export const ready = withJudges;
