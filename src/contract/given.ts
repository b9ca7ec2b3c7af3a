import type { Guess } from '../request/contract/contract.ts';
import { jsonIn } from '../request/contract/json.ts';
import type { OperationName } from '../request/contract/operations.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';
import { isSecretName } from '../request/words/names.ts';
import type { ApiDescription } from './cut.ts';
import type { ApiOperation } from './document.ts';

/** A question that the description leaves open and only a person can answer. */
export interface Question {
  /** Stable name: `constant:partner_id`, `operation:create`, `idempotency:Idempotency-Key`, … */
  readonly name: string;
  readonly text: string;
  /** The literal flag that answers the question: `--set partner_id=VALUE`. */
  readonly answer: string;
  /** The possible answers, which the text numbers from 1. */
  readonly choices?: readonly string[];
  /** A value as the flag takes it. */
  readonly example?: string;
  /** What counts if nobody answers. Without it, the contract cannot be used before the question is answered. */
  readonly unanswered?: string;
}

/** A question for a value that only a person knows. */
export const valueQuestion = (name: string, text: string): Question => ({
  name: `constant:${name}`,
  text,
  answer: isSecretName(name) ? `--set ${shellWord(name)}=@FILE` : `--set ${shellWord(`${name}=VALUE`)}`,
});

/** A question with numbered choices, each with the words that stand for it. */
export const choiceQuestion = (
  role: OperationName,
  text: string,
  choices: readonly (readonly [value: string, words: string])[],
  answer: string,
): Question => ({
  name: `operation:${role}`,
  text: `${text} ${choices.map(([, words], at) => `${at + 1}. ${words}`).join('; ')}`,
  answer: `--operation ${answer}`,
  choices: choices.map(([value]) => value),
});

const VARIABLE = /\{([^{}]+)\}/g;

/** Returns the names of the variables that an address still has. */
export const variablesIn = (address: string): string[] => [...address.matchAll(VARIABLE)].map(([, name = '']) => name);

/** What is learned from, and what a person said of it. */
export interface Learning {
  readonly description: ApiDescription;
  readonly operations: readonly ApiOperation[];
  readonly values: GivenValues;
  readonly baseUrl: string | null;
}

/** The values that a person gave, which of them were of use, and what the person is asked and told. */
export class GivenValues {
  readonly questions: Question[] = [];
  readonly guesses: Guess[] = [];
  readonly notes: string[] = [];
  readonly #values: Readonly<Record<string, string>>;
  readonly #used = new Set<string>();

  constructor(values: Readonly<Record<string, string>>) {
    this.#values = values;
    for (const [name, value] of Object.entries(values)) if (!isSecretName(name)) refuseNoField(name, value);
  }

  /** A value for both calls is asked once. */
  ask(question: Question): void {
    if (!this.questions.some(({ name }) => name === question.name)) this.questions.push(question);
  }

  /** Returns the answer for one of these names. The case of a header's name says nothing, and a page has it in lower case. */
  of(...names: readonly string[]): string | undefined {
    const plain = (text: string) => (names[0]?.startsWith('header ') ? text.toLowerCase() : text);
    const name = Object.keys(this.#values).find((said) => names.some((each) => plain(each) === plain(said)));
    if (name === undefined) return undefined;
    this.#used.add(name);
    return this.#values[name];
  }

  /** Fills the variables of an address, `/{tenant}/leads`. One that it begins with is a whole address itself. */
  fill(address: string): string {
    return address.replace(VARIABLE, (whole, name: string, at: number) => {
      const value = this.of(name) ?? '';
      return (at === 0 ? value : encodeURIComponent(value)) || whole;
    });
  }

  /**
   * Returns the fields that a person put into places that the description does not have, such as those of a free
   * object. `others` are the names of places of the other call.
   */
  furtherFields(others: readonly string[]): Readonly<Record<string, string>> {
    const named = Object.entries(this.#values).flatMap(([name, value]) => {
      const field = fieldIn(value);
      return this.#used.has(name) || others.includes(name) || field === null ? [] : [[name, field] as const];
    });
    for (const [name] of named) this.#used.add(name);
    return Object.fromEntries(named);
  }

  refuseUnused(): void {
    const name = Object.keys(this.#values).find((each) => !this.#used.has(each));
    if (name === undefined) return;
    throw new SrqError(
      'parameter.not-found',
      `The description has no place "${name}" of its own.`,
      'Leave it out, or name one of the places that --dry-run shows: --set PLACE=VALUE',
    );
  }
}

/** Whoever writes a field in braces does not want the braces sent. JSON has them as well. */
function refuseNoField(name: string, value: string): void {
  if (variablesIn(value).length === 0 || fieldIn(value) !== null || jsonIn(value) !== undefined) return;
  throw new SrqError(
    'parameter.not-allowed',
    `"${value}" is neither a value nor the name of one field.`,
    `A field stands alone, in small letters: --set ${shellWord(`${name}={request_text}`)}`,
  );
}

/** Returns the field that stands in braces, `{email}`, or null if a value is said. */
export const fieldIn = (value: string): string | null => /^\{([a-z_]+)\}$/.exec(value)?.[1] ?? null;
