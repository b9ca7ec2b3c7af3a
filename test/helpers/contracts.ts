import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Contract } from '../../src/request/contract/contract.ts';
import { learn, ready } from '../doors/learn.ts';

/** An entry of `fixtures/contracts/expected.json`. The README there explains the members. */
export interface Expected {
  readonly set: Readonly<Record<string, string>>;
  readonly operations: Readonly<Record<string, string>>;
  readonly questions: readonly string[];
  /** What a row says of its category, if the description has no names for its codes. */
  readonly categories?: readonly [string, string];
  readonly wire: Readonly<Record<string, string>>;
  readonly constants: Readonly<Record<string, string>>;
  readonly alternatives: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly identifiers: readonly string[];
  readonly audio: string | null;
  readonly servers: readonly { readonly url: string }[];
}

const FOLDER = resolve('fixtures/contracts');

export const contractFile = (name: string): string => join(FOLDER, name);

export const EXPECTED: Readonly<Record<string, Expected>> = JSON.parse(
  readFileSync(contractFile('expected.json'), 'utf8'),
);

/** Returns the contract that is learned from the document without any value of a partner, as a sandbox uses it. */
export function contractOf(name: string): Promise<Contract> {
  const { operations = {} } = EXPECTED[name] ?? {};
  return ready(learn(readFileSync(contractFile(name)), { name, operations }).contract);
}

/** Returns the flags that answer the questions of a description. */
export function answersFor(name: string): string[] {
  const { operations = {}, set = {} } = EXPECTED[name] ?? {};
  const flags = (flag: string, answers: Readonly<Record<string, string>>) =>
    Object.entries(answers).flatMap(([role, answer]) => [flag, `${role}=${answer}`]);
  return [...flags('--operation', operations), ...flags('--set', set)];
}

/** Returns the contract as it is once a person has said that the service recognises a repeated create for a day. */
export function withKey(contract: Contract): Contract {
  const { create } = contract;
  return { ...contract, create: { ...create, again: { header: 'Idempotency-Key', hours: 24, uuid: true } } };
}
