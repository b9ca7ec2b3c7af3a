import type { Json } from '../request/contract/contract.ts';
import { isObject, type JsonObject, jsonIn, listOf, objectOf, scalarOf, textOf } from '../request/contract/json.ts';
import { isSecretName, SECRET } from '../request/words/names.ts';
import { schemaOf } from './sample.ts';

/** A named value. Collections have them as lists of pairs and as objects. */
interface Pair {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
  readonly isFile: boolean;
}

interface Request {
  readonly server: string;
  readonly path: string;
  readonly item: JsonObject;
  readonly schemes: JsonObject;
}

/** Fills the variables of a text. */
type Fill = (text: string) => string;

const METHODS = /^(?:get|put|post|delete|patch|head|options)$/;
/** Headers that the connection sets, and keys that are made for one request or one session. */
const OWN_HEADERS = /^(?:content-type|accept|user-agent|postman-token)$/i;
const PASSING = /signature|csrf|xsrf|nonce|cookie|session|idempoten|^(?:proxy-)?authorization$/i;
const TOKEN_REQUEST = /^grant_?type$/i;
const MAX_REQUESTS = 1000;
const MAX_FOLDERS = 50;
const MAX_RAW = 200_000;
const MAX_VALUE = 10_000;
const MAX_VARIABLES_DEEP = 5;

/**
 * Converts a Postman collection to the shape of OpenAPI. It shows examples, so nothing in it is required. Of what was sent
 * only names and types are taken over, of answers no value under the name of a secret. No script is run.
 */
export function fromPostman(
  given: JsonObject,
  environment: JsonObject,
): { readonly document: JsonObject; readonly notes: readonly string[] } {
  const requests = requestsIn(given, variablesOf(given, environment));
  const withServer = requests.filter(({ server }) => server !== '');
  const main = (withServer.find(({ path }) => !/token|oauth/i.test(path)) ?? withServer[0])?.server ?? '';
  const paths: Record<string, JsonObject> = {};
  for (const { path, server, item } of requests) {
    const own = server === main || server === '' ? item : withServers(item, server);
    // Of several requests to one address the first counts.
    paths[path] = { ...own, ...paths[path] };
  }
  const [, unknown] = requests.flatMap(({ server }) => /^\{\{([^{}]+)\}\}/.exec(server) ?? []);
  const names = [...new Set([...secretNames(given), ...secretNames(environment)])].slice(0, 10).join(', ');
  return {
    document: {
      openapi: '3.1.0',
      servers: URL.canParse(main) ? [{ url: main, description: textOf(environment['name']) }] : [],
      paths,
      components: { securitySchemes: Object.assign({}, ...requests.map(({ schemes }) => schemes)) },
    },
    notes: [
      names &&
        `The collection holds secrets: ${names}. None of them is kept. Take them out before you pass the file on.`,
      unknown ? `The address of the service is in {{${unknown}}}, and no file says what that is.` : '',
      'A collection shows examples. It does not say what the service requires. If the service requires a place that no field fills, give its value: --set PLACE=VALUE',
    ].filter((note) => note !== ''),
  };
}

const withServers = (item: JsonObject, url: string): JsonObject =>
  Object.fromEntries(Object.entries(item).map(([method, each]) => [method, { ...objectOf(each), servers: [{ url }] }]));

/** The environment's variables take precedence. One with the name of a secret stays a reference. */
function variablesOf(collection: JsonObject, environment: JsonObject): Fill {
  const pairs = [...pairsOf(collection['variable']), ...pairsOf(environment['values'])];
  const values = new Map(pairs.filter(({ value }) => value !== '').map((each) => [each.name, each]));
  const fill = (text: string, depth: number): string =>
    text.slice(0, MAX_VALUE).replace(/\{\{([^{}]{1,200})\}\}/g, (reference, name: string) => {
      const { value = '', isSecret = true } = values.get(name.trim()) ?? {};
      return isSecret || depth === MAX_VARIABLES_DEEP ? reference : fill(value, depth + 1).slice(0, MAX_VALUE);
    });
  return (text) => fill(text, 0);
}

function requestsIn(collection: JsonObject, fill: Fill): Request[] {
  const requests: Request[] = [];
  const tokenRequests: Request[] = [];
  const visit = (parent: JsonObject, inherited: JsonObject, depth: number): void => {
    const auth = authOf(parent, inherited);
    for (const item of listOf(parent['item']).map(objectOf)) {
      if (item['request'] === undefined && depth < MAX_FOLDERS) visit(item, auth, depth + 1);
      if (item['request'] === undefined || requests.length >= MAX_REQUESTS) continue;
      const request = isObject(item['request']) ? item['request'] : { url: item['request'] };
      const own = authOf(request, auth);
      requests.push(...requestOf(item, request, own, fill));
      tokenRequests.push(...requestOf({}, tokenRequest(own), {}, fill));
    }
  };
  visit(collection, {}, 0);
  // What a collection shows of a token request beats the settings of an authorization.
  return [...requests, ...tokenRequests];
}

