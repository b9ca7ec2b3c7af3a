import {
  type Contract,
  type CreateOperation,
  DOCUMENTED_CONTRACT,
  type Proposal,
  type Question,
  type ValidateOperation,
  type VerdictRule,
} from '../model/contract.ts';
import { identifierPlaces } from './answer-meaning.ts';
import { answersOf, type DescribedAnswer } from './answers.ts';
import { basePathOf, prefixed, requireServicePaths, tokenPathOf } from './base-path.ts';
import type { Described } from './described.ts';
import { type DocumentReading, type OpenApiOperation, startReading } from './described-operation.ts';
import { duplicateRules, type FoundRule, verdictRules } from './duplicate-rules.ts';
import { type FoundOperation, type OperationRole, operationFinder } from './find-operation.ts';
import type { GivenConstants } from './given-constants.ts';
import { idempotencyOf } from './idempotency.ts';
import { learnOperation } from './learn-operation.ts';
import { learnToken } from './learn-token.ts';
import { noteLimits, noteOwnServers, unavailableIsNotActed } from './limits.ts';
import { type Notebook, openNotebook } from './notebook.ts';
import { serverSuggestions } from './servers.ts';

export interface DescribedOptions {
  /** Values of parameters that no request carries, by name: `--set`. */
  readonly constants: Readonly<Record<string, string>>;
  /** Which operation is which, by its id or as `POST /path`: `--operation`. */
  readonly operations: Readonly<Partial<Record<OperationRole, string>>>;
  /** Where requests will go; null if that is not known yet. */
  readonly baseUrl: string | null;
  /** ISO 8601. */
  readonly learnedAt: string;
}

/** What one document comes to. Throws `SrqError('input')` for what cannot be used. */
export function learnDescribed(
  described: Described,
  file: string,
  given: GivenConstants,
  options: DescribedOptions,
): Proposal {
  const reading = startReading(described);
  const notebook = openNotebook(described.where);
  for (const note of described.notes) notebook.note(note);
  const finder = operationFinder(reading);
  const pick = (role: OperationRole, taken: readonly OpenApiOperation[]): OpenApiOperation | null =>
    picked(role, finder.find(role, options.operations[role], taken), notebook);
  const create = pick('create', []);
  const isDenied = options.operations.validate === NO_OPERATION;
  const validate = isDenied ? null : pick('validate', create === null ? [] : [create]);
  if (isDenied) notebook.find('validate.path', NO_OPERATION, '', 'certain', 'you said so');
  const token = pick(
    'token',
    [create, validate].flatMap((each) => each ?? []),
  );
  const parts: LearningParts = { reading, notebook, given };
  const base = basePathOf(reading, token, options.baseUrl, notebook);
  const answersTo = { create: answersFrom(reading, create), validate: answersFrom(reading, validate) };
  const learned = {
    create: prefixed(learnCreate(parts, create, answersTo.create), create === null ? '' : base.before),
    validate: prefixed(learnValidate(parts, validate, answersTo.validate), validate === null ? '' : base.before),
  };
  const used = [create, validate].flatMap((each) => each ?? []);
  noteLimits(reading, used, [...answersTo.create, ...answersTo.validate], notebook);
  noteOwnServers(token === null ? used : [...used, token], notebook);
  const contract: Contract = {
    version: 1,
    source: {
      files: [file],
      title: described.title.slice(0, LONGEST_TITLE),
      kind: described.kind,
      learnedAt: options.learnedAt,
    },
    ...learned,
    hasValidate: isDenied ? false : validate === null ? null : true,
    token: learnToken(reading, token, used, tokenPathOf(reading, token, base, notebook), given, notebook),
    basePath: base.path,
    unavailableIsNotActed: unavailableIsNotActed(answersTo.create, notebook),
    servers: serverSuggestions(described.document['servers']),
    findings: notebook.findings,
  };
  requireServicePaths(contract);
  return { contract, questions: notebook.questions, notes: notebook.notes };
}

interface LearningParts {
  readonly reading: DocumentReading;
  readonly notebook: Notebook;
  readonly given: GivenConstants;
}

const LONGEST_TITLE = 200;
/** What a person says of a role that no operation has: `--operation validate=none`. */
const NO_OPERATION = 'none';

