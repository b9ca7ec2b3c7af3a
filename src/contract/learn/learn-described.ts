import type { DescribedDocument } from '../documents/described.ts';
import { objectOf, textOf } from '../documents/json-parts.ts';
import {
  type Contract,
  type CreateOperation,
  DOCUMENTED_CONTRACT,
  type Operation,
  type Proposal,
  type Question,
  type ValidateOperation,
  type VerdictRule,
} from '../version-1/contract.ts';
import {
  byOperation,
  OPERATIONS,
  type OperationName,
  REQUEST_OPERATION_NAMES,
  type RequestOperationName,
} from '../version-1/operations.ts';
import { duplicateRules, type FoundRule, identifierPlaces, verdictRules } from './answer-meaning.ts';
import { answersOf, type DescribedAnswer } from './answers.ts';
import { type DocumentReading, type OpenApiOperation, startReading } from './described-operation.ts';
import { type FoundOperation, hasOperation, type OperationFinder, operationFinder } from './find-operation.ts';
import type { GivenConstants } from './given-constants.ts';
import { idempotencyOf } from './idempotency.ts';
import { learnAuthorization } from './learn-auth.ts';
import { learnOperation } from './learn-operation.ts';
import { saysNotActed } from './not-acted-statement.ts';
import { type Findings, openNotebook } from './notebook.ts';
import {
  atServersOf,
  basePathOf,
  noteOwnServers,
  requireServicePaths,
  serverSuggestions,
  withPathPrefix,
} from './servers.ts';
import { isAddress, NO_TOKEN } from './token-place.ts';

export interface DescribedOptions {
  /** Values of parameters that no request gives, by name: `--set`. */
  readonly constants: Readonly<Record<string, string>>;
  /** The operation for each role, by its id or as `POST /path`: `--operation`. */
  readonly operations: Readonly<Partial<Record<OperationName, string>>>;
  /** The base URL of the requests, or null if it is not known yet. */
  readonly baseUrl: string | null;
  /** Time in ISO 8601. */
  readonly learnedAt: string;
}

/** Learns a contract from one document. Throws `SrqError('input')` if it cannot be used. */
export function learnDescribed(
  described: DescribedDocument,
  file: string,
  given: GivenConstants,
  options: DescribedOptions,
): Proposal {
  const start = startReading(described);
  const notebook = openNotebook(described.where);
  for (const note of described.notes) notebook.note(note);
  const finder = operationFinder(start);
  const picked = pickedOperations(finder, options.operations, notebook);
  const reading = atServersOf(picked.create, start);
  const base = basePathOf(reading, options.baseUrl, notebook);
  const used = REQUEST_OPERATION_NAMES.flatMap((name) => picked[name] ?? []);
  const said = options.operations.token;
  const { auth, token, withKeys } = learnAuthorization({
    ...{ reading, base, baseUrl: options.baseUrl, given, notebook, create: picked.create, used, said },
    operations: finder.operations.filter((each) => !used.includes(each)),
    named: namedToken(finder, described, said),
  });
  const found = byOperation<RequestOperationName, FoundOperations>(REQUEST_OPERATION_NAMES, (name) => {
    const operation = picked[name];
    return operation && withKeys(operation);
  });
  const answers = byOperation<RequestOperationName, AnswersByOperation>(REQUEST_OPERATION_NAMES, (name) => {
    const operation = found[name];
    return operation === null ? [] : answersOf(reading, operation);
  });
  const requests = byOperation<RequestOperationName, Contract>(REQUEST_OPERATION_NAMES, (name) => {
    const before = found[name] === null ? '' : base.before;
    return withPathPrefix(
      LEARNERS[name]({ reading, notebook, given, answers: answers[name], operation: found[name] }),
      before,
    );
  });
  noteLimits(reading, used, Object.values(answers).flat(), notebook);
  noteOwnServers(reading, used, notebook);
  const { title, kind } = described;
  const contract: Contract = {
    version: 1,
    source: { files: [file], title: title.slice(0, MAX_TITLE), kind, learnedAt: options.learnedAt },
    ...requests,
    hasValidate: isDenied('validate', options.operations) ? false : found.validate === null ? null : true,
    token,
    ...(auth && { auth }),
    basePath: base.path,
    unavailableIsNotActed: unavailableIsNotActed(answers.create, notebook),
    servers: serverSuggestions(reading.described.document['servers']),
    findings: notebook.findings,
  };
  requireServicePaths(contract);
  return { contract, questions: notebook.questions, notes: notebook.notes };
}

const MAX_TITLE = 200;
/** A person's answer that no operation has this role: `--operation validate=none`. */
const NO_OPERATION = 'none';

type FoundOperations = Readonly<Record<RequestOperationName, OpenApiOperation | null>>;
type ChosenOperations = DescribedOptions['operations'];

const isDenied = (role: RequestOperationName, chosen: ChosenOperations): boolean =>
  OPERATIONS[role].presence !== null && chosen[role] === NO_OPERATION;

/**
 * Picks an operation for each role. Operations that carry a request come first, and create comes before validate, which
 * is compared with it. No operation has two roles.
 */
