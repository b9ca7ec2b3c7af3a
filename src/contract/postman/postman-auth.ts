import type { JsonObject } from '../documents/json-parts.ts';
import { type Pair, type PostmanEntry, pairNamed, pairsOf } from './postman-format.ts';
import type { Variables } from './postman-variables.ts';

/**
 * The authorization of a request. It is a security scheme of OpenAPI or `none`. A text in `unknown` names a method that
 * srq does not support.
 */
export type Authorization =
  | { readonly kind: 'scheme'; readonly name: string; readonly scheme: JsonObject; readonly where: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly type: string };

/**
 * Reads the authorization of a request. An explicit `Authorization` header takes precedence over the settings, as in
 * the client tool.
 */
export function authorizationOf(entry: PostmanEntry, headers: readonly Pair[], variables: Variables): Authorization {
  const header = pairNamed(headers, 'authorization');
  const [scheme = ''] = header?.value?.trim().toLowerCase().split(/\s+/, 1) ?? [];
  if (header !== undefined && (scheme === 'basic' || scheme === 'bearer')) {
    return { kind: 'scheme', name: scheme, scheme: { type: 'http', scheme }, where: header.where };
  }
  return entry.auth === null ? { kind: 'none' } : settingsAuthorization(entry.auth, variables);
}

/** Returns the values of an authorization's settings, which are a list of pairs in 2.1 and an object in 2.0. */
function authSettings({ settings, where }: NonNullable<PostmanEntry['auth']>): Map<string, string> {
  const type = String(settings['type']);
  return new Map(pairsOf(settings[type], where).map(({ name, value }) => [name, value ?? '']));
}

function settingsAuthorization(auth: NonNullable<PostmanEntry['auth']>, variables: Variables): Authorization {
  const type = String(auth.settings['type']);
  const settings = authSettings(auth);
  const { where } = auth;
  switch (type) {
    case 'noauth':
      return { kind: 'none' };
    case 'basic':
      return { kind: 'scheme', name: type, scheme: { type: 'http', scheme: type }, where };
    // The token obtained by {@link tokenRequestOf} is sent as a bearer token.
    case 'oauth2':
    case 'bearer':
      return { kind: 'scheme', name: 'bearer', scheme: { type: 'http', scheme: 'bearer' }, where };
    case 'apikey': {
      const name = variables.fill(settings.get('key') ?? '');
      return {
        kind: 'scheme',
        name: 'apikey',
        scheme: { type: 'apiKey', in: settings.get('in') ?? 'header', name },
        where,
      };
    }
    default:
      return { kind: 'unknown', type };
  }
}

/**
 * Builds the token request that the settings of an authorization describe and no item shows, as a request of 2.1.
 * Returns null if they describe none. Unless the settings say `body`, the client tool sends the credentials as Basic.
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
