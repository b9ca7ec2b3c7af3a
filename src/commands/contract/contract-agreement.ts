import { commandLine } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { ask, askHidden, askYesNo } from '../../cli/prompt.ts';
import type { Question } from '../../contract/given.ts';
import type { Proposal, Said } from '../../contract/propose.ts';
import { printable } from '../../report/output.ts';
import { OPERATION_NAMES } from '../../request/contract/operations.ts';
import { SrqError } from '../../request/words/errors.ts';
import { isSecretName } from '../../request/words/names.ts';

/** Asks on a terminal what the description leaves open, until nothing is open or no answer comes. */
export async function answered(
  context: Context,
  given: Said,
  propose: (said: Said) => Promise<Proposal>,
): Promise<Proposal> {
  let said = given;
  let proposal = await propose(said);
  while (context.interactive) {
    // An answer may lead to another question.
    const [question] = proposal.questions;
    if (question === undefined) break;
    const name = printable(question.name.slice(question.name.indexOf(':') + 1));
    const { unanswered } = question;
    const hint = unanswered === undefined ? ': ' : ` [${unanswered}] `;
    const asking = isSecretName(name) ? askHidden : ask;
    const answer = (await asking(context, `${printable(question.text)}\n${name}${hint}`)) || unanswered;
    if (answer === undefined || answer === '') break;
    const more = withAnswer(said, question, answer);
    const next = await propose(more).catch(unfit);
    if (next instanceof SrqError) context.reporter.warn(printable(next.message));
    else [said, proposal] = [more, next];
  }
  return proposal;
}

function unfit(error: unknown): SrqError {
  if (error instanceof SrqError && error.code === 'input') return error;
  throw error;
}

/** If the choices are numbered, the number is an answer as well. */
function withAnswer({ values, operations }: Said, { name, choices }: Question, text: string): Said {
  const answer = choices?.[Number(text) - 1] ?? text;
  const [kind = '', ...rest] = name.split(':');
  const about = rest.join(':');
  const operation = OPERATION_NAMES.find((each) => kind === 'operation' && each === about);
  if (operation) return { values, operations: { ...operations, [operation]: answer } };
  const [place = '', field] = kind === 'fields' ? answer.split(/=(?=\{)/) : [about, answer];
  return { values: { ...values, [place]: field ?? answer }, operations };
}

/** Throws if a question is open, or if nobody agrees on the terminal or by `--yes`. */
export async function requireAgreement(
  context: Context,
  questions: readonly Question[],
  { yes, profile }: { readonly yes: boolean; readonly profile: string },
): Promise<void> {
  const open = questions.filter(({ unanswered }) => unanswered === undefined);
  const words = context.process.argv.slice(2);
  if (open.length > 0) {
    // Whoever copies the command says what counts without an answer as well, and so sees it.
    const answers = questions.map(({ answer }) => printable(answer)).join(' ');
    const texts = open.map(({ text }) => printable(text)).join(' ');
    const message = `Nothing was stored. Only you can answer this: ${texts}`;
    throw new SrqError('contract.undecided', message, `Answer in the command: ${commandLine(words)} ${answers}`);
  }
  if (yes) return;
  if (!context.interactive) {
    throw new SrqError(
      'contract.not-confirmed',
      'Nothing was stored: there is no terminal on which to agree.',
      `Look at it with --dry-run, then run: ${commandLine([...words, '--yes'])}`,
    );
  }
  const isAgreed = await askYesNo(context, `Keep this API description for profile ${profile}?`);
  if (!isAgreed) throw new SrqError('prompt.declined', 'Not agreed. Nothing was stored.');
}
