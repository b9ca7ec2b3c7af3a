import { SrqError } from '../request/words/errors.ts';
import { type DescribedDocument, describeOpenApi } from './documents/described.ts';
import type { JsonObject } from './documents/json-parts.ts';
import {
  documentKind,
  parseDocument,
  parseWithReferredFiles,
  placeInFiles,
  type SourceDocument,
} from './documents/parse-document.ts';
import { describeSwagger } from './documents/swagger.ts';
import { ELSEWHERE, hasOperation, wholeNameOf } from './learn/find-operation.ts';
import { EACH_ROW, givenConstants, wordInBraces } from './learn/given-constants.ts';
import { type DescribedOptions, learnDescribed } from './learn/learn-described.ts';
import { mergeProposals } from './merge-contracts.ts';
import { describePostman } from './postman/postman.ts';
import { type Contract, type Json, type Proposal, parametersOf } from './version-1/contract.ts';

export interface LearnContractOptions extends DescribedOptions {
  /** The environment of a Postman collection, or null. */
  readonly environment: SourceDocument | null;
}

/** The note on an environment that no document makes use of. */
export const UNUSED_ENVIRONMENT = 'An environment is of use for a Postman collection alone.';

/**
 * Learns a contract from a partner's documents: OpenAPI 3.0 to 3.2, Swagger 2.0, Postman 2.0 and 2.1, in JSON or YAML.
 * Only these bytes and the files of the given folder are read. No other file and no address is ever opened, and no
 * script is run.
 *
 * Throws `SrqError('input')` if a document cannot be used. What only a person can answer becomes a question of the
 * proposal.
 */
export function learnContract(documents: readonly SourceDocument[], options: LearnContractOptions): Proposal {
  const given = givenConstants(options.constants);
  const environment = options.environment === null ? null : parseEnvironment(options.environment);
  const described = documents.map((document) => {
    const each = describe(document.name, parseWithReferredFiles(document), environment);
    return { ...each, where: (pointer: string) => placeInFiles(each.where(pointer)) };
  });
  // OpenAPI descriptions take precedence, whatever the order of the files.
  const ranked = described.toSorted((a, b) => Number(isCollection(a)) - Number(isCollection(b)));
  const proposals = described.map((each, index) => {
    const operations = operationsFor(each, ranked, options.operations);
    return learnDescribed(each, documents[index]?.name ?? '', given, { ...options, operations });
  });
  const [first, ...others] = ranked.flatMap((each) => proposals[described.indexOf(each)] ?? []);
  if (first === undefined) {
    throw new SrqError('document.missing', 'No document was given.', 'Name one: srq contract learn FILE');
  }
  const proposal = withUnanswered(others.reduce(mergeProposals, first));
  // As long as an operation is not known, nobody can say which values belong to it.
  if (!proposal.questions.some(({ name }) => name.startsWith('operation:'))) {
    given.refuseUnused();
    refuseDropped(options.constants, proposals, proposal);
  }
  if (environment === null || described.some(isCollection)) return proposal;
  return { ...proposal, notes: [...proposal.notes, UNUSED_ENVIRONMENT] };
}

/**
 * Throws `SrqError('input')` if a person gave something for a place that a document has, and the merged contract lacks,
 * because the body is that of another document.
 */
function refuseDropped(
  constants: LearnContractOptions['constants'],
  proposals: readonly Proposal[],
  { contract }: Proposal,
): void {
  for (const [name, text] of Object.entries(constants)) {
    const isMeant = ({ path }: SaidPlace) => path.join('.') === name || path.at(-1) === name;
    const isTaken = ({ hasValue }: SaidPlace) => hasValue || text === EACH_ROW || wordInBraces(text) !== null;
    if (placesOf(contract).some(isMeant)) continue;
    const owner = proposals.find((each) => placesOf(each.contract).some((place) => isMeant(place) && isTaken(place)));
    if (owner === undefined) continue;
    const own = owner.contract.source?.files ?? [];
    const others = contract.source?.files.filter((file) => !own.includes(file)) ?? [];
    throw new SrqError(
      'parameter.not-found',
      `"${name}" is in ${own.join(', ')} alone, and the request of ${others.join(', ')} has no place for it.`,
      'Leave it out, or give that document alone if its request is the right one: srq contract learn FILE',
    );
  }
}

/** A place for which a person may have given a value. */
interface SaidPlace {
  readonly path: readonly string[];
  readonly hasValue: boolean;
}

function placesOf(contract: Contract): readonly SaidPlace[] {
  const { create, validate, token, auth } = contract;
  const chosen = [create, validate].flatMap(({ choices }) => choices.flat().flatMap(({ constants }) => constants));
  const names = [...Object.keys(token.extra), ...(auth?.kind === 'apiKey' ? [auth.name] : [])];
  return [
    ...parametersOf(contract).map(({ path, constant }) => ({ path, hasValue: constant !== null })),
    ...[...chosen.map(({ path }) => path), ...names.map((name) => [name])].map((path) => ({ path, hasValue: true })),
  ];
}

/** Adds notes on the defaults of open questions, because without an answer the contract is saved with them. */
function withUnanswered(proposal: Proposal): Proposal {
  const notes = proposal.questions.flatMap(({ text, answer, unanswered }) =>
    unanswered === undefined ? [] : [`${text} Until you say so, "${unanswered}" counts: ${answer}`],
  );
  return { ...proposal, notes: [...proposal.notes, ...notes] };
}

function parseEnvironment(document: SourceDocument): JsonObject {
  const environment = parseDocument(document);
  if (Array.isArray(environment['values'])) return environment;
  throw new SrqError(
    'document.unreadable',
    `${document.name} is not a Postman environment: it has no list of values.`,
    'Export the environment, or leave it out: srq contract learn FILE',
  );
}

const isCollection = ({ kind }: DescribedDocument): boolean => kind.startsWith('Postman');

/**
 * Returns the named operations that apply to a document. If there are several documents, a name applies to those that
 * have the operation. A document that takes precedence over these must not replace it by what it would be guessed to
 * mean. `ranked` has all documents in the order of their precedence.
 */
function operationsFor(
  described: DescribedDocument,
  ranked: readonly DescribedDocument[],
  operations: LearnContractOptions['operations'],
): LearnContractOptions['operations'] {
  const meant = Object.entries(operations).flatMap(([role, name]) => {
    const owner = ranked.find((each) => hasOperation(each, name));
    if (owner === undefined || hasOperation(described, name)) return [[role, name] as const];
    if (ranked.indexOf(owner) < ranked.indexOf(described)) return [];
    const whole = wholeNameOf(owner, name) ?? name;
    return [[role, hasOperation(described, whole) ? whole : ELSEWHERE] as const];
  });
  return Object.fromEntries(meant);
}

function describe(name: string, value: JsonObject, environment: Json): DescribedDocument {
  switch (documentKind(name, value)) {
    case 'openapi':
      return describeOpenApi(value);
    case 'swagger':
      return describeSwagger(value);
    case 'postman':
      return describePostman(value, environment);
    case 'contract':
      throw new SrqError(
        'document.is-contract',
        `${name} is already a learned contract, not a description.`,
        'Give it alone, in JSON as srq contract show --json writes it: srq contract learn FILE',
      );
  }
}
