import { type Contract, type Parameter, type Pointer, parametersOf } from '../../request/contract.ts';
import { FIELDS } from '../../request/fields.ts';
import type { RequestOperationName } from '../../request/operations.ts';
import type { Answer } from '../network/exchange.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { type AnswerValue, answerValue, isHtml, members, valuesAt } from './answer-value.ts';

const MAX_LENGTH = 300;
const MAX_TEXTS = 10;
/** Names under which services give the reason, in groups. The first group that has something to say is shown. */
const REASON_NAMES = [['detail'], ['message', 'description', 'title', 'errors'], ['reason'], ['error'], ['code']];
/** Names under which services say what is wrong with which parameter. They are shown in any case. */
const PARAMETER_GROUPS = new Set(['errors', 'details', 'detail', 'params', 'violations', 'fields', 'issues', 'error']);

/**
 * Keys by which an entry of a list names its parameter. {@link REASON_KEYS} are those by which it says what is wrong.
 */
const NAMING = ['field', 'param', 'parameter', 'name', 'property', 'propertyPath', 'path', 'loc', 'pointer', 'source'];
const REASON_KEYS = ['message', 'msg', 'detail', 'reason', 'description', 'defaultMessage', 'title', 'error', 'code'];

/** The part of the service's description that is about refusals. */
export interface DocumentedErrorTexts {
  /** Places of the words. They are searched for if there are none. */
  readonly pointers: readonly Pointer[];
  readonly names: ParameterNames;
}

const NOTHING_DOCUMENTED: DocumentedErrorTexts = { pointers: [], names: () => null };

/**
 * Reads the service's own words on why it refused. Sent values are redacted, and parameters have the names that the
 * user knows. Returns null if there are no words that a person could read.
 */
export function readErrorText(
  answer: Answer,
  sent: Redactor,
  { pointers, names }: DocumentedErrorTexts = NOTHING_DOCUMENTED,
): string | null {
  const value = answerValue(answer);
  const text = value === undefined ? plainText(answer, sent) : new ErrorTextReader(sent, names).text(value, pointers);
  if (text === null) return null;
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? null : line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}

class ErrorTextReader {
  readonly #sent: Redactor;
  readonly #names: ParameterNames;

  constructor(sent: Redactor, names: ParameterNames) {
    this.#sent = sent;
    this.#names = names;
  }

