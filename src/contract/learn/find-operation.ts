import { wholeOf } from '../../request/lead/parts.ts';
import { nearest } from '../../request/words/did-you-mean.ts';
import { duplicateStatement } from '../../request/words/duplicate-words.ts';
import { SrqError } from '../../request/words/errors.ts';
import { nameWords } from '../../request/words/names.ts';
import type { DescribedDocument } from '../documents/described.ts';
import { objectOf } from '../documents/json-parts.ts';
import type { Confidence } from '../version-1/contract.ts';
import { OPERATIONS, type OperationName, type RequestOperationName } from '../version-1/operations.ts';
import {
  type DocumentReading,
  type OpenApiOperation,
  operationsOf,
  pathProblems,
  startReading,
} from './described-operation.ts';
import { KNOWN_FIELDS, knownFields } from './field-names.ts';
import { speaksOfTokens } from './find-token.ts';
import { bodyProblem, operationBody, unreadable } from './operation-body.ts';
import { sharedPath } from './servers.ts';
import { type CreateSigns, createSigns, isAboutRequests, objectionsTo, resemblesCheck } from './unasked-operations.ts';

/** One of several operations that may be the right one. */
interface OperationCandidate {
  readonly operation: OpenApiOperation;
  /** The reason for or against it, or an empty text. */
  readonly reason: string;
}

/** The operation for a role, or the candidates for a person to choose from. */
export interface FoundOperation {
  readonly operation: OpenApiOperation | null;
  /** The best candidates, best first. Empty if there is nothing to ask. */
  readonly candidates: readonly OperationCandidate[];
  readonly why: string;
  readonly confidence: Confidence;
}

interface Scored {
  readonly operation: OpenApiOperation;
  readonly points: number;
  /** The known fields for which its body has a place. */
  readonly fields: ReadonlySet<string>;
  /** All fields for which it has a place, including a recording and a category. */
  readonly allFields: ReadonlySet<string>;
  /** Whether the document says nothing about the contents of its body. */
  readonly isEmpty: boolean;
  /** A reference that could not be followed. */
  readonly outside: string | null;
}

/** Minimum number of known names in a body. One with fewer is hardly the body of a request. */
const MIN_FIELDS = 3;
const MAX_OPERATIONS = 1000;
/**
 * Maximum number of nodes that are read of one body, which is enough for its names. If there are many operations, fewer
 * nodes of each are read, so that the total below is not exceeded.
 */
const SCORED_NODES = 2000;
const ALL_SCORED_NODES = 100_000;
const ABOUT_LOGIN = /^(?:tokens?|login|signin|logout|oauth2?|authenticate|auth|password|session|sessions)$/;
const CHECKING_WORDS =
  /^(?:validat(?:e|ion|ions)|check|checks|duplicates?|dedupe?|deduplicate|verify|verification|precheck|exists)$/;

/** The search space: all operations of the document, and those with a body together with its known contents. */
interface Search {
  readonly reading: DocumentReading;
  readonly operations: readonly OpenApiOperation[];
  readonly scored: readonly Scored[];
}

/** Finds the operation for each role among those that are not taken by another role. */
type Find = (search: Search, taken: readonly OpenApiOperation[]) => FoundOperation;

const FINDERS: Readonly<Record<RequestOperationName, Find>> = {
  create: (search, taken) => {
    const found = createAmong(notTaken(search.scored, taken));
    if (found.operation === null && found.candidates.length === 0) refuseExternalBody(search);
    return found;
  },
  validate: ({ reading, operations, scored }, taken) => {
    const create = scored.find(({ operation }) => operation === taken[0]);
    if (create === undefined) return CREATE_UNKNOWN;
    return validateBeside(reading, create, notTaken(scored, taken), operations.find(asksWithoutBody));
  },
};

