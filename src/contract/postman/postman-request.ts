import { isSecretName } from '../../request/words/names.ts';
import { isObject, type JsonObject, listOf, objectOf, pointerPart, scalarOf } from '../documents/json-parts.ts';
import type { Json } from '../version-1/contract.ts';
import { answersOf, type PostmanAnswer, responseOf } from './postman-answers.ts';
import { authorizationOf, type NamedSchemes } from './postman-auth.ts';
import { type Body, bodyOf, mergedSchemas } from './postman-body.ts';
import { descriptionOf, groupedBy, type Pair, type PostmanEntry, pairsOf } from './postman-format.ts';
import { isUnknown, type Variables } from './postman-variables.ts';

/** Headers that the connection or the client tool sets itself, or that are described elsewhere. */
const OWN_HEADERS = new Set(
  (
    'content-type content-length accept accept-encoding authorization user-agent host connection cache-control cookie ' +
    'postman-token'
  ).split(' '),
);

/** A request of the collection, as it was read. */
export interface ReadRequest {
  readonly entry: PostmanEntry;
  readonly method: string;
  readonly address: Address;
  readonly authorization: NamedSchemes;
  readonly parameters: readonly (Pair & { readonly in: 'header' | 'query' | 'path' })[];
  /** The body, or a text that says why it cannot be read. */
  readonly body: Body | string | null;
  readonly answers: readonly PostmanAnswer[];
}

/** Reads a request of the collection and fills its variables. */
export function readRequest(entry: PostmanEntry, variables: Variables): ReadRequest {
  const where = `${entry.where}/request`;
  const given = entry.item['request'];
  const request: JsonObject = isObject(given) ? given : { url: given ?? '' };
  const address = addressOf(request['url'], `${where}/url`, variables);
  const headers = pairsOf(request['header'], `${where}/header`);
  const named = headers.filter(({ name }) => !OWN_HEADERS.has(name.toLowerCase()));
  const inPath = address.pathParameters.map((name) => ({
    ...{ name, value: null, isDisabled: false, description: '', type: '', in: 'path' as const },
    where: `${where}/url`,
  }));
  return {
    entry,
    method: (scalarOf(request['method']) ?? 'GET').toLowerCase(),
    address,
    authorization: authorizationOf(entry, headers, address.query, variables),
    parameters: [
      ...named.map((each) => ({ ...each, in: 'header' as const })),
      ...address.query.map((each) => ({ ...each, in: 'query' as const })),
      ...inPath,
    ],
    body: bodyOf(request, where, variables) ?? savedBody(entry, variables),
    answers: answersOf(entry.item, entry.where),
  };
}

/** Returns the body from the first suitable saved answer, because some collections show the body only there. */
function savedBody({ item, where }: PostmanEntry, variables: Variables): Body | null {
  const saved = listOf(item['response']);
  for (const [index, each] of saved.entries()) {
    const answer = objectOf(each);
    if (!/^2\d\d$/.test(scalarOf(answer['code']) ?? '')) continue;
    const body = bodyOf(objectOf(answer['originalRequest']), `${where}/response/${index}/originalRequest`, variables);
    if (body !== null && typeof body !== 'string') return body;
  }
  return null;
}

interface Address {
  /**
   * The address in the form `https://host/prefix`, without a final slash, or null if it is in a variable without a
   * value.
   */
  readonly server: string | null;
  /** The variable that holds the server, or null if the address has no variable for it. */
  readonly serverVariable: string | null;
  /** The path, which begins with `/`. `:id` and unknown variables are written as `{id}`. */
  readonly path: string;
  readonly query: readonly Pair[];
  readonly pathParameters: readonly string[];
}

