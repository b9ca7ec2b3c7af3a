import { isField } from '../../request/lead/fields.ts';
import { nearest } from '../../request/words/did-you-mean.ts';
import { SrqError } from '../../request/words/errors.ts';
import { isSecretName, nameWords } from '../../request/words/names.ts';
import { type JsonObject, textOf } from '../documents/json-parts.ts';
import { INVENTED_TEXT, type SampleUse, sampleOf } from '../schema/sample-value.ts';
import type { Question } from '../version-1/contract.ts';
import { allowedValues } from './leaf-parameter.ts';

/** The value given for a parameter that differs between requests: `--set name=`. */
export const EACH_ROW = '';

/** A parameter among those of its operation. `isCarried` means that it holds one of srq's own fields. */
interface NamedPlace {
  readonly path: readonly string[];
  readonly isCarried: boolean;
}

/**
 * The values that a person gave because srq cannot know them, by the parameter's name or by its full path joined by
 * dots.
 */
export interface GivenConstants {
  /** Returns the values for one operation, which has these parameters. */
  among(parameters: readonly NamedPlace[]): OperationConstants;
  /**
   * Returns what was given in braces, by the name of the place: `email` for `agent.email={email}`. What is made of it
   * still has to be looked up.
   */
  inBraces(): ReadonlyMap<string, string>;
  /** Throws `SrqError('input')` if a value was given that no parameter has used. */
  refuseUnused(): void;
}

/** The given values as they apply to one operation. */
export interface OperationConstants {
  /**
   * Returns the value given for a parameter: {@link EACH_ROW} if each row gives it, or null if nothing was said. Throws
   * `SrqError('input')` if several parameters may be meant.
   */
  valueOf(path: readonly string[]): string | null;
  /** Returns the name by which a person can refer to a parameter. */
  nameOf(path: readonly string[]): string;
  /** Returns the question for the value of a parameter. `shape` is given for an object, which no row can give. */
  question(path: readonly string[], keywords: JsonObject, shape?: 'object'): Question;
}

/** Wraps the given values, and keeps track of those that are used. */
export function givenConstants(values: Readonly<Record<string, string>>): GivenConstants {
  const used = new Set<string>();
  const asked = new Set<string>();
  const lookUp = (name: string): string | null => {
    asked.add(name);
    if (!Object.hasOwn(values, name)) return null;
    used.add(name);
    return values[name] ?? null;
  };
  return {
    among: (parameters) => operationConstants(parameters, values, lookUp),
    inBraces: () =>
      new Map(
        Object.entries(values).flatMap(([name, text]) => {
          const word = wordInBraces(text);
          return word === null ? [] : [[name, word] as const];
        }),
      ),
    refuseUnused() {
      const name = Object.keys(values).find((each) => !used.has(each));
      if (name === undefined) return;
      const meant = nearest(name, [...asked]);
      throw new SrqError(
        'parameter.not-found',
        `The document has no parameter "${name}".`,
        meant === null
          ? 'Leave it out, or see the names with: srq contract learn FILE --dry-run'
          : `Did you mean: ${answerFor(meant)}`,
      );
    },
  };
}

/** Returns the word of a value that is no more than that word in braces, or null. */
export function wordInBraces(text: string | null): string | null {
  return /^\{(\w+)\}$/.exec(text ?? '')?.[1] ?? null;
}

/** `lookUp` returns the value given under a name, and notes that the name was looked up. */
function operationConstants(
  parameters: readonly NamedPlace[],
  values: Readonly<Record<string, string>>,
  lookUp: (name: string) => string | null,
): OperationConstants {
  const byLastName = new Map<string, NamedPlace[]>();
  for (const each of parameters) {
    const last = each.path.at(-1) ?? '';
    const twins = byLastName.get(last);
    if (twins) twins.push(each);
    else byLastName.set(last, [each]);
  }
  const twinsOf = (path: readonly string[]) => byLastName.get(path.at(-1) ?? '') ?? [];
  const nameOf = (path: readonly string[]): string => {
    const last = path.at(-1) ?? '';
    const isClear = twinsOf(path).length <= 1 && !isField(last);
    return isClear ? last : path.join('.');
  };
  return {
    nameOf,
    question: (path, keywords, shape) => questionOf(path, nameOf(path), keywords, shape),
    valueOf(path) {
      const last = path.at(-1) ?? '';
      if (path.length > 1 && Object.hasOwn(values, path.join('.'))) return lookUp(path.join('.'));
      const twins = twinsOf(path);
      const top = twins.find((each) => each.path.length === 1);
      // A name at the top level has no longer form. If rows fill that place, another place with this name is more
      // likely to be meant.
      const meansTop = twins.length > 1 && top !== undefined && !top.isCarried;
      if (meansTop && path.length > 1) return null;
      if (twins.length > 1 && !meansTop && Object.hasOwn(values, last)) throw ambiguous(last, twins);
      return lookUp(last);
    },
  };
}

/**
 * Returns the flag that gives a value. A secret is given in a file, because others can read the arguments of a command.
 */
export function answerFor(name: string): string {
  return `--set ${name}=${isSecretName(name) ? '@FILE' : 'VALUE'}`;
}

