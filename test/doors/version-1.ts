import { isDeepStrictEqual } from 'node:util';
import { loadPatterns, readyJudges } from '../../src/request/contract/body-check.ts';
import type { Contract } from '../../src/request/contract/contract.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import type { Contract as Contract1 } from './version-1/contract.ts';
import { toVersion2 } from './version-1/to-version-2.ts';

await loadPatterns({ pattern: '(a|b)' });

/** Carries a contract that an older test writes down over to version 2, ready to judge requests. */
export function version2(contract: Contract1): Contract {
  const translated = toVersion2(contract);
  const isDocumented = isDeepStrictEqual(translated, DOCUMENTED_CONTRACT);
  const source = { file: 'api.json', title: 'An API', kind: 'OpenAPI 3.1', learnedAt: '2026-11-21T00:00:00.000Z' };
  return readyJudges(isDocumented ? DOCUMENTED_CONTRACT : { ...translated, source: translated.source ?? source });
}
