import { isSecretName, SECRET } from '../../request/words/names.ts';
import { isObject, type JsonObject, pointerPart, scalarOf } from '../documents/json-parts.ts';
import type { Json } from '../version-1/contract.ts';

export interface FoundSecret {
  readonly name: string;
  readonly where: string;
  readonly value: string;
}

/** Matches names that documents use as placeholders for a value. */
const GENERIC =
  /^(?:your|my|the)?(?:client|access|api|auth|bearer|partner|user)?(?:secret|password|token|key|apikey|credentials?)(?:here|value)?$/;
/** Settings of an authorization that are not secret. */
const OPEN_SETTINGS = new Set(
  (
    'key in type accessTokenUrl authUrl redirect_uri refreshTokenUrl clientId scope grant_type client_authentication tokenName ' +
    'headerPrefix addTokenTo audience resource tokenType challengeAlgorithm algorithm useBrowser username realm showPassword disabled'
  ).split(' '),
);
/**
 * Minimum length of a secret that is searched for in texts. Replacing shorter ones would mutilate words. Under their
 * own names they are removed all the same.
 */
const MIN_SEARCHED = 5;
const MAX_DEPTH = 200;
/** Maximum number of letters of secrets that are compared with one text. */
const MAX_STEPS = 20_000_000;
/** Matches every name of a secret. Most texts do not match, and need no closer look. */
const HINT = /secret|passw|passph|token|key|authori|credential|signature|cookie|jwt|bearer|session/i;
const NAMED_TEXTS = [
  /"([^"\\\n]{1,100})"[ \t]{0,9}[:,][ \t]{0,9}"([^"\\\n]{1,4000})"/g,
  /'([^'\\\n]{1,100})'[ \t]{0,9}[:,][ \t]{0,9}'([^'\\\n]{1,4000})'/g,
  /(?<![\w.-])([\w.-]{1,100})[ \t]{0,9}=[ \t]{0,9}["']?([^\s&"';,]{1,4000})/g,
  /(?<![\w-])([\w-]{1,100})[ \t]{0,9}:[ \t]{0,9}([^\s"',;{}]{1,4000}(?: [^\s"',;{}]{1,4000})?)/g,
];
const TELLTALES: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, SECRET],
  [/\b(Bearer|Basic) {1,9}(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}/gi, `$1 ${SECRET}`],
  [/:\/\/[^\s/@]{1,500}@/g, '://'],
];

/**
 * The rule by which a value counts as a secret. `named` judges it by its name. `settings` makes it a secret unless its
 * name is known to be harmless. `always` makes it a secret in any case.
 */
type Secrecy = 'named' | 'settings' | 'always';

/** Finds every secret of a document: values under names of secrets, pairs, text bodies, and scripts. */
export function secretsIn(document: Json): FoundSecret[] {
  const found: FoundSecret[] = [];
  const path: string[] = [];
  visit(document, '', 'named');
  return found;

  function visit(value: Json, name: string, secrecy: Secrecy): void {
    if (path.length > MAX_DEPTH) return;
    if (typeof value === 'string') {
      if (isSecret(name, secrecy)) add(name, value);
      else for (const [each, text] of secretsInText(value)) add(each, text);
    } else if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) step(String(index), each, name, secrecy);
    } else if (isObject(value)) {
      for (const [key, each] of Object.entries(value)) {
        step(key, each, nameWithin(value, key), secrecyWithin(value, key, secrecy));
      }
    }
  }

  function step(key: string, value: Json, name: string, secrecy: Secrecy): void {
    path.push(key);
    visit(value, name, secrecy);
    path.pop();
  }

  function add(name: string, text: string): void {
    const where = path.map((part) => `/${pointerPart(part)}`).join('');
    for (const value of partsOf(text)) if (!isPlaceholder(value)) found.push({ name, where, value });
  }
}

function isSecret(name: string, secrecy: Secrecy): boolean {
  if (secrecy === 'named') return isSecretName(name);
  return secrecy === 'always' || !OPEN_SETTINGS.has(name);
}

/** Returns the name that decides about a member. The value of a pair is judged by the name of the pair. */
function nameWithin(holder: JsonObject, key: string): string {
  return (key === 'value' ? (scalarOf(holder['key']) ?? scalarOf(holder['id'])) : null) ?? key;
}

