import type { Contract, Json, ServerSuggestion } from '../../request/contract.ts';
import { isServicePath } from '../../request/contract-schema.ts';
import { SrqError } from '../../request/errors.ts';
import { nameWords } from '../../request/names.ts';
import { REQUEST_OPERATION_NAMES } from '../../request/operations.ts';
import { isObject, listOf, objectOf, scalarOf, textOf } from '../documents/json-parts.ts';
import type { DocumentReading, OpenApiOperation } from './described-operation.ts';
import { clientCredentialsFlow } from './learn-token.ts';
import type { Findings } from './notebook.ts';

const TEST_WORDS =
  /^(?:sandbox|test|testing|tests|staging|stage|uat|demo|trial|try|trying|dev|development|qa|preprod|preproduction|mock|playground|integration)$/;
const LIVE_WORDS = /^(?:live|prod|production)$/;
const MAX_SERVERS = 20;
const MAX_VARIANTS = 10;

/**
 * Returns the addresses that a document names, with each variant of a variable as one of its own. They are only
 * suggestions.
 */
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
interface BasePath {
  /** The base path as the contract keeps it, for a base URL that contains it. */
  readonly path: string;
  /** The prefix of each operation's path, for a base URL that does not contain it. */
  readonly before: string;
}

/** Decides where the common path belongs. It is in the base URL unless one is given that does not end with it. */
export function basePathOf(
  { described }: DocumentReading,
  token: OpenApiOperation | null,
  baseUrl: string | null,
  notebook: Findings,
): BasePath {
  const shared = sharedPath(described.document['servers']);
  if (shared === '') return { path: '', before: '' };
  const isBefore = baseUrl !== null && !pathOf(baseUrl).endsWith(shared);
  const why = isBefore ? 'the base URL does not end with it, so it goes before each path' : 'all servers share it';
  notebook.add('basePath', shared, '/servers', 'certain', why);
  const outside = token === null && outsidePath(described.document, shared);
  if (!isBefore && baseUrl !== null && outside) {
    notebook.note(
      `Tokens are issued at ${outside}, which is not below the base URL. Log in with a base URL without ${shared}.`,
    );
  }
  return isBefore ? { path: '', before: shared } : { path: shared, before: '' };
}

/** Returns the path of a token address that is outside of the common path of the servers. */
function outsidePath(document: DocumentReading['described']['document'], shared: string): string | null {
  const url = textOf(clientCredentialsFlow(document)?.value['tokenUrl']);
  const path = url === '' ? '' : pathOf(url);
  return path === '' || path.startsWith(`${shared}/`) ? null : path;
}

/** Puts a path before that of an operation. */
export const withPathPrefix = <T extends { readonly path: string }>(operation: T, before: string): T => ({
  ...operation,
  path: before + operation.path,
});

/**
 * Returns the path of the token endpoint under the base URL, or null if the document does not say. An address of
 * another origin than the servers' is never used, because the secret is sent to the base URL only.
 */
export function tokenPathOf(
  { described }: DocumentReading,
  operation: OpenApiOperation | null,
  base: BasePath,
  notebook: Findings,
): string | null {
  if (operation !== null) return base.before + operation.path;
  const flow = clientCredentialsFlow(described.document);
  const url = textOf(flow?.value['tokenUrl']);
  if (flow === null || url === '') return null;
  const origins = serverSuggestions(described.document['servers']).map((server) => new URL(server.url).origin);
  const isAbsolute = URL.canParse(url);
  if (isAbsolute && !origins.includes(new URL(url).origin)) {
    notebook.note(
      'The token address is of another host than the servers. The secret goes nowhere but to the base URL, so it is not used.',
    );
    return null;
  }
  const path = absolutePath(url, described.document['servers']);
  const below = base.path !== '' && path.startsWith(`${base.path}/`) ? path.slice(base.path.length) : path;
  notebook.add('token.path', below, `${flow.pointer}/tokenUrl`, 'certain', 'the client credentials flow');
  return below;
}

/** Throws `SrqError('input')` if a path leads outside of the base URL. */
export function requireServicePaths(contract: Contract): void {
  const paths = [...REQUEST_OPERATION_NAMES, 'token' as const].map((name) => contract[name].path);
  const path = [...paths, contract.basePath || '/'].find((each) => !isServicePath(each));
  if (path === undefined) return;
  throw new SrqError(
    'input',
    `The document has the path "${path}", which is none under the base URL.`,
    'Nothing is sent to such an address. Mend it in the document, then: srq contract learn FILE',
  );
}

/** Resolves a relative address against that of the first server, like a link on a page. */
function absolutePath(url: string, servers: Parameters<typeof sharedPath>[0]): string {
  const [first] = listOf(servers);
  const base = `${textOf(objectOf(first)['url']).replace(/\{[^{}]*\}/g, 'x')}/`;
  const start = URL.canParse(base) ? base : 'http://relative.invalid/';
  return URL.canParse(url, start) ? new URL(url, start).pathname : '/';
}

/** Returns the servers that an operation, or its path, names instead of the document's. */
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

/** Notes operations with servers other than those that the contract has. */
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
