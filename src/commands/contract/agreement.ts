import { commandLine } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import type { Question } from '../../contract/given.ts';
import { printable } from '../../report/output.ts';
import { SrqError } from '../../request/words/errors.ts';
import { requireYes } from '../../run/consent.ts';

/** Throws if a question is open, or if nobody agrees on the terminal or by `--yes`. */
export async function requireAgreement(
  context: Context,
  questions: readonly Question[],
  { yes, profile }: { readonly yes: boolean; readonly profile: string },
): Promise<void> {
  const open = questions.filter(({ unanswered }) => unanswered === undefined);
  const words = context.process.argv.slice(2);
  if (open.length > 0) {
    // The command may be pasted as it is, so it must not say "yes" where nobody has said so.
    const answers = open.map(({ answer }) => printable(answer)).join(' ');
    const texts = open.map(({ text }) => printable(text)).join(' ');
    const message = `Nothing was stored. Only you can answer this: ${texts}`;
    throw new SrqError('contract.undecided', message, `Answer in the command: ${commandLine(words)} ${answers}`);
  }
  const look = `Look at it with --dry-run, then run: ${commandLine([...words, '--yes'])}`;
  const unasked = 'Nothing was stored: there is no terminal on which to agree.';
  await requireYes(context, yes, `Keep this API description for profile ${profile}?`, {
    unasked: new SrqError('contract.not-confirmed', unasked, look),
    declined: new SrqError('prompt.declined', 'Not agreed. Nothing was stored.'),
  });
}
