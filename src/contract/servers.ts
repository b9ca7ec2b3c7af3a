import type { ServerSuggestion } from '../request/contract/contract.ts';
import { isObject, type JsonObject, listOf, objectOf, scalarOf, textOf } from '../request/contract/json.ts';
import type { ApiOperation } from './document.ts';
import type { ApiDescription } from './read-document.ts';

const ROOT = 'http://relative.invalid';
const MAX_SERVERS = 20;
const MAX_DESCRIPTION = 300;

/** Returns the address of a server, with the defaults of its variables. */
const urlOf = ({ url, variables }: JsonObject): string =>
  textOf(url).replace(
    /\{([^{}]+)\}/g,
    (whole, name: string) => scalarOf(objectOf(objectOf(variables)[name])['default']) ?? whole,
  );

const serversIn = ({ root }: ApiDescription): JsonObject[] =>
  listOf(root['servers']).slice(0, MAX_SERVERS).map(objectOf);

export const serverUrls = (description: ApiDescription): string[] => serversIn(description).map(urlOf);

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
  return server === undefined ? null : urlOf(server).replace(/\/+$/, '');
}

/** Where an address leads: a path below the base URL, one at the root of its host, or one of another origin. */
export interface Address {
  readonly path: string;
  readonly origin?: string;
}

/** Returns the places that an address may mean: two, if it depends on how a relative address is resolved. */
export function addressesAt(address: string, description: ApiDescription, baseUrl: string | null): Address[] {
  const servers = serverUrls(description);
  const shared = sharedPath(description);
  const text = address.startsWith('//') ? `https:${address}` : address;
  const start = (servers[0] ?? '').replace(/\{[^{}]*\}/g, 'x');
  const resolved = (url: string, base: string) => (URL.canParse(url, base) ? [new URL(url, base)] : []);
  const bases = [start.replace(/\/*$/, '/'), start].flatMap((each) => resolved(each, ROOT));
  const own = [...servers, baseUrl ?? '', ROOT].flatMap((each) => resolved(each, ROOT)).map(({ origin }) => origin);
  const urls = (bases.length > 0 ? bases : [new URL(ROOT)]).flatMap((base) => resolved(text, base.href));
  return [...new Map(urls.map((url) => [url.href, url])).values()].map(({ origin, pathname }) => {
    const path = plainPath(pathname);
    if (!own.includes(origin)) return { path, origin };
    if (shared !== '' && path.startsWith(`${shared}/`)) return { path: path.slice(shared.length) };
    return servers.some((each) => pathOf(each) !== '') ? { path, origin: 'service' } : { path };
  });
}

/** Returns the addresses that a description names. They are suggestions for profiles, no more. */
export const serversOf = (description: ApiDescription): ServerSuggestion[] =>
  serversIn(description)
    .map((server) => ({
      url: urlOf(server).replace(/\/+$/, ''),
      description: textOf(server['description']).slice(0, MAX_DESCRIPTION),
    }))
    .filter(({ url }) => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url));
