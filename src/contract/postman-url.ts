import type { Json } from '../model/contract.ts';
import type { JsonObject } from './described.ts';
import { isObject, listOf, objectOf, scalarOf } from './json-parts.ts';
import { type Pair, pairsOf } from './postman-format.ts';
import { isUnknown, type Variables } from './postman-variables.ts';

/** Where a request goes. */
export interface Address {
  /** `https://host/prefix` without a final slash; null if a variable holds it that nobody filled. */
  readonly server: string | null;
  /** The variable that holds it; null if it is written out. */
  readonly serverVariable: string | null;
  /** Begins with `/`; `:id` and unknown variables are `{id}`. */
  readonly path: string;
  readonly query: readonly Pair[];
  readonly pathParameters: readonly string[];
}

/** `url`: a text or an object, of either version. */
export function addressOf(url: Json | undefined, where: string, variables: Variables): Address {
  const parts = objectOf(url);
  const raw = scalarOf(isObject(url) ? parts['raw'] : url) ?? composed(parts);
  const [, text = '', search = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(raw) ?? [];
  const query = parts['query'] === undefined ? searchPairs(search, where) : pairsOf(parts['query'], `${where}/query`);
  const [server, rest, serverVariable] = serverAndPath(text.trim(), variables);
  const path = templated(rest);
  const pathParameters = [...path.matchAll(/\{([^{}]+)\}/g)].map((found) => found[1] ?? '');
  return { server, serverVariable, path, query, pathParameters };
}

function composed(url: JsonObject): string {
  const protocol = scalarOf(url['protocol']);
  const host =
    scalarOf(url['host']) ??
    listOf(url['host'])
      .map((each) => scalarOf(each) ?? '')
      .join('.');
  const port = scalarOf(url['port']);
  const steps = listOf(url['path']).map((each) => scalarOf(isObject(each) ? each['value'] : each) ?? '');
  const path = scalarOf(url['path']) ?? steps.join('/');
  const start = `${protocol === null ? '' : `${protocol}://`}${host}${port === null ? '' : `:${port}`}`;
  return `${start}/${path.replace(/^\//, '')}`;
}

function searchPairs(search: string, where: string): Pair[] {
  const rest = { isDisabled: false, description: '', type: '', where };
  // Not by URLSearchParams: it would take the references apart.
  return search.split('&').flatMap((each) => {
    const [name = '', ...value] = each.split('=');
    return name === '' ? [] : [{ name, value: value.join('='), ...rest }];
  });
}

function serverAndPath(text: string, variables: Variables): [string | null, string, string | null] {
  const [, name = null, rest = ''] = /^\{\{([^{}#]{1,200})\}\}(.*)$/s.exec(text) ?? [];
  const path = variables.fill(rest);
  if (name !== null && path.startsWith('/')) return [serverOf(variables.fill(`{{${name}}}`)), path, name.trim()];
  const whole = variables.fill(text);
  const [, scheme = '', host = '', after = ''] = /^([a-z][a-z\d+.-]*:\/\/)?([^/]*)(.*)$/is.exec(whole) ?? [];
  return [serverOf(`${scheme}${host}`), after, name?.trim() ?? null];
}

function serverOf(address: string): string | null {
  const bare = address.trim().replace(/\/+$/, '');
  if (bare === '' || isUnknown(bare)) return null;
  // The client tool takes http if nothing is said; a token never goes there.
  const text = /^https?:\/\//i.test(bare) ? bare : `https://${bare}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function templated(path: string): string {
  const named = path.replace(/\{\{([^{}]{1,200})\}\}/g, '{$1}').replace(/\/:([^/]+)/g, '/{$1}');
  return `/${named.replace(/\/{2,}/g, '/').replace(/^\//, '')}`;
}
