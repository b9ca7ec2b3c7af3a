import type { Json, ServerSuggestion } from '../request/contract/contract.ts';
import { isObject, type JsonObject, listOf, objectOf, scalarOf, textOf } from '../request/contract/json.ts';
import type { ApiOperation } from './document.ts';
import type { ApiDescription } from './read-document.ts';

const ROOT = 'http://relative.invalid';
const MAX_SERVERS = 20;
const MAX_VARIANTS = 10;
const MAX_DESCRIPTION = 300;

/** Returns the addresses of a server: with the defaults of its variables, and then with their other values. */
function urlsOf({ url, variables }: JsonObject): string[] {
  const filled = (urls: readonly string[], [name, variable]: readonly [string, Json]) => {
    const known = [objectOf(variable)['default'], ...listOf(objectOf(variable)['enum'])];
    const values = [...new Set(known.flatMap((each) => scalarOf(each) ?? []))];
    const filledWith = (text: string) => values.map((value) => text.replaceAll(`{${name}}`, () => value));
    return values.length === 0 ? urls : urls.flatMap(filledWith).slice(0, MAX_VARIANTS);
  };
  const all = Object.entries(objectOf(variables)).slice(0, MAX_SERVERS);
  return [...new Set(all.reduce(filled, [textOf(url)]))];
}

const serversIn = ({ root }: ApiDescription): JsonObject[] =>
  listOf(root['servers']).slice(0, MAX_SERVERS).map(objectOf);

export const serverUrls = (description: ApiDescription): string[] => serversIn(description).flatMap(urlsOf);

/** Returns the path that all servers of a description have, or `''`. */
export function sharedPath(description: ApiDescription): string {
  const [first = '', ...others] = serverUrls(description).map(pathOf);
  return others.every((each) => each === first) ? first : '';
}

const pathOf = (url: string): string =>
  URL.canParse(url, ROOT) ? plainPath(new URL(url, ROOT).pathname).replace(/\/+$/, '') : '';

const plainPath = (path: string): string => path.replace(/%7b/gi, '{').replace(/%7d/gi, '}');

export function ownServer({ root }: ApiDescription, { value, path }: ApiOperation): string | null {
  const item = objectOf(objectOf(root['paths'])[path]);
  const [server] = [...listOf(value['servers']), ...listOf(item['servers'])].filter(isObject);
  return server === undefined ? null : (urlsOf(server)[0] ?? '').replace(/\/+$/, '');
}

/** Where an address leads: a path below the base URL, one at the root of its host, or one of another origin. */
export interface Address {
  readonly path: string;
  readonly origin?: string;
}

/** Returns the places that an address may mean: two, if it depends on how a relative address is resolved. */
export function addressesAt(address: string, description: ApiDescription, baseUrl: string | null): Address[] {
  const servers = serverUrls(description);
  const text = address.startsWith('//') ? `https:${address}` : address;
  const shared = sharedPath(description);
  const under = (pathname: string): Address => {
    const path = plainPath(pathname);
    if (shared !== '' && path.startsWith(`${shared}/`)) return { path: path.slice(shared.length) };
    return servers.some((each) => pathOf(each) !== '') ? { path, origin: 'service' } : { path };
  };
  if (/^[a-z][a-z\d+.-]*:/i.test(text)) {
    if (!URL.canParse(text)) return [];
    const { origin, pathname } = new URL(text);
    const isOwn = [...servers, baseUrl ?? ''].some((each) => URL.canParse(each) && new URL(each).origin === origin);
    return [isOwn ? under(pathname) : { path: plainPath(pathname), origin }];
  }
  const start = (servers[0] ?? '').replace(/\{[^{}]*\}/g, 'x');
  const paths = [start.replace(/\/*$/, '/'), start].flatMap((each) => {
    const base = URL.canParse(each, ROOT) ? new URL(each, ROOT).href : ROOT;
    return URL.canParse(text, base) ? [new URL(text, base).pathname] : [];
  });
  return [...new Set(paths)].map(under);
}

/** Returns the addresses that a description names. They are suggestions for profiles, no more. */
export const serversOf = (description: ApiDescription): ServerSuggestion[] =>
  serversIn(description).flatMap((server) =>
    urlsOf(server)
      .filter((url) => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url))
      .map((url) => ({
        url: url.replace(/\/+$/, ''),
        description: textOf(server['description']).slice(0, MAX_DESCRIPTION),
      })),
  );
