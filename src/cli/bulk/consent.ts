import type { Settings } from '../../config/settings.ts';
import { SrqError } from '../../model/errors.ts';
import type { ImportPlan } from '../../model/import-plan.ts';
import type { Context } from '../context.ts';
import { ask } from '../prompt.ts';
import type { BulkOptions } from './options.ts';

/** Before anything is read: a live service needs a person's word, given on a terminal or by --yes. */
export function requireConsent(context: Context, { live }: Settings, { yes }: BulkOptions): void {
  if (!live || yes || context.interactive) return;
  throw new SrqError(
    'usage',
    'This profile is live, and there is no terminal on which to confirm the plan. Nothing was sent.',
    'Look at the plan with --dry-run, then run the same command with --yes. A test service is marked with: srq login --test',
  );
}

/** Once the plan is shown. Typing the number makes sure that it was read. */
export async function confirmImport(
  context: Context,
  { live }: Settings,
  { yes }: BulkOptions,
  { counts }: ImportPlan,
): Promise<void> {
  if (!live || yes) return;
  const answer = await ask(context, `Type ${counts.ready} to send these requests to the live service: `);
  if (answer.replace(/\D/g, '') === String(counts.ready)) return;
  throw new SrqError(
    'usage',
    'Not confirmed. Nothing was sent.',
    'Run the same command again, or look closer with --dry-run.',
  );
}
