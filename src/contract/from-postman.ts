import type { Json } from '../request/contract/contract.ts';
import { isSecretName, SECRET } from '../request/words/names.ts';
import { isObject, type JsonObject, listOf, objectOf, scalarOf, textOf } from './json.ts';
import { schemaOf } from './places.ts';

/** A named value, as collections have them everywhere: as a list of pairs, an object, or lines of a text. */
interface Pair {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
  readonly isFile: boolean;
}

interface Request {
  readonly method: string;
  readonly server: string;
  readonly path: string;
  readonly operation: JsonObject;
  readonly schemes: JsonObject;
}

/** Fills the variables of a text. */
type Fill = (text: string) => string;

const FORM = 'application/x-www-form-urlencoded';
const METHODS = /^(?:get|put|post|delete|patch|head|options)$/;
/** Keys that are made for one request or one session, so that no partner is given one. */
const PASSING = /signature|csrf|xsrf|nonce|cookie|session|idempoten|^(?:proxy-)?authorization$/i;
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
  const servers = requests.map(({ server }) => server);
  const ofService = requests.filter(({ server, path }) => server !== '' && !/token|oauth/i.test(path));
  const main = mostFrequent(ofService.map(({ server }) => server)) ?? servers.find((each) => each !== '') ?? '';
  const paths = new Map<string, Map<string, JsonObject>>();
  for (const { method, path, server, operation } of requests) {
    const item = paths.get(path) ?? new Map<string, JsonObject>();
    const known = item.get(method);
    const own = server !== main && server !== '' ? { servers: [{ url: server }] } : {};
    const responses = { ...objectOf(operation['responses']), ...objectOf(known?.['responses']) };
    paths.set(path, item.set(method, { ...(known ?? { ...operation, ...own }), responses }));
  }
  const [, unknown] = servers.map((each) => /^\{\{([^{}]+)\}\}/.exec(each)).find((each) => each !== null) ?? [];
  const names = [...new Set([...secretNames(given), ...secretNames(environment)])].slice(0, 10).join(', ');
  return {
    document: {
      openapi: '3.1.0',
      servers: URL.canParse(main) ? [{ url: main, description: textOf(environment['name']) }] : [],
      paths: Object.fromEntries([...paths].map(([path, item]) => [path, Object.fromEntries(item)])),
      components: { securitySchemes: Object.assign({}, ...requests.map(({ schemes }) => schemes)) },
    },
    notes: [
      ...(names === ''
        ? []
        : [`The collection holds secrets: ${names}. None of them is kept. Take them out before you pass the file on.`]),
      ...(unknown === undefined
        ? []
        : [`The address of the service is in {{${unknown}}}, and no file says what that is.`]),
      'A collection shows examples. It does not say what the service requires.',
    ],
  };
}

/** The environment's variables take precedence. One with the name of a secret stays a reference. */
function variablesOf(collection: JsonObject, environment: JsonObject): Fill {
  const pairs = [...pairsOf(collection['variable']), ...pairsOf(environment['values'])];
  const values = new Map(pairs.filter(({ value }) => value !== '').map((each) => [each.name, each]));
  const fill = (text: string, depth: number): string =>
    text.slice(0, MAX_VALUE).replace(/\{\{([^{}]{1,200})\}\}/g, (reference, name: string) => {
      const { value = '', isSecret = true } = values.get(name.trim()) ?? {};
      const isAddress = /^(?:https?:\/\/)?[\w.{}:/-]+$/.test(value) && /url|host|path|base|server/i.test(name);
      if ((isSecret && !isAddress) || depth === MAX_VARIABLES_DEEP) return reference;
      return fill(value, depth + 1).slice(0, MAX_VALUE);
    });
  return (text) => fill(text, 0);
}

