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
    config: { ...config, host: config.host || 'localhost', ...databaseOf(url) },
    password: typeof password === 'string' && password !== '' ? password : null,
  };
}

/** The library leaves some letters as they are escaped. */
function databaseOf({ pathname }: URL): Pick<ClientConfig, 'database'> {
  try {
    return pathname.length > 1 ? { database: decodeURIComponent(pathname.slice(1)) } : {};
  } catch {
    throw unusable('the name of its database is not well-formed');
  }
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
  // With a user and without a host, as a URL must not be: the host, a folder with a socket, is among the parameters.
  const whole = text.replace(/^(postgres(?:ql)?:\/\/[^/?#@]+@)(?=\/)/, '$1localhost');
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (!/^postgres(?:ql)?:/.test(text)) throw unusable('it does not begin with postgres://');
  // Else what stands behind the first of them, the rest of a password, would be taken for host or database.
  if (url === null || url.hash !== '' || url.pathname.includes('@')) {
    throw unusable(
      'it is not well-formed; in a user or password @ is written %40, / is %2F, # is %23, ? is %3F, : is %3A',
    );
  }
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