/** Finds operations of one document. */
export interface OperationFinder {
  readonly operations: readonly OpenApiOperation[];
  find(role: RequestOperationName, chosen: string | undefined, taken: readonly OpenApiOperation[]): FoundOperation;
  /** Returns the operation that a person has named for a role, or null if another document has it. */
  named(role: OperationName, chosen: string): OpenApiOperation | null;
}

/**
 * Finds the operations of the document for the roles, by their scores.
 *
 * Throws `SrqError('input')` if no operation has a given name, or if a body outside of the document may be the right
 * one.
 */
export function operationFinder(reading: DocumentReading): OperationFinder {
  const operations = operationsOf(reading);
  const candidates = operations.filter(takesBody).slice(0, MAX_OPERATIONS);
  const maxNodes = Math.min(SCORED_NODES, Math.floor(ALL_SCORED_NODES / Math.max(1, candidates.length)));
  const scored = candidates.map((operation) => ({ operation, ...namesIn(reading, operation, maxNodes) }));
  return {
    operations,
    find(role, chosen, taken) {
      if (chosen === undefined) return FINDERS[role]({ reading, operations, scored }, taken);
      if (chosen === ELSEWHERE) return { ...NONE, why: 'it was named in another document' };
      const operation = named(operations, chosen, role, basePath(reading));
      return { operation, candidates: [], why: 'you said so', confidence: 'certain' };
    },
    named: (role, chosen) => (chosen === ELSEWHERE ? null : named(operations, chosen, role, basePath(reading))),
  };
}

/**
 * Stands for an operation that a person has named and that another document has, so that none is guessed. No command line
 * can hold this text.
 */
export const ELSEWHERE = '\u0000';

const notTaken = (scored: readonly Scored[], taken: readonly OpenApiOperation[]): readonly Scored[] =>
  scored.filter(({ operation }) => !taken.includes(operation));

/** Throws if the operation that creates may be one whose body or path is outside of the document. */
function refuseExternalBody({ reading, scored }: Search): void {
  for (const { operation, outside } of scored)
    if (outside !== null) throw unreadable(`The body of ${operation.name}`, outside);
  const [elsewhere] = pathProblems(reading);
  if (elsewhere !== undefined) throw unreadable('A path', elsewhere);
}

const NONE = { operation: null, candidates: [], confidence: 'weak' as const };
const CREATE_UNKNOWN: FoundOperation = { ...NONE, why: 'it is not known yet which operation creates' };

/**
 * Finds the operation that only tells whether a request like those of `create` is a duplicate. Every other operation
 * that resembles it becomes a question, because an operation that writes would be called for every row.
 */
function validateBeside(
  reading: DocumentReading,
  create: Scored,
  others: readonly Scored[],
  withoutBody: OpenApiOperation | undefined,
): FoundOperation {
  const judged = others
    .filter((each) => mayCheckDuplicates(each, create))
    .map((each) => ({ ...each, objections: objectionsTo(reading, each, create) }))
    .sort((a, b) => a.objections.length - b.objections.length || b.points - a.points);
  const fit = judged.filter(({ objections }) => objections.length === 0);
  const [only] = fit;
  if (only !== undefined && fit.length === 1) {
    const why = 'by its name it only looks, and its body is that of create';
    return { operation: only.operation, candidates: [], why, confidence: 'likely' };
  }
  if (judged.length === 0) {
    const asked = withoutBody && `${withoutBody.name} looks like it, but takes no body, which is how srq asks`;
    return { ...NONE, why: asked ?? 'no operation looks like it' };
  }
  const shown = (fit.length > 0 ? fit : judged).slice(0, 3);
  const candidates = shown.map(({ operation, objections }) => ({ operation, reason: objections.join(', ') }));
  return { ...NONE, candidates, why: fit.length > 0 ? 'several are alike' : 'something speaks against each' };
}

/**
 * Tells whether an operation may look for duplicates. Either its name says so and it is about requests, or its
 * description says so and its body is much like that of a request.
 */