  text(value: AnswerValue, pointers: readonly Pointer[]): string | null {
    const places = pointers.flatMap((pointer) => valuesAt(value, pointer));
    const documented = first(each(places, (place) => this.#texts(place)));
    const groups = REASON_NAMES.map((parts) => parts.flatMap((part) => first(this.#toldUnder(part, value))));
    const told = documented.length > 0 ? documented : (groups.find((group) => group.length > 0) ?? []);
    const about = first(this.#aboutParameters(value));
    // Words that were found both on their own and with their parameter are shown only with it.
    const all = [...told.filter((text) => !about.some((named) => named.endsWith(`: ${text}`))), ...about];
    return all.length > 0 ? [...new Set(all)].join('; ') : typeof value === 'string' ? this.#sent.redact(value) : null;
  }

  #toldUnder(part: string, value: AnswerValue): Iterable<string> {
    const found = members(value).filter(({ words }) => words.at(-1) === part);
    return each(found, (member) => this.#texts(member.value));
  }

  #aboutParameters(value: AnswerValue): Iterable<string> {
    const groups = members(value).filter(({ words }) => PARAMETER_GROUPS.has(words.at(-1) ?? ''));
    const bare = isObject(value) ? Object.entries(value).filter(([, inner]) => Array.isArray(inner)) : [];
    return each([...groups.map((group) => group.value), Object.fromEntries(bare)], (group) => this.#named(group));
  }

  /** Yields the texts about parameters that the user knows. */
  *#named(value: AnswerValue): Iterable<string> {
    if (Array.isArray(value)) yield* each(value.filter(isObject), (inner) => this.#named(inner));
    if (!isObject(value)) return;
    const about = this.#entry(value);
    if (about?.known) yield about.text();
    if (about !== null) return;
    const known = Object.entries(value).filter(([name]) => this.#names(name) !== null);
    yield* each(known, ([name, inner]) => this.#texts(inner, this.#prefix(name)));
  }

  *#texts(value: AnswerValue, prefix = ''): Iterable<string> {
    if (typeof value === 'string' && value !== '') yield prefix + this.#sent.redact(value);
    if (Array.isArray(value)) yield* each(value, (inner) => this.#texts(inner, prefix));
    if (!isObject(value)) return;
    const about = this.#entry(value);
    if (about !== null) yield about.text();
    else yield* each(Object.entries(value), ([name, inner]) => this.#texts(inner, prefix + this.#prefix(name)));
  }

  /** Reads an entry such as `{"field":"phone","message":"…"}`, or returns null for anything else. */
  #entry(value: AnswerObject): { text: () => string; known: boolean } | null {
    const named = NAMING.map((name) => namedBy(value[name])).find((text) => text !== null);
    const wrong = REASON_KEYS.map((name) => value[name]).find((text) => typeof text === 'string' && text !== '');
    if (named === undefined || typeof wrong !== 'string') return null;
    return { text: () => this.#prefix(named) + this.#sent.redact(wrong), known: this.#names(named) !== null };
  }

  /**
   * Returns the name of a parameter as a prefix. A name that the user does not know is redacted, because it may repeat
   * what was sent.
   */
  #prefix(name: string): string {
    return `${this.#names(name) ?? this.#sent.redact(name)}: `;
  }
}

/** Takes the first texts only, because an answer may have a hundred thousand of them. */
function first(texts: Iterable<string>): string[] {
  const shown: string[] = [];
  for (const text of texts) if (shown.push(text) >= MAX_TEXTS) break;
  return shown;
}

function* each<Value>(values: readonly Value[], texts: (value: Value) => Iterable<string>): Iterable<string> {
  for (const value of values) yield* texts(value);
}

type AnswerObject = { readonly [name: string]: AnswerValue };

function isObject(value: AnswerValue | undefined): value is AnswerObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the parameter that an entry names: by a name, by a path in parts, or as JSON:API does it with
 * `{"pointer":"/data/attributes/phone"}`.
 */
function namedBy(value: AnswerValue | undefined): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (Array.isArray(value)) return value.filter((part) => typeof part === 'string').join('.') || null;
  return isObject(value) ? namedBy(value['pointer'] ?? value['parameter'] ?? value['header']) : null;
}

function plainText(answer: Answer, sent: Redactor): string | null {
  return isHtml(answer) || answer.body.length > MAX_LENGTH * 2 ? null : sent.redact(answer.body);
}

/**
 * Returns the user's name of a parameter that an error names: srq's field, with its column if there is one. Returns
 * null if the parameter is unknown.
 */
export type ParameterNames = (named: string) => string | null;

/**
 * Matches the first names of a path that tell where parameters are sent, as FastAPI and JSON pointers write them. They
 * are not part of the parameter's own path.
 */
const CARRIERS = /^(?:body|query|headers?|params?|request|#)$/i;

/**
 * Builds the lookup of the names that services write in errors: `requestText`, `data.attributes.phone`, `data[phone]`,
 * `/data/attributes/phone`, `#/phone`, `body.phone`. The whole path is looked up before its last part. `columnOf`
 * returns the column that a field came from, or null.
 */
export function parameterNames(
  contract: Pick<Contract, RequestOperationName>,
  columnOf: (field: string) => string | null,
): ParameterNames {
  const byPath = new Map<string, string>();
  const byName = new Map<string, string>(FIELDS.map((field) => [folded(field), field]));
  for (const { path, field } of parametersOf(contract).toReversed()) {
    byPath.set(path.map(folded).join('.'), field);
    byName.set(folded(path.at(-1) ?? ''), field);
  }
  return (named) => {
    const parts = partsOf(named);
    const field = byPath.get(parts.join('.')) ?? byName.get(parts.at(-1) ?? '');
    if (field === undefined) return null;
    const column = columnOf(field);
    return column === null ? field : `${field} (column "${column}")`;
  };
}

function partsOf(named: string): string[] {
  const parts = named.split(/[./[\]]+/).filter((part) => part !== '' && !/^\d+$/.test(part));
  const from = parts.findIndex((part) => !CARRIERS.test(part));
  return parts.slice(Math.max(from, 0)).map(folded);
}

/** Normalises a name for comparison, so that `requestText` and `request_text` are equal. */
function folded(name: Parameter['field']): string {
  return name.toLowerCase().replace(/[^\p{L}\d]+/gu, '');
}
