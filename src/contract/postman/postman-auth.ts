import { isSecretName } from '../../request/words/names.ts';
import { type JsonObject, memberOf, textOf } from '../documents/json-parts.ts';
import { type Pair, type PostmanEntry, pairNamed, pairsOf } from './postman-format.ts';
import type { Variables } from './postman-variables.ts';

/** The security schemes of OpenAPI that a request demands together. An empty list means that it demands none. */
export type NamedSchemes = readonly NamedScheme[];

/** A security scheme of OpenAPI with its place in the collection. */
interface NamedScheme {
  readonly name: string;
  readonly scheme: JsonObject;
  readonly where: string;
}

/**
 * Reads the authorization of a request. An explicit `Authorization` header takes precedence over the settings, as in
 * the client tool. Headers and query parameters with the names of keys are read as keys, which replace the settings or
 * add to them.
 */
export function authorizationOf(
  entry: PostmanEntry,
  headers: readonly Pair[],
  query: readonly Pair[],
  variables: Variables,
): NamedSchemes {
  const keys = [...keysIn(headers, 'header', variables), ...keysIn(query, 'query', variables)];
  const header = pairNamed(headers, 'authorization');
  const [scheme = ''] = header?.value?.trim().toLowerCase().split(/\s+/, 1) ?? [];
  if (header !== undefined && (scheme === 'basic' || scheme === 'bearer')) {
    return [{ name: scheme, scheme: { type: 'http', scheme }, where: header.where }, ...keys];
  }
  const settings = entry.auth === null ? [] : settingsAuthorization(entry.auth, variables);
  if (settings.length > 0 || header === undefined) return [...settings, ...keys];
  const own = { type: 'apiKey', in: 'header', name: 'Authorization' };
  return [{ name: 'Authorization', scheme: own, where: header.where }, ...keys];
}

/** Matches names of secrets that are created for one request or one session, so that no partner is given one. */
const PASSING = /signature|csrf|xsrf|nonce|cookie|session|idempoten/i;

function keysIn(pairs: readonly Pair[], place: 'header' | 'query', variables: Variables): NamedScheme[] {
  return pairs
    .map((pair) => ({ ...pair, name: variables.fill(pair.name) }))
    .filter(({ name, isDisabled }) => isKeyName(name) && !isDisabled)
    .map(({ name, where }) => ({ name, scheme: { type: 'apiKey', in: place, name }, where }));
}

/** Tells whether a header or query parameter with this name holds a key that the partner was given. */
export const isKeyName = (name: string): boolean =>
  isSecretName(name) && !PASSING.test(name) && !/^(?:proxy-)?authorization$/i.test(name);

/** Returns the values of an authorization's settings, which are a list of pairs in 2.1 and an object in 2.0. */
function authSettings({ settings, where }: NonNullable<PostmanEntry['auth']>): Map<string, string> {
  const type = String(settings['type']);
  return new Map(pairsOf(settings[type], where).map(({ name, value }) => [name, value ?? '']));
}

function settingsAuthorization(auth: NonNullable<PostmanEntry['auth']>, variables: Variables): NamedSchemes {
  const type = String(auth.settings['type']);
  const settings = authSettings(auth);
  const { where } = auth;
  switch (type) {
    case 'noauth':
      return [];
    case 'oauth2': {
      const flow = textOf(memberOf(OTHER_FLOWS, settings.get('grant_type') ?? ''));
      if (flow !== '') return [{ name: flow, scheme: { type: 'oauth2', flows: { [flow]: {} } }, where }];
      // The token obtained by {@link tokenRequestOf} is sent as a bearer token.
      return [{ name: 'bearer', scheme: { type: 'http', scheme: 'bearer' }, where }];
    }
    case 'apikey': {
      const name = variables.fill(settings.get('key') ?? '');
      return [{ name: type, scheme: { type: 'apiKey', in: settings.get('in') ?? 'header', name }, where }];
    }
    default:
      return [{ name: type, scheme: { type: 'http', scheme: type }, where }];
  }
}

/** The grants that require a person to get a token, with the names of their flows in OpenAPI. */
const OTHER_FLOWS: Readonly<Record<string, string>> = {
  authorization_code: 'authorizationCode',
  authorization_code_with_pkce: 'authorizationCode',
  implicit: 'implicit',
  password_credentials: 'password',
};

/**
 * Builds a request for a token from the settings of an authorization, if no item of the collection is one. The result
 * is a request of version 2.1. Returns null if the settings describe none. The client tool sends the credentials as
 * Basic unless the settings say `body`.
 */
export function tokenRequestOf(auth: NonNullable<PostmanEntry['auth']>): JsonObject | null {
  const settings = authSettings(auth);
  const url = settings.get('accessTokenUrl') ?? '';
  if (auth.settings['type'] !== 'oauth2' || settings.get('grant_type') !== 'client_credentials' || url === '')
    return null;
  const isBody = settings.get('client_authentication') === 'body';
  const urlencoded = [
    { key: 'grant_type', value: 'client_credentials' },
    ...(isBody
      ? [
          { key: 'client_id', value: '' },
          { key: 'client_secret', value: '' },
        ]
      : []),
    ...['scope', 'audience', 'resource'].flatMap((key) => {
      const value = settings.get(key) ?? '';
      return value === '' ? [] : [{ key, value }];
    }),
  ];
  const type = isBody ? 'noauth' : 'basic';
  return { method: 'POST', url, auth: { type }, body: { mode: 'urlencoded', urlencoded } };
}
