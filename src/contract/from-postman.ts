import type { Json } from '../request/contract/contract.ts';
import { isObject, type JsonObject, jsonIn, listOf, objectOf, scalarOf, textOf } from '../request/contract/json.ts';
import { isSecretName } from '../request/words/names.ts';
import { schemaOf } from './sample.ts';

/** A named value. Collections have them as lists of pairs and as objects. */
interface Pair {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
  readonly isFile: boolean;
}

/** Fills the variables of a text. */
type Fill = (text: string) => string;

const METHODS = /^(?:get|put|post|delete|patch|head|options)$/;
/** Headers that the connection sets, and keys that are made for one request or one session. */
const OWN_HEADERS = /^(?:content-type|accept|user-agent|postman-token)$/i;
const PASSING = /signature|csrf|xsrf|nonce|cookie|session|idempoten|^(?:proxy-)?authorization$/i;
const TOKEN_REQUEST = /^grant_?type$/i;
/** Whether a flow has the credentials as HTTP Basic, which OpenAPI does not say. */
export const BASIC = 'x-basic';
const MAX_REQUESTS = 1000;
const MAX_FOLDERS = 50;
const MAX_RAW = 200_000;
const MAX_VALUE = 10_000;
const MAX_VARIABLES_DEEP = 5;

/**
 * Converts a Postman collection to the shape of OpenAPI. It shows examples, so nothing in it is required. Of what was sent
 * and answered only names and types are taken over, and no script is run.
 */
export function fromPostman(
  given: JsonObject,
  environment: JsonObject,
): { readonly document: JsonObject; readonly notes: readonly string[] } {
  const requests = requestsIn(given, variablesOf(given, environment));
  const withServer = requests.filter(({ server }) => server !== '');
  const main = (withServer.find(({ path }) => !/token|oauth/i.test(path)) ?? withServer[0])?.server ?? '';
  const paths: Record<string, JsonObject> = {};
  for (const { path, server, method, operation } of requests) {
    const servers = server === main || server === '' ? {} : { servers: [{ url: server }] };
    // If several requests go to one address, the first counts.
    paths[path] = { [method]: { ...operation, ...servers }, ...paths[path] };
  }
  const [, unknown] = requests.flatMap(({ server }) => /^\{\{([^{}]+)\}\}/.exec(server) ?? []);
  return {
    document: {
      openapi: '3.1.0',
      servers: URL.canParse(main) ? [{ url: main, description: textOf(environment['name']) }] : [],
      paths,
      components: { securitySchemes: Object.assign({}, ...requests.map(({ schemes }) => schemes)) },
    },
    notes: [
      ...(unknown ? [`The address of the service is in {{${unknown}}}, and no file says what that is.`] : []),
      'A collection shows examples. It does not say what the service requires. If the service requires a place that no field fills, give its value: --set PLACE=VALUE',
    ],
  };
}

/** The environment's variables take precedence. One with the name of a secret stays a reference. */
function variablesOf(collection: JsonObject, environment: JsonObject): Fill {
  const pairs = [...pairsOf(collection['variable']), ...pairsOf(environment['values'])];
  const open = pairs.filter(({ value, isSecret }) => value !== '' && !isSecret);
  const values = new Map(open.map(({ name, value }) => [name, value]));
  return (given) => {
    let text = given;
    for (let depth = 0; depth < MAX_VARIABLES_DEEP; depth += 1)
      text = text
        .slice(0, MAX_VALUE)
        .replace(/\{\{([^{}]{1,200})\}\}/g, (reference, name: string) => values.get(name.trim()) ?? reference);
    return text.slice(0, MAX_VALUE);
  };
}

interface Request {
  readonly server: string;
  readonly path: string;
  readonly method: string;
  readonly operation: JsonObject;
  readonly schemes: JsonObject;
}

function requestsIn(collection: JsonObject, fill: Fill): Request[] {
  const requests: Request[] = [];
  const visit = (parent: JsonObject, inherited: JsonObject, depth: number): void => {
    const auth = authOf(parent, inherited);
    for (const item of listOf(parent['item']).map(objectOf)) {
      if (item['request'] === undefined && depth < MAX_FOLDERS) visit(item, auth, depth + 1);
      if (item['request'] === undefined || requests.length >= MAX_REQUESTS) continue;
      const request = isObject(item['request']) ? item['request'] : { url: item['request'] };
      requests.push(...requestOf(item, request, authOf(request, auth), fill));
    }
  };
  visit(collection, {}, 0);
  return requests;
}

function authOf(holder: JsonObject, inherited: JsonObject): JsonObject {
  const auth = objectOf(holder['auth']);
  return typeof auth['type'] === 'string' && auth['type'] !== 'inherit' ? auth : inherited;
}

