import { readFile } from 'node:fs/promises';
import { commandLine } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { ask, askHidden, askUntil } from '../../cli/prompt.ts';
import type { OptionsOf } from '../../cli/table/flags.ts';
import type { LEARN } from '../../cli/table/options.ts';
import type { Question } from '../../contract/given.ts';
import type { Proposal, Said } from '../../contract/propose.ts';
import { type Paint, printable, printableLines } from '../../report/output.ts';
import { contractName, proposalText, secretAddressText } from '../../report/terminal/contract-text.ts';
import { contractAt, isElsewhere, tokenAddress } from '../../request/contract/contract.ts';
import { DOCUMENTED_CONTRACT } from '../../request/contract/public-api.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import { isSecretName } from '../../request/words/names.ts';
import { isAsked, requireYes } from '../../run/consent.ts';
import { proposalFrom, readSource, saidOperations } from '../../run/contract-files.ts';

type LearnFlags = OptionsOf<typeof LEARN>;

/** Learns the profile's contract from an API description or an edited page, after the user has agreed. */
export async function learn(context: Context, files: readonly string[], options: LearnFlags): Promise<number> {
  const store = await context.contracts();
  if (options.takenBy !== undefined || options.refusedBy !== undefined)
    return learnAnswerMeaning(context, files, options);
  const operations = saidOperations(options.operation);
  const given = { operations, values: Object.fromEntries(await Promise.all(options.set.map(constantOf))) };
  const place = (await context.settings()).baseUrl?.value ?? null;
  const source = await readSource(files, options.environment);
  const known = (await store.read().catch(unlessUnusable)) ?? DOCUMENTED_CONTRACT;
  const around = { baseUrl: place, nowMs: context.clock.nowMs() };
  const propose = (said: Said) => proposalFrom(source, said, known, around);
  const asks = isAsked(context, options) && !options.dryRun;
  const { contract, questions, ...proposed } = await (asks ? askOpen(context, given, propose) : propose(given));
  const notes = proposed.notes.map((note) => context.withProfile(note));
  const profile = (await context.profileName()).value;
  const { pageOf } = await import('../../contract/contract-text.ts');
  const { withoutSecretValues } = await import('../../contract/secrets.ts');
  const isOpen = ({ name, unanswered }: Question) => name.startsWith('operation:') && unanswered === undefined;
  const isSettled = !questions.some(isOpen);
  const at = place === null ? contract : contractAt(contract, place);
  const document = {
    ...{ profile, stored: !options.dryRun, file: store.path, contract: withoutSecretValues(contract), notes },
    // The option that answers it, and the key of its KEY=VALUE.
    questions: questions.map((each) => ({ ...each, option: each.answer.split(' ', 1)[0] ?? '', key: keyOf(each) })),
    tokenAddress: isSettled && (place !== null || isElsewhere(contract.token)) ? tokenAddress(at, place ?? '') : null,
  };
  const page = isSettled ? pageOf(contract) : null;
  const secret = isSettled ? secretAddressText(at, place) : null;
  const shown = (paint: Paint) => proposalText({ contract, questions, notes, page, secret }, paint);
  const learned = (paint: Paint) =>
    [
      `${paint.green('✓')} Profile ${profile} now follows ${contractName(contract)}.`,
      ...(place === null ? contract.servers : []).map(({ url }) =>
        printable(context.withProfile(commandLine(['login', '--base-url', url]))),
      ),
      printable(context.withProfile('Next: srq bulk FILE --sandbox    rehearses against a sandbox made from it')),
    ].join('\n');
  if (!options.dryRun) {
    context.reporter.say(shown);
    await requireAgreement(context, questions, profile, options.yes);
    await store.write(contract);
  }
  await context.reporter.result('contract learn', document, options.dryRun ? shown : learned);
  return 0;
}

const openIn = (questions: readonly Question[]) => questions.filter(({ unanswered }) => unanswered === undefined);

/** Asks one open question after the other, because an answer may raise the next one. Returns what is proposed at the end. */
async function askOpen(context: Context, given: Said, propose: (said: Said) => Promise<Proposal>): Promise<Proposal> {
  let [said, proposal] = [given, await propose(given)];
  for (let [open] = openIn(proposal.questions); open !== undefined; [open] = openIn(proposal.questions)) {
    const question = open;
    const { name, text, choices } = question;
    const wanted = choices ? 'Number' : name === 'fields' ? 'PLACE={field}' : 'Value';
    const listed = choices ? text.replaceAll(/;? (?=\d\. )/g, '\n  ') : text;
    const answer = async (typed: string) => {
      const more = withAnswer(said, question, typed);
      return [more, await propose(more)] as const;
    };
    const askOnce = isSecretName(keyOf(question)) ? askHidden : ask;
    [said, proposal] = await askUntil(context, `${printableLines(listed)}\n${wanted}: `, answer, askOnce);
  }
  return proposal;
}

