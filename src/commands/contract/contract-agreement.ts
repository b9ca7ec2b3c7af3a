import { commandLine } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { ask, askHidden, askYesNo } from '../../cli/prompt.ts';
import type { ContractFinding, Proposal, Question } from '../../contract/version-1/contract.ts';
import { printable } from '../../report/output.ts';
import { OPERATION_NAMES } from '../../request/contract/operations.ts';
import { SrqError } from '../../request/words/errors.ts';
import { isSecretName } from '../../request/words/names.ts';
import type { Answers } from './contract-documents.ts';

/** A proposal with the answers that led to it. */
export interface AgreedAnswers {
  readonly proposal: Proposal;
  /** Answers from flags and from the terminal. */
  readonly answers: Answers;
  /** The questions that will follow if the proposed operations are confirmed. */
  readonly following: readonly Question[];
}

/**
 * Asks the user the questions that the documents leave open, and returns the resulting proposal. Questions are asked
 * only on a terminal, and again if an answer does not fit, until none is open or the user gives no answer.
 */
export async function answered(
  context: Context,
  given: Answers,
  propose: (answers: Answers) => Promise<Proposal>,
): Promise<AgreedAnswers> {
  let answers = given;
  let proposal = await propose(given);
  while (context.interactive) {
    // An answer may lead to another question, such as the list of categories once the create operation is known.
    const [question] = proposal.questions;
    if (question === undefined) break;
    const name = answerName(question);
    const asking = isSecretName(name) ? askHidden : ask;
    const { unanswered } = question;
    const hint = unanswered === undefined ? ': ' : unanswered === 'no' ? ' [y/N] ' : ` [${unanswered}] `;
    const given = await asking(context, `${printable(question.text)}\n${name}${hint}`);
    const answer = given === '' ? (unanswered ?? '') : given;
    // A parameter that each row provides has no value of its own.
    if (answer === '' && !question.answer.endsWith('=')) break;
    const more = withAnswer(answers, question, answer);
    const next = await propose(more).catch(unfit);
    if (next instanceof SrqError) (await context.reporter()).warn(printable(next.message));
    else [answers, proposal] = [more, next];
  }
  const following = context.interactive ? [] : await followingQuestions(proposal, answers, propose);
  return { proposal, answers, following };
}

/** Replaces an operation that only a person can name, in an answer. */
const UNNAMED = 'POST /path';

/**
 * Returns the questions about the proposed operations, so that a user without a terminal can answer all questions at
 * once.
 */
async function followingQuestions(
  { questions }: Proposal,
  answers: Answers,
  propose: (answers: Answers) => Promise<Proposal>,
): Promise<Question[]> {
  const proposed = questions.flatMap((question) => {
    const [, operation] = /^--operation "?\w+=([^"]+)"?$/.exec(question.answer) ?? [];
    return operation === undefined || operation === UNNAMED ? [] : [{ question, operation }];
  });
  if (proposed.length === 0) return [];
  const said = proposed.reduce((all, { question, operation }) => withAnswer(all, question, operation), answers);
  const next = await propose(said).catch(unfit);
  const isNew = ({ name }: Question) => questions.every((each) => each.name !== name);
  const added = next instanceof SrqError ? [] : next.questions.filter(isNew);
  // The operation that creates decides which operation may be validate.
  const more = added.length === 0 || next instanceof SrqError ? [] : await followingQuestions(next, said, propose);
  return [...new Map([...added, ...more].map((each) => [each.name, each])).values()];
}

function unfit(error: unknown): SrqError {
  if (error instanceof SrqError && error.code === 'input') return error;
  throw error;
}

function answerName({ name }: Question): string {
  return printable(name.slice(name.indexOf(':') + 1));
}

/** Adds an answer. If the choices are numbered, the number is accepted as well. */
function withAnswer({ constants, operations }: Answers, { name, choices }: Question, said: string): Answers {
  const answer = choices?.[Number(said) - 1] ?? said;
  const [kind = '', ...rest] = name.split(':');
  const about = rest.join(':');
  const operation = OPERATION_NAMES.find((each) => kind === 'operation' && each === about);
  if (operation) return { constants, operations: { ...operations, [operation]: answer } };
  // Which place takes a field is said from the other side: by the name of the place.
  const [key, value] = kind === 'place' ? [answer, `{${about}}`] : [about, answer];
  return { constants: { ...constants, [key]: value }, operations };
}

/** Throws `SrqError('usage')` if a question is open or the user does not agree, on the terminal or by `--yes`. */
export async function requireAgreement(
  context: Context,
  { proposal, answers: said, following }: AgreedAnswers,
  given: Answers,
  yes: boolean,
  profile: string,
): Promise<void> {
  const { contract } = proposal;
  const questions = proposal.questions.filter(({ unanswered }) => unanswered === undefined);
  const words = [...context.process.argv.slice(2), ...flagsOf(said, given)];
  if (questions.length > 0) {
    const open = questions.map(({ text }) => printable(text)).join(' ');
    const next = following.filter(({ unanswered }) => unanswered === undefined);
    const answers = [...questions, ...next].map(({ answer }) => printable(answer)).join(' ');
    const then = next.map(({ text }) => printable(text)).join(' ');
    const more = next.length === 0 ? '' : ` If the operations are those of the command below: ${then}`;
    const message = `The documents leave open what only you can say; nothing was stored. ${open}${more}`;
    throw new SrqError('contract.undecided', message, `Say it, and run: ${commandLine(words)} ${answers}`);
  }
  if (yes) return;
  const weak = contract.findings.filter(({ confidence }) => confidence === 'weak');
  if (!context.interactive) {
    const message = `Nothing was stored: there is no terminal on which to agree.${weakText(weak)}`;
    throw new SrqError(
      'contract.not-confirmed',
      message,
      `Look at it with --dry-run, then run: ${commandLine([...words, '--yes'])}`,
    );
  }
  const isAgreed = await askYesNo(context, `${weakText(weak).trim()}\nKeep this contract for profile ${profile}?`);
  if (!isAgreed) throw new SrqError('prompt.declined', 'Not agreed. Nothing was stored.');
}

/** Returns the flags that give the answers from the terminal. */
function flagsOf({ constants, operations }: Answers, given: Answers): string[] {
  return [
    ...Object.entries(constants)
      .filter(([name]) => !Object.hasOwn(given.constants, name))
      .flatMap(([name, value]) => ['--set', `${name}=${isSecretName(name) ? '@FILE' : value}`]),
    ...Object.entries(operations)
      .filter(([name]) => !Object.hasOwn(given.operations, name))
      .flatMap(([name, value]) => ['--operation', `${name}=${value}`]),
  ];
}

function weakText(weak: readonly ContractFinding[]): string {
  const guesses = weak.map(({ setting, value, where, why }) => printable(`${setting} is ${value} (${where}): ${why}`));
  return guesses.length === 0 ? '' : ` These are guesses: ${guesses.join('; ')}.`;
}
