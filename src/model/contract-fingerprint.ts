import { hash } from 'node:crypto';
import type { Contract } from './contract.ts';
import { REQUEST_OPERATION_NAMES } from './operations.ts';

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
