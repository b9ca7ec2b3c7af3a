import type { Json } from '../../request/contract/contract.ts';
import {
  isNumber,
  isOpenTo,
  type KnownForm,
  type KnownPath,
  kindOf,
  OPEN,
} from '../../request/contract/known-answers.ts';
import { isIdentifyingName, nameWords } from '../../request/words/names.ts';
import type { Answer } from '../network/exchange.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { answerValue, readableKind } from './answer-value.ts';
import { bounded, type FormValue, IDENTIFIER, isCode, MAX_IDENTIFIER_LENGTH, normal, same } from './compared-text.ts';

/**
 * The form of an answer: its status, its media type, and every place in it with its values. Two answers with one form say
 * the same, whatever their words mean. List positions are written `*`.
 */
export interface Form {
  readonly status: number;
  readonly type: string;
  readonly paths: ReadonlyMap<string, readonly FormValue[]>;
  /** Values that may name the request, the outermost first. */
  readonly identifiers: readonly Identifier[];
  /** Returns the form as a person reads it: `201 application/json {"id":#,"state":"queued"}`. */
  readonly text: () => string;
}

/** A value of an answer that may name the request. */
export interface Identifier {
  readonly place: string;
  readonly name: string;
  readonly text: string;
  /** Whether it is called an id, or is the address of what was created, and has a digit. */
  readonly isCertain: boolean;
}

/** What is known of an operation before its answer is read. */
export interface FormRules {
  /** Places that are named like an identifier and had the same value for two requests. */
  readonly shared: readonly string[];
  /** Places of identifiers by the API description. */
  readonly documented: readonly string[];
  /** Whether what is named is new. Validate may name a request of years ago, whose identifier looks otherwise. */
  readonly isNew: boolean;
  /** Path of the operation, below which the address of something new lies. */
  readonly path: string;
}

const MAX_PATHS = 100;
/** Maximum number of different values at one place, as of the elements of a list. */
const MAX_VALUES_AT = 1_000;
const MAX_DEPTH = 12;
/** Maximum number of words with digits in a text that are compared one by one. */
const MAX_NUMBERED = 20;
/** The place of the words with digits in a text. Times and short numbers are left out. */
export const NUMBERED_WORDS = '@words';
/** Maximum number of flags that are compared together. More of them have too many combinations for a person to explain. */
const MAX_FLAGS = 3;
/** The place of all flags together. */
const FLAGS = '@flags';
/** The place of the `Location` header among those of a form. */
export const LOCATION = '@location';
/**
 * Returns the form of an answer, or null if it has none: a page, an answer that was cut or cannot be read, one with too
 * many members, a list that may be a record, a `Location` with more than a path. An answer without a form proves nothing.
 */
export function formOf(answer: Answer, sent: Redactor, rules: FormRules): Form | null {
  const kind = readableKind(answer);
  if (kind === null) return null;
  const text = answer.body.trim().replace(XML_DECLARATION, '');
  const { status, headers } = answer;
  const found = new FormReader(sent, rules).read(answerValue(answer) ?? text, headers['location'], status);
  if (found === null) return null;
  const [type = ''] = kind === 'empty' ? [] : (headers['content-type'] ?? '').toLowerCase().split(';', 1);
  const head = [String(status), type.trim()];
  return { status, type: type.trim(), ...found, text: () => shownForm(head, text || 'empty', sent) };
}

/** It says what the text is written in, and nothing of the request. */
const XML_DECLARATION = /^<\?xml\s[^>]*>\s*/i;

class FormReader {
  readonly #paths = new Map<string, FormValue[]>();
  readonly #identifiers: Identifier[] = [];
  /** What the answer names the request by. */
  readonly #names = new Set<string>();
  #isTooLong = false;
  readonly #sent: Redactor;
  readonly #rules: FormRules;

  constructor(sent: Redactor, rules: FormRules) {
    this.#sent = sent;
    this.#rules = rules;
  }

