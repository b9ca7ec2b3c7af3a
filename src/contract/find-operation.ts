import type { Confidence } from '../model/contract.ts';
import { nearest } from '../model/did-you-mean.ts';
import { SrqError } from '../model/errors.ts';
import { nameWords } from '../model/name-words.ts';
import { KNOWN_FIELDS } from './assign-fields.ts';
import type { Described } from './described.ts';
import {
  type DescribedOperation,
  operationsOf,
  pathProblems,
  type Reading,
  startReading,
} from './described-operation.ts';
import { objectOf } from './json-parts.ts';
import { bodyProblem, operationBody, unreadable } from './operation-body.ts';
import { sharedPath } from './servers.ts';

export type OperationRole = 'create' | 'validate' | 'token';

/** The operation for a role, or what a person has to choose from. */
export interface FoundOperation {
  readonly operation: DescribedOperation | null;
  /** The best ones, best first; empty if there is nothing to ask. */
  readonly candidates: readonly DescribedOperation[];
  readonly why: string;
  readonly confidence: Confidence;
}

interface Scored {
  readonly operation: DescribedOperation;
  readonly points: number;
  readonly names: number;
  /** A reference that could not be followed. */
  readonly outside: string | null;
}

const NAMES_ENOUGH = 4;
const CLEAR_LEAD = 20;
const LEAST_LEAD = 3;
const MOST_OPERATIONS = 1000;
/** Enough of a body to know its names; of many operations less is read of each. */
const SCORED_NODES = 2000;
const ALL_SCORED_NODES = 100_000;
const TOKEN_WORDS = /^(?:tokens?|login|signin|logout|oauth2?|authenticate|auth|password|session|sessions)$/;
const REQUEST_WORDS = /^(?:requests?|leads?|orders?|jobs?|enquir(?:y|ies)|inquir(?:y|ies))$/;
const VALIDATE_WORDS =
  /^(?:validat(?:e|ion|ions)|check|checks|duplicates?|dedupe?|deduplicate|verify|verification|precheck|exists)$/;
const LIST_WORDS = /^(?:batch|bulk|import|list|search|query|upload)$/;

/**
 * The operations of the document, with their points, for the three roles.
 *
 * Throws `SrqError('input')` for a name that no operation has, and where a body that stands elsewhere may be the one.
 */
export function operationFinder(reading: Reading): {
  find(role: OperationRole, chosen: string | undefined, taken: readonly DescribedOperation[]): FoundOperation;
} {
  const operations = operationsOf(reading);
  const candidates = operations.filter(takesBody).slice(0, MOST_OPERATIONS);
  const mostNodes = Math.min(SCORED_NODES, Math.floor(ALL_SCORED_NODES / Math.max(1, candidates.length)));
  const scored = candidates.map((operation) => ({ operation, ...namesIn(reading, operation, mostNodes) }));

  return {
    find(role, chosen, taken) {
      if (chosen !== undefined) {
        return {
          operation: named(operations, chosen, role, basePath(reading)),
          candidates: [],
          why: 'you said so',
          confidence: 'certain',
        };
      }
      const ranked = scored
        .filter(({ operation }) => !taken.includes(operation))
        .map((each) => ({ ...each, points: pointsFor(role, each) }))
        .filter(({ points }) => points > 0)
        .sort((a, b) => b.points - a.points);
      const [outside] = scored.flatMap((each) => each.outside ?? []);
      if (role === 'create' && ranked.length === 0) {
        if (outside !== undefined) throw unreadable('The request body', outside);
        const [elsewhere] = pathProblems(reading);
        if (elsewhere !== undefined) throw unreadable('A path', elsewhere);
      }
      const asking = role === 'validate' && ranked.length === 0 && operations.find(asksWithoutBody);
      const found = decided(role, ranked);
      return asking
        ? { ...found, why: `${asking.name} looks like it, but takes no body, which is how srq asks` }
        : found;
    },
  };
}

function decided(role: OperationRole, ranked: readonly Scored[]): FoundOperation {
  const [best, next] = ranked;
  const none = { operation: null, candidates: [], confidence: 'weak' as const };
  if (best === undefined) return { ...none, why: 'no operation looks like it' };
  const lead = best.points - (next?.points ?? 0);
  const isEnough = role !== 'create' || best.names >= NAMES_ENOUGH;
  const candidates = ranked.slice(0, 3).map(({ operation }) => operation);
  if ((isEnough && lead >= LEAST_LEAD) || (lead >= CLEAR_LEAD && best.names > 1)) {
    const names = best.names > 0 ? `${best.names} of the 7 known names, ` : '';
    const confidence = role !== 'create' ? 'likely' : best.names >= NAMES_ENOUGH ? 'certain' : 'weak';
    return { operation: best.operation, candidates: [], why: `${names}${lead} points ahead`, confidence };
  }
  return { ...none, candidates, why: lead < LEAST_LEAD ? 'several are alike' : 'it has too few of the known names' };
}

