import { SrqError } from '../request/words/errors.ts';
import { withoutPrefix } from './learn/servers.ts';
import {
  type Contract,
  type ContractFinding,
  DEFAULT_KEY_LIFE_SECONDS,
  type Idempotency,
  type Operation,
  type Parameter,
  type Proposal,
  parametersOf,
  type Question,
  type TokenOperation,
  type VerdictRule,
} from './version-1/contract.ts';
import {
  byOperation,
  carriesRequest,
  OPERATION_NAMES,
  OPERATIONS,
  type OperationName,
  REQUEST_OPERATION_NAMES,
  type RequestOperationName,
} from './version-1/operations.ts';

/**
 * Merges the proposals from two documents on one service. The first one takes precedence, because an OpenAPI
 * description comes before a collection, which only shows examples. The second one fills what the first leaves open.
 * Contradictions are noted, each with both values and places. A question remains if neither document answers it.
 */
export function mergeProposals(first: Proposal, second: Proposal): Proposal {
  const named = { first: withFile(first), second: withFile(second) };
  const baseOwner = baseOwnerOf(named);
  const filled = new Set(baseOwner === named.first ? [] : ['basePath']);
  const merge: Merge = { ...named, basePath: baseOwner.contract.basePath, filled, notes: [] };
  const [one, other] = [merge.first.contract, merge.second.contract];
  // The order is that in which a person reads the contradictions.
  const requests = byOperation<RequestOperationName, Contract>(REQUEST_OPERATION_NAMES, (name) =>
    mergedOperation(merge, name),
  );
  const token = mergedOperation(merge, 'token');
  const auth = mergedAuth(merge);
  const urls = new Set(one.servers.map(({ url }) => url));
  const contract: Contract = {
    version: 1,
    source: mergedSource(one, other),
    ...requests,
    token,
    ...(auth && { auth }),
    hasValidate: one.hasValidate ?? other.hasValidate,
    basePath: merge.basePath,
    unavailableIsNotActed: chosen(
      merge,
      'create.unavailable',
      one.unavailableIsNotActed || null,
      other.unavailableIsNotActed,
    ),
    servers: [...one.servers, ...other.servers.filter(({ url }) => !urls.has(url))],
    // If no token is needed, findings about tokens are useless.
    findings: mergedFindings(merge).filter(({ setting }) => auth === undefined || !setting.startsWith('token.')),
  };
  return {
    contract,
    questions: mergedQuestions(merge, contract),
    notes: [...new Set([...first.notes, ...second.notes, ...merge.notes])],
  };
}

/** Adds the file's name to the findings of a proposal. Findings of a merged proposal already have it. */
function withFile(proposal: Proposal): Proposal {
  const [file, ...others] = proposal.contract.source?.files ?? [];
  if (file === undefined || others.length > 0) return proposal;
  const findings = proposal.contract.findings.map((each) => ({
    ...each,
    where: each.where && `${file} ${each.where}`,
  }));
  return { ...proposal, contract: { ...proposal.contract, findings } };
}

function mergedSource(one: Contract, other: Contract): Contract['source'] {
  if (one.source === null || other.source === null) return one.source ?? other.source;
  return {
    ...one.source,
    files: [...one.source.files, ...other.source.files],
    kind: [one.source.kind, other.source.kind].join(' + '),
  };
}

/**
 * Returns the proposal whose servers are those of the merged contract: that with the operation that creates, unless it
 * is silent about servers.
 */
function baseOwnerOf({ first, second }: Pick<Merge, 'first' | 'second'>): Proposal {
  const isSame = isSilent(first) && first.contract.create.path === second.contract.create.path;
  return isSame || (has(second, 'create') && !has(first, 'create') && !isSilent(second)) ? second : first;
}

/** Tells whether a document does not say where its paths begin, so that they begin at the base URL. */
const isSilent = ({ contract }: Proposal): boolean => contract.servers.length === 0 && contract.basePath === '';

/**
 * Returns an operation at its own address, if the document that it was taken from has another base path than the merged
 * contract. Throws `SrqError('input')` if it is not below the address to which requests are sent.
 */
