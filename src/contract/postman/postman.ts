import type { Json } from '../../request/contract.ts';
import { isSecretName } from '../../request/names.ts';
import type { DescribedDocument } from '../documents/described.ts';
import { type JsonObject, objectOf, pointerPart, scalarOf } from '../documents/json-parts.ts';
import { limitsOf } from './postman-answers.ts';
import { tokenRequestOf } from './postman-auth.ts';
import { contentsOf, groupedBy, type PostmanEntry, type Script } from './postman-format.ts';
import { describeOperation } from './postman-operation.ts';
import { type ReadRequest, readRequest } from './postman-request.ts';
import { type FoundSecret, secretScrubber, secretsIn } from './postman-secrets.ts';
import { createVariables, type Variables } from './postman-variables.ts';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch']);

/**
 * Converts a Postman collection of version 2.0 or 2.1, and an environment that fills its variables, to the shape of
 * OpenAPI. A collection shows examples, so nothing in it is required. No script is run. The result contains no secret
 * of either file: `<secret>` replaces each one, and a note names the place.
 *
 * Throws {@link SrqError} `input` if the collection's variables expand to too much text.
 */
export function describePostman(given: Json, givenEnvironment: Json | null): DescribedDocument {
  const collection = unwrapped(given, 'collection');
  const environment = unwrapped(givenEnvironment, 'environment');
  const variables = createVariables(collection, environment);
  const { entries, scripts, isCut } = contentsOf(collection);
  const requests = withTokenRequests(entries, variables);
  const found = { collection: secretsIn(collection), environment: secretsIn(environment) };
  const scrub = secretScrubber([...found.collection, ...found.environment]);
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

/** Unwraps a collection as Postman's own API returns it, as a member of the answer. */
function unwrapped(given: Json, name: string): JsonObject {
  const whole = objectOf(given);
  return name in whole ? objectOf(whole[name]) : whole;
}

const environmentName = (environment: JsonObject): string => scalarOf(environment['name']) ?? '';

/** Reads the requests, and adds those for a token that only the settings of an authorization describe. */
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
    // An operation from settings has no parts of its own in the collection.
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

/** Returns the addresses in use, the most frequent one first. */
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

/** Returns the place of the longest part of a pointer that has one. */
function placeOf(pointer: string, places: ReadonlyMap<string, string>): string {
  for (let part = pointer; part !== ''; part = part.slice(0, part.lastIndexOf('/'))) {
    const place = places.get(part);
    if (place !== undefined) return place;
  }
  return '';
}

const MAX_NOTES = 30;
const MAX_NAMES = 10;
const SETS_VARIABLE =
  /(?:(?:environment|globals|collectionVariables|variables)\.set|set(?:Environment|Global)Variable)\(\s{0,9}["'`]([^"'`\n]{1,200})["'`]/g;
const ADDS_HEADER = /headers\.(?:add|upsert)\(\s{0,9}\{[^{}]{0,200}?\bkey["']?\s{0,9}:\s{0,9}["'`]([^"'`\n]{1,200})/g;
const CHANGES_BODY = /request\.body\.(?:update\b|raw\s{0,9}=)/;

/** The input of the notes. */
interface Noted {
  readonly requests: readonly ReadRequest[];
  readonly scripts: readonly Script[];
  readonly isCut: boolean;
  readonly variables: Variables;
  readonly secrets: { readonly collection: readonly FoundSecret[]; readonly environment: readonly FoundSecret[] };
}

/** Returns the notes for a person about a collection. They contain names and places of secrets, never values. */
function postmanNotes({ requests, scripts, isCut, variables, secrets }: Noted): string[] {
  const notes = new Set([
    ...secretNote('collection', secrets.collection),
    ...secretNote('environment', secrets.environment),
    ...(isCut ? ['Folders more than 50 deep in the collection are not read.'] : []),
    ...addressNotes(requests),
    ...requests.flatMap(requestNotes),
    ...[...variables.unknownPlain].map(
      (name) => `Nobody says what {{${name}}} stands for. It stands without quotes, so it is taken for a number.`,
    ),
    ...scripts.flatMap((each) => scriptNotes(each, variables)),
  ]);
  const rest = notes.size - MAX_NOTES;
  return [
    ...[...notes].slice(0, MAX_NOTES),
    ...(rest > 0 ? [`${rest} more notes on the collection are left out.`] : []),
  ];
}

function secretNote(kind: string, secrets: readonly FoundSecret[]): string[] {
  if (secrets.length === 0) return [];
  const places = [...new Set(secrets.map(({ name, where }) => `${name} (${where})`))];
  const rest = places.length - MAX_NAMES;
  const list = `${places.slice(0, MAX_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return [`The ${kind} holds secrets: ${list}. None of them is kept. Take them out before you pass the file on.`];
}

function addressNotes(requests: readonly ReadRequest[]): string[] {
  const open = requests.filter(({ address }) => address.server === null && address.serverVariable !== null);
  const names = new Set(open.map(({ address }) => address.serverVariable));
  return [...names].map((name) => `The address of the service is in {{${name}}}, and no file says what that is.`);
}

function requestNotes({ entry, body, authorization, parameters, answers }: ReadRequest): string[] {
  const item = `"${entry.name}" (${entry.where})`;
  const secrets = parameters.filter(({ name }) => isSecretName(name));
  return [
    ...(typeof body === 'string' ? [`${item} has ${body}, which srq does not read.`] : []),
    ...(authorization.kind === 'unknown'
      ? [`${item} authorizes by "${authorization.type}", which srq cannot do.`]
      : []),
    ...secrets.map(
      ({ name, in: place }) => `${item} sends the secret "${name}" as a ${place} parameter, which srq does not.`,
    ),
    ...answers
      .filter(({ status }) => status === 429)
      .flatMap((answer) => {
        const limits = limitsOf(answer);
        return limits.length === 0
          ? []
          : [`A saved answer says when too much was sent: ${limits.join(', ')} (${answer.where}).`];
      }),
  ];
}

function scriptNotes({ text, where }: Script, variables: Variables): string[] {
  const names = [...text.matchAll(SETS_VARIABLE)]
    .map(([, name = '']) => name)
    .filter((each) => variables.unknown.has(each));
  const headers = [...text.matchAll(ADDS_HEADER)]
    .map(([, name = '']) => name)
    .filter((each) => !/^authorization$/i.test(each));
  return [
    ...names.map((name) => `A script sets {{${name}}} (${where}). srq runs no scripts, so its value is not known.`),
    ...headers.map(
      (name) => `A script adds the header "${name}" (${where}). srq runs no scripts: ask the service about it.`,
    ),
    ...(CHANGES_BODY.test(text)
      ? [`A script changes the body (${where}). srq runs no scripts: ask the service about it.`]
      : []),
  ];
}
