import { type Authorization, type Contract, encodingOf, isElsewhere } from '../request/contract/contract.ts';
import { isTokenOrigin } from '../request/contract/contract-schema.ts';
import { isObject, type JsonObject, listOf, memberOf, objectOf, scalarOf, textOf } from '../request/contract/json.ts';
import { type FoundPlace, lastName } from '../request/contract/places.ts';
import { DOCUMENTED_CONTRACT } from '../request/contract/public-api.ts';
import { PATHS } from '../request/contract/wire.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';
import { isSecretName } from '../request/words/names.ts';
import { type ApiDescription, follow, unlessRefused } from './cut.ts';
import { type ApiOperation, operationCalled, schemaOfCall } from './document.ts';
import { BASIC } from './from-postman.ts';
import { choiceQuestion, type GivenValues, type Learning, valueQuestion, variablesIn } from './given.ts';
import { type Address, addressAt, addressIn, isWhole, serverUrls } from './servers.ts';

type Access = Pick<Contract, 'token' | 'auth'>;

/** What a person says instead of an address for tokens. */
const WORDS = {
  basic: 'basic: HTTP Basic with each request',
  key: 'key: a key with each request',
  none: 'none: a key or a token that stays, which the service gave you',
};
type Fixed = keyof typeof WORDS;
type Kind = 'token' | 'basic' | 'key' | 'other';

interface Scheme {
  readonly id: string;
  readonly value: JsonObject;
}

const PLAIN_TOKEN = DOCUMENTED_CONTRACT.token;

/**
 * Proposes how calls are authorized. One scheme is taken and shown; of several, a person says which. A person names any
 * host other than the service's, because the client secret goes there. Of operations that may issue tokens only that of the
 * public document is taken unasked.
 */
export function proposeAccess(learning: Learning, used: readonly ApiOperation[], said: string | undefined): Access {
  const { description, values } = learning;
  const schemes = schemesOf(description, used[0]);
  const kinds = new Set(schemes.map(kindOf));
  if (kinds.size > 1) kinds.delete('other');
  const word = said?.trim().toLowerCase();
  if (word === 'basic' || word === 'none' || (word === 'key' && kinds.has('key')))
    return fixedAccess(word, schemes, values);
  if (said !== undefined) return tokenAccess(learning, placeSaid(learning, said), used);
  const tokens = tokenPlaces(learning, schemes);
  // A key in the header Authorization may be the token, if the description has an operation that issues one.
  const isLogin = tokens.length > 0 && schemes.every(({ value }) => /^authorization$/i.test(textOf(value['name'])));
  const fixed = (['basic', 'key'] as const).filter((each) => kinds.has(each) && !(each === 'key' && isLogin));
  // A description that says nothing of access is as the public document.
  const usual = kinds.has('other') ? [] : [{ ...PUBLIC, isSure: kinds.size === 0 }];
  const isFixed = fixed.length > 0 && fixed.length === kinds.size;
  const places = isFixed ? [] : tokens.length > 0 ? tokens : usual;
  const [only] = fixed;
  const [place] = places;
  if (places.length + fixed.length === 1 && !kinds.has('other')) {
    if (only !== undefined) return fixedAccess(only, schemes, values);
    if (place?.isSure && !isElsewhere(place)) return tokenAccess(learning, place, used);
  }
  return asked(learning, places, fixed, kinds.has('other') ? FOR_PERSONS : '');
}

/** Returns the schemes of an operation, or those of the description if none is said. A client certificate goes beside any. */
function schemesOf(description: ApiDescription, operation: ApiOperation | undefined): Scheme[] {
  const { root } = description;
  const schemes = objectOf(objectOf(root['components'])['securitySchemes']);
  const general = listOf(root['security']);
  const said = operation?.value['security'] ?? (general.length > 0 ? general : undefined);
  const names = said === undefined ? Object.keys(schemes) : listOf(said).flatMap((way) => Object.keys(objectOf(way)));
  return [...new Set(names)]
    .map((id) => ({ id, value: objectOf(follow(description, memberOf(schemes, id))) }))
    .filter(({ value }) => value['type'] !== 'mutualTLS');
}

