import { REQUEST_OPERATION_NAMES } from '../../request/contract/operations.ts';
import { SrqError } from '../../request/words/errors.ts';
import { nameWords } from '../../request/words/names.ts';
import { isObject, listOf, memberOf, objectOf, scalarOf, textOf } from '../documents/json-parts.ts';
import type { Contract, Json, ServerSuggestion, TokenOperation } from '../version-1/contract.ts';
import { isServicePath } from '../version-1/contract-schema.ts';
import type { DocumentReading, OpenApiOperation } from './described-operation.ts';
import type { Findings } from './notebook.ts';

const TEST_WORDS =
  /^(?:sandbox|test|testing|tests|staging|stage|uat|demo|trial|try|trying|dev|development|qa|preprod|preproduction|mock|playground|integration)$/;
const LIVE_WORDS = /^(?:live|prod|production)$/;
const MAX_SERVERS = 20;
const MAX_VARIANTS = 10;

/** Returns the addresses that a document names, one for each value of a variable. They are only suggestions. */
export function serverSuggestions(servers: Json | undefined): ServerSuggestion[] {
  const names = new Set<string>();
  return listOf(servers)
    .slice(0, MAX_SERVERS)
    .flatMap((server) => {
      const description = textOf(objectOf(server)['description']).slice(0, 300);
      return variantsOf(server).flatMap(({ url, words }): ServerSuggestion[] => {
        if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) return [];
        const { hostname } = new URL(url);
        const { isTest, word } = kindOf(description, [...words, ...hostname.split('.')]);
        const name = free(word ?? nameWords(hostname).find((each) => !/^(?:www|api)$/.test(each)) ?? 'service', names);
        return [{ name, url: url.replace(/\/+$/, ''), description, test: isTest }];
      });
    });
}

/** Returns the common path of all servers without a final slash, or `''` if they differ or have none. */
export function sharedPath(servers: Json | undefined): string {
  const paths = listOf(servers)
    .flatMap(variantsOf)
    .map(({ url }) => pathOf(url));
  const [first = ''] = paths;
  return paths.every((each) => each === first) ? first : '';
}

function pathOf(url: string): string {
  const base = 'http://relative.invalid';
  if (!URL.canParse(url, base)) return '';
  return new URL(url, base).pathname.replace(/\/+$/, '');
}

/** Returns a server with each value of its first variable that has several, the default first. */
function variantsOf(server: Json): { url: string; words: readonly string[] }[] {
  const { url, variables } = objectOf(server);
  const members = Object.entries(objectOf(variables)).filter(([, each]) => isObject(each));
  const defaults = new Map(members.map(([name, each]) => [name, scalarOf(objectOf(each)['default']) ?? '']));
  const several = members.find(([, each]) => listOf(objectOf(each)['enum']).length > 1);
  const [name = '', variable] = several ?? [];
  const values = listOf(objectOf(variable)['enum']).flatMap((each) => scalarOf(each) ?? []);
  const ordered = several === undefined ? [''] : [...new Set([defaults.get(name) ?? '', ...values])];
  return ordered.slice(0, MAX_VARIANTS).map((value) => {
    const chosen = new Map([...defaults, ...(several === undefined ? [] : [[name, value] as const])]);
    const filled = textOf(url).replace(/\{([^{}]{1,100})\}/g, (whole, each: string) => chosen.get(each) ?? whole);
    return { url: filled, words: nameWords(value) };
  });
}

/**
 * Tells whether a server is for tests or live. The description decides, or else the host's name. A text that mentions
 * both decides nothing.
 */
function kindOf(description: string, hostWords: readonly string[]): { isTest: boolean | null; word: string | null } {
  for (const words of [nameWords(description), hostWords.flatMap(nameWords)]) {
    const test = words.find((word) => TEST_WORDS.test(word));
    const live = words.find((word) => LIVE_WORDS.test(word));
    if (test !== undefined && live === undefined) return { isTest: true, word: /^try/.test(test) ? 'test' : test };
    if (live !== undefined && test === undefined) return { isTest: false, word: 'live' };
    if (live !== undefined) return { isTest: null, word: null };
  }
  return { isTest: null, word: null };
}

function free(name: string, names: Set<string>): string {
  let free = name;
  for (let count = 2; names.has(free); count += 1) free = `${name}-${count}`;
  names.add(free);
  return free;
}

/** The treatment of the common path of the servers. */
export interface BasePath {
  /** The base path as the contract keeps it, for a base URL that contains it. */
  readonly path: string;
  /** The prefix of each operation's path, for a base URL that does not contain it. */
  readonly before: string;
}

/** Decides where the common path belongs. It is in the base URL unless one is given that does not end with it. */
export function basePathOf({ described }: DocumentReading, baseUrl: string | null, notebook: Findings): BasePath {
  const shared = sharedPath(described.document['servers']);
  if (shared === '') return { path: '', before: '' };
  const isBefore = baseUrl !== null && !pathOf(baseUrl).endsWith(shared);
  const why = isBefore ? 'the base URL does not end with it, so it goes before each path' : 'all servers share it';
  notebook.add('basePath', shared, '/servers', 'certain', why);
  return isBefore ? { path: '', before: shared } : { path: shared, before: '' };
}