function pickedOperations(finder: OperationFinder, chosen: ChosenOperations, notebook: Findings): FoundOperations {
  const taken: OpenApiOperation[] = [];
  const pick = (role: RequestOperationName): OpenApiOperation | null => {
    if (isDenied(role, chosen)) {
      notebook.add(`${role}.path`, NO_OPERATION, '', 'certain', 'you said so');
      return null;
    }
    const operation = picked(role, finder.find(role, chosen[role], taken), notebook);
    if (operation !== null) taken.push(operation);
    return operation;
  };
  return { create: pick('create'), validate: pick('validate') };
}

/**
 * Returns the operation that a person has named for tokens, or null if the name is an address outside of the document.
 */
function namedToken(finder: OperationFinder, described: DescribedDocument, said: string | undefined) {
  if (said === undefined || said === NO_TOKEN || (isAddress(said) && !hasOperation(described, said))) return null;
  return finder.named('token', said);
}

/** The reaction if no operation certainly has a role. */
interface Unfound {
  /** Returns the question about which of the best candidates has the role. */
  readonly question: (candidates: FoundOperation['candidates'], why: string) => Question;
  /** Notes that there is no candidate. */
  readonly missing: (why: string, notebook: Findings) => void;
}

const UNFOUND: Readonly<Record<RequestOperationName, Unfound>> = {
  create: {
    question: createQuestion,
    missing: (_, notebook) =>
      notebook.ask({
        name: 'operation:create',
        text: 'No operation of the document takes a request: none has a body with the known names.',
        answer: '--operation "create=POST /path"',
      }),
  },
  validate: {
    question: validateQuestion,
    missing: (why, notebook) => {
      const { path } = DOCUMENTED_CONTRACT.validate;
      const without = `if the service has none: --operation validate=${NO_OPERATION}`;
      notebook.add('validate.path', `POST ${path}`, '', 'weak', `${why}, so as the public document says; ${without}`);
    },
  },
};

/** Picks the operation for a role, or asks a question that shows the best candidates. */
function picked(role: RequestOperationName, found: FoundOperation, notebook: Findings): OpenApiOperation | null {
  const { operation, candidates, why } = found;
  const { question, missing } = UNFOUND[role];
  const [best] = candidates;
  if (operation !== null) {
    notebook.add(`${role}.path`, operation.name, operation.pointer, found.confidence, why);
    return operation;
  }
  if (best === undefined) missing(why, notebook);
  else notebook.ask(question(candidates, why));
  return null;
}

const numbered = (candidates: FoundOperation['candidates']): string =>
  candidates
    .map(({ operation: { name, id }, reason }, index) => {
      const called = `${index + 1}. ${name}${id === '' ? '' : ` (${id})`}`;
      return reason === '' ? called : `${called}: ${reason}`;
    })
    .join('; ');

function createQuestion(candidates: FoundOperation['candidates'], why: string): Question {
  return {
    name: 'operation:create',
    text: `Which operation creates a request? It is not clear: ${why}. The best are: ${numbered(candidates)}.`,
    answer: `--operation "create=${candidates[0]?.operation.name ?? 'POST /path'}"`,
    choices: candidates.map(({ operation }) => operation.name),
  };
}

/**
 * Asks for the validate operation without proposing one. If a flag were proposed, a person could copy it unread, and a
 * call that should only check would write requests.
 */
function validateQuestion(candidates: FoundOperation['candidates'], why: string): Question {
  return {
    name: 'operation:validate',
    text:
      `Which operation only tells whether a request is a duplicate, and writes nothing? It is called for every row. It is not clear: ${why}. ` +
      `These resemble it: ${numbered(candidates)}; ${candidates.length + 1}. ${NO_OPERATION}. ` +
      'If you are sure of one: --operation "validate=POST /path"',
    answer: `--operation validate=${NO_OPERATION}`,
    choices: [...candidates.map(({ operation }) => operation.name), NO_OPERATION],
  };
}

type DescribedAnswers = readonly DescribedAnswer[];

type AnswersByOperation = Readonly<Record<RequestOperationName, DescribedAnswers>>;

/** The input for learning one operation. `operation` is null if the document has none. */
interface Learning<Found = OpenApiOperation | null> {
  readonly reading: DocumentReading;
  readonly notebook: Findings;
  readonly given: GivenConstants;
  readonly operation: Found;
  readonly answers: DescribedAnswers;
}

/**
 * The functions that learn each operation that carries a request: first the request part, which all have in common,
 * then the answer part.
 */
const LEARNERS: { readonly [Name in RequestOperationName]: (learning: Learning) => Contract[Name] } = {
  create: (learning) => learned('create', learning, createAnswers),
  validate: (learning) => learned('validate', learning, validateAnswers),
};

