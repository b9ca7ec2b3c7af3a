import { readFile } from 'node:fs/promises';
import { commandLine, withoutOptions, withProfileFlags } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import type { Proposal, Question } from '../../contract/version-1/contract.ts';
import { toVersion2 } from '../../contract/version-1/to-version-2.ts';
import { printable } from '../../report/output.ts';
import { contractName, secretAddressText } from '../../report/terminal/contract-text.ts';
import {
  type Contract,
  contractAt,
  isElsewhere,
  type ServerSuggestion,
  tokenAddress,
} from '../../request/contract/contract.ts';
import { isLoopback } from '../../request/small.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import { isSecretName } from '../../request/words/names.ts';
import { normalBaseUrl } from '../../settings/base-url.ts';
import type { ContractStore } from '../../settings/contract-store.ts';
import { answered, requireAgreement } from './contract-agreement.ts';
import { type Answers, propose, readDocuments, saidOperations } from './contract-documents.ts';
import { proposalText } from './version-1-text.ts';

/** The flags of `contract learn`, as commander parses them. */
export interface LearnFlags {
  readonly environment?: string;
  readonly set: readonly (readonly [string, string])[];
  readonly operation: readonly (readonly [string, string])[];
  /** The form of a success answer that means that a request was taken. */
  readonly takenBy?: string;
  /** The form of a success answer that means that a request was refused. */
  readonly refusedBy?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Learns the profile's contract from the partner's own documents, after the user has agreed. */
export async function learn(context: Context, files: readonly string[], options: LearnFlags): Promise<number> {
  const store = await profileContracts(context);
  if (options.takenBy !== undefined || options.refusedBy !== undefined)
    return learnAnswerMeaning(context, files, options);
  if (files.length === 0)
    throw new SrqError(
      'arguments.missing',
      'Which document? None was given.',
      'For example: srq contract learn api.yaml',
    );
  const given = await givenAnswers(options);
  const { baseUrl } = await context.settings();
  const set = await readDocuments(files, options.environment);
  const proposeWith = (answers: Answers) => propose(set, answers, baseUrl?.value ?? null, context.clock.nowMs());
  const said = options.dryRun
    ? { proposal: await proposeWith(given), answers: given, following: [] }
    : await answered(context, given, proposeWith);
  const { proposal } = said;
  const { questions, notes } = proposal;
  const contract = toVersion2(proposal.contract);
  const profile = (await context.profileName()).value;
  const logins = contract.servers.flatMap(loginCommand);
  const { withoutSecretValues } = await import('../../contract/secrets.ts');
  const shown = withoutSecretValues(contract);
  const place = baseUrl?.value ?? null;
  const document = {
    ...{ profile, stored: !options.dryRun, file: store.path, contract: shown, notes, logins },
    questions: questions.map((question) => ({ ...question, ...answeredBy(question) })),
    ...{ auth: contract.auth?.kind ?? 'bearer', tokenAddress: addressOf(proposal, place) },
  };
  const reporter = await context.reporter();
  if (options.dryRun) {
    await reporter.result('contract learn', document, (paint) =>
      [
        proposalText(proposal, width(context), paint),
        ...secretLines(proposal, place),
        ...loginLines(logins, context),
      ].join('\n'),
    );
    return 0;
  }
  reporter.say((paint) => [proposalText(proposal, width(context), paint), ...secretLines(proposal, place)].join('\n'));
  await requireAgreement(context, said, given, options.yes === true, profile);
  await store.write(contract);
  context.contractChanged();
  await reporter.result('contract learn', document, (paint) =>
    [
      `${paint.green('✓')} Profile ${profile} now follows ${contractName(contract)}.`,
      ...loginLines(logins, context),
      printable(
        withProfileFlags('Next: srq bulk FILE --sandbox    rehearses against a sandbox made from it', context.options),
      ),
    ].join('\n'),
  );
  if (options.yes !== true) {
    const { offerRehearsal } = await import('./rehearsal.ts');
    await offerRehearsal(context);
  }
  return 0;
}

/** Returns the option that answers a question, and what of `KEY=VALUE` is its key. */
function answeredBy({ name, answer }: Question): { readonly option: string; readonly key: string } {
  return { option: answer.slice(0, answer.indexOf(' ')), key: name.slice(name.indexOf(':') + 1) };
}

/** Tells whether it is known how calls are authorized, and where tokens are issued. */
const isSettled = ({ questions }: Proposal): boolean => !questions.some(({ name }) => name === 'operation:token');

/**
 * Returns the address that will receive the client secret under this base URL. Returns null if none will, or if it is
 * not known.
 */
function addressOf(proposal: Proposal, baseUrl: string | null): string | null {
  const isKnown = baseUrl !== null || isElsewhere(proposal.contract.token);
  return isSettled(proposal) && isKnown ? tokenAddress(contractUnder(proposal, baseUrl), baseUrl ?? '') : null;
}

function secretLines(proposal: Proposal, baseUrl: string | null): string[] {
  return isSettled(proposal) ? [secretAddressText(contractUnder(proposal, baseUrl), baseUrl)] : [];
}

const contractUnder = ({ contract }: Proposal, baseUrl: string | null): Contract =>
  baseUrl === null ? toVersion2(contract) : contractAt(toVersion2(contract), baseUrl);

/** Stores the meaning of an answer. It cannot be combined with documents. */
async function learnAnswerMeaning(context: Context, files: readonly string[], options: LearnFlags): Promise<number> {
  const { takenBy, refusedBy } = options;
  if (files.length > 0 || (takenBy !== undefined && refusedBy !== undefined)) {
    const message = 'Say one thing at a time: a document, --taken-by, or --refused-by.';
    throw new SrqError('flags.contradict', message, 'For example: srq contract learn --taken-by status');
  }
  const ofDocuments = [
    ...(options.environment === undefined ? [] : ['--environment']),
    ...(options.set.length === 0 ? [] : ['--set']),
    ...(options.operation.length === 0 ? [] : ['--operation']),
  ];
  if (ofDocuments.length > 0) {
    const message = `${ofDocuments.join(', ')}: that is said of documents, not of what an answer means.`;
    throw new SrqError('flags.contradict', message, 'Say one thing at a time: srq contract learn --taken-by status');
  }
  const { learnAnswers } = await import('./answers.ts');
  const isDryRun = options.dryRun === true;
  return takenBy === undefined
    ? learnAnswers(context, { said: 'refused', named: refusedBy ?? '', isDryRun })
    : learnAnswers(context, { said: 'taken', named: takenBy, isDryRun });
}

/**
 * Shows the contract in use, where each value comes from, and what answers have shown about it. The JSON output can be
 * learned again.
 */
export async function show(context: Context): Promise<number> {
  await profileContracts(context);
  const contract = await context.contract();
  const { baseUrl } = await context.settings();
  const learnOne = withProfileFlags('Learn one with: srq contract learn FILE', context.options);
  const reporter = await context.reporter();
  const { withoutSecretValues } = await import('../../contract/secrets.ts');
  await reporter.result('contract show', withoutSecretValues(contract), () =>
    contract.source
      ? [`Contract ${contractName(contract)}`, secretAddressText(contract, baseUrl?.value ?? null)].join('\n')
      : `No contract was learned: what the public document says is in force.\n${learnOne}`,
  );
  return 0;
}

/** Removes the contract, so that the public document applies again. */
export async function forget(context: Context): Promise<number> {
  const store = await profileContracts(context);
  const forgotten = store.forget();
  const profile = (await context.profileName()).value;
  const reporter = await context.reporter();
  await reporter.result('contract forget', { profile, forgotten }, () =>
    forgotten ? `The contract of profile ${profile} is forgotten.` : `Profile ${profile} had no contract.`,
  );
  return 0;
}

/** Returns the contract store of the profile in use. Throws `SrqError('usage')` with --sandbox, which has none. */
async function profileContracts(context: Context): Promise<ContractStore> {
  if (!context.options.sandbox) return context.contracts();
  const message = 'A contract belongs to a profile, not to the sandbox inside this process.';
  throw new SrqError('flags.contradict', message, 'Name the profile: srq contract show --profile NAME');
}

async function givenAnswers({ set, operation }: LearnFlags): Promise<Answers> {
  const operations = saidOperations(operation);
  return { constants: Object.fromEntries(await Promise.all(set.map(constantOf))), operations };
}

/**
 * Reads a constant. `@FILE` stands for the first line of that file. Throws `SrqError('usage')` if a secret is given as
 * an argument.
 */
async function constantOf([name, value]: readonly [string, string]): Promise<[string, string]> {
  if (value.startsWith('@')) return [name, await firstLine(value.slice(1))];
  if (!isSecretName(name)) return [name, value];
  const message = `"${printable(name)}" is the name of a secret, and others can read the arguments of a program.`;
  throw new SrqError(
    'secret.in-arguments',
    message,
    `Put it into a file: --set ${name}=@FILE   or leave it out, to be asked on a terminal.`,
  );
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

/**
 * Returns the login command for a server of the documents, or an empty list for a URL to which secrets must not be
 * sent. Only servers that are known to be tests are marked as such.
 */
function loginCommand({ name, url, test }: ServerSuggestion): string[] {
  try {
    const baseUrl = normalBaseUrl(url);
    const profile =
      name
        .replace(/[^\w.-]+/g, '-')
        .replace(/^[^\w]+/, '')
        .slice(0, 64) || 'service';
    const mark = test && !isLoopback(baseUrl) ? ['--test'] : [];
    return [commandLine(['login', '--profile', profile, '--base-url', baseUrl, ...mark])];
  } catch {
    return [];
  }
}

/**
 * Returns the lines that suggest logins. A contract belongs to one profile, so a new profile has to learn the documents
 * as well.
 */
function loginLines(logins: readonly string[], { process }: Context): string[] {
  if (logins.length === 0) return [];
  const words = withoutOptions(process.argv.slice(2), ['--profile']).filter((word) => word !== '--dry-run');
  const more = `Then, for that profile: ${commandLine([...words, '--profile', 'NAME'])}`;
  return ['Servers in the documents; log in to one with', ...logins.map((command) => `  ${command}`), more].map(
    printable,
  );
}

/** Returns the width of the terminal, or that of a wide terminal if there is none. */
function width({ process }: Context): number {
  return process.stdout.columns ?? process.stderr.columns ?? 120;
}
