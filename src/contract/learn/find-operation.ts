import type { Confidence } from '../../request/contract.ts';
import { nearest } from '../../request/did-you-mean.ts';
import { SrqError } from '../../request/errors.ts';
import { nameWords } from '../../request/names.ts';
import { OPERATIONS, type OperationName, type RequestOperationName } from '../../request/operations.ts';
import type { DescribedDocument } from '../documents/described.ts';
import { objectOf } from '../documents/json-parts.ts';
import {
  type DocumentReading,
  type OpenApiOperation,
  operationsOf,
  pathProblems,
  startReading,
} from './described-operation.ts';
import { KNOWN_FIELDS } from './field-names.ts';
import { speaksOfTokens } from './find-token.ts';
import { bodyProblem, operationBody, unreadable } from './operation-body.ts';
import { sharedPath } from './servers.ts';
import { isAboutRequests, objectionsTo, resemblesCheck } from './unasked-validate.ts';

/** One of several operations that may be the right one. */
interface OperationCandidate {
  readonly operation: OpenApiOperation;
  /** The objection against choosing it, or an empty text if there is none against the operation itself. */
  readonly objection: string;
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
  /** A reference that could not be followed. */
  readonly outside: string | null;
}

const NAMES_ENOUGH = 4;
const CLEAR_LEAD = 20;
const MIN_LEAD = 3;
/** Minimum number of known names in a body. One with fewer is hardly the body of a request. */
const MIN_FIELDS = 3;
const MAX_OPERATIONS = 1000;
/**
 * Maximum number of nodes that are read of one body, which is enough for its names. If there are many operations, less
 * is read of each.
 */
const SCORED_NODES = 2000;
const ALL_SCORED_NODES = 100_000;
const TOKEN_WORDS = /^(?:tokens?|login|signin|logout|oauth2?|authenticate|auth|password|session|sessions)$/;
const REQUEST_WORDS = /^(?:requests?|leads?|orders?|jobs?|enquir(?:y|ies)|inquir(?:y|ies))$/;
const CHECKING_WORDS =
  /^(?:validat(?:e|ion|ions)|check|checks|duplicates?|dedupe?|deduplicate|verify|verification|precheck|exists)$/;
const SAYS_DUPLICATE = /duplicat|already exist|seen before|repeated/i;
const LIST_WORDS = /^(?:batch|bulk|import|list|search|query|upload)$/;

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
    const ranked = rankedBy(createPoints, search, taken);
    if (ranked.length === 0) refuseExternalBody(search);
    return decided(ranked);
  },
  validate: ({ reading, operations, scored }, taken) => {
    const create = scored.find(({ operation }) => operation === taken[0]);
    if (create === undefined) return CREATE_UNKNOWN;
    return validateBeside(reading, create, notTaken(scored, taken), operations.find(asksWithoutBody));
  },
};

/** Finds operations of one document. */
export interface OperationFinder {
  /** All operations of the document. */
  readonly operations: readonly OpenApiOperation[];
  find(role: RequestOperationName, chosen: string | undefined, taken: readonly OpenApiOperation[]): FoundOperation;
  /** Returns the operation that a person has named for a role. */
  named(role: OperationName, chosen: string): OpenApiOperation;
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
      const operation = named(operations, chosen, role, basePath(reading));
      return { operation, candidates: [], why: 'you said so', confidence: 'certain' };
    },
    named: (role, chosen) => named(operations, chosen, role, basePath(reading)),
  };
}

const notTaken = (scored: readonly Scored[], taken: readonly OpenApiOperation[]): readonly Scored[] =>
  scored.filter(({ operation }) => !taken.includes(operation));

