import type { Context } from '../../cli/context.ts';
import { ask, askUntil, forgetTyped } from '../../cli/prompt.ts';
import { SrqError } from '../../request/errors.ts';
import type { ImportPlan } from '../../request/import-plan.ts';
import type { Settings } from '../../settings/settings.ts';

/** The flags that express a person's consent, or make it unnecessary. */
interface ConsentOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** Tells whether a person can be asked about the plan and the columns. */
export function isAsked({ interactive, options: { quiet } }: Context, { yes }: ConsentOptions): boolean {
  return interactive && yes !== true && quiet !== true;
}

/**
 * Requires the user's consent to use a live service: a terminal on which to confirm, or --yes. It is called before
 * anything is read.
 */
export function requireConsent(context: Context, { live }: Settings, { yes, dryRun }: ConsentOptions): void {
  if (dryRun || !live || yes || context.interactive) return;
  throw new SrqError(
    'live.not-confirmed',
    'This profile is live, and without a terminal nobody can confirm the plan. Nothing was sent.',
    'Look at the plan with --dry-run, then run the same command with --yes. A test service is marked with: srq login --test',
  );
}

/**
 * Asks the user to confirm the plans of several files, or a plan for a live service. For a live service the user has to
 * type the number of requests, which shows that the plan was read.
 */
export async function confirmImport(
  context: Context,
  { yes }: ConsentOptions,
  plans: readonly ImportPlan[],
): Promise<void> {
  const ready = plans.reduce((sum, { counts }) => sum + counts.ready, 0);
  if (ready === 0 || yes) return;
  const { live } = await context.settings();
  const isOfSeveral = plans.length > 1 && isAsked(context, {});
  if (isOfSeveral) await forgetTyped(context);
  if (!live) return isOfSeveral ? confirmSeveral(context, plans.length, ready) : undefined;
  const files = plans.length > 1 ? ` of ${plans.length} files` : '';
  const question = `Type ${ready} to send ${ready === 1 ? 'this request' : 'these requests'}${files} to the live service · q to quit: `;
  const isConfirmed = await askUntil(
    context,
    () => ask(context, question),
    (answer) => {
      if (/^q?$/i.test(answer)) return false;
      if (answer.replace(/\D/g, '') === String(ready)) return true;
      throw new SrqError('arguments.invalid', `That is not ${ready}.`);
    },
  );
  if (isConfirmed) return;
  throw new SrqError(
    'prompt.declined',
    'Not confirmed. Nothing was sent.',
    'Run the same command again, or look more closely with --dry-run.',
  );
}

/** Asks once for all files. Columns are corrected separately for each file, because each has its own. */
async function confirmSeveral(context: Context, files: number, ready: number): Promise<void> {
  const question = `Enter to send ${ready === 1 ? '1 request' : `${ready} requests`} of ${files} files · q to quit: `;
  for (;;) {
    const line = await ask(context, question);
    if (line === '') return;
    if (line === 'q') throw new SrqError('prompt.left', 'Nothing was sent.', 'Run the same command again.');
    (await context.reporter()).warn(
      'To correct the columns of a file, quit and import it alone first: its mapping is remembered.',
    );
  }
}
