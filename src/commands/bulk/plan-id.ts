import { createHash } from 'node:crypto';
import type { Context } from '../../cli/context.ts';
import type { Preparation } from '../../delivery/prepare.ts';
import type { SubmitOptions } from '../../delivery/submit.ts';
import { contractFingerprint } from '../../request/contract.ts';
import { SrqError } from '../../request/errors.ts';
import type { ImportPlan } from '../../request/import-plan.ts';
import type { PlanOptions } from './agreement.ts';

/** A plan, and the settings for which its requests are prepared. */
export interface PreparedPlan {
  readonly plan: ImportPlan;
  readonly preparation: Preparation;
}

/** What a plan is for: how requests are sent, and the store of the queue if they are queued. */
interface PlanPurpose extends Pick<SubmitOptions, 'validate' | 'onDuplicate' | 'again'> {
  readonly queue?: string;
}

/**
 * Returns the digest of what an import would do. It covers the key and the status of each row, the mapping, the
 * contract and how requests are sent. A key is itself a digest of content and destination. The digest is computed before
 * anything is sent, and is the same for the same plan.
 */
export function planId(plans: readonly PreparedPlan[], { validate, onDuplicate, again, queue }: PlanPurpose): string {
  const purpose = [validate, onDuplicate, again, ...(queue === undefined ? [] : [queue])];
  const digest = createHash('sha256').update(JSON.stringify(purpose));
  for (const { plan, preparation } of plans) {
    const { ledger, mapping, rows, range } = plan;
    const sources = mapping.sources.map(({ field, columns, how, template }) => [field, columns, how, template]);
    const contract = contractFingerprint(preparation.contract);
    digest.update(JSON.stringify([contract, mapping.columns, sources, rows]));
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

/**
 * Throws `SrqError('usage')` for --plan if it cannot be checked, because a sandbox in this process is another service
 * each time.
 */
export function requireHoldable(
  { options: { sandbox } }: Context,
  { plan, dryRun: isDry }: Pick<PlanOptions, 'plan' | 'dryRun'>,
): void {
  if (plan === undefined || !(sandbox || isDry)) return;
  const message = sandbox
    ? '--plan needs a service that stays, and --sandbox is new each time.'
    : 'A dry run makes a plan and holds to none.';
  throw new SrqError('flags.contradict', message, `Leave --plan or ${sandbox ? '--sandbox' : '--dry-run'} out.`);
}
