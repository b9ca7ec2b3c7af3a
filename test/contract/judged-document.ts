import { type LearnContractOptions, learnContract } from '../../src/contract/learn.ts';
import type { Contract, Parameter, Proposal } from '../../src/contract/version-1/contract.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { learnOptions } from './learn-options.ts';

/** What a person found in a real document by reading it, before srq saw it. */
export interface Judgement {
  readonly name: string;
  /** The operations that may create, `POST /leads`. None: the document has nothing for srq. */
  readonly create: readonly string[];
  readonly validate: string | null;
  /** How calls are authorized, with `|` between alternatives. `*`: not judged. */
  readonly auth: string;
  /** The only address that may get the secret, or null if the service issues no token for client credentials. */
  readonly token: string | null;
  /** By place in the body (`emails[].value`): the field that belongs there, or those that may stand there. */
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  /** By place in the body: the field or fields that look as if they belonged there. */
  readonly mustNot: Readonly<Record<string, string | readonly string[]>>;
  /** What a person answers to questions for which the document itself shows no answer, by the name of the parameter. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Why srq cannot serve the create, as a person found out. */
  readonly unserved?: string;
}

/** What srq makes of a document, compared with the judgement. Texts say what is wrong; null or none: nothing is. */
export interface Verdict {
  readonly name: string;
  /** The create that was taken unasked. */
  readonly taken: string | null;
  readonly wrongCreate: string | null;
  /** Whether there is a create, and it is neither taken nor among the choices of the question. */
  readonly isMissed: boolean;
  readonly wrongValidate: string | null;
  readonly wrongToken: string | null;
  readonly wrongFields: readonly string[];
  readonly rightFields: number;
  /** Places that the judgement says nothing about. */
  readonly unjudgedFields: readonly string[];
  /** The names of all questions until the contract can be used, or null if there is no create that srq can learn. */
  readonly questions: readonly string[] | null;
  /** The sentence with which the document is refused. */
  readonly refusal: string | null;
}

/** How far from the aims a set of verdicts is. */
export interface Tally {
  /** Everything that is wrong and that nobody was asked about. The aim for each is 0. */
  readonly wrong: Readonly<Record<'creates' | 'validates' | 'tokens' | 'fields', number>>;
  readonly rightFields: number;
  /** Per document with a create that srq learns. */
  readonly medianQuestions: number;
}

const NOTHING_WRONG = {
  ...{ taken: null, wrongCreate: null, wrongValidate: null, wrongToken: null },
  ...{ isMissed: false, wrongFields: [], rightFields: 0, unjudgedFields: [], questions: null, refusal: null },
};
/** The fields and parts that are judged. Another parameter is called by its own name and gets what a person says. */
const JUDGED =
  /^(?:fullname|first_name|last_name|email|phone|location|street|postal_code|city|region|country|lang|request_text|category)$/;
/** Ways of authorization that leave the address for tokens to the public document. */
const MAY_BE_TOKEN = /^(?:\*|clientCredentials|bearer|none|other)$/;

/** Learns a document as a person would who knows its create, and compares what was taken unasked with the judgement. */
export function verdictOn(name: string, bytes: Buffer, judgement: Judgement): Verdict {
  const learn = (operations: LearnContractOptions['operations']) =>
    learnContract([{ name, bytes }], learnOptions({ operations }));
  const unasked = unlessRefused(() => learn({}));
  const taken = unasked instanceof SrqError || isAsked(unasked, 'create') ? null : operationName(unasked, 'create');
  const isRight = taken !== null && judgement.create.some((each) => isSame(each, taken));
  const answered = isRight ? unasked : withCreate(learn, judgement.create, unasked);
  const asked = unasked instanceof SrqError ? [] : unasked.questions;
  const start = {
    ...NOTHING_WRONG,
    name: judgement.name,
    taken,
    isMissed: taken === null && judgement.create.length > 0 && offered(asked, judgement.create).length === 0,
    wrongCreate: taken === null || isRight ? null : taken,
    refusal: unasked instanceof SrqError ? unasked.message : null,
  };
  if (judgement.create.length === 0) {
    return unasked instanceof SrqError || taken === null ? start : { ...start, ...wrongRoles(unasked, judgement) };
  }
  if (answered instanceof SrqError) return { ...start, refusal: answered.message };
  // The questions about the body of another create than the right one are not asked in the end.
  const roles = asked.filter((each) => each.name.startsWith('operation:'));
  const questions = [...new Set([...roles, ...answered.questions].map((each) => each.name))];
  return { ...start, ...wrongRoles(answered, judgement), ...placed(answered.contract, judgement), questions };
}

/** Tells whether two names mean the same operation: whatever its variables are called and its base path is. */
export function isSame(one: string, other: string): boolean {
  const plain = (name: string) =>
    name.replace(/\{\{[^{}]*\}\}|\{[^{}]*\}|<[^<>]*>|:\w+/g, '{}').replace(/(?:\/|\/\{\})+$/, '');
  const [a = '', b = ''] = [one, other].map(plain);
  const [methodA = '', methodB = ''] = [a, b].map((each) => each.split(' ')[0] ?? '');
  const [pathA, pathB] = [a.slice(methodA.length).trim(), b.slice(methodB.length).trim()];
  if (methodA !== methodB || pathA === '' || pathB === '') return methodA === methodB && pathA === pathB;
  return pathA.endsWith(pathB) || pathB.endsWith(pathA);
}