/** Reads an address. `url` is a text or an object, in both versions. */
function addressOf(url: Json | undefined, where: string, variables: Variables): Address {
  const parts = objectOf(url);
  const raw = scalarOf(isObject(url) ? parts['raw'] : url) ?? composed(parts);
  const [, text = '', search = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(raw) ?? [];
  const query = parts['query'] === undefined ? searchPairs(search, where) : pairsOf(parts['query'], `${where}/query`);
  const [server, rest, serverVariable] = serverAndPath(text.trim(), variables);
  const path = templated(withNamedParts(rest, pairsOf(parts['variable'], ''), variables));
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
  // URLSearchParams is not used, because it would split the references.
  return search.split('&').flatMap((each) => {
    const [name = '', ...value] = each.split('=');
    return name === '' ? [] : [{ name, value: value.join('='), ...rest }];
  });
}

function serverAndPath(text: string, variables: Variables): [string | null, string, string | null] {
  const [, name = null, rest = ''] = /^\{\{([^{}#]{1,200})\}\}(.*)$/s.exec(text) ?? [];
  const path = variables.fillAddress(rest);
  // What directly follows the server is part of the path, even if it is in a variable without a value.
  if (name !== null && /^(?:\/|\{\{)/.test(path)) {
    return [serverOf(variables.fillAddress(`{{${name}}}`)), path.startsWith('/') ? path : `/${path}`, name.trim()];
  }
  const whole = variables.fillAddress(text);
  // A variable may hold the whole address, so the path is not known.
  if (name !== null && rest === '' && isUnknown(whole)) return [null, `/${whole}`, name.trim()];
  const [, scheme = '', host = '', after = ''] = /^([a-z][a-z\d+.-]*:\/\/)?([^/]*)(.*)$/is.exec(whole) ?? [];
  return [serverOf(`${scheme}${host}`), after, name?.trim() ?? null];
}

/** Fills the parts of a path that are named `:part`, if a variable gives their value. */
function withNamedParts(path: string, parts: readonly Pair[], variables: Variables): string {
  return path.replace(/\/:([^/]+)/g, (part, name: string) => {
    const given = parts.find((each) => each.name === name)?.value ?? '';
    const value = given.includes('{{') ? variables.fillAddress(given) : '';
    return value === '' || isUnknown(value) ? part : `/${value}`;
  });
}

function serverOf(address: string): string | null {
  const bare = address.trim().replace(/\/+$/, '');
  if (bare === '' || isUnknown(bare)) return null;
  // The client tool assumes http if there is no scheme. A token is never sent that way, so https is assumed here.
  const text = /^https?:\/\//i.test(bare) ? bare : `https://${bare}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function templated(path: string): string {
  const named = path.replace(/\{\{\s*\$?([^{}]{1,200}?)\s*\}\}/g, '{$1}').replace(/\/:([^/]+)/g, '/{$1}');
  return `/${named.replace(/\/{2,}/g, '/').replace(/^\//, '')}`;
}

/** Maximum number of examples of one operation. More of them teach nothing new. */
const MAX_EXAMPLES = 20;
/**
 * An operation of OpenAPI. `places` gives the place of each of its parts in the collection, by pointers that begin at
 * the operation.
 */
export interface PostmanOperation {
  readonly operation: JsonObject;
  readonly places: ReadonlyMap<string, string>;
}

/** Combines all requests with one method and path to one operation. The first request names it. */
export function describeOperation(
  requests: readonly [ReadRequest, ...ReadRequest[]],
  operationId: string,
  variables: Variables,
): PostmanOperation {
  const [{ entry, authorization }] = requests;
  const places = new Map([['', `${entry.where}/request`]]);
  const parameters = parametersOf(requests, variables, places);
  const content = contentOf(requests, places);
  const responses = responsesOf(requests, places);
  return {
    operation: {
      operationId,
      summary: entry.name,
      description: descriptionOf(objectOf(entry.item['request'])['description'] ?? entry.item['description']),
      ...(entry.folder === '' ? {} : { tags: [entry.folder] }),
      parameters,
      ...(content === null ? {} : { requestBody: { content } }),
      responses,
      security: authorization.length === 0 ? [] : [Object.fromEntries(authorization.map(({ name }) => [name, []]))],
    },
    places,
  };
}

function parametersOf(
  requests: readonly ReadRequest[],
  variables: Variables,
  places: Map<string, string>,
): JsonObject[] {
  const known = new Map<string, JsonObject>();
  for (const { parameters } of requests) {
    for (const each of parameters) {
      const name = variables.fill(each.name);
      const key = `${each.in} ${name.toLowerCase()}`;
      if (known.has(key) || isSecretName(name)) continue;
      places.set(`/parameters/${known.size}`, each.where);
      known.set(key, parameterOf(name, each, variables));
    }
  }
  return [...known.values()];
}

function parameterOf(name: string, pair: ReadRequest['parameters'][number], variables: Variables): JsonObject {
  const value = variables.fill(pair.value ?? '');
  const isMadeUp = /^\{\{\$(?:guid|randomUUID)\}\}$/.test((pair.value ?? '').trim());
  return {
    name,
    in: pair.in,
    ...(pair.in === 'path' ? { required: true } : {}),
    ...(pair.description === '' ? {} : { description: pair.description }),
    schema: {
      type: 'string',
      ...(isMadeUp ? { format: 'uuid' } : {}),
      ...(value === '' || isUnknown(value) ? {} : { example: value }),
    },
  };
}

function contentOf(requests: readonly ReadRequest[], places: Map<string, string>): JsonObject | null {
  const byType = new Map<string, { schema: JsonObject; examples: Json[] }>();
  for (const { body } of requests) {
    if (body === null || typeof body === 'string') continue;
    const known = byType.get(body.mediaType);
    const examples = [...(known?.examples ?? []), ...(body.example === undefined ? [] : [body.example])];
    const schema = known === undefined ? body.schema : mergedSchemas(known.schema, body.schema);
    byType.set(body.mediaType, { schema, examples: examples.slice(0, MAX_EXAMPLES) });
    addBodyPlaces(body, places);
  }
  if (byType.size === 0) return null;
  const content = [...byType].map(([mediaType, { schema, examples }]) => {
    return [mediaType, { schema, ...(examples[0] === undefined ? {} : { example: examples[0] }) }] as const;
  });
  return Object.fromEntries(content);
}

function addBodyPlaces(body: Body, places: Map<string, string>): void {
  const media = `/requestBody/content/${pointerPart(body.mediaType)}`;
  const entries = [...body.parts].map(([name, at]) => [`${media}/schema/properties/${pointerPart(name)}`, at] as const);
  for (const [pointer, at] of [['/requestBody', body.where] as const, [media, body.where] as const, ...entries]) {
    if (!places.has(pointer)) places.set(pointer, at);
  }
}

function responsesOf(requests: readonly ReadRequest[], places: Map<string, string>): JsonObject {
  const byStatus = groupedBy(
    requests.flatMap((each) => each.answers),
    ({ status }) => String(status),
  );
  const responses = [...byStatus].map(([status, answers]) => {
    places.set(`/responses/${status}`, answers[0].where);
    return [status, responseOf(answers.slice(0, MAX_EXAMPLES))] as const;
  });
  return Object.fromEntries(responses);
}
