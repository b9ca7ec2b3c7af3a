import type { Json } from '../model/contract.ts';
import type { Described } from './described.ts';
import { type JsonObject, objectOf, pointerPart, scalarOf } from './json-parts.ts';
import { tokenRequestOf } from './postman-auth.ts';
import { contentsOf, groupedBy, type PostmanEntry } from './postman-format.ts';
import { postmanNotes } from './postman-notes.ts';
import { describeOperation } from './postman-operation.ts';
import { type ReadRequest, readRequest } from './postman-request.ts';
import { scrubber, secretsIn } from './postman-secrets.ts';
import { createVariables, type Variables } from './postman-variables.ts';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch']);

/**
 * A Postman collection of version 2.0 or 2.1, and an environment that fills its variables, in the shape of OpenAPI. A
 * collection shows examples, so nothing in it is required. No script is run. No secret of either file is in the result:
 * `<secret>` stands where one stood, and a note names the place.
 *
 * Throws {@link SrqError} `input` for a collection whose variables stand for too much text.
 */
export function describePostman(given: Json, givenEnvironment: Json | null): Described {
  const collection = unwrapped(given, 'collection');
  const environment = unwrapped(givenEnvironment, 'environment');
  const variables = createVariables(collection, environment);
  const { entries, scripts, isCut } = contentsOf(collection);
  const requests = withTokenRequests(entries, variables);
  const found = { collection: secretsIn(collection), environment: secretsIn(environment) };
  const scrub = scrubber([...found.collection, ...found.environment]);
  const info = objectOf(collection['info']);
  const title = scalarOf(info['name']) ?? '';
  const { document, places } = documentOf(requests, title, environmentName(environment), variables);
  const notes = postmanNotes({ requests, scripts, isCut, variables, secrets: found });
  return {
    kind: `Postman ${/v2\.0/.test(scalarOf(info['schema']) ?? '') ? '2.0' : '2.1'}`,
    title: String(scrub(title)),
    document: objectOf(scrub(document)),
    where: (pointer) => placeOf(pointer, places),
    notes: notes.map((each) => String(scrub(each))),
    provesRequired: false,
  };
}

/** As Postman's own API gives it, a collection is a member of what is answered. */
function unwrapped(given: Json, name: string): JsonObject {
  const whole = objectOf(given);
  return name in whole ? objectOf(whole[name]) : whole;
}

const environmentName = (environment: JsonObject): string => scalarOf(environment['name']) ?? '';

/** The requests, and those for a token that only the settings of an authorization describe. */
function withTokenRequests(entries: readonly PostmanEntry[], variables: Variables): ReadRequest[] {
  const requests = entries.map((each) => readRequest(each, variables));
  const posted = new Set(requests.filter(({ method }) => method === 'post').map(({ address }) => address.path));
  const settings = new Map(entries.flatMap(({ auth }) => (auth === null ? [] : [[auth.where, auth] as const])));
  for (const auth of settings.values()) {
    const request = tokenRequestOf(auth);
    if (request === null) continue;
    const own = { settings: objectOf(request['auth']), where: auth.where };
    const read = readRequest({ name: 'Token', item: { request }, where: auth.where, auth: own, folder: '' }, variables);
    if (!posted.has(read.address.path)) requests.push(read);
    posted.add(read.address.path);
  }
  return requests;
}

function documentOf(requests: readonly ReadRequest[], title: string, environment: string, variables: Variables) {
  const usable = requests.filter(({ method }) => METHODS.has(method));
  const places = new Map([['', '']]);
  const servers = serversOf(usable, environment);
  places.set('/servers', servers[0]?.where ?? '');
  for (const [index, { where }] of servers.entries()) places.set(`/servers/${index}`, where);
  const names = new Set<string>();
  const paths = new Map<string, Map<string, JsonObject>>();
  for (const group of groupedBy(usable, ({ method, address }) => `${method} ${address.path}`).values()) {
    const [{ method, address, entry }] = group;
    const operationId =
      entry.name === '' || names.has(entry.name) ? `${method.toUpperCase()} ${address.path}` : entry.name;
    names.add(operationId);
    const described = describeOperation(group, operationId, variables);
    const start = `/paths/${pointerPart(address.path)}/${method}`;
    // What settings describe has no parts of its own in the collection.
    const isOfSettings = entry.auth?.where === entry.where;
    for (const [pointer, where] of described.places) {
      places.set(`${start}${pointer}`, isOfSettings ? entry.where : where);
    }
    const operations = paths.get(address.path) ?? new Map<string, JsonObject>();
    operations.set(method, { ...described.operation, ...ownServer(address.server, servers[0]?.url) });
    paths.set(address.path, operations);
  }
  const document: JsonObject = {
    openapi: '3.1.0',
    info: { title, version: '' },
    servers: servers.map(({ url, description }) => ({ url, description })),
    paths: Object.fromEntries([...paths].map(([path, operations]) => [path, Object.fromEntries(operations)])),
    components: { securitySchemes: schemesOf(usable, places) },
  };
  return { document, places };
}

const ownServer = (server: string | null, main: string | undefined): JsonObject =>
  server === null || server === main ? {} : { servers: [{ url: server }] };

/** The addresses in use, the one that is used most first. */
function serversOf(requests: readonly ReadRequest[], environment: string) {
  const known = requests.filter(({ address }) => address.server !== null);
  const groups = [...groupedBy(known, ({ address }) => address.server ?? '')].sort((a, b) => b[1].length - a[1].length);
  return groups.map(([url, [first]]) => {
    const { serverVariable } = first.address;
    const description = serverVariable === null ? '' : environment || serverVariable;
    return { url, description, where: `${first.entry.where}/request/url` };
  });
}

function schemesOf(requests: readonly ReadRequest[], places: Map<string, string>): JsonObject {
  const schemes = new Map<string, JsonObject>();
  for (const { authorization } of requests) {
    if (authorization.kind !== 'scheme' || schemes.has(authorization.name)) continue;
    schemes.set(authorization.name, authorization.scheme);
    places.set(`/components/securitySchemes/${authorization.name}`, authorization.where);
  }
  return Object.fromEntries(schemes);
}

/** The place of the longest part of a pointer that has one. */
function placeOf(pointer: string, places: ReadonlyMap<string, string>): string {
  for (let part = pointer; part !== ''; part = part.slice(0, part.lastIndexOf('/'))) {
    const place = places.get(part);
    if (place !== undefined) return place;
  }
  return '';
}
