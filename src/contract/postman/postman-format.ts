import { isObject, type JsonObject, listOf, objectOf, pointerPart, scalarOf } from '../documents/json-parts.ts';
import type { Json } from '../version-1/contract.ts';

/** Maximum depth of folders. Real collections are not deeper. */
const MAX_FOLDER = 50;

/**
 * A named value, in the form that collections use everywhere: for headers, parameters, and settings of an
 * authorization.
 */
export interface Pair {
  readonly name: string;
  /** The value, or null if none is given or it is not a scalar. */
  readonly value: string | null;
  readonly isDisabled: boolean;
  readonly description: string;
  /** The type: `text`, `file`, `secret`, …, or `''` if it is not given. */
  readonly type: string;
  readonly where: string;
}

/** A request of the collection with what it inherits from its folders. */
export interface PostmanEntry {
  readonly name: string;
  readonly item: JsonObject;
  readonly where: string;
  readonly auth: { readonly settings: JsonObject; readonly where: string } | null;
  readonly folder: string;
}

/** A script of the collection, which is never run. */
export interface Script {
  readonly text: string;
  readonly where: string;
}

/** The contents of a collection, with its folders expanded. */
interface Contents {
  readonly entries: readonly PostmanEntry[];
  readonly scripts: readonly Script[];
  /** Whether some of the contents are in folders too deep to be read. */
  readonly isCut: boolean;
}

/** Reads a description, which is a text or `{ content }`. */
export function descriptionOf(value: Json | undefined): string {
  return (scalarOf(isObject(value) ? value['content'] : value) ?? '').slice(0, 4000);
}

/** Groups values by key, and keeps their order. */
export function groupedBy<T>(values: readonly T[], key: (value: T) => string): Map<string, [T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group === undefined) groups.set(key(value), [value]);
    else group.push(value);
  }
  return groups;
}

/** Reads pairs from a list (as in 2.1), an object (as in 2.0), or a text with one header per line. */
export function pairsOf(value: Json | undefined, where: string): Pair[] {
  if (typeof value === 'string') return headerLines(value, where);
  if (isObject(value)) {
    return Object.entries(value).map(([name, each]) => ({
      ...{ name, value: scalarOf(each), isDisabled: false, description: '', type: '' },
      where: `${where}/${pointerPart(name)}`,
    }));
  }
  return listOf(value).flatMap((each, index) => {
    const at = `${where}/${index}`;
    if (typeof each === 'string') return headerLines(each, at);
    const pair = objectOf(each);
    const name = scalarOf(pair['key']) ?? scalarOf(pair['id']) ?? '';
    return name === '' ? [] : [pairOf(name, pair, at)];
  });
}

function pairOf(name: string, pair: JsonObject, where: string): Pair {
  return {
    name,
    value: scalarOf(pair['value']),
    // An environment has `enabled`, and a collection has `disabled`.
    isDisabled: pair['disabled'] === true || pair['enabled'] === false,
    description: descriptionOf(pair['description']),
    type: scalarOf(pair['type']) ?? '',
    where,
  };
}

function headerLines(text: string, where: string): Pair[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const colon = line.indexOf(':');
    if (colon < 1) return [];
    const [name, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    return [{ name, value, isDisabled: false, description: '', type: '', where }];
  });
}

/** Returns the enabled pair with a name, in any case. */
export function pairNamed(pairs: readonly Pair[], name: string): Pair | undefined {
  return pairs.find((each) => !each.isDisabled && each.name.toLowerCase() === name);
}

/** Collects all requests and scripts, in their order. */
export function contentsOf(collection: JsonObject): Contents {
  const entries: PostmanEntry[] = [];
  const scripts: Script[] = [];
  let isCut = false;
  visit(collection, '', null, '', 0);
  return { entries, scripts, isCut };

  function visit(
    parent: JsonObject,
    where: string,
    inherited: PostmanEntry['auth'],
    folder: string,
    depth: number,
  ): void {
    const auth = authOf(parent, where) ?? inherited;
    addScripts(parent, where);
    for (const [index, each] of listOf(parent['item']).entries()) {
      const item = objectOf(each);
      const at = `${where}/item/${index}`;
      const name = scalarOf(item['name']) ?? '';
      if (item['request'] !== undefined) {
        const own = isObject(item['request']) ? authOf(item['request'], `${at}/request`) : null;
        entries.push({ name, item, where: at, auth: own ?? auth, folder });
        addScripts(item, at);
      } else if (depth === MAX_FOLDER) isCut ||= Array.isArray(item['item']);
      else visit(item, at, auth, name, depth + 1);
    }
  }

  function addScripts(holder: JsonObject, where: string): void {
    for (const [index, each] of listOf(holder['event']).entries()) {
      const lines = objectOf(objectOf(each)['script'])['exec'];
      const text =
        scalarOf(lines) ??
        listOf(lines)
          .map((line) => scalarOf(line) ?? '')
          .join('\n');
      if (text.trim() !== '') scripts.push({ text, where: `${where}/event/${index}` });
    }
  }
}

/** Returns the authorization settings of a request or folder, or null if they are inherited. */
function authOf(holder: JsonObject, where: string): PostmanEntry['auth'] {
  const settings = holder['auth'];
  if (!isObject(settings) || typeof settings['type'] !== 'string' || settings['type'] === 'inherit') return null;
  return { settings, where: `${where}/auth` };
}
