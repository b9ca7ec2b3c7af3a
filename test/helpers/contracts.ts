import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { learnContract } from '../../src/contract/learn.ts';
import type { Contract } from '../../src/request/contract/contract.ts';
import { version2 } from './version-1.ts';

/** An entry of `fixtures/contracts/expected.json`. The README there explains the members. */
export interface Expected {
  readonly baseUrl?: string;
  readonly set: Readonly<Record<string, string>>;
  readonly questions: readonly string[];
  readonly wire: Readonly<Record<string, string>>;
  readonly constants: Readonly<Record<string, string>>;
  readonly alternatives: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly identifiers: readonly string[];
  readonly audio: string | null;
  readonly servers: readonly { readonly url: string; readonly test: boolean | null }[];
}

const FOLDER = resolve('fixtures/contracts');

export const contractFile = (name: string): string => join(FOLDER, name);

export const EXPECTED: Readonly<Record<string, Expected>> = JSON.parse(
  readFileSync(contractFile('expected.json'), 'utf8'),
);

/** Returns the contract that is learned from the document without any answer of a partner, as a sandbox uses it. */
export function contractOf(name: string): Contract {
  const document = { name, bytes: readFileSync(contractFile(name)) };
  const learnedAt = '2026-11-21T00:00:00.000Z';
  const nothing = { constants: {}, operations: {}, environment: null, baseUrl: null };
  return version2(learnContract([document], { ...nothing, learnedAt }).contract);
}

/** Returns the flags that answer the questions of a description. */
export const answersFor = (name: string): string[] =>
  Object.entries(EXPECTED[name]?.set ?? {}).flatMap(([constant, value]) => ['--set', `${constant}=${value}`]);