function rebased<Name extends OperationName>(
  { basePath }: Merge,
  name: Name,
  from: Proposal,
  operation: Contract[Name],
): Contract[Name] {
  const { contract } = from;
  const isAtRoot = 'origin' in operation && operation.origin !== undefined;
  if (isAtRoot || isSilent(from) || contract.basePath === basePath || !has(from, name)) return operation;
  const whole = contract.basePath + operation.path;
  const path = withoutPrefix(whole, basePath);
  if (basePath === '' || path !== whole) return { ...operation, path };
  if (name === 'token') return { ...operation, path: whole, origin: 'service' };
  throw new SrqError(
    'address.outside',
    `${name} is at ${whole} by ${placeOf(from, `${name}.path`)}, and requests are sent below ${basePath}.`,
    `Log in at an address above both, and learn again.${OPERATIONS[name].presence === null ? '' : ` Or do without: --operation ${name}=none`}`,
  );
}

/** Merges the findings. Each setting keeps those of the document that it was taken from. */
function mergedFindings({ first, second, filled }: Merge): readonly ContractFinding[] {
  const isFilled = ({ setting }: ContractFinding): boolean =>
    filled.has(setting) || [...filled].some((each) => setting.startsWith(`${each}.`));
  return [
    ...first.contract.findings.filter((each) => !isFilled(each)),
    ...second.contract.findings.filter((each) => isFilled(each)),
  ];
}

/**
 * Merges the questions: those of the first document that the second does not answer, and those of the second about
 * operations that the first does not have. A collection asks for things that a description says are not needed.
 */
function mergedQuestions(merge: Merge, contract: Contract): readonly Question[] {
  const { first, second } = merge;
  const isForeign = OPERATION_NAMES.some((role) => !has(first, role));
  const asked = [...first.questions, ...(isForeign ? second.questions : [])];
  const byName = new Map(asked.map((each) => [each.name, each]));
  return [...byName.values()].filter(({ name }) => {
    const [kind = '', subject = ''] = name.split(/:(.*)/s);
    if (kind === 'operation' && subject === 'token' && contract.auth) return false;
    if (kind === 'operation') return !has(first, subject) && !has(second, subject);
    if (kind === 'idempotency') return (contract.create.idempotency?.windowSeconds ?? 0) === 0;
    const subjects = parametersOf(contract).filter(({ path }) => path.at(-1) === subject);
    return subjects.length === 0 || subjects.some(({ constant }) => constant === null);
  });
}

type Merges = {
  readonly [Name in OperationName]: (merge: Merge, one: Contract[Name], other: Contract[Name]) => Contract[Name];
};

/** The functions that merge an operation that both documents have. */
const MERGES: Merges = {
  create: (merge, one, other) => ({
    ...mergedRequest(merge, 'create', one, other),
    identifiers: filledIn(merge, 'create.identifiers', one.identifiers, other.identifiers),
    duplicate: mergedRules(merge, 'create.duplicate', one.duplicate, other.duplicate),
    idempotency: mergedIdempotency(merge, one.idempotency, other.idempotency),
  }),
  validate: (merge, one, other) => ({
    ...mergedRequest(merge, 'validate', one, other),
    verdict: mergedRules(merge, 'validate.verdict', one.verdict, other.verdict),
  }),
  token: mergedToken,
};

/** Merges an operation of two documents. If only one of them has it, it is taken from there unchanged. */
function mergedOperation<Name extends OperationName>(merge: Merge, name: Name): Contract[Name] {
  const [one, other] = [merge.first.contract, merge.second.contract];
  if (!has(merge.second, name)) return rebased(merge, name, merge.first, one[name]);
  if (has(merge.first, name)) return rebased(merge, name, merge.first, MERGES[name](merge, one[name], other[name]));
  merge.filled.add(name);
  if (carriesRequest(name)) fillForeignFields(merge);
  return rebased(merge, name, merge.second, other[name]);
}

/** Marks the fields that only the second document knows. */
function fillForeignFields({ first, second, filled }: Merge): void {
  const known = new Set(parametersOf(first.contract).map(({ field }) => field));
  for (const { field } of parametersOf(second.contract)) if (!known.has(field)) filled.add(field);
}

/**
 * Merges the idempotency of two documents. The shorter of two times applies. If one document denies idempotency, the
 * other one's words do not change that.
 */
function mergedIdempotency(merge: Merge, one: Idempotency | null, other: Idempotency | null): Idempotency | null {
  const setting = 'create.idempotency';
  const denies = ({ contract }: Proposal): boolean =>
    !isReliable(contract.create.idempotency) && contract.findings.some((each) => each.setting === setting);
  if (denies(merge.first)) return one;
  if (denies(merge.second)) {
    merge.filled.add(setting);
    return one === null ? other : { ...one, windowSeconds: 0 };
  }
  if (!isReliable(one) || !isReliable(other)) {
    if (isReliable(other)) merge.filled.add(setting);
    return isReliable(other) ? other : (one ?? other);
  }
  const [first, second] = [lifetimeOf(one), lifetimeOf(other)];
  if (one.header !== other.header) note(merge, setting, one.header, other.header);
  else if (second < first) {
    merge.filled.add(setting);
    merge.notes.push(`${setting}: the documents name ${first} and ${second} seconds. The shorter time is used.`);
    return { ...one, windowSeconds: second };
  }
  return one;
}

