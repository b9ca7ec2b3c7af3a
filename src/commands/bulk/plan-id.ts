import { createHash } from 'node:crypto';
import type { Preparation } from '../../delivery/prepare.ts';
import type { SubmitOptions } from '../../delivery/submit.ts';
import { contractFingerprint } from '../../request/contract.ts';
import { SrqError } from '../../request/errors.ts';
import type { ImportPlan } from '../../request/import-plan.ts';

/** A plan, and the settings for which its requests are prepared. */
export interface PreparedPlan {
  readonly plan: ImportPlan;
  readonly preparation: Preparation;
}

/**
 * Returns the digest of what an import would do. It covers the content key and the status of each row, the mapping, the
 * contract, the destination and how requests are sent. It is computed before anything is sent, and is the same for the
 * same plan.
 */
export function planId(
  plans: readonly PreparedPlan[],
  { validate, onDuplicate, again }: Pick<SubmitOptions, 'validate' | 'onDuplicate' | 'again'>,
): string {
  const digest = createHash('sha256').update(JSON.stringify([validate, onDuplicate, again]));
  for (const { plan, preparation } of plans) {
    const { ledger, mapping, rows, range } = plan;
    const { destination, contract } = preparation;
    const sources = mapping.sources.map(({ field, columns, how, template }) => [field, columns, how, template]);
    const { baseUrl, clientId } = destination;
    digest.update(JSON.stringify([baseUrl, clientId, contractFingerprint(contract), mapping.columns, sources, rows]));
    for (let row = range.skip + 1; row <= range.skip + rows; row++)
      digest.update(`${row} ${ledger.key(row) ?? '-'} ${ledger.status(row)}\n`);
  }
  return digest.digest('hex').slice(0, 32);
}

/** Throws `SrqError('usage')` unless the plans are the ones that the user has named. */
export function requirePlan(wanted: string | undefined, found: () => string): void {
  if (wanted === undefined || wanted === found()) return;
  throw new SrqError(
    'plan.differs',
    'The plan is not the one that --plan names: the file, the columns, the log, the contract or the service differ. Nothing was sent.',
    'Look at the plan again: the same command with --dry-run --json in place of --plan',
  );
}
