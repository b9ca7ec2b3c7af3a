import type { ServerSuggestion } from '../request/contract/contract.ts';
import { type JsonObject, listOf, objectOf, scalarOf, textOf } from '../request/contract/json.ts';
import type { ApiDescription } from './cut.ts';
import type { ApiOperation } from './document.ts';

const ROOT = 'http://relative.invalid';
const MAX_SERVERS = 20;
const MAX_DESCRIPTION = 300;

/** Returns the servers of a description or of a part of it, with the defaults of their variables. */
function serversIn(...holders: readonly JsonObject[]): ServerSuggestion[] {
  const servers = holders.flatMap((each) => listOf(each['servers'])).slice(0, MAX_SERVERS);
  return servers.map(objectOf).map(({ url, variables, description }) => ({
    url: textOf(url)
      .replace(/\{([^{}]+)\}/g, (all, name: string) => scalarOf(objectOf(objectOf(variables)[name])['default']) ?? all)
      .replace(/\/+$/, ''),
    description: textOf(description).slice(0, MAX_DESCRIPTION),
  }));
}

export const serverUrls = ({ root }: ApiDescription): string[] => serversIn(root).map(({ url }) => url);

/** Returns the address of an operation that has a server of its own, or its path. */
export function addressIn({ root }: ApiDescription, { value, path }: ApiOperation): string {
  const [server] = serversIn(value, objectOf(objectOf(root['paths'])[path]));
  return `${server?.url ?? ''}${path}`;
}

/** Returns the addresses that a description names. They are suggestions for profiles, no more. */
export const serversOf = ({ root }: ApiDescription): ServerSuggestion[] =>
  serversIn(root).filter(({ url }) => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url));

/** Returns the path that all servers of a description have, or `''`. */
export function sharedPath(description: ApiDescription): string {
  const [first = '', ...others] = serverUrls(description).map(pathOf);
  return others.every((each) => each === first) ? first : '';
}

const pathOf = (url: string): string =>
  URL.canParse(url, ROOT) ? plainPath(new URL(url, ROOT).pathname).replace(/\/+$/, '') : '';

const plainPath = (path: string): string => path.replace(/%7b/gi, '{').replace(/%7d/gi, '}');

/** Where an address leads: a path below the base URL, one at the root of its host, or one of another origin. */
export interface Address {
  readonly path: string;
  readonly origin?: string;
}

/** Tells whether an address does not depend on the page on which it stands. */
export const isWhole = (address: string): boolean => /^(?:[a-z][a-z\d+.-]*:|\/)/i.test(address);

/** Returns where an address of a description leads, or null if it is none. One that is not whole is below the base URL. */
export function addressAt(address: string, description: ApiDescription, baseUrl: string | null): Address | null {
  const [servers, shared] = [serverUrls(description), sharedPath(description)];
  const text = isWhole(address) ? address.replace(/^\/\//, 'https://') : `${shared}/${address}`;
  if (!URL.canParse(text, ROOT)) return null;
  const { origin, pathname } = new URL(text, ROOT);
  const own = [...servers, baseUrl ?? ''].filter((each) => URL.canParse(each)).map((each) => new URL(each).origin);
  const path = plainPath(pathname);
  if (origin !== ROOT && !own.includes(origin)) return { path, origin };
  if (shared !== '' && path.startsWith(`${shared}/`)) return { path: path.slice(shared.length) };
  return servers.some((each) => pathOf(each) !== '') ? { path, origin: 'service' } : { path };
}
