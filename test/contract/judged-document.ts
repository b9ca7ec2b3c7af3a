import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import {
  type Around,
  type Contract,
  isRefusal,
  learn,
  type Proposal,
  type Refusal,
  secretGoesTo,
  unlessRefused,
} from '../doors/learn.ts';

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

/** A public document, as a whole or as an extract, and what a person found in it. */
export interface JudgedDocument {
  readonly file: string;
  readonly bytes: Buffer;
  readonly judgement: Judgement & { readonly document?: object; readonly file?: string };
}

const EXTRACTS = 'fixtures/documents/judged.ndjson';
const EXAMPLES = 'node_modules/@readme/oas-examples';

/**
 * The documents to try: the extracts and examples of the repository, or the whole documents of a folder, which holds
 * `docs/` and its own `expectations.ndjson`. What a person answers is kept beside the extracts.
 */
export function judgedDocuments(folder?: string): readonly JudgedDocument[] {
  const extracts = judgementsIn(EXTRACTS);
  if (folder === undefined) {
    return extracts.map((judgement) => {
      const { name, document, file } = judgement;
      const bytes = file === undefined ? Buffer.from(JSON.stringify(document)) : readFileSync(join(EXAMPLES, file));
      return { file: `${name}.json`, bytes, judgement };
    });
  }
  const known = new Map(extracts.map(({ name, answers, unserved }) => [name, { answers, unserved }]));
  const judgements = new Map(judgementsIn(join(folder, 'expectations.ndjson')).map((each) => [each.name, each]));
  return readdirSync(join(folder, 'docs')).flatMap((file) => {
    const judgement = judgements.get(parse(file).name);
    if (!judgement) return [];
    const bytes = readFileSync(join(folder, 'docs', file));
    return [{ file, bytes, judgement: { ...known.get(judgement.name), ...judgement } as JudgedDocument['judgement'] }];
  });
}

function judgementsIn(path: string): JudgedDocument['judgement'][] {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
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
  /** Right places that are comments of the page. */
  readonly commented: number;
  /** Judged places that are neither in force nor commented. */
  readonly missing: number;
  /** Places that the judgement says nothing about. */
  readonly unjudgedFields: readonly string[];
  /** The questions beside create and validate, or null if there is no create that srq can learn. */
  readonly questions: readonly string[] | null;
  /** The sentence with which the document is refused. */
  readonly refusal: string | null;
}

/** How far from the aims a set of verdicts is. */
export interface Tally {
  /** Everything that is wrong and that nobody was asked about. The aim for each is 0. */
  readonly wrong: Readonly<Record<'creates' | 'validates' | 'tokens' | 'fields', number>>;
  readonly rightFields: number;
  readonly commented: number;
  readonly missing: number;
  readonly mostQuestions: number;
  /** Per document with a create that srq learns. */
  readonly medianQuestions: number;
}

const NOTHING_WRONG = {
  ...{ taken: null, wrongCreate: null, wrongValidate: null, wrongToken: null },
  ...{
    isMissed: false,
    wrongFields: [],
    rightFields: 0,
    commented: 0,
    missing: 0,
    unjudgedFields: [],
    questions: null,
    refusal: null,
  },
};
/** The fields and parts that are judged. Another parameter is called by its own name and gets what a person says. */
const JUDGED =
  /^(?:fullname|first_name|last_name|email|phone|location|street|postal_code|city|region|country|lang|request_text|category)$/;
/** Ways of authorization that leave the address for tokens to the public document. */
const MAY_BE_TOKEN = /^(?:\*|clientCredentials|bearer|none|other)$/;

/** Learns a document as a person would who knows its create, and compares what was taken unasked with the judgement. */
export function verdictOn(name: string, bytes: Buffer, judgement: Judgement): Verdict {
  const learned = (operations: Around['operations']) =>
    unlessRefused(() => learn(bytes, { name, operations: operations ?? {} }));
  const unasked = learned({});
  const taken = isRefusal(unasked) || isAsked(unasked, 'create') ? null : unasked.contract.create.call;
  const isRight = taken !== null && judgement.create.some((each) => isSame(each, taken));
  const asked = isRefusal(unasked) ? [] : unasked.questions;
  const start = {
    ...NOTHING_WRONG,
    name: judgement.name,
    taken,
    isMissed: taken === null && judgement.create.length > 0 && offered(asked, judgement.create).length === 0,
    wrongCreate: taken === null || isRight ? null : taken,
    refusal: isRefusal(unasked) ? unasked.message : null,
  };
  if (judgement.create.length === 0)
    return isRefusal(unasked) || taken === null ? start : { ...start, ...wrongRoles(unasked, judgement) };
  const answered = isRight ? unasked : withCreate(learned, judgement.create, unasked);
  if (isRefusal(answered)) return { ...start, refusal: answered.message };
  const questions = answered.questions
    .map((each) => each.name)
    .filter((each) => !/^operation:(?:create|validate)$/.test(each));
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
  learned: (operations: Around['operations']) => Proposal | Refusal,
  creates: readonly string[],
  unasked: Proposal | Refusal,
): Proposal | Refusal {
  const choices = isRefusal(unasked) ? [] : offered(unasked.questions, creates);
  let last: Proposal | Refusal = unasked;
  for (const create of [...choices, ...creates]) {
    last = learned({ create, validate: 'none' });
    if (!isRefusal(last)) return last;
  }
  return last;
}