  read(top: Json, location: string | undefined, status: number): Pick<Form, 'paths' | 'identifiers'> | null {
    if (/[?#;]/.test(location ?? '') || !this.#visit('', '', top, 0)) return null;
    if (this.#identifiers.length > 0 && typeof top === 'object') this.#withoutNames(top);
    if (this.#rules.isNew) this.#addFlags();
    if (location !== undefined) this.#visitLocation(location, status);
    return { paths: this.#paths, identifiers: this.#identifiers };
  }

  #visit(path: string, name: string, value: Json, depth: number): boolean {
    if (this.#isTooLong || this.#paths.size > MAX_PATHS || depth > MAX_DEPTH) return false;
    const below = path === '' ? '' : `${path}.`;
    if (Array.isArray(value)) {
      if (mayBeRecord(value, path === '')) return false;
      const said = this.#rules.isNew && value.length > 0 ? `list ${this.#together(value, depth)}` : null;
      this.#add(path, said === null ? this.#compared(path, name, value) : same(bounded(said)));
      return value.every((each) => this.#visit(`${below}*`, name, each, depth + 1));
    }
    this.#add(path, this.#compared(path, name, value));
    if (typeof value !== 'object' || value === null) return true;
    return Object.entries(value).every(([inner, each]) =>
      this.#visit(below + this.#nameOf(inner), inner, each, depth + 1),
    );
  }

  /**
   * Returns what the members of a list say together, numbers aside. So a list that lacks a member says something else, and so
   * does one whose members have each other's flags, or whose words stand in another order. Members that say the same count
   * once.
   */
  #together(value: Json, depth: number): string {
    if (depth > MAX_DEPTH) return '';
    if (Array.isArray(value)) {
      const said = [...new Set(value.map((each) => this.#together(each, depth + 1)))];
      return `[${value.some((each) => typeof each === 'object' && each !== null) ? said.toSorted() : said}]`;
    }
    if (typeof value === 'object' && value !== null) {
      const said = ([name, each]: [string, Json]) => `${this.#nameOf(name)}:${this.#together(each, depth + 1)}`;
      return `{${Object.entries(value).map(said).toSorted()}}`;
    }
    const text = scalar(value, this.#sent, this.#names).kept();
    return /^(?:number|token)$/.test(kindOf(text)) ? '#' : text;
  }

  /** Returns a member's name as it is kept. One in the style of programs is the service's own, even if it has a sent word. */
  #nameOf(name: string): string {
    const isOwn = MEMBER_NAME.test(name) && !this.#sent.isSentValue(name.toLowerCase());
    return isOwn ? name.toLowerCase() : normal(name, this.#sent, this.#names).kept();
  }

  #add(path: string, value: FormValue): void {
    const values = this.#paths.get(path);
    if (values === undefined) this.#paths.set(path, [value]);
    else if (!values.some(({ plain }) => plain === value.plain)) {
      values.push(value);
      this.#isTooLong ||= values.length > MAX_VALUES_AT;
    }
  }

  /** Adds the flags as one value, as `{"queued":false,"sold":false}` may be refused where each alone is not. */
  #addFlags(): void {
    const isFlag = ([, [value, ...more]]: [string, readonly FormValue[]]) =>
      more.length === 0 && /^(?:true|false)$/.test(value?.plain ?? '');
    const flags = [...this.#paths].filter(isFlag).map(([place, [value]]) => `${place} ${value?.plain}`);
    if (flags.length > 1 && flags.length <= MAX_FLAGS) this.#add(FLAGS, same(bounded(flags.toSorted().join(', '))));
  }

  /** Compares the values once more, so that a sentence which repeats an identifier does not differ by it. */
  #withoutNames(top: Json): void {
    for (const { text } of this.#identifiers.splice(0)) this.#names.add(text.toLowerCase());
    this.#paths.clear();
    this.#visit('', '', top, 0);
  }

  /** Returns a value as it is compared. Of what names the request only that it does so is. */
  #compared(place: string, name: string, value: Json): FormValue {
    if (place === '' && typeof value === 'string') {
      const token = this.#noteToken(value);
      if (token === value.trim()) return this.#named(token);
      return normal(token === null ? value : value.replaceAll(token, IDENTIFIER), this.#sent, this.#names);
    }
    return this.#noteIdentifier(place, name, value)
      ? this.#named(String(value))
      : scalar(value, this.#sent, this.#names);
  }

  /**
   * Returns an identifier as it is compared: the words before its number or its random text. So neither `ERR-51` nor `failed`
   * looks like `R-4711`, and `test_9f3a` not like `live_a93f`.
   */
  #named(text: string): FormValue {
    if (!this.#rules.isNew) return same(IDENTIFIER);
    const trimmed = text.trim();
    const [, head = '', rest = ''] = /^(\D*)(.*)$/s.exec(trimmed) ?? [];
    const [prefix = ''] = /^(?:(?:[a-z]{2,}|[A-Z]{2,})[^a-zA-Z\d]+)*/.exec(trimmed) ?? [];
    const isWord = /[^a-z]$/i.test(head) || /^\d*$/.test(rest);
    const words = isWord || prefix === trimmed ? head : prefix;
    return same(`${IDENTIFIER} ${bounded(words.toLowerCase())}${words === trimmed ? '' : '#'}`);
  }

  /**
   * Notes a value that may be the identifier. Returns true if the value has no other meaning, so that it is not
   * compared.
   */
  #noteIdentifier(place: string, name: string, value: Json): boolean {
    if (typeof value !== 'string' || this.#rules.shared.includes(place)) return false;
    const isDocumented = this.#rules.documented.includes(place);
    const words = isDocumented ? [] : nameWords(name);
    if (!isDocumented && (words.at(-1) === 'code' || !isIdentifyingName(words))) return this.#namesElse(words, value);
    if (!mayIdentify(value) || this.#sent.isSentValue(value) || (!isDocumented && this.#sent.repeatsSent(value)))
      return false;
    const isCertain = isDocumented || (CERTAIN_NAME.test(words.at(-1) ?? '') && /\d/.test(value));
    this.#identifiers.push({ place, name, text: value, isCertain });
    return true;
  }

  /** Tells whether a value identifies something else than the request, such as a call: it differs and means nothing. */
  #namesElse(words: readonly string[], value: string): boolean {
    return CERTAIN_NAME.test(words.at(-1) ?? '') && !words.some((word) => TELLING.test(word)) && mayIdentify(value);
  }

  /**
   * Returns the only word with a digit of a short text, short numbers and times aside. It may name the request: `Created as
   * R-4711`. Several are compared each by itself, as is one that does not differ between requests.
   */
  #noteToken(text: string): string | null {
    if (text.length > MAX_IDENTIFIER_LENGTH) return null;
    const tokens = text.split(/[\s,;:=#|"'()<>]+/).map((each) => each.replace(/[.!?]+$/, ''));
    const numbered = tokens.filter(
      (each) => /\d/.test(each) && !SAYS_LITTLE.test(each) && !this.#sent.repeatsSent(each) && mayIdentify(each),
    );
    const [token, ...more] = numbered;
    if (token === undefined) return null;
    if (more.length > 0 || this.#rules.shared.includes(NUMBERED_WORDS)) {
      // Each is compared by itself, as one may be a code that never changes, and another a number that always does.
      for (const [at, each] of numbered.slice(0, MAX_NUMBERED).entries())
        this.#add(`${NUMBERED_WORDS}.${at}`, same(each.toLowerCase()));
      return null;
    }
    this.#add(NUMBERED_WORDS, this.#named(token));
    this.#identifiers.push({ place: NUMBERED_WORDS, name: 'id', text: token, isCertain: false });
    return token;
  }

  #visitLocation(location: string, status: number): void {
    const path = location.replace(/^[a-z]+:\/\/[^/]*/i, '');
    const parts = path
      .split('/')
      .map((part) => (/\d/.test(part) && !isCode(part) ? '#' : normal(part, this.#sent, this.#names).kept()));
    const last = path.split('/').at(-1) ?? '';
    const isBelow = liesBelow(path, this.#rules.path);
    const isNew = (/\d/.test(last) || isBelow) && mayIdentify(last) && !this.#sent.repeatsSent(last);
    if (isNew && !this.#rules.shared.includes(LOCATION)) {
      const isCertain = (status === 201 || status >= 400) && /\d/.test(last) && isBelow;
      this.#identifiers.push({ place: LOCATION, name: 'id', text: last, isCertain });
      parts[parts.length - 1] = this.#named(last).plain;
    }
    this.#add(LOCATION, same(bounded(parts.join('/'))));
  }
}

/** Matches words of a sentence that do not name a request: short numbers, times, dates. */
const SAYS_LITTLE = /^\D?\d{1,3}\D?$|\d[:/.]\d|^\d{4}-\d\d-\d\d/;
const MEMBER_NAME = /^[a-z_$][a-z_$-]{0,60}\d{0,2}$/i;
const CERTAIN_NAME = /^(?:id|uid|uuid|guid)$/;
/** Matches words of names whose identifiers may tell what became of a request: `status_id`. */
const TELLING = /^(?:status|state|result|outcome|code|reason|error|err|type|kind|category)$/;
/** Matches what services write where they have no identifier, and what identifies nothing: a time, a fraction. */
const NO_IDENTIFIER =
  /^(?:0+|-.*|\d+\.\d+|null|none|nil|undefined|nan|n\/a|true|false|[0-]+)$|^\d{4}-\d\d-\d\d|^\d\d?[:/.]\d\d/i;

/** Tells whether a value can identify anything. */
function mayIdentify(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed.length > MAX_IDENTIFIER_LENGTH || NO_IDENTIFIER.test(trimmed)) return false;
  return /^[^\s\p{C}]*[\p{L}\p{N}][^\s\p{C}]*$/u.test(trimmed);
}

/** Tells whether an address is that of a resource which a create at `path` makes: `/v1/request/7` for `/v1/request/create`. */
function liesBelow(address: string, path: string): boolean {
  const parents = [path, path.slice(0, path.lastIndexOf('/'))].filter((each) => each !== '');
  return parents.some((each) => address.includes(`${each}/`));
}

/** Tells whether a list may be a record without names, as `[0,4711,"ok"]` is: it is the whole answer, or mixes kinds of values. */
function mayBeRecord(list: readonly Json[], isWhole: boolean): boolean {
  const typeOf = (each: Json) => (typeof each === 'string' && isNumber(each) ? 'number' : typeof each);
  const kinds = new Set(list.map((each) => (each === null ? 'null' : typeOf(each))));
  return list.length > 1 && !kinds.has('object') && (isWhole || kinds.size > 1);
}

function scalar(value: Json, sent: Redactor, names: ReadonlySet<string>): FormValue {
  if (value === null || typeof value === 'boolean') return same(String(value));
  if (Array.isArray(value)) return same(value.length === 0 ? '[]' : 'list');
  return typeof value === 'string' ? normal(value, sent, names) : same('object');
}

const MAX_SHOWN = 300;
/** Matches the numbers of a text, and UUIDs. Short numbers that are members of an object are caught by themselves, as they may be codes. */
const NUMBERS = /((?<=":\s*"?)-?\d{1,3}(?:\.\d{1,3})?(?="?\s*[,}]))|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{2,}/gi;

/** Shows an answer without what was sent, and with `#` for its numbers. */
function shownForm(head: readonly string[], body: string, sent: Redactor): string {
  const said = sent.redact(body).replace(NUMBERS, (_, code) => code ?? '#');
  const text = [...head, said.replace(/\s+/g, ' ').trim()].filter((part) => part !== '').join(' ');
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Tells whether a form is one that was seen before: no place is new, none that was always there is missing, and no value is new. */
export function matches(known: KnownForm, form: Form): boolean {
  return known.status === form.status && isOfForm(known, form);
}

/**
 * Tells whether an answer looks like those of a known form but for its status: it has the same places, with values that were
 * seen there or, where they differ or name something, of a kind that was.
 */
export function looksLike(known: KnownForm, form: Form): boolean {
  const paths = Object.entries(known.paths).map(([path, seen]): [string, KnownPath] => {
    const differs = (value: string) => seen.values.length > 1 || kindOf(value) === 'token';
    const kinds = seen.values.filter(differs).map((value) => OPEN + kindOf(value));
    return [path, { ...seen, values: [...seen.values, ...kinds] }];
  });
  // A redirect says where to go in its header, and what became of the request in its body.
  const inBody = ([path]: [string, unknown]) => path !== LOCATION;
  const body = { ...form, paths: new Map([...form.paths].filter(inBody)) };
  return isOfForm({ ...known, paths: Object.fromEntries(paths.filter(inBody)) }, body);
}

function isOfForm(known: KnownForm, { type, paths }: Form): boolean {
  if (known.type !== type) return false;
  for (const [path, values] of paths) {
    const seen = known.paths[path];
    if (seen === undefined || !values.every((value) => isSeen(seen, value))) return false;
  }
  return Object.entries(known.paths).every(([path, { count }]) => count < known.count || paths.has(path));
}

/**
 * Returns the values of an answer at places of a known form where every answer so far had another one, as an identifier under
 * any name has. A text with a digit at an open place is a token: it is taken for an identifier.
 */
export function uniqueValues(known: KnownForm, { paths }: Form) {
  return [...paths].flatMap(([place, values]) => {
    const seen = known.paths[place];
    const [value, ...more] = values;
    if (seen === undefined || value === undefined || more.length > 0 || place.includes('*')) return [];
    const { plain: text } = value;
    const isOpen = isOpenFor(seen, value);
    if (!isOpen && !(seen.count > 1 && seen.values.length === seen.count)) return [];
    return [{ place, text, isToken: isOpen && kindOf(text) === 'token' }];
  });
}

/** Tells whether a value is one that a place has shown, or is like the values of an open place. */
export function isSeen(seen: KnownPath, value: FormValue): boolean {
  return seen.values.includes(value.plain) || seen.values.includes(value.kept()) || isOpenFor(seen, value);
}

const isOpenFor = (seen: KnownPath, { plain, kept }: FormValue) => isOpenTo(seen, plain) || isOpenTo(seen, kept());

export function keptForm(form: Form): Pick<KnownForm, 'status' | 'type' | 'paths' | 'count' | 'text'> {
  const { status, type, text } = form;
  const kept = (values: readonly FormValue[]) => ({ values: values.map((each) => each.kept()), count: 1 });
  const paths = [...form.paths].map(([path, values]) => [path, kept(values)]);
  return { status, type, count: 1, text: text(), paths: Object.fromEntries(paths) };
}

/** Returns the places of a known form where the request is named. */
export function identifierPlaces({ paths }: KnownForm): string[] {
  return Object.keys(paths).filter((path) =>
    paths[path]?.values.some((value) =>
      path === LOCATION ? value.includes(IDENTIFIER) : value.startsWith(IDENTIFIER),
    ),
  );
}