/** Puts a path before that of an operation. */
export const withPathPrefix = <T extends { readonly path: string }>(operation: T, before: string): T => ({
  ...operation,
  path: before + operation.path,
});

/** Throws `SrqError('input')` if a path leads outside of the base URL. */
export function requireServicePaths(contract: Contract): void {
  const paths = [...REQUEST_OPERATION_NAMES, 'token' as const].map((name) => contract[name].path);
  const path = [...paths, contract.basePath || '/'].find((each) => !isServicePath(each));
  if (path === undefined) return;
  throw new SrqError(
    'address.outside',
    `The document has the path "${path}", which is not below the base URL.`,
    'Nothing is sent to such an address. Correct it in the document, then: srq contract learn FILE',
  );
}

/** The place where tokens are issued, in the form that the contract has: a path, and where the path begins. */
export type TokenPlace = Pick<TokenOperation, 'path' | 'origin'>;

/**
 * Returns the places that an address for tokens may mean. There is none if the address is invalid, and there may be two
 * if it depends on how a relative address is resolved. If the host is neither a server's nor that of the base URL, it
 * is part of the place.
 */
export function tokenPlaces(
  address: string,
  { described }: DocumentReading,
  base: BasePath,
  baseUrl: string | null,
): TokenPlace[] {
  const servers = listOf(described.document['servers'])
    .flatMap(variantsOf)
    .map(({ url }) => url);
  const text = address.startsWith('//') ? `https:${address}` : address;
  if (/^[a-z][a-z\d+.-]*:/i.test(text)) {
    if (!URL.canParse(text)) return [];
    const { origin, pathname } = new URL(text);
    const isOwn = [...servers, baseUrl ?? ''].some((each) => URL.canParse(each) && new URL(each).origin === origin);
    const path = withBraces(pathname);
    return [isOwn ? placeUnder(path, servers, base) : { path, origin }];
  }
  const [first = ''] = servers;
  const start = first.replace(/\{[^{}]*\}/g, 'x');
  const bases = [start.replace(/\/*$/, '/'), start].map((each) => new URL(URL.canParse(each, ROOT) ? each : '/', ROOT));
  const paths = new Set(bases.flatMap((each) => (URL.canParse(text, each.href) ? [new URL(text, each).pathname] : [])));
  return [...paths].map((path) => placeUnder(withBraces(path), servers, base));
}

const ROOT = 'http://relative.invalid';

/** Restores braces in a path. URLs encode them, but in a document they mark what is to be filled in. */
const withBraces = (path: string): string => path.replace(/%7b/gi, '{').replace(/%7d/gi, '}');

/** Returns a path below another one, or the path itself if it is not below. */
export const withoutPrefix = (path: string, prefix: string): string =>
  path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;

/**
 * Returns the place for a path from the root of the host. It is below the base URL only if it begins with the path of
 * the base URL.
 */
function placeUnder(path: string, servers: readonly string[], base: BasePath): TokenPlace {
  const below = withoutPrefix(path, base.path);
  if (below !== path) return { path: below };
  const hasPath = base.before === '' && servers.some((each) => pathOf(each) !== '');
  return hasPath ? { path, origin: 'service' } : { path };
}

/** Returns the address of the server that an operation or its path names for itself, or null if it names none. */
export function ownServerOf({ described, references }: DocumentReading, operation: OpenApiOperation): string | null {
  const item = references.follow(memberOf(described.document['paths'], operation.path), '/paths').value;
  const [server] = [...listOf(operation.value['servers']), ...listOf(memberOf(item, 'servers'))].filter(isObject);
  return server === undefined ? null : (variantsOf(server)[0]?.url ?? '').replace(/\/+$/, '');
}

/** Returns the servers that an operation names instead of the document's. */
function ownServers({ value }: OpenApiOperation): readonly Json[] {
  return listOf(value['servers']).filter((each) => isObject(each));
}

/** Returns the reading of a document whose servers are those of create, because requests are sent there. */
export function atServersOf(create: OpenApiOperation | null, reading: DocumentReading): DocumentReading {
  const servers = create === null ? [] : ownServers(create);
  if (servers.length === 0) return reading;
  const { described } = reading;
  return { ...reading, described: { ...described, document: { ...described.document, servers } } };
}

/** Notes operations whose servers differ from those of the contract. */
export function noteOwnServers(
  { described }: DocumentReading,
  operations: readonly OpenApiOperation[],
  notebook: Findings,
): void {
  const common = JSON.stringify(described.document['servers']);
  for (const operation of operations) {
    const servers = ownServers(operation);
    if (servers.length > 0 && JSON.stringify(servers) !== common) {
      notebook.note(`${operation.name} names servers of its own. srq sends to the base URL alone.`);
    }
  }
}