const takesBody = ({ method }: DescribedOperation): boolean => method === 'post' || method === 'put';

const asksWithoutBody = (operation: DescribedOperation): boolean =>
  operation.method === 'get' && operationWords(operation).some((word) => VALIDATE_WORDS.test(word));

const operationWords = ({ path, id }: DescribedOperation): string[] => [...nameWords(path), ...nameWords(id)];

function namesIn(reading: Reading, operation: DescribedOperation, mostNodes: number): Omit<Scored, 'operation'> {
  const body = operationBody(reading, operation, mostNodes);
  const outside = body?.unresolved[0] ?? bodyProblem(reading, operation);
  if (body === null) return { points: 0, names: 0, outside };
  const known = [...body.assignment.values()].filter(({ field }) => KNOWN_FIELDS.has(field));
  const points = known.reduce((sum, { rank }) => sum + (rank <= 5 ? 10 : rank < 40 ? 6 : 2), 0);
  return { points, names: known.length, outside };
}

function pointsFor(role: OperationRole, { operation, points, names }: Scored): number {
  const words = operationWords(operation);
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  const isToken = has(TOKEN_WORDS);
  if (role === 'token') return tokenPoints(operation, words);
  const isValidate = has(VALIDATE_WORDS);
  const created = '201' in objectOf(operation.value['responses']) ? 2 : 0;
  const common = points + (has(REQUEST_WORDS) ? 3 : 0) - (operation.path.includes('{') ? 5 : 0) - (isToken ? 20 : 0);
  const general = common - (has(LIST_WORDS) ? 10 : 0);
  // One that only looks for duplicates has the same body, and would be sent instead of a request.
  if (role === 'create') return names === 0 || isValidate ? 0 : general + created;
  const saysDuplicate = /duplicat|already exist|seen before|repeated/i.test(operation.words);
  return isValidate || saysDuplicate ? general + (isValidate ? 20 : 0) + (saysDuplicate ? 10 : 0) : 0;
}

function tokenPoints(operation: DescribedOperation, words: readonly string[]): number {
  const told = `${words.join(' ')} ${operation.words.toLowerCase()}`;
  if (!/\b(?:tokens?|oauth2?)\b/.test(words.join(' ')) && !/(?:access|bearer) token/.test(told)) return 0;
  if (/\b(?:revoke|revocation|introspect\w*|refresh|invalidate|logout|userinfo|authorize)\b/.test(words.join(' ')))
    return 0;
  return 5 + (/\btokens?\b/.test(words.join(' ')) ? 10 : 0) + (/client_credentials/.test(told) ? 5 : 0);
}

function named(
  all: readonly DescribedOperation[],
  chosen: string,
  role: OperationRole,
  base: string,
): DescribedOperation {
  const wanted = chosen.trim();
  const operations = all.filter(takesBody);
  const found = operations.filter((each) => isCalled(each, wanted, base));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const other = all.find((each) => isCalled(each, wanted, base));
  if (only === undefined && other !== undefined) {
    const without = role === 'validate' ? ' Do without: --operation validate=none' : '';
    const hint = `Name one that takes a body by POST or PUT: --operation "${role}=POST /path".${without}`;
    throw new SrqError('input', `${other.name} takes no body, and srq sends requests in bodies alone.`, hint);
  }
  const what = only === undefined ? `The document has no operation "${wanted}"` : `Several operations are "${wanted}"`;
  const isToken = (operation: DescribedOperation) => tokenPoints(operation, operationWords(operation)) > 0;
  const fit = operations.filter((each) => isToken(each) === (role === 'token'));
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

/** Whether a document has an operation of this id, path, or method and path. */
export function hasOperation(described: Described, chosen: string): boolean {
  const reading = startReading(described);
  return operationsOf(reading).some((each) => isCalled(each, chosen.trim(), basePath(reading)));
}

const basePath = ({ described }: Reading): string => sharedPath(described.document['servers']);

/** People also write the path as it is in a whole address: with what all servers have before it. */
function isCalled({ id, method, path }: DescribedOperation, wanted: string, base: string): boolean {
  const [before = '', address = ''] = wanted.split(/\s+/);
  const isMethod = before.toLowerCase() === method;
  return id === wanted || [path, base + path].some((each) => wanted === each || (isMethod && address === each));
}