const isReliable = (idempotency: Idempotency | null): idempotency is Idempotency =>
  idempotency !== null && idempotency.windowSeconds !== 0;

const lifetimeOf = ({ windowSeconds }: Idempotency): number => windowSeconds ?? DEFAULT_KEY_LIFE_SECONDS;

function mergedRequest(merge: Merge, name: RequestOperationName, one: Operation, other: Operation): Operation {
  chosen(merge, `${name}.path`, fullPath(merge.first, one), fullPath(merge.second, other));
  chosen(merge, `${name}.method`, one.method, other.method);
  chosen(merge, `${name}.encoding`, one.encoding, other.encoding);
  const isSameShape = one.encoding === other.encoding;
  return {
    ...one,
    parameters: mergedParameters(merge, one.parameters, other.parameters, isSameShape),
    choices: one.parameters === null ? other.choices : one.choices,
    schema: isSameShape ? (one.schema ?? other.schema) : one.schema,
    success: filledIn(merge, `${name}.success`, one.success?.body ? one.success : null, other.success) ?? one.success,
    refusal: filledIn(merge, `${name}.refusal`, one.refusal, other.refusal),
    errorTexts: filledIn(merge, `${name}.errorTexts`, one.errorTexts, other.errorTexts),
  };
}

/**
 * Returns an operation's path including the base path, because what is part of the servers' addresses in one document
 * may be part of the paths in the other.
 */
function fullPath({ contract }: Proposal, operation: { readonly path: string }): string {
  return operation.path.startsWith(`${contract.basePath}/`) ? operation.path : `${contract.basePath}${operation.path}`;
}

/**
 * Merges the parameters. Names, types and bounds are those of the first document. A parameter that only the second
 * document knows is added if the bodies have the same shape, or if it is not part of the body. It is never required.
 */
function mergedParameters(
  merge: Merge,
  one: readonly Parameter[] | null,
  other: readonly Parameter[] | null,
  isSameShape: boolean,
): readonly Parameter[] | null {
  if (one === null || other === null) return one ?? other;
  const known = one.map((each) => {
    const also = other.find(({ field }) => field === each.field);
    return also === undefined ? each : mergedParameter(merge, each, also);
  });
  const parents = new Set(one.map(parentOf));
  const fits = (each: Parameter): boolean => each.in !== 'body' || (isSameShape && parents.has(parentOf(each)));
  // Parameters with the same name are the same, even if one document has it as a whole field and the other one, with
  // more parameters beside it, as a part.
  const isKnown = (each: Parameter) =>
    one.some((known) => known.field === each.field || nameOf(known) === nameOf(each));
  const added = other.filter((each) => !isKnown(each) && fits(each));
  for (const each of added) {
    merge.filled.add(each.field);
    merge.notes.push(
      `${each.field}: ${placeOf(merge.second, each.field)} has it as ${each.path.join('.')}, ` +
        `${merge.first.contract.source?.files.join(', ')} does not know it.`,
    );
  }
  return [...known, ...added.map((each) => ({ ...each, required: false, requiredWithin: null }))];
}

const parentOf = ({ in: place, path }: Parameter): string => [place, ...path.slice(0, -1)].join('\u0000');

function mergedParameter(merge: Merge, one: Parameter, other: Parameter): Parameter {
  const { field } = one;
  chosen(merge, field, nameOf(one), nameOf(other));
  return {
    ...one,
    values: filledIn(merge, `${field}.values`, one.values, other.values),
    constant: one.values === null ? chosen(merge, `${field}.constant`, one.constant, other.constant) : one.constant,
  };
}

const nameOf = ({ in: place, path }: Parameter): string =>
  place === 'body' ? path.join('.') : `${place} ${path.join('.')}`;

/**
 * Merges verdict rules. Examples need not show all that a schema allows, so only another place or another kind of rule
 * is a contradiction.
 */