function secrecyWithin(holder: JsonObject, key: string, secrecy: Secrecy): Secrecy {
  if (key === 'value' && holder['type'] === 'secret') return 'always';
  if (key === 'auth' && isObject(holder[key])) return 'settings';
  return secrecy;
}

function secretsInText(text: string): [string, string][] {
  if (!HINT.test(text)) return [];
  return NAMED_TEXTS.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(([, name = '', value = '']): [string, string][] =>
      isSecretName(name) && /\d|[^\w.\s-]|.{16}/.test(value) ? [[name, value]] : [],
    ),
  );
}

/**
 * Returns the secret parts of a text, without the words `Basic` or `Bearer`. An encoded part is returned in plain text
 * as well.
 */
function partsOf(text: string): string[] {
  const [, scheme, rest] = /^(Basic|Bearer|Token|ApiKey)\s+(.*)$/is.exec(text.trim()) ?? [];
  if (rest === undefined || scheme === undefined) return [text.trim()];
  const password = scheme.toLowerCase() === 'basic' ? Buffer.from(rest, 'base64').toString().split(':')[1] : undefined;
  return password === undefined ? [rest] : [rest, password];
}

function isPlaceholder(value: string): boolean {
  if (/^(?:|\{\{[^{}]*\}\}|<[^<>]*>|\[[^[\]]*\]|[*x.•\s-]+|true|false|null|string)$/i.test(value)) return true;
  return GENERIC.test(value.toLowerCase().replace(/[^a-z]/g, '')) && !/\d/.test(value);
}

/** Replaces the values under the names of secrets in a body. Booleans are kept, because they are not secret. */
export function withoutSecrets(value: Json, isSecret = false): Json {
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, isSecret));
  if (isObject(value)) {
    const members = Object.entries(value);
    return Object.fromEntries(
      members.map(([name, each]) => [name, withoutSecrets(each, isSecret || isSecretName(name))]),
    );
  }
  if (!isSecret || typeof value === 'boolean' || value === null) return value;
  return typeof value === 'number' ? 0 : SECRET;
}

/**
 * Returns a function that replaces the secrets, and whatever looks like one, in every text of a value, including names.
 */
export function secretRedactor(secrets: readonly FoundSecret[]): (value: Json) => Json {
  const values = [...new Set(secrets.map((each) => each.value))].filter((each) => each.length >= MIN_SEARCHED);
  values.sort((a, b) => b.length - a.length);
  const replace = secretReplacer(values);
  const clean = (text: string): string =>
    TELLTALES.reduce((each, [pattern, instead]) => each.replace(pattern, instead), replace(text));
  return function redact(value: Json): Json {
    if (typeof value === 'string') return clean(value);
    if (Array.isArray(value)) return value.map(redact);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [clean(name), redact(each)]));
  };
}

/**
 * Returns a function that replaces the values in a text. If several match at one place, the first is replaced. Values
 * are looked up by their first letters, because one pattern of all values could backtrack catastrophically.
 */
function secretReplacer(values: readonly string[]): (text: string) => string {
  const byBeginning = new Map<string, string[]>();
  for (const value of values) {
    const beginning = value.slice(0, MIN_SEARCHED);
    const others = byBeginning.get(beginning);
    if (others) others.push(value);
    else byBeginning.set(beginning, [value]);
  }
  return (text) => {
    const parts: string[] = [];
    let steps = 0;
    let from = 0;
    for (let at = 0; byBeginning.size > 0 && at + MIN_SEARCHED <= text.length; ) {
      const candidates = byBeginning.get(text.slice(at, at + MIN_SEARCHED)) ?? [];
      const found = candidates.find((value) => {
        steps += value.length;
        return text.startsWith(value, at);
      });
      // The rest of a text that was built to take long is cut off.
      if (steps > MAX_STEPS) return [...parts, text.slice(from, at), SECRET].join('');
      if (found === undefined) {
        at += 1;
        continue;
      }
      parts.push(text.slice(from, at), SECRET);
      at += found.length;
      from = at;
    }
    return [...parts, text.slice(from)].join('');
  };
}
