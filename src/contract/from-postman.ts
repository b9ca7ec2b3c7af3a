import type { Json } from '../request/contract/contract.ts';
import { isObject, type JsonObject, jsonIn, listOf, objectOf, scalarOf, textOf } from '../request/contract/json.ts';
import { isSecretName } from '../request/words/names.ts';
import { tooLarge } from './cut.ts';
import { schemaOf } from './sample.ts';

/** A named value. Collections have them as lists of pairs and as objects. */
type Pair = ReturnType<typeof pairsOf>[number];

/** Fills the variables of a text. */
type Fill = (text: string) => string;

/** Headers that the connection sets, and keys that are made for one request or one session. */
const OWN_HEADERS = /^(?:content-type|accept|user-agent|postman-token)$/i;
const PASSING = /signature|csrf|xsrf|nonce|cookie|session|idempoten|^(?:proxy-)?authorization$/i;
/** Whether a flow has the credentials as HTTP Basic, which OpenAPI does not say. */
export const BASIC = 'x-basic';
const FORMS = new Map([
  ['urlencoded', 'application/x-www-form-urlencoded'],
  ['formdata', 'multipart/form-data'],
]);
const MAX_REQUESTS = 5000;
const MAX_RAW = 200_000;
const MAX_VALUE = 2000;
const MAX_VARIABLES_DEEP = 5;

/**
 * Converts a Postman collection to the shape of OpenAPI. It shows examples, so nothing in it is required but its keys. Of
 * what was sent and answered only names and types are taken over, and no script is run.
 */