function mayCheckDuplicates({ operation, fields }: Scored, create: Scored): boolean {
  if (operationWords(operation).some((word) => ABOUT_LOGIN.test(word))) return false;
  if (resemblesCheck(operation)) return fields.size > 0 || isAboutRequests(operation, create.operation);
  return fields.size >= MIN_FIELDS && speaksOfDuplicates(operation.words);
}

/** Words that may be about duplicates in a description, but say less in the answer of a service. */
const PERHAPS_OF_DUPLICATES = /duplicat|already exist|repeated/i;
const speaksOfDuplicates = (words: string): boolean =>
  PERHAPS_OF_DUPLICATES.test(words) || duplicateStatement(words) !== null;

const takesBody = ({ method }: OpenApiOperation): boolean => method === 'post' || method === 'put';

const asksWithoutBody = (operation: OpenApiOperation): boolean =>
  operation.method === 'get' && operationWords(operation).some((word) => CHECKING_WORDS.test(word));

const operationWords = ({ path, id }: OpenApiOperation): string[] => [...nameWords(path), ...nameWords(id)];

function namesIn(reading: DocumentReading, operation: OpenApiOperation, maxNodes: number): Omit<Scored, 'operation'> {
  const body = operationBody(reading, operation, maxNodes);
  const outside = body?.unresolved[0] ?? bodyProblem(reading, operation);
  if (body === null) return { points: 0, fields: new Set(), allFields: new Set(), isEmpty: true, outside };
  const assigned = [...body.assignment.fields.values()];
  const fields = knownFields(assigned.map(({ field }) => field));
  const rankOf = (known: string) =>
    Math.min(...assigned.filter(({ field }) => wholeOf(field) === known).map(({ rank }) => rank));
  const points = [...fields].map(rankOf).reduce((sum, rank) => sum + (rank <= 5 ? 10 : rank < 40 ? 6 : 2), 0);
  const allFields = new Set(assigned.map(({ field }) => wholeOf(field)));
  return { points, fields, allFields, isEmpty: body.leaves.length === 0, outside };
}

/** An operation that may create, with the signs for and against it. */
interface CreateCandidate extends Scored {
  readonly signs: CreateSigns;
}

/**
 * Chooses the operation that creates if its name and its body both say so and no other one is near. Otherwise the best
 * ones become a question.
 */
function createAmong(scored: readonly Scored[]): FoundOperation {
  const ranked = scored
    .filter(mayCreate)
    .map((each): CreateCandidate => ({ ...each, signs: createSigns(each) }))
    .filter(
      ({ fields, signs, isEmpty }) => fields.size > 0 || signs.name !== 'not' || (!isEmpty && !signs.isOtherAction),
    )
    .map((each) => ({ ...each, points: createPoints(each) }))
    .sort((a, b) => b.points - a.points);
  const [best, ...others] = ranked;
  if (best === undefined) return { ...NONE, why: 'no operation looks like it' };
  if (best.signs.name === 'plainly' && best.outside !== null)
    throw unreadable(`The body of ${best.operation.name}`, best.outside);
  const rival = others.find((each) => isNear(each, best));
  if (best.signs.objections.length === 0 && rival === undefined) {
    const why = `its name says so, and its body has ${best.fields.size} of the ${KNOWN_FIELDS.size} known names`;
    return { operation: best.operation, candidates: [], why, confidence: 'certain' };
  }
  const candidates = ranked.slice(0, 3).map(({ operation, signs: { reasons, objections } }) => {
    const but = reasons.length > 0 && objections.length > 0 ? ', but ' : '';
    return { operation, reason: `${reasons.join(', ')}${but}${objections.join(', ')}` };
  });
  const isAlone = rival === undefined;
  return { ...NONE, candidates, why: isAlone ? 'no name and body say so plainly' : 'several are alike' };
}