function requestsIn(collection: JsonObject, fill: Fill): Request[] {
  const requests: Request[] = [];
  const tokenRequests = new Map<string, JsonObject>();
  const visit = (parent: JsonObject, inherited: JsonObject, depth: number): void => {
    const auth = authOf(parent, inherited);
    for (const item of listOf(parent['item']).map((each) => objectOf(each))) {
      if (item['request'] === undefined) {
        if (depth < MAX_FOLDERS) visit(item, auth, depth + 1);
      } else if (requests.length < MAX_REQUESTS) {
        const own = authOf(objectOf(item['request']), auth);
        const read = requestOf(item, own, fill);
        if (METHODS.test(read.method)) requests.push(read);
        const asked = tokenRequest(own);
        if (asked !== null) tokenRequests.set(JSON.stringify(asked), asked);
      }
    }
  };
  visit(collection, {}, 0);
  // An authorization's settings may be all that says where tokens come from.
  for (const request of tokenRequests.values()) {
    const read = requestOf({ name: 'Token', request }, objectOf(request['auth']), fill);
    if (!requests.some(({ method, path }) => method === 'post' && path === read.path)) requests.push(read);
  }
  return requests;
}

function authOf(holder: JsonObject, inherited: JsonObject): JsonObject {
  const auth = objectOf(holder['auth']);
  return typeof auth['type'] === 'string' && auth['type'] !== 'inherit' ? auth : inherited;
}

const settingsOf = (auth: JsonObject): Map<string, string> =>
  new Map(pairsOf(auth[textOf(auth['type'])]).map(({ name, value }) => [name, value]));

function tokenRequest(auth: JsonObject): JsonObject | null {
  const settings = settingsOf(auth);
  const url = settings.get('accessTokenUrl') ?? '';
  if (auth['type'] !== 'oauth2' || settings.get('grant_type') !== 'client_credentials' || url === '') return null;
  const isBody = settings.get('client_authentication') === 'body';
  const more = ['scope', 'audience', 'resource'].flatMap((key) => {
    const value = settings.get(key) ?? '';
    return value === '' ? [] : [{ key, value }];
  });
  const client = isBody ? ['client_id', 'client_secret'].map((key) => ({ key, value: '' })) : [];
  const urlencoded = [{ key: 'grant_type', value: 'client_credentials' }, ...client, ...more];
  return { method: 'POST', url, auth: { type: isBody ? 'noauth' : 'basic' }, body: { mode: 'urlencoded', urlencoded } };
}

function requestOf(item: JsonObject, auth: JsonObject, fill: Fill): Request {
  const given = item['request'];
  const request = isObject(given) ? given : { url: given ?? '' };
  const { server, path, query } = addressOf(request['url'], fill);
  const headers = pairsOf(request['header']);
  const schemes = schemesOf(auth, headers, query, fill);
  const parameters = [
    ...headers.map(({ name }) => ({ name, in: 'header' })),
    ...query.map(({ name }) => ({ name, in: 'query' })),
  ].filter(({ name }) => !isSecretName(name) && !/^(?:content-type|accept|user-agent|postman-token)$/i.test(name));
  const responses = listOf(item['response']).flatMap((each): [string, Json][] => {
    const { code, body: text, name } = objectOf(each);
    const example = typeof text === 'string' && text.length < MAX_RAW ? parsed(text) : undefined;
    const content = example === undefined ? {} : { 'application/json': { example: masked(example) } };
    return Number(code) >= 200 && Number(code) < 600 ? [[String(code), { description: textOf(name), content }]] : [];
  });
  const body = bodyOf(objectOf(request['body']), headers, fill);
  const operation: JsonObject = {
    operationId: textOf(item['name']),
    parameters: parameters.map((each) => ({ ...each, name: fill(each.name), schema: { type: 'string' } })),
    responses: Object.fromEntries(responses.toReversed()),
    ...(body !== null && { requestBody: { content: body } }),
    security: [Object.fromEntries(Object.keys(schemes).map((name) => [name, []]))].filter(
      (each) => Object.keys(each).length > 0,
    ),
  };
  return { method: (scalarOf(request['method']) ?? 'GET').toLowerCase(), server, path, operation, schemes };
}