function withCreate(
  learn: (operations: LearnContractOptions['operations']) => Proposal,
  creates: readonly string[],
  unasked: Proposal | SrqError,
): Proposal | SrqError {
  const choices = unasked instanceof SrqError ? [] : offered(unasked.questions, creates);
  let last: Proposal | SrqError = unasked;
  for (const create of [...choices, ...creates]) {
    last = unlessRefused(() => learn({ create }));
    if (!(last instanceof SrqError)) return last;
  }
  return last;
}

/** Returns the choices of the questions that are one of the operations. */
function offered(questions: Proposal['questions'], operations: readonly string[]): readonly string[] {
  const choices = questions.flatMap((question) => question.choices ?? []);
  return choices.filter((choice) => operations.some((each) => isSame(each, choice)));
}

function unlessRefused(learn: () => Proposal): Proposal | SrqError {
  try {
    return learn();
  } catch (error) {
    if (error instanceof SrqError) return error;
    throw error;
  }
}

const isAsked = ({ questions }: Proposal, role: string): boolean =>
  questions.some(({ name }) => name === `operation:${role}`);

/** Returns an operation's name in the document, as the proposal shows it, or null if there is none. */
function operationName({ contract }: Proposal, role: 'create' | 'validate'): string | null {
  return contract.findings.find(({ setting, where }) => setting === `${role}.path` && where !== '')?.value ?? null;
}

function wrongRoles(proposal: Proposal, judgement: Judgement): Pick<Verdict, 'wrongValidate' | 'wrongToken'> {
  const validate = isAsked(proposal, 'validate') ? null : operationName(proposal, 'validate');
  const isExpected = validate !== null && judgement.validate !== null && isSame(validate, judgement.validate);
  return { wrongValidate: isExpected ? null : validate, wrongToken: wrongToken(proposal, judgement) };
}

/** Returns the address to which the secret would go although nobody was asked and it is not the one of the document. */
function wrongToken({ contract, questions }: Proposal, { auth, token }: Judgement): string | null {
  const address = tokenAddress(contract);
  if (address === null || questions.some(({ name }) => /token|auth|login/i.test(name))) return null;
  const finding = contract.findings.find(({ setting }) => setting === 'token.path');
  if (finding === undefined) return `${address}, not shown`;
  if (finding.where === '') {
    return token === null && auth.split('|').some((each) => MAY_BE_TOKEN.test(each)) ? null : `${address}, guessed`;
  }
  return token !== null && isAddress(address, token) ? null : address;
}

/** Returns where the contract logs in, under the first server if that is known, or null if it does not log in. */
function tokenAddress(contract: Contract & { readonly auth?: { readonly kind: string } | undefined }): string | null {
  if (contract.auth !== undefined && contract.auth.kind !== 'bearer') return null;
  const token: Contract['token'] & { readonly origin?: string | undefined } = contract.token;
  const server = contract.servers[0]?.url;
  if (token.origin === undefined) return (server?.replace(/\/+$/, '') ?? '') + token.path;
  if (token.origin !== 'service') return token.origin + token.path;
  return (server === undefined ? '' : new URL(server).origin) + token.path;
}

function isAddress(address: string, expected: string): boolean {
  if (URL.canParse(expected) && URL.canParse(address)) return new URL(address).href === new URL(expected).href;
  return URL.canParse(expected) ? expected.endsWith(address) : address.endsWith(expected);
}

function placed(
  contract: Contract,
  { fields, mustNot }: Judgement,
): Pick<Verdict, 'wrongFields' | 'rightFields' | 'unjudgedFields'> {
  const parameters = (contract.create.parameters ?? []).filter(
    ({ field, constant }) => constant === null && JUDGED.test(field),
  );
  const allowed = byPlace(fields);
  const traps = byPlace(mustNot);
  const wrong = parameters.filter((each) => {
    const place = placeOf(each);
    const may = allowed.get(place);
    return may !== undefined ? !may.includes(each.field) : (traps.get(place)?.includes(each.field) ?? false);
  });
  const right = parameters.filter((each) => allowed.get(placeOf(each))?.includes(each.field) ?? false);
  const shown = (each: Parameter) => `${each.field} in ${placeOf(each)}`;
  return {
    wrongFields: wrong.map(shown),
    rightFields: right.length,
    unjudgedFields: parameters.filter((each) => !wrong.includes(each) && !right.includes(each)).map(shown),
  };
}

/** A place without the marks of lists, which contracts write otherwise: `emails.value`. */
const plainPlace = (parts: readonly string[]): string =>
  parts
    .map((part) => part.replace(/\[\]$/, ''))
    .filter((part) => part !== '' && part !== '0')
    .join('.');

const placeOf = ({ path }: Parameter): string => plainPlace(path);

function byPlace(table: Judgement['fields']): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(table).map(([place, field]) => [plainPlace(place.split('.')), [field].flat()]));
}

export function tallyOf(verdicts: readonly Verdict[]): Tally {
  const count = (wrong: 'wrongCreate' | 'wrongValidate' | 'wrongToken') =>
    verdicts.filter((each) => each[wrong] !== null).length;
  const asked = verdicts.flatMap(({ questions }) => questions?.length ?? []).sort((a, b) => a - b);
  const middle = asked.length / 2;
  return {
    wrong: {
      creates: count('wrongCreate'),
      validates: count('wrongValidate'),
      tokens: count('wrongToken'),
      fields: verdicts.flatMap(({ wrongFields }) => wrongFields).length,
    },
    rightFields: verdicts.reduce((sum, each) => sum + each.rightFields, 0),
    medianQuestions: ((asked[Math.ceil(middle) - 1] ?? 0) + (asked[Math.floor(middle)] ?? 0)) / 2,
  };
}
