import { nearest } from '../request/words/did-you-mean.ts';
import { SrqError } from '../request/words/errors.ts';
import { redactedValue, SECRET } from '../request/words/names.ts';
import { answerFor } from './learn/given-constants.ts';
import {
  type Contract,
  type ContractFinding,
  DOCUMENTED_CONTRACT,
  type Parameter,
  parametersOf,
  withRequestOperations,
} from './version-1/contract.ts';
import { boundProblem, wireValue } from './version-1/contract-rules.ts';
import { OPERATIONS, type OperationName } from './version-1/operations.ts';

/** What a person said about a contract that was given as a file. */
export interface SaidOfContract {
  readonly constants: Readonly<Record<string, string>>;
  readonly operations: Readonly<Partial<Record<OperationName, string>>>;
}

const NO_OPERATION = 'none';

/**
 * Returns a given contract with the values of its parameters that a person said, and without an operation that they
 * denied. Throws `SrqError('input')` for everything else, because only documents show other operations and places.
 */
export function withSaid(given: Contract, { constants, operations }: SaidOfContract): Contract {
  const names = Object.entries(operations) as [OperationName, string][];
  const contract = names.reduce((changed, [role, name]) => withOperation(changed, role, name), given);
  return Object.entries(constants).reduce((changed, [name, text]) => withValue(changed, name, text), contract);
}

function withOperation(contract: Contract, role: OperationName, said: string): Contract {
  const { presence } = OPERATIONS[role];
  const isDenied = said.trim() === NO_OPERATION;
  if (presence !== null && isDenied) {
    const others = contract.findings.filter(({ setting }) => !setting.startsWith(`${role}.`));
    const findings = [...others, saidFinding(`${role}.path`, NO_OPERATION)];
    return { ...contract, [role]: DOCUMENTED_CONTRACT[role], [presence]: false, findings };
  }
  const own = operationName(contract, role);
  if (isDenied ? own === NO_OPERATION : isCalled(contract, role, said)) return contract;
  throw new SrqError(
    'operation.not-found',
    `A learned contract has no other operation than its own: its ${role} is ${own}.`,
    'Leave this word out, or give the documents that show the other operation: srq contract learn FILE',
  );
}

function operationName(contract: Contract, role: OperationName): string {
  const { presence } = OPERATIONS[role];
  const isAbsent = presence !== null && contract[presence] === false;
  const isByCredentials = role === 'token' && contract.auth !== undefined && contract.auth.kind !== 'bearer';
  if (isAbsent || isByCredentials) return NO_OPERATION;
  return `${methodOf(contract, role)} ${contract[role].path}`;
}

const methodOf = (contract: Contract, role: OperationName): string =>
  role === 'token' ? OPERATIONS.token.method : contract[role].method;

/** Tells whether a person means the operation that the contract has. */
function isCalled(contract: Contract, role: OperationName, said: string): boolean {
  if (operationName(contract, role) === NO_OPERATION) return false;
  const { path } = contract[role];
  const origin = role === 'token' ? contract.token.origin : undefined;
  const places =
    origin === undefined ? [path, contract.basePath + path] : origin === 'service' ? [path] : [origin + path];
  const [, method, place = ''] = /^(?:([a-z]+)\s+)?(\S+)$/i.exec(said.trim()) ?? [];
  return places.includes(place) && (method === undefined || method.toUpperCase() === methodOf(contract, role));
}

