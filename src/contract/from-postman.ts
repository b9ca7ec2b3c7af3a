import type { Json } from '../request/contract/contract.ts';
import { isSecretName, SECRET } from '../request/words/names.ts';
import { isObject, type JsonObject, listOf, objectOf, scalarOf, textOf } from './json.ts';
import { schemaOf } from './places.ts';

/** A named value, as collections have them everywhere: as a list of pairs, an object, or lines of a text. */
interface Pair {
  readonly name: string;
  readonly value: string | null;
  readonly isSecret: boolean;
  readonly isFile: boolean;
}

interface Request {
  readonly title: string;
  readonly method: string;
  readonly server: string;
  readonly path: string;
  readonly operation: JsonObject;
  readonly schemes: JsonObject;
}

const FORM = 'application/x-www-form-urlencoded';
const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options']);
/** Keys that are made for one request or one session, so that no partner is given one. */
const PASSING = /signature|csrf|xsrf|nonce|cookie|session|idempoten|^(?:proxy-)?authorization$/i;
const MAX_REQUESTS = 1000;
const MAX_FOLDERS = 50;
const MAX_RAW = 200_000;
const MAX_VALUE = 10_000;
const MAX_VARIABLES_DEEP = 5;
/** Secrets that are searched for in texts. Shorter ones would mutilate words. */
const MIN_SECRET = 5;
const MAX_SECRETS = 200;

/**
 * Converts a Postman collection to the shape of OpenAPI. It shows examples, so nothing in it is required. Values under
 * names of secrets are never taken over, and no script is run.
 */