/** Tells whether an operation may create at all. One that looks for duplicates has the same body. */
function mayCreate({ operation }: Scored): boolean {
  return !operationWords(operation).some((word) => CHECKING_WORDS.test(word) || ABOUT_LOGIN.test(word));
}

function createPoints({ operation, points, signs }: CreateCandidate): number {
  const created = '201' in objectOf(operation.value['responses']) ? 2 : 0;
  const named = { plainly: 20, perhaps: 8, not: 0 }[signs.name];
  const isOneOfMany = operation.path.includes('{') ? 10 : 0;
  const isOther = signs.isOtherAction ? 20 : 0;
  return points + created + named + (signs.hasRequest ? 10 : 0) - isOneOfMany - isOther;
}

/**
 * Tells whether an operation may be meant as well as the best one, because its name is also one for requests or its
 * body is as good.
 */
function isNear({ signs, fields, operation }: CreateCandidate, best: CreateCandidate): boolean {
  if (operation.path.includes('{') || signs.isOtherAction) return false;
  const isNamed = signs.name === 'plainly' && fields.size >= Math.min(MIN_FIELDS, best.fields.size);
  return isNamed || (signs.hasRequest && fields.size >= best.fields.size);
}

function named(all: readonly OpenApiOperation[], chosen: string, role: OperationName, base: string): OpenApiOperation {
  const wanted = chosen.trim();
  const operations = all.filter(takesBody);
  const found = operations.filter((each) => isCalled(each, wanted, base));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const other = all.find((each) => isCalled(each, wanted, base));
  if (only === undefined && other !== undefined) {
    const without = OPERATIONS[role].presence === null ? '' : ` Do without: --operation ${role}=none`;
    const hint = `Name one that takes a body by POST or PUT: --operation "${role}=POST /path".${without}`;
    throw new SrqError(
      'operation.unusable',
      `${other.name} takes no body, and srq sends requests only in bodies.`,
      hint,
    );
  }
  const what = only === undefined ? `The document has no operation "${wanted}"` : `Several operations are "${wanted}"`;
  const fit = operations.filter((each) => speaksOfTokens(each) === (role === 'token'));
  const list = (fit.length > 0 ? fit : operations).slice(0, 20);
  const meant = nearest(
    wanted,
    list.flatMap(({ name, path, id }) => [name, path, id]),
  );
  const near = list.find(({ name, path, id }) => [name, path, id].includes(meant ?? '')) ?? list[0];
  throw new SrqError(
    'operation.not-found',
    `${what} that takes a body.`,
    `There are: ${list.map(({ name }) => name).join(', ')}. Say it so: --operation "${role}=${near?.name ?? 'POST /path'}"`,
  );
}

/** Tells whether a document has an operation with this id, path, or method and path. */
export function hasOperation(described: DescribedDocument, chosen: string): boolean {
  return wholeNameOf(described, chosen) !== null;
}

/**
 * Returns the name by which any other document may have this operation: its method, and its path with the common path of
 * the servers. Returns null if this document does not have it.
 */
export function wholeNameOf(described: DescribedDocument, chosen: string): string | null {
  const reading = startReading(described);
  const base = basePath(reading);
  const found = operationsOf(reading).find((each) => isCalled(each, chosen.trim(), base));
  return found === undefined ? null : `${found.method} ${base}${found.path}`;
}

const basePath = ({ described }: DocumentReading): string => sharedPath(described.document['servers']);

/**
 * Tells whether a person means this operation. People also write the path with the common path of the servers, or with
 * variables as a collection has them: `{{tenant}}`.
 */
function isCalled({ id, method, path }: OpenApiOperation, name: string, base: string): boolean {
  const wanted = name.replace(/\{\{\s{0,9}([^{}]{1,100}?)\s{0,9}\}\}/g, '{$1}');
  const [before = '', address = ''] = wanted.split(/\s+/);
  const isMethod = before.toLowerCase() === method;
  return id === name || [path, base + path].some((each) => wanted === each || (isMethod && address === each));
}