function authOf(holder: JsonObject, inherited: JsonObject): JsonObject {
  const auth = objectOf(holder['auth']);
  return typeof auth['type'] === 'string' && auth['type'] !== 'inherit' ? auth : inherited;
}

const settingsOf = (auth: JsonObject): ReadonlyMap<string, string> =>
  new Map(pairsOf(auth[textOf(auth['type'])]).map(({ name, value }) => [name, value]));

/** The settings of an authorization may be all that says where tokens come from. */
function tokenRequest(auth: JsonObject): JsonObject {
  const settings = settingsOf(auth);
  const isBody = settings.get('client_authentication') === 'body';
  const url = auth['type'] === 'oauth2' && settings.get('accessTokenUrl');
  if (!url || settings.get('grant_type') !== 'client_credentials') return {};
  const names = ['grant_type', 'scope', 'audience', 'resource'].filter((key) => settings.get(key));
  const urlencoded = [...names, ...(isBody ? ['client_id', 'client_secret'] : [])].map((key) => ({
    ...{ key, value: settings.get(key) ?? '' },
  }));
  return { method: 'POST', url, body: { mode: 'urlencoded', urlencoded } };
}

function requestOf(item: JsonObject, request: JsonObject, auth: JsonObject, fill: Fill): Request[] {
  const method = (scalarOf(request['method']) ?? 'GET').toLowerCase();
  if (request['url'] === undefined || !METHODS.test(method)) return [];
  const { server, path, query } = addressOf(request['url'], fill);
  const headers = pairsOf(request['header']);
  const sent = [
    ...headers.map((each) => ({ ...each, in: 'header' })),
    ...query.map((each) => ({ ...each, in: 'query' })),
  ].map((each) => ({ ...each, name: fill(each.name) }));
  const responses = listOf(item['response']).flatMap((each): [string, Json][] => {
    const { code, body, name } = objectOf(each);
    const example = typeof body === 'string' && body.length < MAX_RAW ? jsonIn(body) : undefined;
    const content = example === undefined ? {} : { 'application/json': { example: masked(example) } };
    return Number(code) >= 200 && Number(code) < 600 ? [[String(code), { description: textOf(name), content }]] : [];
  });
  const schemes = {
    ...schemeOf(auth, headers, fill),
    ...Object.fromEntries(
      sent
        .filter(({ name, isSecret }) => isSecret && !PASSING.test(name))
        .map((each) => [`${each.in} ${each.name}`, { type: 'apiKey', in: each.in, name: each.name }]),
    ),
  };
  const content = bodyOf(objectOf(request['body']), headers, fill);
  const operation: JsonObject = {
    operationId: textOf(item['name']),
    parameters: sent
      .filter(({ name, isSecret }) => !isSecret && !OWN_HEADERS.test(name))
      .map((each) => ({ name: each.name, in: each.in, schema: { type: 'string' } })),
    responses: Object.fromEntries(responses.toReversed()),
    ...(content !== null && { requestBody: { content } }),
    security:
      Object.keys(schemes).length > 0 ? [Object.fromEntries(Object.keys(schemes).map((name) => [name, []]))] : [],
  };
  return [{ server, path, item: { [method]: operation }, schemes }];
}