function rankedBy(
  pointsOf: (scored: Scored) => number,
  { scored }: Search,
  taken: readonly OpenApiOperation[],
): readonly Scored[] {
  return notTaken(scored, taken)
    .map((each) => ({ ...each, points: pointsOf(each) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points);
}

/** Throws if the create may be an operation whose body or path is outside of the document. */
function refuseExternalBody({ reading, scored }: Search): void {
  const [outside] = scored.flatMap((each) => each.outside ?? []);
  if (outside !== undefined) throw unreadable('The request body', outside);
  const [elsewhere] = pathProblems(reading);
  if (elsewhere !== undefined) throw unreadable('A path', elsewhere);
}

const NONE = { operation: null, candidates: [], confidence: 'weak' as const };
const CREATE_UNKNOWN: FoundOperation = { ...NONE, why: 'it is not known yet which operation creates' };

/**
 * Finds the operation that only tells whether a request like those of `create` is a duplicate. All others that resemble
 * it become a question, because one that writes would be called for every row.
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
  const candidates = shown.map(({ operation, objections }) => ({ operation, objection: objections.join(', ') }));
  return { ...NONE, candidates, why: fit.length > 0 ? 'several are alike' : 'something speaks against each' };
}

/**
 * Tells whether an operation may look for duplicates: by its name, if it has to do with requests, or by its words, if
 * its body is much like that of a request.
 */
function mayCheckDuplicates({ operation, fields }: Scored, create: Scored): boolean {
  if (operationWords(operation).some((word) => TOKEN_WORDS.test(word))) return false;
  if (resemblesCheck(operation)) return fields.size > 0 || isAboutRequests(operation, create.operation);
  return fields.size >= MIN_FIELDS && SAYS_DUPLICATE.test(operation.words);
}

/** Chooses the best operation, which must have enough of the known names. */
function decided(ranked: readonly Scored[]): FoundOperation {
  const [best, next] = ranked;
  if (best === undefined) return { ...NONE, why: 'no operation looks like it' };
  const lead = best.points - (next?.points ?? 0);
  const hasNames = best.fields.size >= NAMES_ENOUGH;
  const candidates = ranked.slice(0, 3).map(({ operation }) => ({ operation, objection: '' }));
  if ((hasNames && lead >= MIN_LEAD) || (lead >= CLEAR_LEAD && best.fields.size > 1)) {
    const names = best.fields.size > 0 ? `${best.fields.size} of the 7 known names, ` : '';
    const confidence = hasNames ? 'certain' : 'weak';
    return { operation: best.operation, candidates: [], why: `${names}${lead} points ahead`, confidence };
  }
  return { ...NONE, candidates, why: lead < MIN_LEAD ? 'several are alike' : 'it has too few of the known names' };
}

const takesBody = ({ method }: OpenApiOperation): boolean => method === 'post' || method === 'put';

const asksWithoutBody = (operation: OpenApiOperation): boolean =>
  operation.method === 'get' && operationWords(operation).some((word) => CHECKING_WORDS.test(word));

const operationWords = ({ path, id }: OpenApiOperation): string[] => [...nameWords(path), ...nameWords(id)];

function namesIn(reading: DocumentReading, operation: OpenApiOperation, maxNodes: number): Omit<Scored, 'operation'> {
  const body = operationBody(reading, operation, maxNodes);
  const outside = body?.unresolved[0] ?? bodyProblem(reading, operation);
  if (body === null) return { points: 0, fields: new Set(), outside };
  const known = [...body.assignment.values()].filter(({ field }) => KNOWN_FIELDS.has(field));
  const points = known.reduce((sum, { rank }) => sum + (rank <= 5 ? 10 : rank < 40 ? 6 : 2), 0);
  return { points, fields: new Set(known.map(({ field }) => field)), outside };
}

function createPoints({ operation, points, fields }: Scored): number {
  const words = operationWords(operation);
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  // An operation that only looks for duplicates has the same body, and would be called instead of a create.
  if (fields.size === 0 || has(CHECKING_WORDS)) return 0;
  const created = '201' in objectOf(operation.value['responses']) ? 2 : 0;
  const isOneOfMany = operation.path.includes('{') ? 5 : 0;
  const against = isOneOfMany + (has(TOKEN_WORDS) ? 20 : 0) + (has(LIST_WORDS) ? 10 : 0);
  return points + created + (has(REQUEST_WORDS) ? 3 : 0) - against;
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
    throw new SrqError('input', `${other.name} takes no body, and srq sends requests in bodies alone.`, hint);
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
    'input',
    `${what} that takes a body.`,
    `There are: ${list.map(({ name }) => name).join(', ')}. Say it so: --operation "${role}=${near?.name ?? 'POST /path'}"`,
  );
}

/** Tells whether a document has an operation with this id, path, or method and path. */
export function hasOperation(described: DescribedDocument, chosen: string): boolean {
  const reading = startReading(described);
  return operationsOf(reading).some((each) => isCalled(each, chosen.trim(), basePath(reading)));
}

const basePath = ({ described }: DocumentReading): string => sharedPath(described.document['servers']);

/**
 * Tells whether an operation is meant. People also write the path as in a whole address, including the common path of
 * the servers, or with variables as a collection has them: `{{tenant}}`.
 */
function isCalled({ id, method, path }: OpenApiOperation, name: string, base: string): boolean {
  const wanted = name.replace(/\{\{\s{0,9}([^{}]{1,100}?)\s{0,9}\}\}/g, '{$1}');
  const [before = '', address = ''] = wanted.split(/\s+/);
  const isMethod = before.toLowerCase() === method;
  return id === name || [path, base + path].some((each) => wanted === each || (isMethod && address === each));
}