function ambiguous(name: string, twins: readonly NamedPlace[]): SrqError {
  const paths = twins.map(({ path }) => path.join('.'));
  const open =
    twins.find(({ path, isCarried }) => path.length > 1 && !isCarried) ?? twins.find(({ path }) => path.length > 1);
  return new SrqError(
    'parameter.not-found',
    `"${name}" may be any of these: ${paths.join(', ')}.`,
    `Say the whole path: --set ${(open?.path ?? [name]).join('.')}=VALUE`,
  );
}

/**
 * Matches words in names of values that are the same in all requests, because they are about the sender or the channel.
 */
const OF_THE_PARTNER =
  /^(?:partners?|accounts?|agency|company|organi[sz]ation|channel|campaign|source|site|tenant|publisher|affiliate|merchant|supplier|vendor|api|app|application|client|form|brand|product|version|template|terms|policy|consent|gdpr|privacy)$/;
/** Matches words in names of values that differ between requests or customers. */
const OF_ONE_REQUEST =
  /^(?:id|uuid|guid|reference|ref|nonce|name|firstname|lastname|fullname|surname|forename|birthday|birthdate|birth|phone|telephone|tel|mobile|mail|email|text|message|description|comments?|subject|address|street|city|zip|postcode|postal|nome|nombre|nom|vorname|nachname|telefone?|telefono|telefon|correo|descri\w*|mensagem|mensaje|nachricht|anfrage|beschreibung|adresse|morada|direccion|indirizzo)$/;

const OF_CUSTOMERS = /^(?:contacts?|customers?|persons?|people|applicants?|leads?)$/;

function questionOf(path: readonly string[], name: string, keywords: JsonObject, shape?: 'object'): Question {
  const { told, example } = toldOf(name, keywords, shape);
  const allowed = allowedValues(keywords);
  const required = `The service requires "${path.join('.')}"${told}`;
  const question = { name: `constant:${name}`, answer: answerFor(name), ...(example !== null && { example }) };
  const words = nameWords(path.at(-1) ?? '');
  if (shape === 'object') {
    const isOfCustomers = words.some((word) => OF_CUSTOMERS.test(word));
    const warning = isOfCustomers ? ' It seems to hold what differs from row to row; srq cannot put that there.' : '';
    return { ...question, text: `${required}. What is its value, as JSON, the same in every request?${warning}` };
  }
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  const isOfOne = has(OF_ONE_REQUEST) && (!has(OF_THE_PARTNER) || has(/^(?:requests?|leads?|orders?|jobs?)$/));
  if (!isOfOne || allowed) {
    const text = `${required}. What is its value, if it is the same in every request? If each row gives it: --set ${name}=`;
    return { ...question, text };
  }
  return {
    ...question,
    text: `${required}, another one in each request; srq knows no column for it and makes none up. Leave the value empty; then each row gives it: srq bulk FILE --set '${name}={COLUMN}'`,
    answer: `--set ${name}=`,
  };
}

/** Returns the question for the value of a placeholder in an address, which no row can give. */
export function addressQuestion(address: string, name: string, keywords: JsonObject): Question {
  const { told, example } = toldOf(name, keywords);
  const text = `The address ${address} holds "${name}"${told}, the same in every request. What is its value?`;
  return { name: `constant:${name}`, text, answer: answerFor(name), ...(example !== null && { example }) };
}

/**
 * Returns the document's description of a value that it does not give, in brackets for people, and an example of the
 * value.
 */
function toldOf(
  name: string,
  keywords: JsonObject,
  shape?: 'object',
): { readonly told: string; readonly example: string | null } {
  const description = textOf(keywords['description']).replace(/\s+/g, ' ').trim().slice(0, 200);
  const allowed = allowedValues(keywords)
    ?.slice(0, 8)
    .map(({ value }) => value);
  const example = isSecretName(name) ? null : exampleOf(keywords, shape);
  const told = [
    ...(description === '' ? [] : [description]),
    ...(allowed
      ? [`one of ${allowed.join(', ')}`]
      : example === null || example.length > MAX_TOLD
        ? []
        : [`for example ${example}`]),
  ];
  return { told: told.length > 0 ? ` (${told.join('; ')})` : '', example };
}

/** Samples for questions contain only what is required. */
const OF_A_REQUEST: SampleUse = { fits: () => true, isMinimal: true };
const MAX_EXAMPLE = 4000;
/** Maximum length of an example within the text of a question. A longer one is provided separately, for programs. */
const MAX_TOLD = 300;

const withoutSecret = (name: string, value: unknown) => (isSecretName(name) ? '***' : value);

/** Returns a value that would fit, or null if the document says nothing that a person could learn from it. */
function exampleOf(keywords: JsonObject, shape: 'object' | undefined): string | null {
  const sample = sampleOf(keywords, OF_A_REQUEST);
  const text = typeof sample === 'string' ? sample : JSON.stringify(sample, withoutSecret);
  const isInvented = shape !== 'object' && (sample === null || text === INVENTED_TEXT);
  return isInvented || text.length > MAX_EXAMPLE ? null : text;
}
