import { encodingOf, isElsewhere, type TokenOperation } from '../request/contract/contract.ts';
import { isTokenOrigin } from '../request/contract/contract-schema.ts';
import { isObject, type JsonObject, listOf, memberOf, objectOf, scalarOf, textOf } from '../request/contract/json.ts';
import { type FoundPlace, lastName } from '../request/contract/places.ts';
import { DOCUMENTED_CONTRACT } from '../request/contract/public-api.ts';
import { PATHS } from '../request/contract/wire.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';
import { type ApiDescription, follow, unlessRefused } from './cut.ts';
import { type ApiOperation, operationCalled, schemaOfCall } from './document.ts';
import { BASIC } from './from-postman.ts';
import { choiceQuestion, type Learning, valueQuestion, variablesIn } from './given.ts';
import { type Address, addressAt, addressIn, isWhole, serverUrls } from './servers.ts';

type Scheme = ReturnType<typeof schemesOf>[number];

const PLAIN_TOKEN = DOCUMENTED_CONTRACT.token;

/**
 * Proposes where tokens come from. One address is taken and shown; of several, a person says which. A person names any
 * host other than the service's, because the client secret goes there. Of operations that may issue tokens only that of the
 * public document is taken unasked.
 */
export function proposeToken(
  learning: Learning,
  used: readonly ApiOperation[],
  said: string | undefined,
): TokenOperation {
  if (said !== undefined) return tokenAt(learning, placeSaid(learning, said), used);
  const schemes = schemesOf(learning.description, used[0]);
  const tokens = tokenPlaces(learning, schemes);
  const namesTokens = schemes.length === 0 || schemes.some(isForTokens);
  // A description that says nothing of access is as the public document.
  const places = tokens.length > 0 ? tokens : [{ ...PUBLIC, isSure: schemes.length === 0 }];
  const [place] = places;
  if (namesTokens && places.length === 1 && place?.isSure && !isElsewhere(place)) return tokenAt(learning, place, used);
  return asked(learning, places, namesTokens || tokens.length > 0 ? '' : NO_TOKENS);
}

/** Returns the schemes of an operation, or those of the description if none is said. A client certificate goes beside any. */
function schemesOf(description: ApiDescription, operation: ApiOperation | undefined) {
  const { root } = description;
  const schemes = objectOf(objectOf(root['components'])['securitySchemes']);
  const general = listOf(root['security']);
  const said = operation?.value['security'] ?? (general.length > 0 ? general : undefined);
  const names = said === undefined ? Object.keys(schemes) : listOf(said).flatMap((way) => Object.keys(objectOf(way)));
  return [...new Set(names)]
    .map((id) => ({ id, value: objectOf(follow(description, memberOf(schemes, id))) }))
    .filter(({ value }) => value['type'] !== 'mutualTLS');
}

/** A key in the header Authorization may be a token. */
function isForTokens({ value }: Scheme): boolean {
  const { type, scheme, name } = value;
  if (type === 'http') return /^bearer$/i.test(textOf(scheme));
  return type === 'apiKey' ? /^authorization$/i.test(textOf(name)) : clientFlow(value) !== null;
}

/** Returns what a scheme says of client credentials. */
function clientFlow(scheme: JsonObject): JsonObject | null {
  const flow = objectOf(scheme['flows'])['clientCredentials'];
  return isObject(flow) ? flow : null;
}

/** A place that may issue tokens. */
interface TokenPlace extends Address {
  /** Whether it is clear enough to be taken unasked. */
  readonly isSure: boolean;
}

const PUBLIC: TokenPlace = { path: PATHS.token, isSure: true };

const TOKEN = /token|oauth|login|signin|sign-in|\/auth(?:enticat\w*)?(?:\/|$)|session/i;
const OTHER =
  /\{[^{}]*(?:token|auth)[^{}]*\}|revo[ck]|introspect|refresh|logout|userinfo|authori[sz]e|verif|valid|check|callback|device|push|card|payment|password|reset|register|webhook|confirm|exchange|otp|mfa/i;
const MAX_PLACES = 5;

/** Finds where tokens may come from. The address of a flow beats every operation. */
function tokenPlaces(
  { description, operations, baseUrl, values }: Learning,
  schemes: readonly Scheme[],
): readonly TokenPlace[] {
  const demanded = schemes.length > 0 ? schemes : schemesOf(description, undefined);
  const ofFlows = demanded.flatMap(({ value }): TokenPlace[] => {
    const url = textOf(clientFlow(value)?.['tokenUrl']).trim();
    const place = url === '' ? null : addressAt(values.fill(url), description, baseUrl);
    return place === null ? [] : [{ ...place, isSure: isWhole(url) }];
  });
  if (ofFlows.length > 0) return [...new Map(ofFlows.map((each) => [`${each.origin} ${each.path}`, each])).values()];
  const found = operations.flatMap((operation): TokenPlace[] => {
    if (operation.method !== 'POST' || !TOKEN.test(operation.path) || OTHER.test(operation.path)) return [];
    const address = values.fill(addressIn(description, operation));
    const place = address.startsWith('/') ? { path: address } : addressAt(address, description, baseUrl);
    const { members } = membersOf(description, operation);
    const isForClients = members.every((each) => CLIENT.test(each.name) || !each.required || usualFor(each) !== null);
    return place === null ? [] : [{ ...place, isSure: isForClients && operation.path.endsWith(PATHS.token) }];
  });
  const ofPublic = found.filter((each) => each.isSure);
  return ofPublic.length > 0 ? ofPublic : found.slice(0, MAX_PLACES);
}

