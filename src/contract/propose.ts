import type { Contract } from '../request/contract/contract.ts';
import type { OperationName } from '../request/contract/operations.ts';
import { DOCUMENTED_CONTRACT } from '../request/contract/public-api.ts';
import { PATHS } from '../request/contract/wire.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';
import { type ApiDescription, type Budget, unlessRefused } from './cut.ts';
import { type ApiOperation, operationCalled, operationsOf, schemaOfCall, successesOf } from './document.ts';
import { boundFields } from './fields.ts';
import { choiceQuestion, GivenValues, type Learning, type Question } from './given.ts';
import { againOf } from './idempotency.ts';
import { identifiersIn, namedBy, proposeCall } from './propose-call.ts';
import { proposeToken } from './propose-token.ts';
import { serversOf, sharedPath } from './servers.ts';

/** What a person said about a description. */
export interface Said {
  readonly operations: Readonly<Partial<Record<OperationName, string>>>;
  /** By place, or by the last name of one: a value, a field in braces (`{email}`), or nothing: each row gives it. */
  readonly values: Readonly<Record<string, string>>;
}

/** A contract that nobody has agreed to yet. */
export interface Proposal {
  readonly contract: Contract;
  /** A question without an answer keeps the contract from being used, unless it says what counts meanwhile. */
  readonly questions: readonly Question[];
  readonly notes: readonly string[];
}

/** What a person answers if the service has no such operation. */
const NONE = 'none';
const MAX_CHOICES = 9;
/** Parts of all operations that are looked at to order them. */
const MAX_PARTS = 300_000;

/** Proposes a contract from an API description. Operations other than those of the public document are asked. */
export function proposeContract(
  description: ApiDescription,
  { said, baseUrl, learnedAt }: Pick<Learning, 'baseUrl'> & { readonly said: Said; readonly learnedAt: string },
): Proposal {
  const { file, title, kind } = description;
  const operations = operationsOf(description);
  const values = new GivenValues(said.values);
  const { questions, guesses, notes } = values;
  notes.push(...description.notes);
  const learning: Learning = { description, operations, values, baseUrl };
  const find = (role: 'create' | 'validate', among = learning) =>
    named(among, role, said.operations[role]) ?? atPublicPath(among, PATHS[role]);
  const create = find('create');
  const others = { ...learning, operations: operations.filter((each) => each !== create) };
  const validate = said.operations.validate?.trim() === NONE ? null : find('validate', others);
  if (create === undefined) values.ask(createQuestion(learning));
  if (validate === undefined) values.ask(validateQuestion(lookingIn(others)));
  const source = { file, title, kind, learnedAt };
  const common = { ...DOCUMENTED_CONTRACT, source, servers: serversOf(description) };
  // As long as an operation is not known, nothing else about it is asked.
  if (create === undefined) return { contract: common, questions, notes };
  const used = [create, validate].flatMap((each) => each ?? []);
  const token = proposeToken(learning, used, said.operations.token);
  const places = validate ? schemaOfCall(description, validate).places : [];
  const names = namedBy(places).flatMap(([, each]) => each);
  const call = proposeCall(learning, create, 'create', names);
  const again = againOf(create, values);
  const look = validate ? proposeCall(learning, validate, 'validate') : null;
  const isOpen = ({ name, unanswered }: Question) => name.startsWith('operation:') && unanswered === undefined;
  if (!questions.some(isOpen)) values.refuseUnused();
  notes.push(...successNotes(create), ...pathNotes(learning));
  const contract: Contract = {
    ...common,
    token,
    create: { ...call, identifiers: identifiersIn(call.success?.body ?? null), again },
    validate: look,
    guesses,
  };
  return { contract, questions, notes };
}