function withAnswer({ operations, values }: Said, question: Question, typed: string): Said {
  const answer = question.choices?.[Number(typed) - 1] ?? typed;
  if (question.name.startsWith('operation:'))
    return { operations: { ...operations, [keyOf(question)]: answer }, values };
  const pair = question.name === 'fields' ? answer : `${keyOf(question)}=${answer}`;
  const [, place = '', value = ''] = /^([^=]+)=(.+)$/s.exec(pair) ?? [];
  if (place === '' || typed.startsWith('--set'))
    throw new SrqError('arguments.invalid', 'An answer is needed, and without --set.', 'To leave: Ctrl-C');
  return { operations, values: { ...values, [place]: value } };
}

/** Throws if a question is open, or if nobody agrees on the terminal or by `--yes`. */
async function requireAgreement(
  context: Context,
  questions: readonly Question[],
  profile: string,
  yes: boolean | undefined,
): Promise<void> {
  const open = openIn(questions);
  const words = context.process.argv.slice(2);
  if (open.length > 0) {
    // The command may be pasted as it is, so it must not say "yes" where nobody has said so.
    const answers = open.map(({ answer }) => printable(answer)).join(' ');
    const asked = open.map(({ name }) => printable(name.replace(':', ' '))).join(', ');
    const message = `Nothing was stored: ${open.length === 1 ? 'a question is' : `${open.length} questions are`} open (${asked}).`;
    throw new SrqError('contract.undecided', message, `Answer in the command: ${commandLine(words)} ${answers}`);
  }
  const look = `Look at it with --dry-run, then run: ${commandLine([...words, '--yes'])}`;
  const said = { reason: 'contract.not-confirmed', kept: 'Nothing was stored.', look } as const;
  await requireYes(context, yes, `Keep this API description for profile ${profile}?`, said);
}

/** A contract that cannot be used any more is learned again. */
function unlessUnusable(error: unknown): null {
  if (error instanceof SrqError && error.reason === 'contract.unusable') return null;
  throw error;
}

const keyOf = ({ name }: Question): string => name.slice(name.indexOf(':') + 1);

/** Stores the meaning of an answer. It cannot be combined with documents. */
async function learnAnswerMeaning(context: Context, files: readonly string[], options: LearnFlags): Promise<number> {
  const { takenBy, refusedBy, environment, set, operation, dryRun } = options;
  const isAlone = files.length + set.length + operation.length === 0 && environment === undefined && !dryRun;
  if (!isAlone || (takenBy !== undefined && refusedBy !== undefined)) {
    const message = 'Give --taken-by or --refused-by alone, without a file or another option of this command.';
    throw new SrqError('flags.contradict', message, 'For example: srq contract learn --taken-by form');
  }
  const { learnAnswers } = await import('./answers.ts');
  return learnAnswers(context, takenBy === undefined ? 'refused' : 'taken', takenBy ?? refusedBy ?? '');
}

/** Prints the contract in force as a page, which can be edited and learned. */
export async function show(context: Context): Promise<number> {
  const contract = await context.contract();
  const { pageOf } = await import('../../contract/contract-text.ts');
  const { withoutSecretValues } = await import('../../contract/secrets.ts');
  await context.reporter.result('contract show', withoutSecretValues(contract), () =>
    pageOf(contract).trimEnd().split('\n').map(printable).join('\n'),
  );
  return 0;
}

/** Removes the contract, so that the public document applies again. */
export async function forget(context: Context): Promise<number> {
  const store = await context.contracts();
  const forgotten = store.forget();
  const profile = (await context.profileName()).value;
  await context.reporter.result('contract forget', { profile, forgotten }, () =>
    forgotten
      ? `The API description of profile ${profile} is forgotten.`
      : `Profile ${profile} had no API description.`,
  );
  return 0;
}

/**
 * Reads a constant. `@FILE` stands for the first line of that file. Throws `SrqError('usage')` if a secret is given as
 * an argument.
 */
async function constantOf([name, value]: readonly [string, string]): Promise<[string, string]> {
  if (value.startsWith('@')) return [name, await firstLine(value.slice(1))];
  if (!isSecretName(name)) return [name, value];
  const message = `"${printable(name)}" is the name of a secret, and others can read the arguments of a program.`;
  throw new SrqError('secret.in-arguments', message, `Put it into a file: --set ${name}=@FILE`);
}

async function firstLine(path: string): Promise<string> {
  try {
    const line = (await readFile(path, 'utf8')).split(/\r?\n/, 1)[0]?.trim() ?? '';
    if (line !== '') return line;
  } catch (error) {
    throw new SrqError(
      'file.unreadable',
      `${path} cannot be read (${systemCode(error)}).`,
      'Name another file: --set NAME=@FILE',
      error,
    );
  }
  throw new SrqError('file.unreadable', `${path} begins with an empty line.`, 'Put the value into its first line.');
}
