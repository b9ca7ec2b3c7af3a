import { type Contract, callsOf, type Json } from '../../request/contract/contract.ts';
import { isObject } from '../../request/contract/json.ts';
import { readPlace } from '../../request/contract/place.ts';
import { FIELDS } from '../../request/lead/fields.ts';
import { nameWords } from '../../request/words/names.ts';
import type { Answer } from '../network/exchange.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { answerValue, isHtml } from './answer-value.ts';

const MAX_LENGTH = 300;
const MAX_TEXTS = 10;
const MAX_NAME_LENGTH = 200;
/** Depth below which no words are looked for. */
const MAX_DEPTH = 12;
/** Names under which services give the reason, in groups. The first group that has something to say is shown. */
const REASON_NAMES = [['detail'], ['message', 'description', 'title', 'errors'], ['reason'], ['error'], ['code']];
/** Names under which services say what is wrong with which parameter. They are shown in any case. */
const PARAMETER_GROUPS = new Set(['errors', 'details', 'detail', 'params', 'violations', 'fields', 'issues', 'error']);
/** Names of objects around all of that. */
const WRAPPERS = new Set(['error', 'fault', 'problem', 'exception', 'data', 'result', 'response', 'body']);

/**
 * Keys by which an entry of a list names its parameter. {@link REASON_KEYS} are those by which it says what is wrong.
 */
const NAMING = ['field', 'param', 'parameter', 'name', 'property', 'propertyPath', 'path', 'loc', 'pointer', 'source'];
const REASON_KEYS = ['message', 'msg', 'detail', 'reason', 'description', 'defaultMessage', 'title', 'error', 'code'];

/**
 * Reads the service's own words on why it refused. Sent values are redacted, and parameters have the names that the
 * user knows. Returns null if there are no words that a person could read.
 */
export function readErrorText(answer: Answer, sent: Redactor, names: ParameterNames = () => null): string | null {
  const value = answerValue(answer) ?? answer.body;
  // A text that is no data and is not short is a page or a dump.
  if (value === answer.body && (isHtml(answer) || value.length > MAX_LENGTH * 2)) return null;
  const told = typeof value === 'string' ? [sent.redact(value)] : reasons(value, sent, names);
  const line = [...new Set(told)].join('; ').replace(/\s+/g, ' ').trim();
  return line === '' ? null : line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}

/** A text of an answer, with what it is about. */
interface Saying {
  /** The last word of the member's name: `description` of `error_description`. */
  readonly of: string;
  /** The names between that member and the text. */
  readonly named: readonly string[];
  readonly text: string;
}

function reasons(value: Json, sent: Redactor, names: ParameterNames): string[] {
  const all = sayingsIn(Array.isArray(value) ? { errors: value } : value);
  const groups = REASON_NAMES.map((parts) => parts.flatMap((part) => all.filter(({ of }) => of === part)));
  const told = groups.find((group) => group.length > 0)?.slice(0, MAX_TEXTS) ?? [];
  const isKnown = (name: string) => names(name) !== null;
  const about = all.filter(({ of, named }) => PARAMETER_GROUPS.has(of) && named.some(isKnown)).slice(0, MAX_TEXTS);
  // Words that were found both on their own and with their parameter are shown only with it.
  const isSaidAbout = ({ named, text }: Saying) => named.length === 0 && about.some((each) => each.text === text);
  return [...told.filter((each) => !isSaidAbout(each)), ...about].map(({ named, text }) =>
    // A name that the user does not know may repeat what was sent.
    [...named.map((name) => names(name) ?? sent.redact(name)), sent.redact(text)].join(': '),
  );
}

/** Lists the texts of an answer's members, and of the objects around its words. */
function sayingsIn(value: Json, depth = 2): Saying[] {
  if (!isObject(value) || depth < 0) return [];
  const members = Object.entries(value).filter(([name]) => name.length <= MAX_NAME_LENGTH);
  return members.flatMap(([name, inner]) => {
    const of = nameWords(name).at(-1) ?? '';
    const within = WRAPPERS.has(of) ? sayingsIn(inner, depth - 1) : [];
    // A list under the name of a parameter is about it.
    const about = Array.isArray(inner) ? sayings(inner, 'params', [name]) : [];
    return [...sayings(inner, of), ...within, ...about];
  });
}

function sayings(value: Json, of: string, named: readonly string[] = [], depth = MAX_DEPTH): Saying[] {
  if (typeof value === 'string' && value !== '') return [{ of, named, text: value }];
  if (Array.isArray(value) && depth > 0) return value.flatMap((each) => sayings(each, of, named, depth - 1));
  if (!isObject(value) || depth === 0) return [];
  // An entry such as `{"field":"phone","message":"…"}`.
  const entry = NAMING.map((name) => namedBy(value[name])).find((text) => text !== null);
  const wrong = REASON_KEYS.map((name) => value[name]).find((text) => typeof text === 'string' && text !== '');
  if (entry !== undefined && typeof wrong === 'string') return [{ of, named: [entry], text: wrong }];
  return Object.entries(value).flatMap(([name, inner]) => sayings(inner, of, [...named, name], depth - 1));
}

/**
 * Returns the parameter that an entry names: by a name, by a path in parts, or as JSON:API does it with
 * `{"pointer":"/data/attributes/phone"}`.
 */
function namedBy(value: Json | undefined): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (Array.isArray(value)) return value.filter((part) => typeof part === 'string').join('.') || null;
  return isObject(value) ? namedBy(value['pointer'] ?? value['parameter'] ?? value['header']) : null;
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
export function parameterNames(contract: Contract, columnOf: (field: string) => string | null): ParameterNames {
  const byPath = new Map<string, string>();
  const byName = new Map<string, string>(FIELDS.map((field) => [plainName(field), field]));
  const bound = callsOf(contract).flatMap(({ fields }) => Object.entries(fields));
  for (const [place, field] of bound.toReversed()) {
    const { path } = readPlace(place);
    byPath.set(path.map(plainName).join('.'), field);
    byName.set(plainName(path.at(-1) ?? ''), field);
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
  return parts.slice(Math.max(from, 0)).map(plainName);
}

/** Normalises a name for comparison, so that `requestText` and `request_text` are equal. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\d]+/gu, '');
}
