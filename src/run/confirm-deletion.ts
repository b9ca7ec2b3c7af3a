import type { Context } from '../cli/context.ts';
import { askYesNo } from '../cli/prompt.ts';
import { SrqError } from '../request/words/errors.ts';

/**
 * Requires a person's yes to a deletion: on a terminal, or by --yes. `look` is the command that only looks. Throws
 * `SrqError('usage')` otherwise; nothing was deleted then.
 */
export async function confirmDeletion(
  context: Context,
  { yes }: { readonly yes?: boolean },
  { question, look }: { readonly question: string; readonly look: string },
): Promise<void> {
  if (yes) return;
  if (!context.interactive) {
    throw new SrqError(
      'deletion.not-confirmed',
      `${question} Without a terminal nobody can say so. Nothing was deleted.`,
      `Look first: ${look}    Then run the same command with --yes.`,
    );
  }
  if (await askYesNo(context, question)) return;
  throw new SrqError('prompt.declined', 'Not confirmed. Nothing was deleted.', `To look only: ${look}`);
}