function requestOf(item: JsonObject, request: JsonObject, auth: JsonObject, fill: Fill): Request[] {
  const method = (scalarOf(request['method']) ?? 'GET').toLowerCase();
  const address = addressOf(request['url'], fill);
  if (address === null || !METHODS.test(method)) return [];
  const headers = pairsOf(request['header']);
  const sent = [
    ...headers.map((each) => ({ ...each, in: 'header' })),
    ...address.query.map((each) => ({ ...each, in: 'query' })),
  ].map((each) => ({ ...each, name: fill(each.name) }));
  const responses = listOf(item['response']).flatMap((each): [string, Json][] => {
    const { code, body, name } = objectOf(each);
    const example = typeof body === 'string' && body.length < MAX_RAW ? jsonIn(body) : undefined;
    const content = example === undefined ? {} : { 'application/json': { schema: schemaOf(example) } };
    return Number(code) >= 200 && Number(code) < 600 ? [[String(code), { description: textOf(name), content }]] : [];
  });
  const keys = sent.filter(({ name, isSecret }) => isSecret && !PASSING.test(name));
  const schemes = {
    ...schemeOf(auth, headers, fill),
    ...Object.fromEntries(
      keys.map((each) => [`${each.in} ${each.name}`, { type: 'apiKey', in: each.in, name: each.name }]),
    ),
  };
  const content = contentOf(objectOf(request['body']), headers, fill);
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
  return [{ server: address.server, path: address.path, method, operation, schemes }];
}

function addressOf(url: Json | undefined, fill: Fill): { server: string; path: string; query: Pair[] } | null {
  if (url === undefined) return null;
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

/**
 * Takes over only the kind of authorization and the address of tokens, from a written header or from the settings. A
 * secret stays behind.
 */
function schemeOf(auth: JsonObject, headers: readonly Pair[], fill: Fill): JsonObject {
  const written = headers.find(({ name }) => /^authorization$/i.test(name));
  const [scheme] = /^(?:basic|bearer)\b/i.exec(written?.value ?? '') ?? [];
  if (written !== undefined && scheme === undefined)
    return { Authorization: { type: 'apiKey', in: 'header', name: 'Authorization' } };
  const settings = new Map(pairsOf(auth[textOf(auth['type'])]).map(({ name, value }) => [name, fill(value)]));
  const type = scheme?.toLowerCase() ?? textOf(auth['type']);
  if (type === '' || type === 'noauth') return {};
  if (type === 'apikey')
    return { key: { type: 'apiKey', in: settings.get('in') ?? 'header', name: settings.get('key') ?? '' } };
  if (type !== 'oauth2') return { [type]: { type: 'http', scheme: type } };
  if (!/^(?:client_credentials)?$/.test(settings.get('grant_type') ?? ''))
    return { person: { type: 'oauth2', flows: {} } };
  const tokenUrl = settings.get('accessTokenUrl') ?? '';
  if (tokenUrl === '' || isOpen(tokenUrl)) return { bearer: { type: 'http', scheme: 'bearer' } };
  const scope = settings.get('scope') ?? '';
  const flow = { tokenUrl, scopes: scope === '' ? {} : { [scope]: '' } };
  const isBasic = settings.get('client_authentication') !== 'body';
  return { oauth2: { type: 'oauth2', flows: { clientCredentials: { ...flow, [BASIC]: isBasic } } } };
}

/** What a token request always holds is kept, because srq has to send it. Of other requests no value is. */
function contentOf(body: JsonObject, headers: readonly Pair[], fill: Fill): JsonObject | null {
  const mode = textOf(body['mode']);
  if (mode === 'urlencoded' || mode === 'formdata')
    return {
      [mode === 'formdata' ? 'multipart/form-data' : 'application/x-www-form-urlencoded']: {
        schema: schemaOfPairs(pairsOf(body[mode]), fill),
      },
    };
  const json = mode === 'raw' ? jsonIn(plainJson(textOf(body['raw']).slice(0, MAX_RAW))) : null;
  if (!isObject(json)) return null;
  const isToken = Object.keys(json).some((name) => TOKEN_REQUEST.test(name));
  const type = headers.find(({ name }) => /^content-type$/i.test(name))?.value.split(';')[0] ?? '';
  return {
    [/\bjson\b/.test(type) ? type.trim().toLowerCase() : 'application/json']: {
      schema: isToken ? schemaOfPairs(pairsOf(json), fill) : schemaOf(json),
    },
  };
}

function schemaOfPairs(pairs: readonly Pair[], fill: Fill): JsonObject {
  const isToken = pairs.some(({ name }) => TOKEN_REQUEST.test(name));
  const properties = pairs.map(({ name, value, isSecret, isFile }): [string, Json] => {
    const text = fill(value).slice(0, 500);
    const isKept = isToken && text !== '' && !isOpen(text) && !isSecret;
    return [fill(name), { type: 'string', ...(isFile && { format: 'binary' }), ...(isKept && { default: text }) }];
  });
  const required = isToken ? pairs.map(({ name }) => name) : [];
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

/** Bodies are often JSON only without their comments and variables. Values do not matter, only their types. */
const plainJson = (text: string): string =>
  text
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/([:[,]\s*)\{\{[^{}]*\}\}/g, '$1null')
    .replace(/\{\{[^{}]*\}\}/g, '');

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