function addressOf(url: Json | undefined, fill: Fill): { server: string; path: string; query: Pair[] } {
  const parts = objectOf(url);
  const joined = (value: Json | undefined, by: string) =>
    [value ?? []]
      .flat()
      .map((each) => scalarOf(isObject(each) ? each['value'] : each) ?? '')
      .join(by);
  const protocol = scalarOf(parts['protocol']);
  const port = scalarOf(parts['port']);
  const composed = `${protocol === null ? '' : `${protocol}://`}${joined(parts['host'], '.')}${port === null ? '' : `:${port}`}/${joined(parts['path'], '/').replace(/^\//, '')}`;
  const raw = scalarOf(isObject(url) ? parts['raw'] : url) ?? composed;
  const [, text = '', search = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(raw.trim()) ?? [];
  const query = parts['query'] === undefined ? pairsIn(search, '&', '=') : pairsOf(parts['query']);
  const named = new Map(pairsOf(parts['variable']).map(({ name, value }) => [name, fill(value)]));
  // A variable at the beginning is the base URL, with its path.
  const [, base, after = ''] = /^(\{\{[^{}]{1,200}\}\})(\/.*)?$/s.exec(text.trim()) ?? [];
  const [, scheme = '', host = '', rest = ''] =
    base === undefined
      ? (/^([a-z][a-z\d+.-]*:\/\/)?([^/]*)(.*)$/is.exec(fill(text.trim())) ?? [])
      : ['', '', fill(base), fill(after)];
  const path = rest
    .replace(/\/:([^/]+)/g, (_, name: string) => {
      const value = named.get(name) ?? '';
      return value === '' || isOpen(value) ? `/{${name}}` : `/${value}`;
    })
    .replace(/\{\{\s*\$?([^{}]+?)\s*\}\}/g, '{$1}');
  // The tool assumes http, over which no token goes.
  const isWhole = host === '' || isOpen(host) || /^https?:\/\//i.test(host);
  const server = (isWhole ? host : `${scheme || 'https://'}${host}`).replace(/\/+$/, '');
  return { server, path: `/${path.replace(/^\/+|\/+$/g, '')}`, query };
}

const isOpen = (text: string): boolean => text.includes('{{');

function schemesOf(auth: JsonObject, headers: readonly Pair[], query: readonly Pair[], fill: Fill): JsonObject {
  const key = (place: string, name: string) => ({ type: 'apiKey', in: place, name: fill(name) });
  const keys = (pairs: readonly Pair[], place: string) =>
    pairs
      .filter(({ name }) => isSecretName(name) && !PASSING.test(name))
      .map(({ name }): [string, Json] => [`${place} ${name}`, key(place, name)]);
  const own = (): Record<string, Json> => {
    const written = headers.find(({ name }) => /^authorization$/i.test(name));
    const [, scheme] = /^(basic|bearer)\b/i.exec(written?.value ?? '') ?? [];
    if (written !== undefined && scheme === undefined) return { Authorization: key('header', 'Authorization') };
    const settings = settingsOf(auth);
    const type = scheme?.toLowerCase() ?? textOf(auth['type']);
    if (type === '' || type === 'noauth') return {};
    if (type === 'apikey') return { key: key(settings.get('in') ?? 'header', settings.get('key') ?? '') };
    if (type !== 'oauth2') return { [type]: { type: 'http', scheme: type } };
    return /^(?:client_credentials)?$/.test(settings.get('grant_type') ?? '')
      ? { bearer: { type: 'http', scheme: 'bearer' } }
      : { person: { type: 'oauth2', flows: {} } };
  };
  return { ...own(), ...Object.fromEntries([...keys(headers, 'header'), ...keys(query, 'query')]) };
}

const TOKEN_REQUEST = /^grant_?type$/i;

function bodyOf(body: JsonObject, headers: readonly Pair[], fill: Fill): JsonObject | null {
  const mode = textOf(body['mode']);
  const type = headers.find(({ name }) => /^content-type$/i.test(name))?.value ?? '';
  const said = type.split(';')[0]?.trim().toLowerCase() ?? '';
  const raw = textOf(body['raw']).slice(0, MAX_RAW);
  const isForm = mode === 'raw' && said === FORM;
  if (mode === 'urlencoded' || mode === 'formdata' || isForm) {
    const pairs = isForm ? pairsIn(raw, '&', '=') : pairsOf(body[mode]);
    const isToken = pairs.some(({ name }) => TOKEN_REQUEST.test(name));
    const properties = pairs.map(({ name, value, isSecret, isFile }): [string, Json] => {
      const text = fill(value);
      // What a token request always holds is kept, because srq has to send it.
      const isKept = isToken && text !== '' && !isOpen(text) && !isSecret;
      return [
        fill(name),
        { type: 'string', ...(isFile && { format: 'binary' }), ...(isKept && { default: text.slice(0, 500) }) },
      ];
    });
    const required = isToken ? pairs.map(({ name }) => name) : [];
    const schema = { type: 'object', properties: Object.fromEntries(properties), required };
    return { [mode === 'formdata' ? 'multipart/form-data' : FORM]: { schema } };
  }
  const json = mode === 'raw' ? parsed(filledJson(raw, fill)) : null;
  if (!isObject(json)) return null;
  const isToken = Object.keys(json).some((name) => TOKEN_REQUEST.test(name));
  const schema = schemaOf(isToken ? masked(json) : json, isToken);
  return {
    [/\bjson\b/.test(said) ? said : 'application/json']: {
      schema: isToken ? { ...schema, required: Object.keys(json) } : schema,
    },
  };
}

/** Bodies are often JSON only once their comments are gone and their variables are filled. */
function filledJson(text: string, fill: Fill): string {
  return text.replace(/"(?:[^"\\]|\\.)*"?|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|\{\{[^{}]*\}\}/gs, (token) => {
    if (token.startsWith('/')) return '';
    if (token.startsWith('"'))
      return token.replace(/\{\{[^{}]*\}\}/g, (each) =>
        isOpen(fill(each)) ? '' : JSON.stringify(fill(each)).slice(1, -1),
      );
    const value = fill(token);
    return isOpen(value) || parsed(value) === undefined ? 'null' : value;
  });
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

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
  if (typeof value === 'string') return pairsIn(value, /\r?\n/, ':');
  const pairs = isObject(value) ? Object.entries(value).map(([key, each]) => ({ key, value: each })) : listOf(value);
  return pairs.flatMap((each) => {
    if (typeof each === 'string') return pairsIn(each, '\n', ':');
    const { key, id, value: text, type, disabled, enabled } = objectOf(each);
    const name = scalarOf(key) ?? scalarOf(id) ?? '';
    if (name === '' || enabled === false) return [];
    const isSecret = type === 'secret' || isSecretName(name);
    return [{ name, value: disabled === true ? '' : (scalarOf(text) ?? ''), isSecret, isFile: type === 'file' }];
  });
}

const pairsIn = (text: string, by: string | RegExp, sign: string): Pair[] =>
  text
    .split(by)
    .slice(0, MAX_REQUESTS)
    .flatMap((line) => {
      const at = line.indexOf(sign);
      const name = line.slice(0, at).trim();
      return at < 1 ? [] : [{ name, value: line.slice(at + 1).trim(), isSecret: isSecretName(name), isFile: false }];
    });

function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** Returns the names of the secrets that stand in a file, so that a person takes them out. */
function secretNames(root: Json): string[] {
  if (Array.isArray(root)) return root.flatMap(secretNames);
  if (!isObject(root)) return [];
  const [own] = pairsOf([root]);
  const isLiteral = own?.isSecret && own.value.length > 4 && !/^(?:\{\{.*\}\}|<.*>|[*x.-]+)$/i.test(own.value);
  return [...(isLiteral ? [own.name] : []), ...Object.values(root).flatMap(secretNames)];
}
