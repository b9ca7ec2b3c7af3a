import type { Contract } from '../model/contract.ts';
import { SrqError } from '../model/errors.ts';
import { REQUEST_OPERATION_NAMES } from '../model/operations.ts';
import { isServicePath } from '../model/service-path.ts';
import type { DocumentReading, OpenApiOperation } from './described-operation.ts';
import { listOf, objectOf, textOf } from './json-parts.ts';
import { clientCredentialsFlow } from './learn-token.ts';
import type { Findings } from './notebook.ts';
import { pathOf, serverSuggestions, sharedPath } from './servers.ts';

/** How the path that all servers share is accounted for. */
interface BasePath {
  /** As the contract keeps it: the base URL has it. */
  readonly path: string;
  /** What goes before each operation's path: the base URL does not have it. */
  readonly before: string;
}

/** The base URL has the shared path unless one is given that does not end with it. */
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

/** The path of a token address that is not below what the servers share. */
function outsidePath(document: DocumentReading['described']['document'], shared: string): string | null {
  const url = textOf(clientCredentialsFlow(document)?.value['tokenUrl']);
  const path = url === '' ? '' : pathOf(url);
  return path === '' || path.startsWith(`${shared}/`) ? null : path;
}

export const prefixed = <T extends { readonly path: string }>(operation: T, before: string): T => ({
  ...operation,
  path: before + operation.path,
});

/**
 * Where tokens are issued, under the base URL; null if the document does not say. An address of another origin than the
 * servers' is never used: the secret goes nowhere but to the base URL.
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

/** Throws `SrqError('input')` for a path that leads elsewhere than under the base URL. */
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

/** A relative address goes on from the first server's, as a link on a page would. */
function absolutePath(url: string, servers: Parameters<typeof sharedPath>[0]): string {
  const [first] = listOf(servers);
  const base = `${textOf(objectOf(first)['url']).replace(/\{[^{}]*\}/g, 'x')}/`;
  const start = URL.canParse(base) ? base : 'http://relative.invalid/';
  return URL.canParse(url, start) ? new URL(url, start).pathname : '/';
}
