import { isSecretName } from '../../request/words/names.ts';
import type { DescribedDocument } from '../documents/described.ts';
import { type JsonObject, objectOf, pointerPart, scalarOf } from '../documents/json-parts.ts';
import type { Json } from '../version-1/contract.ts';
import { limitsOf } from './postman-answers.ts';
import { isKeyName, tokenRequestOf } from './postman-auth.ts';
import { contentsOf, groupedBy, type PostmanEntry, type Script } from './postman-format.ts';
import { describeOperation, type ReadRequest, readRequest } from './postman-request.ts';
import { type FoundSecret, secretRedactor, secretsIn } from './postman-secrets.ts';
import { createVariables, MADE_ANEW, type Variables } from './postman-variables.ts';

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
  // A value that is a plain word of the addresses was marked as a secret by mistake. Hiding it would hide the
  // addresses.
  const parts = new Set(requests.flatMap(({ address }) => address.path.split('/')));
  const isHidden = ({ value }: FoundSecret) =>
    !variables.isAddress(value) && !(/^[a-z]+$/i.test(value) && parts.has(value));
  const found = {
    collection: secretsIn(collection).filter(isHidden),
    environment: secretsIn(environment).filter(isHidden),
  };
  const redact = secretRedactor([...found.collection, ...found.environment]);
  const info = objectOf(collection['info']);
  const title = scalarOf(info['name']) ?? '';
  const { document, places } = documentOf(requests, title, environmentName(environment), variables);
  const notes = postmanNotes({ requests, scripts, isCut, variables, secrets: found });
  return {
    kind: `Postman ${/v2\.0/.test(scalarOf(info['schema']) ?? '') ? '2.0' : '2.1'}`,
    title: String(redact(title)),
    document: objectOf(redact(document)),
    where: (pointer) => placeOf(pointer, places),
    notes: notes.map((each) => String(redact(each))),
    provesRequired: false,
  };
}

/** Returns the collection itself if it is a member of an answer of Postman's own API. */
function unwrapped(given: Json, name: string): JsonObject {
  const whole = objectOf(given);
  return name in whole ? objectOf(whole[name]) : whole;
}

const environmentName = (environment: JsonObject): string => scalarOf(environment['name']) ?? '';

/** Reads the requests, and adds token requests that only the settings of an authorization describe. */
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
  const main = mainServer(usable);
  const servers = serversOf(usable, main, environment);
  places.set('/servers', servers[0]?.where ?? '');
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
    operations.set(method, { ...described.operation, ...ownServer(address, main) });
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

/**
 * Returns the server of an operation if it is not the main one. If its address is unknown, the server keeps the name of
 * its variable.
 */
function ownServer(address: ReadRequest['address'], main: string): JsonObject {
  const own = serverName(address);
  return own === main || own === '' ? {} : { servers: [{ url: own }] };
}

/** Returns the address of a server, or the reference to it if no file gives its address. */
const serverName = ({ server, serverVariable }: ReadRequest['address']): string =>
  server ?? (serverVariable === null ? '' : `https://{${serverVariable}}`);

/**
 * Returns the name of the server with the most requests. Requests for tokens count last, because they may be sent
 * elsewhere.
 */
function mainServer(requests: readonly ReadRequest[]): string {
  const named = requests.filter(({ address }) => serverName(address) !== '');
  const others = named.filter(
    ({ address, entry }) => !/token|oauth|login|auth\b/i.test(`${address.path} ${entry.name}`),
  );
  const groups = groupedBy(others.length > 0 ? others : named, ({ address }) => serverName(address));
  const [main] = [...groups].sort((a, b) => b[1].length - a[1].length);
  return main?.[0] ?? '';
}

/** Returns the main server with its place, or an empty list if its address is unknown. */
function serversOf(requests: readonly ReadRequest[], main: string, environment: string) {
  const first = requests.find(({ address }) => address.server === main);
  if (first === undefined) return [];
  const { serverVariable } = first.address;
  const description = serverVariable === null ? '' : environment || serverVariable;
  return [{ url: main, description, where: `${first.entry.where}/request/url` }];
}

function schemesOf(requests: readonly ReadRequest[], places: Map<string, string>): JsonObject {
  const schemes = new Map<string, JsonObject>();
  for (const { name, scheme, where } of requests.flatMap(({ authorization }) => authorization)) {
    if (schemes.has(name)) continue;
    schemes.set(name, scheme);
    places.set(`/components/securitySchemes/${name}`, where);
  }
  return Object.fromEntries(schemes);
}

/** Returns the place of the longest enclosing part of a pointer that has one. */
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
    ...madeAnewNote(requests),
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

/** Names the values that the client tool makes anew for each request, and that srq therefore cannot know. */
function madeAnewNote(requests: readonly ReadRequest[]): string[] {
  const sending = requests.filter(({ method }) => method === 'post' || method === 'put');
  const texts = sending.map(({ entry }) => {
    const { url, body } = objectOf(entry.item['request']);
    return JSON.stringify([url ?? null, body ?? null]);
  });
  const names = new Set(texts.flatMap((text) => [...text.matchAll(MADE_ANEW)].map(([reference]) => reference)));
  if (names.size === 0) return [];
  const list = [...names].slice(0, MAX_NAMES).join(', ');
  return [
    `The client tool makes ${list} anew for each request. srq sends none of them: what the service demands in their place, a row gives, or --set NAME=VALUE.`,
  ];
}

function requestNotes({ entry, body, parameters, answers }: ReadRequest): string[] {
  const item = `"${entry.name}" (${entry.where})`;
  const secrets = parameters.filter(({ name }) => isSecretName(name) && !isKeyName(name));
  return [
    ...(typeof body === 'string' ? [`${item} has ${body}, which srq does not read.`] : []),
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