function learned<Name extends RequestOperationName, Half>(
  name: Name,
  { operation, ...learning }: Learning,
  learnAnswers: (learning: Learning<OpenApiOperation>) => Half,
): Contract[Name] | (Operation & Half) {
  if (operation === null) return DOCUMENTED_CONTRACT[name];
  const { reading, notebook, given, answers } = learning;
  const request = learnOperation(reading, name, operation, answers, given, notebook);
  return { ...request, ...learnAnswers({ ...learning, operation }) };
}

type AnswerHalf<Of extends Operation> = Omit<Of, keyof Operation>;

function createAnswers({
  reading,
  notebook,
  given,
  operation,
  answers,
}: Learning<OpenApiOperation>): AnswerHalf<CreateOperation> {
  const identifiers = identifierPlaces(answers, operation.path);
  const duplicate = duplicateRules(answers, operation.path);
  findIdentifiers(identifiers, answers, notebook);
  for (const rule of duplicate) findRule('create.duplicate', rule, notebook);
  const idempotency = idempotencyOf(reading, operation, given, notebook);
  return { identifiers, duplicate: duplicate.map(({ rule }) => rule), idempotency };
}

function findIdentifiers(
  identifiers: CreateOperation['identifiers'],
  answers: readonly DescribedAnswer[],
  notebook: Findings,
): void {
  const answer = answers.find(({ status, places }) => status >= 200 && status < 300 && places.length > 0);
  const told = identifiers.map(({ pointer }) => pointer).join(', ');
  if (told === '') {
    const why = 'from the first live answer: the document names none';
    notebook.add('create.identifiers', 'searched for', '', 'likely', why);
    return;
  }
  const isShown = answer?.source === 'example';
  const [confidence, why] = isShown ? (['likely', 'an example'] as const) : (['certain', 'their names'] as const);
  notebook.add('create.identifiers', told, answer?.pointer ?? '', confidence, why);
}

function validateAnswers({ answers, notebook }: Learning<OpenApiOperation>): AnswerHalf<ValidateOperation> {
  const rules = verdictRules(answers);
  for (const rule of rules) findRule('validate.verdict', rule, notebook);
  if (rules.length === 0) {
    const why = "the document does not say; srq's own reading applies";
    notebook.add('validate.verdict', 'searched for', '', 'likely', why);
  }
  return { verdict: rules.map(({ rule }) => rule) };
}

function findRule(setting: string, { rule, where, confidence, why }: FoundRule, notebook: Findings): void {
  notebook.add(setting, ruleText(rule), where, confidence, why);
}

function ruleText(rule: VerdictRule): string {
  if (rule.kind === 'status') return `HTTP ${rule.status}: ${rule.verdict}`;
  if (rule.kind === 'list') return `${rule.pointer}: duplicate unless empty`;
  const clear = rule.clear.length > 0 ? `, clear if ${rule.clear.join(' or ')}` : '';
  return `${rule.pointer}: duplicate if ${rule.duplicate.join(' or ')}${clear}`;
}

const RATE =
  /\b\d[\d,. ]{0,9}\s?(?:requests?|calls?)?\s?(?:per|a|each|\/|every)\s?(?:second|minute|hour|day|sec|min)\b/i;
const MAX_TEXT = 20_000;
const RATE_HEADER = /^(?:x-)?rate-?limit|^retry-after$/i;

/** Notes limits that texts or headers mention. They are only notes, because srq finds the rate by itself. */
function noteLimits(
  { described }: DocumentReading,
  operations: readonly OpenApiOperation[],
  answers: readonly DescribedAnswer[],
  notebook: Findings,
): void {
  const info = textOf(objectOf(described.document['info'])['description']);
  for (const text of [
    info,
    ...operations.map(({ words }) => words),
    ...answers.map(({ description }) => description),
  ]) {
    const found = RATE.exec(text.slice(0, MAX_TEXT));
    if (found === null) continue;
    const sentence = sentenceAround(text, found.index);
    notebook.note(`The document speaks of a limit: "${sentence}". srq finds the right pace itself; --rate sets one.`);
  }
  const headers = new Set(answers.flatMap((answer) => answer.headers.filter((name) => RATE_HEADER.test(name))));
  if (headers.size > 0)
    notebook.note(`The service tells its limits in ${[...headers].join(', ')}, which srq respects.`);
}

function sentenceAround(text: string, index: number): string {
  const before =
    text
      .slice(Math.max(0, index - 150), index)
      .split(/[.\n]/)
      .at(-1) ?? '';
  const after = text.slice(index, index + 150).split(/\.(?:\s|$)|\n/)[0] ?? '';
  return `${before}${after}`.replace(/\s+/g, ' ').trim();
}

/** Tells whether the document says that 503 with Retry-After means that nothing was done. */
function unavailableIsNotActed(answers: readonly DescribedAnswer[], notebook: Findings): boolean {
  const answer = answers.find(({ status }) => status === 503);
  if (answer === undefined || !answer.headers.some((name) => /^retry-after$/i.test(name))) return false;
  const isSaid = saysNotActed(answer.description);
  const why = isSaid ? 'its description says so' : 'the document does not say';
  notebook.add('create.unavailable', isSaid ? 'not acted on' : 'unknown', answer.pointer, 'certain', why);
  return isSaid;
}
