import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { SrqError, systemCode } from '../model/errors.ts';

/** Where the store is, and how to sign in there. */
export interface StoreAddress {
  /** The URL as it may be shown: without password and without parameters. */
  readonly shown: string;
  readonly config: ClientConfig;
  /** The password that the URL holds; null: none. */
  readonly password: string | null;
}

const LOCAL_HOST = /^(?:|localhost|127(?:\.\d+){3}|\[::1\]|::1|%2f.*|\/.*)$/i;

/**
 * Reads `postgres://USER@HOST:PORT/DATABASE`. To other machines the connection is encrypted and the server's certificate is
 * checked, unless the URL says `sslmode=disable` or `no-verify`. Throws `SrqError('settings')`, which never repeats the URL:
 * it may hold a password.
 */
export function storeAddress(text: string): StoreAddress {
  const url = parsed(text);
  const isLocal = LOCAL_HOST.test(url.searchParams.get('host') ?? url.hostname);
  const mode = url.searchParams.get('sslmode') ?? (isLocal ? 'disable' : 'verify-full');
  if (!['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'].includes(mode)) {
    throw unusable(`its sslmode "${mode.slice(0, 20)}" is not known`);
  }
  // The driver reads the weaker modes as the strict one, and warns of that on stderr.
  url.searchParams.set('sslmode', ['disable', 'no-verify'].includes(mode) ? mode : 'verify-full');
  const { password, ...config } = configOf(url);
  return {
    shown: shownUrl(url),
    config: { ...config, host: config.host || 'localhost' },
    password: typeof password === 'string' && password !== '' ? password : null,
  };
}

/** Reads the files that it names, too. */
function configOf(url: URL): ClientConfig {
  try {
    return parseIntoClientConfig(url.href);
  } catch (error) {
    throw unusable(systemCode(error) === '' ? 'it is not well-formed' : `a file that it names (${systemCode(error)})`);
  }
}

function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) throw unusable('it does not begin with postgres://');
  return url;
}

function shownUrl({ protocol, username, host, pathname, searchParams }: URL): string {
  const place = searchParams.get('host');
  const user = username === '' ? '' : `${username}@`;
  return `${protocol}//${user}${host}${pathname}${place === null ? '' : `?host=${place}`}`;
}

function unusable(why: string): SrqError {
  const hint = 'It looks like this: --store postgres://USER@HOST:5432/DATABASE';
  return new SrqError('settings', `The URL of the store cannot be used: ${why}.`, hint);
}
