import type { Context } from '../cli/context.ts';
import { askUntil, askYesNo } from '../cli/prompt.ts';
import { printable } from '../report/output.ts';
import type { ImportPlan } from '../request/log/import-plan.ts';
import type { ErrorReason } from '../request/words/error-codes.ts';
import { SrqError } from '../request/words/errors.ts';
import type { Settings } from '../settings/settings.ts';

/** The flags that express consent, or make it unnecessary. */
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
 * Asks the user to confirm a plan for a live service. The user has to type the number of requests, which shows that the
 * plan was read.
 */
export async function confirmImport(context: Context, { yes }: ConsentOptions, { counts }: ImportPlan): Promise<void> {
  const { ready } = counts;
  const { live, baseUrl, profile } = await context.settings();
  if (!live || ready === 0 || yes) return;
  // The plan above has scrolled away on a small screen, so the question says where the requests go.
  const where = printable(`${baseUrl && new URL(baseUrl.value).host} (profile ${profile.value}, live)`);
  const question = `Type ${ready} to send ${ready === 1 ? 'this lead' : 'these leads'} to ${where} · q to quit: `;
  const isConfirmed = await askUntil(context, question, (answer) => {
    if (/^q?$/i.test(answer)) return false;
    // The number may be written with separators, and with nothing else: "not 12" is none.
    if (answer.replace(/(?<=\d)[,.'\s](?=\d)/g, '') === String(ready)) return true;
    throw new SrqError('arguments.invalid', `That is not ${ready}.`);
  });
  if (isConfirmed) return;
  throw new SrqError(
    'prompt.declined',
    'Not confirmed. Nothing was sent.',
    'Run the same command again, or look more closely with --dry-run.',
  );
}

/**
 * Requires a yes: by --yes, or on a terminal. `kept` says what did not happen without it, and `look` how to go on where nobody
 * can be asked.
 */
export async function requireYes(
  context: Context,
  yes: boolean | undefined,
  question: string,
  { reason, kept, look }: { readonly reason: ErrorReason; readonly kept: string; readonly look: string },
): Promise<void> {
  if (yes) return;
  if (!context.interactive)
    throw new SrqError(reason, `${question} Without a terminal nobody can say so. ${kept}`, look);
  if (!(await askYesNo(context, question))) throw new SrqError('prompt.declined', `Not confirmed. ${kept}`);
}