export function fromPostman(
  given: JsonObject,
  environment: JsonObject,
): { readonly document: JsonObject; readonly notes: readonly string[] } {
  const variables = variablesOf(given, environment);
  const requests = requestsIn(given, variables);
  const servers = requests.map(({ server }) => server).filter((each) => each !== '');
  const main =
    mostFrequent(
      requests.flatMap(({ server, path }) => (server === '' || /token|oauth/i.test(path) ? [] : [server])),
    ) ??
    servers[0] ??
    '';
  const paths = new Map<string, Map<string, JsonObject>>();
  for (const { method, path, server, operation } of requests) {
    const item = paths.get(path) ?? new Map<string, JsonObject>();
    paths.set(path, item);
    const known = item.get(method);
    const responses = { ...objectOf(operation['responses']), ...objectOf(known?.['responses']) };
    const own = server !== main && server !== '' ? { servers: [{ url: server }] } : {};
    item.set(method, {
      ...(known ?? { ...operation, ...own }),
      responses,
    });
  }
  const secrets = [...new Map([...secretsIn(given), ...secretsIn(environment)]).entries()];
  const document: JsonObject = {
    openapi: '3.1.0',
    info: { title: textOf(objectOf(given['info'])['name']) },
    servers: URL.canParse(main) ? [{ url: main, description: textOf(environment['name']) }] : [],
    paths: Object.fromEntries([...paths].map(([path, item]) => [path, Object.fromEntries(item)])),
    components: { securitySchemes: Object.assign({}, ...requests.map(({ schemes }) => schemes)) },
  };
  const unknown = requests
    .map(({ server }) => /^\{\{([^{}]+)\}\}/.exec(server)?.[1])
    .find((each) => each !== undefined);
  const names = [...new Set(secrets.map(([, name]) => name))].slice(0, 10).join(', ');
  return {
    document: objectOf(
      redacted(
        document,
        secrets.map(([value]) => value),
      ),
    ),
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
function variablesOf(collection: JsonObject, environment: JsonObject): (text: string) => string {
  const values = new Map<string, Pair>();
  for (const each of [...pairsOf(collection['variable']), ...pairsOf(environment['values'])])
    if (each.value) values.set(each.name, each);
  const fill = (text: string, depth: number): string =>
    text.slice(0, MAX_VALUE).replace(/\{\{([^{}]{1,200})\}\}/g, (reference, name: string) => {
      const known = values.get(name.trim());
      const isAddress =
        /^(?:https?:\/\/)?[\w.{}:/-]*$/.test(known?.value ?? '') && /url|host|path|base|server/i.test(name);
      if (known?.value == null || (known.isSecret && !isAddress) || depth === MAX_VARIABLES_DEEP) return reference;
      return fill(known.value, depth + 1).slice(0, MAX_VALUE);
    });
  return (text) => fill(text, 0);
}

function requestsIn(collection: JsonObject, fill: (text: string) => string): Request[] {
  const requests: Request[] = [];
  const tokenRequests = new Map<string, JsonObject>();
  const visit = (parent: JsonObject, inherited: JsonObject, depth: number): void => {
    const auth = authOf(parent) ?? inherited;
    for (const each of listOf(parent['item'])) {
      const item = objectOf(each);
      if (item['request'] === undefined) {
        if (depth < MAX_FOLDERS) visit(item, auth, depth + 1);
      } else if (requests.length < MAX_REQUESTS) {
        const own = authOf(objectOf(item['request'])) ?? auth;
        const read = requestOf(item, own, fill);
        if (METHODS.has(read.method)) requests.push(read);
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

function authOf(holder: JsonObject): JsonObject | null {
  const auth = holder['auth'];
  return isObject(auth) && typeof auth['type'] === 'string' && auth['type'] !== 'inherit' ? auth : null;
}

const settingsOf = (auth: JsonObject): Map<string, string> =>
  new Map(pairsOf(auth[textOf(auth['type'])]).map(({ name, value }) => [name, value ?? '']));

function tokenRequest(auth: JsonObject): JsonObject | null {
  const settings = settingsOf(auth);
  const url = settings.get('accessTokenUrl') ?? '';
  if (auth['type'] !== 'oauth2' || settings.get('grant_type') !== 'client_credentials' || url === '') return null;
  const isBody = settings.get('client_authentication') === 'body';
  const more = ['scope', 'audience', 'resource'].flatMap((key) =>
    settings.get(key) ? [{ key, value: settings.get(key) ?? '' }] : [],
  );
  const client = isBody ? ['client_id', 'client_secret'].map((key) => ({ key, value: '' })) : [];
  const urlencoded = [{ key: 'grant_type', value: 'client_credentials' }, ...client, ...more];
  return { method: 'POST', url, auth: { type: isBody ? 'noauth' : 'basic' }, body: { mode: 'urlencoded', urlencoded } };
}

function requestOf(item: JsonObject, auth: JsonObject, fill: (text: string) => string): Request {
  const given = item['request'];
  const request = isObject(given) ? given : { url: given ?? '' };
  const { server, path, query } = addressOf(request['url'], fill);
  const headers = pairsOf(request['header']);
  const schemes = schemesOf(auth, headers, query, fill);
  const isKey = ({ name }: Pair) =>
    isSecretName(name) || /^(?:content-type|accept|user-agent|postman-token)$/i.test(name);
  const parameters = [
    ...headers.map((each) => ({ ...each, in: 'header' })),
    ...query.map((each) => ({ ...each, in: 'query' })),
  ].flatMap((each) => (isKey(each) ? [] : [{ name: fill(each.name), in: each.in, schema: partSchema(each, fill) }]));
  const body = bodyOf(objectOf(request['body']), headers, fill);
  const responses = listOf(item['response']).flatMap((each): [string, Json][] => {
    const { code, body: text, name } = objectOf(each);
    const example = typeof text === 'string' && text.length < MAX_RAW ? parsed(text) : undefined;
    const content = example === undefined ? {} : { 'application/json': { example: masked(example) } };
    return Number(code) >= 200 && Number(code) < 600 ? [[String(code), { description: textOf(name), content }]] : [];
  });
  const title = textOf(item['name']);
  const method = (scalarOf(request['method']) ?? 'GET').toLowerCase();
  const operation: JsonObject = {
    ...{ operationId: title, parameters, responses: Object.fromEntries(responses.toReversed()) },
    ...(body !== null && { requestBody: { content: body } }),
    security:
      Object.keys(schemes).length === 0 ? [] : [Object.fromEntries(Object.keys(schemes).map((name) => [name, []]))],
  };
  return { title, method, server, path, operation, schemes };
}

function addressOf(
  url: Json | undefined,
  fill: (text: string) => string,
): { server: string; path: string; query: Pair[] } {
  const parts = objectOf(url);
  const joined = (value: Json | undefined, by: string) =>
    scalarOf(value) ??
    listOf(value)
      .map((each) => scalarOf(isObject(each) ? each['value'] : each) ?? '')
      .join(by);
  const protocol = scalarOf(parts['protocol']);
  const port = scalarOf(parts['port']);
  const composed = `${protocol === null ? '' : `${protocol}://`}${joined(parts['host'], '.')}${port === null ? '' : `:${port}`}/${joined(parts['path'], '/').replace(/^\//, '')}`;
  const raw = scalarOf(isObject(url) ? parts['raw'] : url) ?? composed;
  const [, text = '', search = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(raw) ?? [];
  const query = parts['query'] === undefined ? pairsIn(search, '&', '=') : pairsOf(parts['query']);
  const named = new Map(pairsOf(parts['variable']).map(({ name, value }) => [name, value ?? '']));
  // A variable at the beginning is the base URL, with its path.
  const [, base = '', after = ''] = /^(\{\{[^{}]{1,200}\}\})(\/.*)?$/s.exec(text.trim()) ?? [];
  const [, scheme = '', host = '', rest = ''] =
    base === ''
      ? (/^([a-z][a-z\d+.-]*:\/\/)?([^/]*)(.*)$/is.exec(fill(text.trim())) ?? [])
      : ['', '', fill(base), fill(after)];
  const path = rest
    .replace(/\/:([^/]+)/g, (_, name: string) => {
      const value = fill(named.get(name) ?? '');
      return value === '' || isOpen(value) ? `/{${name}}` : `/${value}`;
    })
    .replace(/\{\{\s*\$?([^{}]+?)\s*\}\}/g, '{$1}');
  // The tool assumes http, over which no token goes.
  const isWhole = host === '' || isOpen(host) || /^https?:\/\//i.test(host);
  const server = (isWhole ? host : `${scheme || 'https://'}${host}`).replace(/\/+$/, '');
  return { server, path: `/${path.replace(/^\/+|\/+$/g, '')}`, query };
}

const isOpen = (text: string): boolean => text.includes('{{');

function schemesOf(
  auth: JsonObject,
  headers: readonly Pair[],
  query: readonly Pair[],
  fill: (text: string) => string,
): JsonObject {
  const named = (pairs: readonly Pair[], place: string) =>
    pairs.flatMap(({ name }): [string, Json][] =>
      isSecretName(name) && !PASSING.test(name)
        ? [[`${place} ${name}`, { type: 'apiKey', in: place, name: fill(name) }]]
        : [],
    );
  const keys = [...named(headers, 'header'), ...named(query, 'query')];
  const written = headers.find(({ name }) => /^authorization$/i.test(name));
  const [, scheme = ''] = /^(basic|bearer)\b/i.exec(written?.value ?? '') ?? [];
  if (scheme !== '')
    return Object.fromEntries([[scheme.toLowerCase(), { type: 'http', scheme: scheme.toLowerCase() }], ...keys]);
  if (written !== undefined)
    return Object.fromEntries([['Authorization', { type: 'apiKey', in: 'header', name: 'Authorization' }], ...keys]);
  const settings = settingsOf(auth);
  const own = ((): [string, Json][] => {
    switch (auth['type']) {
      case undefined:
      case 'noauth':
        return [];
      case 'apikey':
        return [['key', { type: 'apiKey', in: settings.get('in') ?? 'header', name: fill(settings.get('key') ?? '') }]];
      case 'oauth2':
        return /^(?:client_credentials)?$/.test(settings.get('grant_type') ?? '')
          ? [['bearer', { type: 'http', scheme: 'bearer' }]]
          : [['person', { type: 'oauth2', flows: {} }]];
      default:
        return [[textOf(auth['type']), { type: 'http', scheme: textOf(auth['type']) }]];
    }
  })();
  return Object.fromEntries([...own, ...keys]);
}

function bodyOf(body: JsonObject, headers: readonly Pair[], fill: (text: string) => string): JsonObject | null {
  const mode = textOf(body['mode']);
  const said =
    headers
      .find(({ name }) => /^content-type$/i.test(name))
      ?.value?.split(';')[0]
      ?.trim()
      .toLowerCase() ?? '';
  const raw = textOf(body['raw']).slice(0, MAX_RAW);
  const isForm = mode === 'raw' && said === FORM;
  if (mode === 'urlencoded' || mode === 'formdata' || isForm) {
    const pairs = isForm ? pairsIn(raw, '&', '=') : pairsOf(body[mode]);
    const isToken = pairs.some(({ name }) => /^grant_?type$/i.test(name));
    const shown = (each: Pair): JsonObject => {
      const schema = partSchema(each, fill);
      return isToken && schema['example'] !== undefined ? { ...schema, default: schema['example'] } : schema;
    };
    const properties = Object.fromEntries(pairs.map((each) => [fill(each.name), shown(each)]));
    const required = isToken ? pairs.map(({ name }) => name) : [];
    return {
      [mode === 'formdata' ? 'multipart/form-data' : FORM]: { schema: { type: 'object', properties, required } },
    };
  }
  if (mode !== 'raw' || raw.trim() === '') return null;
  const json = parsed(filledJson(raw, fill));
  if (!isObject(json)) return null;
  const schema = schemaOf(masked(json));
  const isToken = Object.keys(json).some((name) => /^grant_?type$/i.test(name));
  const type = /\bjson\b/.test(said) ? said : 'application/json';
  return { [type]: { schema: isToken ? { ...schema, required: Object.keys(json) } : schema } };
}

function partSchema({ name, value, isSecret, isFile }: Pair, fill: (text: string) => string): JsonObject {
  if (isFile) return { type: 'string', format: 'binary' };
  const text = fill(value ?? '');
  const isMadeUp = /^\{\{\$(?:guid|randomUUID)\}\}$/.test(text.trim());
  const isKnown = text !== '' && !isOpen(text) && !isSecret && !isSecretName(name);
  return { type: 'string', ...(isMadeUp && { format: 'uuid' }), ...(isKnown && { example: text.slice(0, 500) }) };
}

/** Bodies are often JSON only once their comments are gone and their variables are filled. */
function filledJson(text: string, fill: (text: string) => string): string {
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

const masked = (value: Json, isSecret = false): Json => {
  if (Array.isArray(value)) return value.map((each: Json) => masked(each, isSecret));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, masked(each, isSecret || isSecretName(name))]),
    );
  if (!isSecret || typeof value === 'boolean' || value === null) return value;
  return typeof value === 'number' ? 0 : SECRET;
};

function pairsOf(value: Json | undefined): Pair[] {
  if (typeof value === 'string') return pairsIn(value, /\r?\n/, ':');
  if (isObject(value))
    return Object.entries(value).map(([name, each]) => ({
      name,
      value: scalarOf(each),
      isSecret: isSecretName(name),
      isFile: false,
    }));
  return listOf(value).flatMap((each) => {
    if (typeof each === 'string') return pairsIn(each, '\n', ':');
    const { key, id, value: text, type, disabled, enabled } = objectOf(each);
    const name = scalarOf(key) ?? scalarOf(id) ?? '';
    if (name === '' || enabled === false) return [];
    return [
      {
        name,
        value: disabled === true ? null : scalarOf(text),
        isSecret: type === 'secret' || isSecretName(name),
        isFile: type === 'file',
      },
    ];
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

const OPEN_SETTINGS =
  /^(?:key|in|type|\w*url|redirect_uri|clientid|scope|grant_type|client_authentication|tokenname|headerprefix|addtokento|audience|resource|username|realm|disabled|algorithm)$/i;

/** Finds the values under names of secrets, so that none is repeated where nobody would look for one. */
function secretsIn(root: Json): [string, string][] {
  const found: [string, string][] = [];
  visit(root, '', false);
  return found;

  function visit(value: Json, name: string, isSetting: boolean): void {
    if (found.length >= MAX_SECRETS) return;
    if (typeof value === 'string') {
      if (isSetting ? !OPEN_SETTINGS.test(name) : isSecretName(name)) add(name, value);
      else if (value.length < MAX_RAW && /^\s*[[{]/.test(value)) visit(parsed(value) ?? null, name, isSetting);
    } else if (Array.isArray(value)) for (const each of value) visit(each, name, isSetting);
    else if (isObject(value)) {
      const own = scalarOf(value['key']) ?? scalarOf(value['id']);
      for (const [key, each] of Object.entries(value)) {
        if (key === 'value' && value['type'] === 'secret' && typeof each === 'string') add(own ?? key, each);
        else visit(each, key === 'value' && own !== null ? own : key, isSetting || (key === 'auth' && isObject(each)));
      }
    }
  }

  function add(name: string, text: string): void {
    const bare = text.trim().replace(/^(?:basic|bearer|token|apikey)\s+/i, '');
    if (bare.length >= MIN_SECRET && !/^(?:\{\{[^{}]*\}\}|<[^<>]*>|[*x.-]+|true|false)$/i.test(bare))
      found.push([bare, name]);
  }
}

function redacted(value: Json, secrets: readonly string[]): Json {
  const clean = (text: string) => secrets.reduce((each, secret) => each.replaceAll(secret, SECRET), text);
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((each: Json) => redacted(each, secrets));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [clean(name), redacted(each, secrets)]));
}