function mergedRules(merge: Merge, setting: string, one: readonly VerdictRule[], other: readonly VerdictRule[]) {
  const ways = (rules: readonly VerdictRule[]): string[] =>
    rules.map((rule) =>
      rule.kind === 'status' ? `status ${rule.status} ${rule.verdict}` : `${rule.kind} ${rule.pointer}`,
    );
  const known = new Set(ways(one));
  const foreign = ways(other).filter((way) => !known.has(way));
  if (one.length > 0 && foreign.length > 0) note(merge, setting, ways(one).join(', '), foreign.join(', '));
  return filledIn(merge, setting, one, other);
}

/** Merges how calls are authorized. If a document names neither credentials nor a token, the other one decides. */
function mergedAuth(merge: Merge): Contract['auth'] {
  const { first, second } = merge;
  const own = first.contract.auth;
  if (own !== undefined || has(first, 'token') || second.contract.auth === undefined) return own;
  merge.filled.add('auth');
  return second.contract.auth;
}

function mergedToken(merge: Merge, one: TokenOperation, other: TokenOperation): TokenOperation {
  chosen(merge, 'token.path', fullPath(merge.first, one), fullPath(merge.second, other));
  return {
    path: one.path,
    ...(one.origin === undefined ? {} : { origin: one.origin }),
    auth: chosen(merge, 'token.auth', one.auth, other.auth),
    encoding: chosen(merge, 'token.encoding', one.encoding, other.encoding),
    extra: mergedExtra(merge, one.extra, other.extra),
    tokenPointer: chosen(merge, 'token.pointer', one.tokenPointer, other.tokenPointer),
    lifetimePointer: chosen(merge, 'token.lifetime', one.lifetimePointer, other.lifetimePointer),
    lifetimeSeconds: chosen(merge, 'token.lifetimeSeconds', one.lifetimeSeconds, other.lifetimeSeconds),
  };
}

function mergedExtra(
  merge: Merge,
  one: TokenOperation['extra'],
  other: TokenOperation['extra'],
): TokenOperation['extra'] {
  const names = Object.keys({ ...other, ...one });
  const own = (extra: TokenOperation['extra'], name: string): string | null =>
    Object.hasOwn(extra, name) ? (extra[name] ?? null) : null;
  const values = names.map((name) => {
    const setting = `token.${name}`;
    return [name, chosen(merge, setting, own(one, name), own(other, name))] as const;
  });
  return Object.fromEntries(values.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])));
}

/**
 * The state of a merge: two proposals, the settings that the second one filled in, and the contradictions between them.
 */
interface Merge {
  readonly first: Proposal;
  readonly second: Proposal;
  /** The base path of the merged contract. */
  readonly basePath: string;
  /** Names of settings, or prefixes of their names up to a dot, that were taken from the second proposal. */
  readonly filled: Set<string>;
  readonly notes: string[];
}

/** Returns the first value, or the second if the first is open. A contradiction is noted. */
function chosen<T>(merge: Merge, setting: string, first: T | null, second: T): T {
  if (first === null || isOpen(first)) {
    if (!isOpen(second)) merge.filled.add(setting);
    return second;
  }
  if (!isOpen(second) && textOf(first) !== textOf(second)) note(merge, setting, textOf(first), textOf(second));
  return first;
}

/** Returns the first value, or the second if the first is open. Different values are not noted as a contradiction. */
function filledIn<T>(merge: Merge, setting: string, first: T, second: T): T {
  if (!isOpen(first)) return first;
  merge.filled.add(setting);
  return second;
}

/** Tells whether a value is open because nobody stated it: it is null, false, or an empty list or record. */
const isOpen = (value: unknown): boolean =>
  value === null || value === false || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Notes a contradiction with both values and their places. */
function note(merge: Merge, setting: string, first: string, second: string): void {
  const [one, other] = [merge.first, merge.second].map((each) => placeOf(each, setting));
  merge.notes.push(`${setting}: ${first} by ${one}, but ${second} by ${other}. The first one is used.`);
}

/** Returns the place of a setting in a document, or the document's name. */
function placeOf({ contract }: Proposal, setting: string): string {
  const named = (name: string) => contract.findings.find((each) => each.setting === name);
  const finding = named(setting) ?? named(setting.replace(/\.[^.]*$/, ''));
  return finding?.where || (contract.source?.files.join(', ') ?? 'the public document');
}

/** Tells whether a document has the operation. Values that only the public document states have no place. */
const has = ({ contract }: Proposal, operation: string): boolean =>
  contract.findings.some(({ setting, where }) => setting === `${operation}.path` && where !== '');