/** Returns the contract with a value in all places that have this name. */
function withValue(contract: Contract, name: string, text: string): Contract {
  const meant = new Set(parametersMeant(contract, name));
  const isExtra = Object.hasOwn(contract.token.extra, name);
  const isKey = contract.auth?.kind === 'apiKey' && contract.auth.name === name;
  // A secret that was left out of the file within JSON is put back with the others.
  if (meant.size === 0 && isSecretJson(contract, name)) return contract;
  if (meant.size === 0 && !isExtra && !isKey) throw unknownName(contract, name);
  requireOneValue(name, text);
  const wires = new Map([...meant].map((each) => [each, wireOf(each, name, text)]));
  const changed = withRequestOperations(contract, ({ parameters }) => ({
    parameters: parameters?.map((each) => ({ ...each, constant: wires.get(each) ?? each.constant })) ?? null,
  }));
  const { auth, token } = changed;
  // What is said of a secret that the file was written without is still true.
  const replaced = [...wires].filter(([{ constant }]) => constant !== SECRET);
  const told = new Map(replaced.map(([{ field, path }, wire]) => [field, alwaysText(path, wire)]));
  if (isExtra && token.extra[name] !== SECRET) told.set(`token.${name}`, redactedValue(name, text));
  return {
    ...changed,
    token: isExtra ? { ...token, extra: { ...token.extra, [name]: text } } : token,
    ...(isKey && auth?.kind === 'apiKey' && { auth: { ...auth, value: text } }),
    findings: changed.findings.map((each) => saidFinding(each.setting, told.get(each.setting)) ?? each),
  };
}

function isSecretJson({ create, validate }: Contract, name: string): boolean {
  const constants = [create, validate].flatMap(({ choices }) => choices.flat().flatMap((each) => each.constants));
  return constants.some(({ path, value }) => value === SECRET && path.at(-1) === name);
}

/** Returns the parameters of this path or last name. Throws `SrqError('input')` if several places may be meant. */
function parametersMeant(contract: Contract, name: string): readonly Parameter[] {
  const all = parametersOf(contract);
  const exact = all.filter(({ path }) => path.join('.') === name);
  const named = exact.length > 0 ? exact : all.filter(({ path }) => path.at(-1) === name);
  const places = [...new Set(named.map(({ path }) => path.join('.')))];
  // A contract that was shown asks once for the secrets of one name, wherever they are.
  if (places.length < 2 || named.every(({ constant }) => constant === SECRET)) return named;
  throw new SrqError(
    'parameter.not-found',
    `"${name}" may be any of these: ${places.join(', ')}.`,
    `Say the whole path: --set ${places[0]}=VALUE`,
  );
}

function unknownName(contract: Contract, name: string): SrqError {
  const key = contract.auth?.kind === 'apiKey' ? [contract.auth.name] : [];
  const names = parametersOf(contract).flatMap(({ path }) => [path.join('.'), path.at(-1) ?? '']);
  const meant = nearest(name, [...names, ...Object.keys(contract.token.extra), ...key]);
  return new SrqError(
    'parameter.not-found',
    `The contract has no parameter "${name}" whose value could be given.`,
    meant === null
      ? 'Leave it out, or give the documents that show it: srq contract learn FILE'
      : `Did you mean: ${answerFor(meant)}`,
  );
}

/** Throws `SrqError('input')` if the value names a column, or says that each row gives it. */
function requireOneValue(name: string, text: string): void {
  if (text !== '' && !/\{[^{}":,]+\}/.test(text)) return;
  throw new SrqError(
    'parameter.not-allowed',
    `A learned contract takes values alone, the same in every request; what was said of "${name}" is none.`,
    'What each row gives is said to the documents: srq contract learn FILE --set NAME=',
  );
}

/** Throws `SrqError('input')`, without repeating the value, which may be a key. */
function wireOf(parameter: Parameter, name: string, text: string): string {
  const wire = wireValue(parameter, text);
  const problem = wire === null ? 'is none that is allowed' : boundProblem(parameter, wire);
  if (wire !== null && problem === null) return wire;
  throw new SrqError(
    'parameter.not-allowed',
    `The value given for "${name}" ${problem}, as the contract demands.`,
    `Give one that fits: ${answerFor(name)}`,
  );
}

const alwaysText = (path: readonly string[], value: string): string =>
  `${path.join('.')}, always ${redactedValue(path.at(-1) ?? '', value)}`;

function saidFinding(setting: string, value: string): ContractFinding;
function saidFinding(setting: string, value: string | undefined): ContractFinding | null;
function saidFinding(setting: string, value: string | undefined): ContractFinding | null {
  return value === undefined ? null : { setting, value, where: '', confidence: 'certain', why: 'you said so' };
}
