import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Contract } from '../../src/request/contract/contract.ts';
import { readContract } from '../../src/request/contract/contract-schema.ts';
import { isRefusal, learn, unlessRefused } from '../doors/learn.ts';

/** Those in YAML say the same as those in JSON. */
const FOLDERS = [
  'fixtures/contracts',
  ...['2.0', '3.0', '3.1'].map((version) => `node_modules/@readme/oas-examples/${version}/json`),
];

function learned(path: string): Contract[] {
  const proposal = unlessRefused(() => learn(readFileSync(path), { name: path, operations: { validate: 'none' } }));
  return isRefusal(proposal) ? [] : [proposal.contract];
}

test('whatever is learned from an API description can be kept and read back', () => {
  const paths = FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const contracts = paths.filter((path) => /\.(?:json|ya?ml)$/.test(path)).flatMap(learned);
  expect(contracts.length).toBeGreaterThan(30);
  for (const contract of contracts) {
    const kept: unknown = JSON.parse(JSON.stringify(contract));
    expect(readContract(kept, contract.source?.title ?? '', 'Learn it again.')).toEqual(kept);
  }
});