function kindOf({ value }: Scheme): Kind {
  const { type, in: place, name } = value;
  const http = textOf(value['scheme']).toLowerCase();
  if (type === 'http' && http === 'basic') return 'basic';
  if (type === 'http' && http === 'bearer') return 'token';
  if (type === 'oauth2' && clientFlow(value) !== null) return 'token';
  return type === 'apiKey' && /^(?:header|query)$/.test(textOf(place)) && textOf(name) !== '' ? 'key' : 'other';
}

/** Returns what a scheme says of client credentials. */
function clientFlow(scheme: JsonObject): JsonObject | null {
  const flow = objectOf(scheme['flows'])['clientCredentials'];
  return isObject(flow) ? flow : null;
}

/** Access without a token, or with one that the service gave to the partner: `none`. */
function fixedAccess(word: Fixed, schemes: readonly Scheme[], values: GivenValues): Access {
  const keys = schemes.filter((each) => kindOf(each) === 'key').map(({ value }) => value);
  // If there are several keys, the one with the name of a secret is the partner's.
  const key = keys.findLast(({ name }) => isSecretName(textOf(name))) ?? keys[0];
  const name = textOf(key?.['name']) || 'Authorization';
  const where = key?.['in'] === 'query' ? 'query' : 'header';
  const prefix = key === undefined ? 'Bearer ' : '';
  const auth: Authorization =
    word === 'basic' ? { kind: 'basic' } : { kind: 'apiKey', in: where, name, prefix, value: values.of(name) ?? null };
  return { token: PLAIN_TOKEN, auth };
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

function tokenAccess(learning: Learning, place: Address, used: readonly ApiOperation[]): Access {
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
  return { token: { ...PLAIN_TOKEN, path, ...written, extra, ...(origin !== undefined && { origin }) } };
}

/** Returns the scopes that the operations demand, or those of the flow if they name none. */
function scopesOf({ root }: ApiDescription, used: readonly ApiOperation[], { id, value }: Scheme): string {
  const offered = Object.keys(objectOf(clientFlow(value)?.['scopes']));
  const ways = used.flatMap((each) => listOf(each.value['security'] ?? root['security']));
  const demanded = ways.flatMap((way) => listOf(objectOf(way)[id]).map(textOf));
  const asked = offered.filter((each) => demanded.includes(each));
  return (asked.length > 0 ? asked : offered).join(' ');
}

const FOR_PERSONS =
  'The API description has only a login for persons with a browser, which a program cannot use. Ask the service for client credentials, a key or HTTP Basic. ';

/** Another host is never proposed as a flag: who copies it unread would send the secret there. */
function asked(
  { description, baseUrl, values }: Learning,
  places: readonly Address[],
  fixed: readonly Fixed[],
  before: string,
): Access {
  const host = baseUrl ?? serverUrls(description).find((each) => URL.canParse(each));
  // A path alone means one below the base URL.
  const nameOf = ({ path, origin }: Address) => {
    const at = origin === 'service' ? host && new URL(host).origin : origin;
    return at === undefined ? `POST ${path}` : at + path;
  };
  const own = places.find((each) => !isElsewhere(each)) ?? places.map(({ path }) => ({ path }))[0];
  const choices = [
    ...places.map((each) => {
      const where = isElsewhere(each) ? ', at another host than the service' : '';
      return [nameOf(each), `${nameOf(each)} for a token${where}`] as const;
    }),
    ...[...fixed, 'none' as const].map((each) => [each, WORDS[each]] as const),
  ];
  const answer = shellWord(`token=${own === undefined ? (fixed[0] ?? 'none') : nameOf(own)}`);
  values.ask(choiceQuestion('token', `${before}Where does your client secret go?`, choices, answer));
  return { token: PLAIN_TOKEN };
}
