import { createHash } from 'node:crypto';
import type { Context } from '../../cli/context.ts';
import { ask, askUntil, forgetTyped } from '../../cli/prompt.ts';
import type { Preparation } from '../../delivery/prepare.ts';
import type { SubmitOptions } from '../../delivery/submit.ts';
import { printable } from '../../report/output.ts';
import { contractFingerprint } from '../../request/contract/contract.ts';
import type { ImportPlan } from '../../request/log/import-plan.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { Settings } from '../../settings/settings.ts';

/** The flags that express consent, or make it unnecessary. */
interface ConsentOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  /** The digest of the only plan that may be carried out. */
  readonly plan?: string;
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
  const { live, baseUrl, profile } = await context.settings();
  const isOfSeveral = plans.length > 1 && isAsked(context, {});
  if (isOfSeveral) await forgetTyped(context);
  if (!live) return isOfSeveral ? confirmSeveral(context, plans.length, ready) : undefined;
  const files = plans.length > 1 ? ` of ${plans.length} files` : '';
  // The plan above has scrolled away on a small screen, so the question says where the requests go.
  const where = printable(`${baseUrl && new URL(baseUrl.value).host} (profile ${profile.value}, live)`);
  const question = `Type ${ready} to send ${ready === 1 ? 'this request' : 'these requests'}${files} to ${where} · q to quit: `;
  const isConfirmed = await askUntil(
    context,
    () => ask(context, question),
    (answer) => {
      if (/^q?$/i.test(answer)) return false;
      // The number may be written with separators, and with nothing else: "not 12" is none.
      if (answer.replace(/(?<=\d)[,.'\s](?=\d)/g, '') === String(ready)) return true;
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
export function requireHoldable({ options: { sandbox } }: Context, { plan, dryRun: isDry }: ConsentOptions): void {
  if (plan === undefined || !(sandbox || isDry)) return;
  const message = sandbox
    ? '--plan needs a service that stays, and --sandbox is new each time.'
    : '--plan and --dry-run exclude each other: --dry-run makes a plan, --plan sends it.';
  throw new SrqError('flags.contradict', message, `Leave --plan or ${sandbox ? '--sandbox' : '--dry-run'} out.`);
}