const CLIENT = /^(?:grant_type|client_id|client_secret)$/;

/** Returns the members of a token request, and how they are written. */
function membersOf(description: ApiDescription, operation: ApiOperation | null) {
  const { places = [], as = '' } = (operation && unlessRefused(() => schemaOfCall(description, operation))) ?? {};
  const members = places.filter((each) => each.in === 'body' && each.path.length === 1);
  return { members: members.map((each) => ({ ...each, name: lastName(each) })), as };
}

/** Returns what a member always holds, by the description. */
const usualFor = ({ fixed, keywords }: FoundPlace): string | null => scalarOf(fixed.get('') ?? keywords['default']);

const operationAt = ({ operations, values }: Learning, place: Address): ApiOperation | null =>
  isElsewhere(place)
    ? null
    : (operations.find(({ method, path }) => method === 'POST' && place.path.endsWith(values.fill(path))) ?? null);

/** A person names an operation, a path below the base URL, or a whole address. */
function placeSaid({ description, operations, baseUrl, values }: Learning, said: string): Address {
  const operation = operationCalled(operations, said);
  const [, address = ''] =
    /^(?:post\s+)?((?:https?:\/)?\/\S*)$/i.exec(values.fill(operation?.name ?? said.trim())) ?? [];
  if (address === '')
    throw new SrqError(
      'operation.not-found',
      `${description.file} has no operation "${said.trim()}".`,
      'Name a path or a whole address: --operation "token=POST /oauth/token"',
    );
  const url = URL.canParse(address) ? new URL(address) : null;
  const isPlain =
    url !== null && `${url.search}${url.hash}${url.username}${url.password}` === '' && isTokenOrigin(url.origin);
  const place = address.startsWith('/') ? { path: address } : isPlain ? addressAt(address, description, baseUrl) : null;
  if (place !== null) return place;
  const hint = 'Name one with https and without a query: --operation "token=https://login.example.com/oauth/token"';
  throw new SrqError('address.outside', `A client secret may not be sent to "${address}".`, hint);
}

function tokenAt(learning: Learning, place: Address, used: readonly ApiOperation[]): TokenOperation {
  const { description, values } = learning;
  const { path, origin } = place;
  for (const name of variablesIn(path))
    values.ask(valueQuestion(name, `The address for tokens ${path} holds {${name}}, and only you know it.`));
  const { members, as } = membersOf(description, operationAt(learning, place));
  const scheme = schemesOf(description, used[0]).find(({ value }) => clientFlow(value) !== null);
  const scope = scheme === undefined ? '' : scopesOf(description, used, scheme);
  const extra: Record<string, string> = scope === '' ? {} : { scope };
  for (const member of members) {
    const { name, required } = member;
    if (CLIENT.test(name)) continue;
    const value = values.of(name) ?? (required ? usualFor(member) : null);
    if (value !== null) extra[name] = value;
    else if (required && extra[name] === undefined)
      values.ask(valueQuestion(name, `The token request has to hold ${name}. What is it?`));
  }
  const isBasic =
    (scheme && clientFlow(scheme.value)?.[BASIC]) === true ||
    (members.length > 0 && members.every(({ name }) => name !== 'client_secret'));
  const written = {
    auth: isBasic ? 'basic' : 'body',
    encoding: as !== '' && encodingOf({ as }) === 'json' ? 'json' : 'form',
  } as const;
  return { ...PLAIN_TOKEN, path, ...written, extra, ...(origin !== undefined && { origin }) };
}

/** Returns the scopes that the operations demand, or those of the flow if they name none. */
function scopesOf({ root }: ApiDescription, used: readonly ApiOperation[], { id, value }: Scheme): string {
  const offered = Object.keys(objectOf(clientFlow(value)?.['scopes']));
  const ways = used.flatMap((each) => listOf(each.value['security'] ?? root['security']));
  const demanded = ways.flatMap((way) => listOf(objectOf(way)[id]).map(textOf));
  const asked = offered.filter((each) => demanded.includes(each));
  return (asked.length > 0 ? asked : offered).join(' ');
}

const NO_TOKENS =
  'The API description says nothing of a token for programs, and srq sends requests only with one. Ask the service for client credentials. ';

/** Another host is never proposed as a flag: who copies it unread would send the secret there. */
function asked({ description, baseUrl, values }: Learning, places: readonly Address[], before: string): TokenOperation {
  const host = baseUrl ?? serverUrls(description).find((each) => URL.canParse(each));
  // A path alone means one below the base URL.
  const nameOf = ({ path, origin }: Address) => {
    const at = origin === 'service' ? host && new URL(host).origin : origin;
    return at === undefined ? `POST ${path}` : at + path;
  };
  const own = places.find((each) => !isElsewhere(each)) ?? { path: places[0]?.path ?? PUBLIC.path };
  const choices = places.map((each) => {
    const where = isElsewhere(each) ? ', at another host than the service' : '';
    return [nameOf(each), `${nameOf(each)} for a token${where}`] as const;
  });
  const answer = shellWord(`token=${nameOf(own)}`);
  values.ask(choiceQuestion('token', `${before}Where does your client secret go?`, choices, answer));
  return PLAIN_TOKEN;
}