export function fromPostman(collection: JsonObject, environment: JsonObject) {
  const fill = variablesOf(collection, environment);
  const requests = itemsIn(collection, {});
  if (requests.length > MAX_REQUESTS) throw tooLarge(`The collection holds more than ${MAX_REQUESTS} requests.`);
  const operations = requests.map(([item, auth]) => operationOf(item, auth, fill));
  const withServer = operations.filter(({ server }) => server !== '');
  const main = (withServer.find(({ path }) => !/token|oauth/i.test(path)) ?? withServer[0])?.server ?? '';
  const paths: Record<string, JsonObject> = {};
  const securitySchemes: Record<string, Json> = {};
  for (const { path, server, method, schemes, operation } of operations) {
    const servers = server === main || server === '' ? {} : { servers: [{ url: withOpenVariables(server) }] };
    // If several requests go to one address, the first counts.
    paths[path] = { [method]: { ...operation, ...servers }, ...paths[path] };
    Object.assign(securitySchemes, schemes);
  }
  const [, unknown] = operations.flatMap(({ server }) => /^\{\{([^{}]+)\}\}/.exec(server) ?? []);
  return {
    document: {
      openapi: '3.1.0',
      servers: URL.canParse(main) ? [{ url: main, description: textOf(environment['name']) }] : [],
      paths,
      components: { securitySchemes },
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
  const values = new Map(open.map(({ name, value }) => [name, value.slice(0, MAX_VALUE)]));
  return (given) => {
    let text = given;
    // Values that hold each other many times must not take the time or fill the memory.
    for (let depth = 0; depth < MAX_VARIABLES_DEEP && isOpen(text) && text.length <= MAX_VALUE; depth += 1) {
      let left = MAX_VALUE;
      text = text.replace(/\{\{([^{}]{1,200})\}\}/g, (reference, name: string) => {
        const value = left > 0 ? (values.get(name.trim()) ?? reference) : '';
        left -= value.length;
        return value;
      });
    }
    return text.slice(0, MAX_VALUE);
  };
}

/** Returns the requests of all folders, each with its authorization or that of the innermost folder that has one. */
function itemsIn(parent: JsonObject, inherited: JsonObject): (readonly [item: JsonObject, auth: JsonObject])[] {
  const own = objectOf(objectOf(parent['request'])['auth'] ?? parent['auth']);
  const auth = typeof own['type'] === 'string' && own['type'] !== 'inherit' ? own : inherited;
  if (parent['request'] !== undefined) return [[parent, auth]];
  return listOf(parent['item']).flatMap((item) => itemsIn(objectOf(item), auth));
}

/** What one request of a collection says in the shape of OpenAPI. */
function operationOf(item: JsonObject, auth: JsonObject, fill: Fill) {
  const request = objectOf(item['request']);
  const { server, path, query } = addressOf(request['url'], fill);
  const headers = pairsOf(request['header']);
  const sent = [
    ...headers.map((each) => ({ ...each, in: 'header' })),
    ...query.map((each) => ({ ...each, in: 'query' })),
  ].map((each) => ({ ...each, name: fill(each.name) }));
  const keys = sent.filter(({ name, isSecret }) => isSecret && !PASSING.test(name));
  const schemes: JsonObject = {
    ...schemeOf(auth, headers, fill),
    ...Object.fromEntries(keys.map(({ in: where, name }) => [`${where} ${name}`, keyScheme(where, name)])),
  };
  const parameters = sent
    .filter(({ name, isSecret }) => !isSecret && !OWN_HEADERS.test(name))
    .map((each) => ({ name: each.name, in: each.in, schema: { type: 'string' } }));
  const content = contentOf(objectOf(request['body']), headers, fill);
  const operation: JsonObject = {
    ...{ operationId: textOf(item['name']), parameters, responses: successesIn(item['response']) },
    ...(content !== null && { requestBody: { content } }),
    security: [Object.fromEntries(Object.keys(schemes).map((name) => [name, []]))],
  };
  return { server, path, method: textOf(request['method']).toLowerCase(), schemes, operation };
}

/** Returns the successes that were saved with a request, the first of each status. */
function successesIn(responses: Json | undefined): JsonObject {
  const found = listOf(responses)
    .map(objectOf)
    .filter(({ code }) => /^2\d\d$/.test(String(code)));
  const entries = found.map(({ code, body }): [string, Json] => {
    const example = jsonIn(textOf(body).slice(0, MAX_RAW));
    const content = example === undefined ? {} : { 'application/json': { schema: schemaOf(example) } };
    return [String(code), { content }];
  });
  return Object.fromEntries(entries.reverse());
}

function addressOf(url: Json | undefined, fill: Fill) {
  const parts = objectOf(url);
  const joined = (name: string, by: string) => [parts[name] ?? []].flat().map(scalarOf).join(by);
  const scheme = joined('protocol', '');
  const composed = `${scheme === '' ? '' : `${scheme}://`}${joined('host', '.')}/${joined('path', '/')}`;
  const raw = scalarOf(isObject(url) ? parts['raw'] : url) ?? composed;
  const [text = '', search = ''] = raw.trim().replace(/#.*$/s, '').split('?');
  // A variable at the beginning is the base URL, with its path.
  const [, host = '', rest = ''] = /^((?:[a-z][a-z\d+.-]*:\/\/)?[^/]*)(.*)$/is.exec(text) ?? [];
  const base = fill(host).replace(/\/+$/, '');
  const path = withOpenVariables(fill(rest).replace(/\/:([^/]+)/g, '/{$1}'));
  // The tool assumes http, over which no token goes.
  const isWhole = base === '' || isOpen(base) || /^https?:\/\//i.test(base);
  return {
    server: isWhole ? base : `https://${base}`,
    path: `/${path.replace(/^\/+|\/+$/g, '')}`,
    query: pairsOf([...new URLSearchParams(search).keys()].map((key) => ({ key, value: '' }))),
  };
}

const isOpen = (text: string): boolean => text.includes('{{');

/** Writes the variables that no file gives as OpenAPI does: `{host}`. */
const withOpenVariables = (text: string): string => text.replace(/\{\{\s*\$?([^{}]+?)\s*\}\}/g, '{$1}');

const keyScheme = (where: string, name: string): JsonObject => ({ type: 'apiKey', in: where, name });

/**
 * Takes over only the kind of authorization and the address of tokens, from a written header or from the settings. A
 * secret stays behind.
 */
function schemeOf(auth: JsonObject, headers: readonly Pair[], fill: Fill): JsonObject {
  const written = headers.find(({ name }) => /^authorization$/i.test(name));
  const [scheme] = /^(?:basic|bearer)\b/i.exec(written?.value ?? '') ?? [];
  if (written !== undefined && scheme === undefined) return { Authorization: keyScheme('header', 'Authorization') };
  const settings = new Map(pairsOf(auth[textOf(auth['type'])]).map(({ name, value }) => [name, fill(value)]));
  const type = scheme?.toLowerCase() ?? textOf(auth['type']);
  if (type === '' || type === 'noauth') return {};
  if (type === 'apikey') return { key: keyScheme(settings.get('in') ?? 'header', settings.get('key') ?? '') };
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
  const form = FORMS.get(mode);
  const example = form === undefined ? jsonIn(plainJson(textOf(body['raw']).slice(0, MAX_RAW))) : body[mode];
  const pairs = pairsOf(example);
  const isToken = pairs.some(({ name }) => /^grant_?type$/i.test(name));
  if (form === undefined && !isObject(example)) return null;
  const said = headers.find(({ name }) => /^content-type$/i.test(name))?.value.split(';')[0] ?? '';
  const json = /\bjson\b/.test(said) ? said.trim().toLowerCase() : 'application/json';
  if (form === undefined && !isToken) return { [json]: { schema: schemaOf(example ?? null) } };
  const properties = pairs.map(({ name, value, isSecret, isFile }): [string, Json] => {
    const text = fill(value).slice(0, 500);
    const isKept = isToken && text !== '' && !isOpen(text) && !isSecret;
    return [fill(name), { type: 'string', ...(isFile && { format: 'binary' }), ...(isKept && { default: text }) }];
  });
  const required = isToken ? pairs.map(({ name }) => name) : [];
  return { [form ?? json]: { schema: { type: 'object', properties: Object.fromEntries(properties), required } } };
}

/** Bodies are often JSON only without their comments and variables. Values do not matter, only their types. */
const plainJson = (text: string): string =>
  text
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/([:[,]\s*)\{\{[^{}]*\}\}/g, '$1null')
    .replace(/\{\{[^{}]*\}\}/g, '');

function pairsOf(value: Json | undefined) {
  const pairs = isObject(value) ? Object.entries(value).map(([key, each]) => ({ key, value: each })) : listOf(value);
  return pairs.flatMap((each) => {
    const { key, id, value: text, type, disabled, enabled } = objectOf(each);
    const name = scalarOf(key) ?? scalarOf(id) ?? '';
    if (name === '' || enabled === false) return [];
    const isSecret = type === 'secret' || isSecretName(name);
    return [{ name, value: disabled === true ? '' : (scalarOf(text) ?? ''), isSecret, isFile: type === 'file' }];
  });
}