/** Returns the operation that a person named, or undefined if nobody did. If validate created, each row would go twice. */
function named(among: Learning, role: OperationName, said: string | undefined) {
  if (said === undefined) return undefined;
  const found = operationCalled(among.operations, said);
  if (found !== undefined) return found;
  const isLook = role === 'validate';
  const some = (isLook ? lookingIn(among) : among.operations).slice(0, MAX_CHOICES).map(({ name }) => name);
  if (isLook) some.push(NONE);
  throw new SrqError(
    'operation.not-found',
    `${among.description.file} has no operation "${said.trim()}" that takes a body${isLook ? ' and does not create' : ''}.`,
    some.length === 0
      ? 'It has none at all.'
      : `Name another: --operation ${role}=OPERATION. For example: ${some.join(', ')}`,
  );
}

/** An operation of the public document is taken unasked. It may stand below the path of the servers. */
function atPublicPath({ description, operations }: Learning, path: string): ApiOperation | undefined {
  const before = sharedPath(description);
  const found = operations.filter(
    (each) => each.method === 'POST' && (each.path === path || before + each.path === path),
  );
  return found.length === 1 ? found[0] : undefined;
}

function createQuestion({ description, operations }: Learning): Question {
  const budget = { parts: MAX_PARTS };
  const ranked = operations
    .map((operation) => ({ operation, known: knownFields(description, operation, budget) }))
    .sort((a, b) => b.known - a.known)
    .slice(0, MAX_CHOICES);
  const [first] = ranked;
  if (first === undefined) {
    throw new SrqError(
      'operation.not-found',
      `${description.file} describes no operation that takes a body, so none that creates a request.`,
      'Give the description of the service that requests are sent to: srq contract learn FILE',
    );
  }
  const choices = ranked.map(
    ({ operation, known }) =>
      [operation.name, `${titled(operation)}: ${known} known ${known === 1 ? 'field' : 'fields'}`] as const,
  );
  const text = 'Which operation creates a request?';
  return choiceQuestion('create', text, choices, `create=${shellWord(first.operation.name)}`);
}

const titled = ({ name, id }: ApiOperation): string => (id === '' || id === name ? name : `${name} (${id})`);

function knownFields(description: ApiDescription, operation: ApiOperation, budget: Budget): number {
  const call = unlessRefused(() => schemaOfCall(description, operation, budget));
  const { fields, guesses } = boundFields(call?.places ?? []);
  return new Set([...fields.values(), ...guesses.map(({ field }) => field)]).size;
}

/** The words of operations that may only look. They make a choice of it, never an answer. */
const LOOKS = /valid|check|duplic|dedup|exist|verif|pr(?:ü|ue)f|comprob/i;

const NO_LOOK =
  'If the service has an operation that checks whether a request is a duplicate, srq asks it first. No operation of the API description looks like one.';

const lookingIn = ({ operations }: Learning): readonly ApiOperation[] =>
  operations.filter(({ path, id }) => LOOKS.test(`${path} ${id}`)).slice(0, MAX_CHOICES);

function validateQuestion(looking: readonly ApiOperation[]): Question {
  const choices = [...looking.map((each) => [each.name, titled(each)] as const), [NONE, NONE] as const];
  const text =
    'Which operation only checks whether a request is a duplicate, and stores nothing? srq sends each request there first.';
  const question = choiceQuestion('validate', text, choices, `validate=${NONE}`);
  return looking.length > 0 ? question : { ...question, text: NO_LOOK, unanswered: NONE };
}

/** Another success may mean that nothing was stored, such as "already known". */
function successNotes(create: ApiOperation): string[] {
  const [first, ...others] = successesOf(create).map(([status]) => status);
  if (others.length === 0) return [];
  const all = [first, ...others].sort().join(', ');
  return [
    `${create.name} has several successes (${all}), and only ${first} counts as a creation. What another one means, srq finds out or asks.`,
  ];
}

function pathNotes({ description, baseUrl }: Learning): string[] {
  const path = sharedPath(description);
  if (path === '' || path.includes('{') || baseUrl === null) return [];
  const { origin, pathname } = new URL(baseUrl);
  const own = pathname.replace(/\/+$/, '');
  if (own.endsWith(path)) return [];
  return [
    `The servers of the description have the path ${path}, which the base URL lacks. If yours has it too: srq login --base-url ${origin}${own}${path}`,
  ];
}
