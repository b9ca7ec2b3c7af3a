import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import type { Contract } from '../../src/request/contract/contract.ts';
import { readContract } from '../../src/request/contract/contract-schema.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { version2 } from '../helpers/version-1.ts';

/** Those in YAML say the same as those in JSON. */
const FOLDERS = [
  'fixtures/contracts',
  ...['2.0', '3.0', '3.1'].map((version) => `node_modules/@readme/oas-examples/${version}/json`),
];
const OPTIONS = {
  constants: {},
  operations: {},
  environment: null,
  baseUrl: null,
  learnedAt: '2026-11-21T00:00:00.000Z',
};

function learned(path: string): Contract[] {
  try {
    return [version2(learnContract([{ name: path, bytes: readFileSync(path) }], OPTIONS).contract)];
  } catch (error) {
    if (error instanceof SrqError) return [];
    throw error;
  }
}

test('whatever is learned from a document can be kept and read back', () => {
  const paths = FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const contracts = paths.filter((path) => /\.(?:json|ya?ml)$/.test(path)).flatMap(learned);
  expect(contracts.length).toBeGreaterThan(30);
  for (const contract of contracts) {
    const kept: unknown = JSON.parse(JSON.stringify(contract));
    expect(readContract(kept, contract.source?.title ?? '', 'Learn it again.')).toEqual(kept);
  }
});