/** The operation for a role, or a question that shows the best ones. */
function picked(role: OperationRole, found: FoundOperation, notebook: Notebook): OpenApiOperation | null {
  const { operation, candidates, why } = found;
  const [best] = candidates;
  if (operation !== null) {
    notebook.find(`${role}.path`, operation.name, operation.pointer, found.confidence, why);
  } else if (best !== undefined && role !== 'token') {
    notebook.ask(role === 'create' ? createQuestion(candidates, why) : validateQuestion(candidates, why));
  } else if (role === 'create') {
    notebook.ask({
      name: 'operation:create',
      text: 'No operation of the document takes a request: none has a body with the known names.',
      answer: '--operation "create=POST /path"',
    });
  } else if (role === 'validate') {
    const { path } = DOCUMENTED_CONTRACT.validate;
    const without = `if the service has none: --operation validate=${NO_OPERATION}`;
    notebook.find('validate.path', `POST ${path}`, '', 'weak', `${why}, so as the public document says; ${without}`);
  }
  return operation ?? (role === 'token' ? (best?.operation ?? null) : null);
}

const numbered = (candidates: FoundOperation['candidates']): string =>
  candidates
    .map(({ operation: { name, id }, objection }, index) => {
      const called = `${index + 1}. ${name}${id === '' ? '' : ` (${id})`}`;
      return objection === '' ? called : `${called}: ${objection}`;
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

/** None is proposed: whoever takes over a flag unread must not have requests written by what should only look. */
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

const answersFrom = (reading: DocumentReading, operation: OpenApiOperation | null): readonly DescribedAnswer[] =>
  operation === null ? [] : answersOf(reading, operation);

function learnCreate(
  { reading, notebook, given }: LearningParts,
  operation: OpenApiOperation | null,
  answers: readonly DescribedAnswer[],
): CreateOperation {
  if (operation === null) return DOCUMENTED_CONTRACT.create;
  const identifiers = identifierPlaces(answers);
  const duplicate = duplicateRules(answers);
  const learned = learnOperation(reading, 'create', operation, answers, given, notebook);
  findIdentifiers(identifiers, answers, notebook);
  for (const rule of duplicate) findRule('create.duplicate', rule, notebook);
  const idempotency = idempotencyOf(reading, operation, given, notebook);
  return { ...learned, identifiers, duplicate: duplicate.map(({ rule }) => rule), idempotency };
}

function findIdentifiers(
  identifiers: CreateOperation['identifiers'],
  answers: readonly DescribedAnswer[],
  notebook: Notebook,
): void {
  const answer = answers.find(({ status, places }) => status >= 200 && status < 300 && places.length > 0);
  const told = identifiers.map(({ pointer }) => pointer).join(', ');
  if (told !== '') {
    const isShown = answer?.source === 'example';
    const [confidence, why] = isShown ? (['likely', 'an example'] as const) : (['certain', 'their names'] as const);
    notebook.find('create.identifiers', told, answer?.pointer ?? '', confidence, why);
  } else {
    notebook.find(
      'create.identifiers',
      'searched for',
      '',
      'likely',
      'from the first live answer: the document names none',
    );
  }
}

function learnValidate(
  { reading, notebook, given }: LearningParts,
  operation: OpenApiOperation | null,
  answers: readonly DescribedAnswer[],
): ValidateOperation {
  if (operation === null) return DOCUMENTED_CONTRACT.validate;
  const rules = verdictRules(answers);
  const learned = learnOperation(reading, 'validate', operation, answers, given, notebook);
  for (const rule of rules) findRule('validate.verdict', rule, notebook);
  if (rules.length === 0) {
    notebook.find(
      'validate.verdict',
      'searched for',
      '',
      'likely',
      "the document does not say; srq's own reading applies",
    );
  }
  return { ...learned, verdict: rules.map(({ rule }) => rule) };
}

function findRule(setting: string, { rule, where, confidence, why }: FoundRule, notebook: Notebook): void {
  notebook.find(setting, ruleText(rule), where, confidence, why);
}

function ruleText(rule: VerdictRule): string {
  if (rule.kind === 'status') return `HTTP ${rule.status}: ${rule.verdict}`;
  if (rule.kind === 'list') return `${rule.pointer}: duplicate unless empty`;
  const clear = rule.clear.length > 0 ? `, clear if ${rule.clear.join(' or ')}` : '';
  return `${rule.pointer}: duplicate if ${rule.duplicate.join(' or ')}${clear}`;
}