function addressOf(url: Json, fill: Fill): { server: string; path: string; query: Pair[] } {
  const parts = objectOf(url);
  const joined = (name: string, by: string) => [parts[name] ?? []].flat().map(scalarOf).join(by);
  const composed = `${joined('protocol', '') || 'https'}://${joined('host', '.')}/${joined('path', '/')}`;
  const raw = scalarOf(isObject(url) ? parts['raw'] : url) ?? composed;
  const [text = '', search = ''] = raw.trim().replace(/#.*$/s, '').split('?');
  // A variable at the beginning is the base URL, with its path.
  const [, scheme = '', host = '', rest = ''] =
    /^()(\{\{[^{}]{1,200}\}\})(\/.*)?$/s.exec(text) ?? /^([a-z][a-z\d+.-]*:\/\/)?([^/]*)(.*)$/is.exec(text) ?? [];
  const base = fill(scheme + host).replace(/\/+$/, '');
  const path = fill(rest)
    .replace(/\/:([^/]+)/g, '/{$1}')
    .replace(/\{\{\s*\$?([^{}]+?)\s*\}\}/g, '{$1}');
  // The tool assumes http, over which no token goes.
  const isWhole = base === '' || isOpen(base) || /^https?:\/\//i.test(base);
  return {
    server: isWhole ? base : `https://${base}`,
    path: `/${path.replace(/^\/+|\/+$/g, '')}`,
    query: pairsOf([...new URLSearchParams(search).keys()].map((key) => ({ key, value: '' }))),
  };
}

const isOpen = (text: string): boolean => text.includes('{{');

/** Of a written header and of the settings only the kind of authorization is taken over. */
function schemeOf(auth: JsonObject, headers: readonly Pair[], fill: Fill): JsonObject {
  const written = headers.find(({ name }) => /^authorization$/i.test(name));
  const [scheme] = /^(?:basic|bearer)\b/i.exec(written?.value ?? '') ?? [];
  if (written !== undefined && scheme === undefined)
    return { Authorization: { type: 'apiKey', in: 'header', name: 'Authorization' } };
  const settings = settingsOf(auth);
  const type = scheme?.toLowerCase() ?? textOf(auth['type']);
  if (type === '' || type === 'noauth') return {};
  if (type === 'apikey')
    return { key: { type: 'apiKey', in: settings.get('in') ?? 'header', name: fill(settings.get('key') ?? '') } };
  if (type !== 'oauth2') return { [type]: { type: 'http', scheme: type } };
  return /^(?:client_credentials)?$/.test(settings.get('grant_type') ?? '')
    ? { bearer: { type: 'http', scheme: 'bearer' } }
    : { person: { type: 'oauth2', flows: {} } };
}

/** What a token request always holds is kept, because srq has to send it. Of other requests no value is. */
function bodyOf(body: JsonObject, headers: readonly Pair[], fill: Fill): JsonObject | null {
  const mode = textOf(body['mode']);
  if (mode === 'urlencoded' || mode === 'formdata') {
    const pairs = pairsOf(body[mode]);
    const isToken = pairs.some(({ name }) => TOKEN_REQUEST.test(name));
    const properties = pairs.map(({ name, value, isSecret, isFile }): [string, Json] => {
      const text = fill(value).slice(0, 500);
      const isKept = isToken && text !== '' && !isOpen(text) && !isSecret;
      return [fill(name), { type: 'string', ...(isFile && { format: 'binary' }), ...(isKept && { default: text }) }];
    });
    const required = isToken ? pairs.map(({ name }) => name) : [];
    const schema = { type: 'object', properties: Object.fromEntries(properties), required };
    return { [mode === 'formdata' ? 'multipart/form-data' : 'application/x-www-form-urlencoded']: { schema } };
  }
  const json = mode === 'raw' ? jsonIn(plainJson(textOf(body['raw']).slice(0, MAX_RAW))) : null;
  if (!isObject(json)) return null;
  const isToken = Object.keys(json).some((name) => TOKEN_REQUEST.test(name));
  const schema = { ...schemaOf(masked(json), isToken), required: isToken ? Object.keys(json) : [] };
  const type = headers.find(({ name }) => /^content-type$/i.test(name))?.value.split(';')[0] ?? '';
  return { [/\bjson\b/.test(type) ? type.trim().toLowerCase() : 'application/json']: { schema } };
}

/** Bodies are often JSON only without their comments and variables. Values do not matter, only their types. */
const plainJson = (text: string): string =>
  text
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/([:[,]\s*)\{\{[^{}]*\}\}/g, '$1null')
    .replace(/\{\{[^{}]*\}\}/g, '');

/** Replaces the values under names of secrets. */
function masked(value: Json, isSecret = false): Json {
  if (Array.isArray(value)) return value.map((each: Json) => masked(each, isSecret));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, masked(each, isSecret || isSecretName(name))]),
    );
  if (!isSecret || typeof value === 'boolean' || value === null) return value;
  return typeof value === 'number' ? 0 : SECRET;
}

function pairsOf(value: Json | undefined): Pair[] {
  const pairs = isObject(value) ? Object.entries(value).map(([key, each]) => ({ key, value: each })) : listOf(value);
  return pairs.flatMap((each) => {
    const { key, id, value: text, type, disabled, enabled } = objectOf(each);
    const name = scalarOf(key) ?? scalarOf(id) ?? '';
    if (name === '' || enabled === false) return [];
    const isSecret = type === 'secret' || isSecretName(name);
    return [{ name, value: disabled === true ? '' : (scalarOf(text) ?? ''), isSecret, isFile: type === 'file' }];
  });
}

/** Returns the names of the secrets that stand in a file, so that a person takes them out. */
function secretNames(root: Json): string[] {
  if (Array.isArray(root)) return root.flatMap(secretNames);
  if (!isObject(root)) return [];
  const [own] = pairsOf([root]);
  const isLiteral = own?.isSecret && own.value.length > 4 && !/^(?:\{\{.*\}\}|<.*>|[*x.-]+)$/i.test(own.value);
  return [...(isLiteral ? [own.name] : []), ...Object.values(root).flatMap(secretNames)];
}