/** Returns the choices of the questions that are one of the operations. */
function offered(questions: Proposal['questions'], operations: readonly string[]): readonly string[] {
  const choices = questions.flatMap((question) => question.choices ?? []);
  return choices.filter((choice) => operations.some((each) => isSame(each, choice)));
}

const isAsked = ({ questions }: Proposal, role: string): boolean =>
  questions.some(({ name }) => name === `operation:${role}`);

function wrongRoles(proposal: Proposal, judgement: Judgement): Pick<Verdict, 'wrongValidate' | 'wrongToken'> {
  const validate = isAsked(proposal, 'validate') ? null : (proposal.contract.validate?.call ?? null);
  const isExpected = validate !== null && judgement.validate !== null && isSame(validate, judgement.validate);
  return { wrongValidate: isExpected ? null : validate, wrongToken: wrongToken(proposal, judgement) };
}

/** Returns where the secret would go although nobody was asked and it is not the address of the document. */
function wrongToken({ contract, questions }: Proposal, { auth, token }: Judgement): string | null {
  if (isAsked({ contract, questions, notes: [] }, 'token')) return null;
  const server = contract.servers[0]?.url ?? 'https://service.invalid';
  const address = secretGoesTo(contract, server);
  if (
    contract.token.path === '/oauth/token' &&
    token === null &&
    auth.split('|').some((each) => MAY_BE_TOKEN.test(each))
  )
    return null;
  return token !== null && isAddress(address, token) ? null : address;
}

function isAddress(address: string, expected: string): boolean {
  if (URL.canParse(expected) && URL.canParse(address)) return new URL(address).href === new URL(expected).href;
  return URL.canParse(expected) ? expected.endsWith(address) : address.endsWith(expected);
}

function placed(
  contract: Contract,
  { fields, mustNot }: Judgement,
): Pick<Verdict, 'wrongFields' | 'rightFields' | 'unjudgedFields' | 'commented' | 'missing'> {
  const bound = Object.entries(contract.create.fields).filter(([, field]) => JUDGED.test(field));
  const allowed = byPlace(fields);
  const traps = byPlace(mustNot);
  const isRight = ([place, field]: readonly [string, string]) =>
    allowed.get(plainPlace(place.split('.')))?.includes(field) ?? false;
  const isWrong = ([place, field]: readonly [string, string]) => {
    const may = allowed.get(plainPlace(place.split('.')));
    return may !== undefined
      ? !may.includes(field)
      : (traps.get(plainPlace(place.split('.')))?.includes(field) ?? false);
  };
  const shown = ([place, field]: readonly [string, string]) => `${field} in ${place}`;
  const right = bound.filter(isRight).length;
  const commented = contract.guesses.filter(({ place, value }) => isRight([place, value])).length;
  return {
    wrongFields: bound.filter(isWrong).map(shown),
    rightFields: right,
    unjudgedFields: bound.filter((each) => !isRight(each) && !isWrong(each)).map(shown),
    commented,
    missing: allowed.size - right - commented,
  };
}

/** A place without the marks of lists, which contracts write otherwise: `emails.value`. */
const plainPlace = (parts: readonly string[]): string =>
  parts
    .map((part) => part.replace(/\[\]$/, ''))
    .filter((part) => part !== '' && part !== '0')
    .join('.');

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
    commented: verdicts.reduce((sum, each) => sum + each.commented, 0),
    missing: verdicts.reduce((sum, each) => sum + each.missing, 0),
    mostQuestions: asked.at(-1) ?? 0,
    medianQuestions: ((asked[Math.ceil(middle) - 1] ?? 0) + (asked[Math.floor(middle)] ?? 0)) / 2,
  };
}
