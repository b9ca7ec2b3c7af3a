import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { SrqError, systemCode } from '../../request/words/errors.ts';

/** One of the servers that may hold the store. */
export interface ServerPlace {
  readonly host: string;
  /** The port. Without it the driver's default is used, which is PGPORT or 5432. */
  readonly port?: number;
}

/** The address of the store and the credentials for it. */
export interface StoreAddress {
  /** The URL as it may be shown, without password and parameters. */
  readonly shown: string;
  /** The settings that all servers of the store share. */
  readonly config: ClientConfig;
  /** The servers, one of which is the primary. There is at least one. */
  readonly places: readonly ServerPlace[];
  /** True if only a server that accepts writes is suitable. */
  readonly mustTakeWriting: boolean;
  /** The password in the URL, or null if it has none. */
  readonly password: string | null;
}

/** Matches the beginning of a URL, and the servers between the user and the database. */
const SERVERS = /^(postgres(?:ql)?:\/\/(?:[^/?#@]*@)?)([^/?#@]*)/;
const LOCAL_HOST = /^(?:|localhost|127(?:\.\d+){3}|\[::1\]|::1|%2f.*|\/.*)$/i;

/**
 * Parses `postgres://USER@HOST:PORT/DATABASE`. Several servers may be named, as the clients of PostgreSQL take them:
 * `postgres://a:5432,b:5432/DATABASE`. A connection to another machine is encrypted and the server's certificate is
 * checked, unless the URL says `sslmode=disable` or `no-verify`. Throws `SrqError('settings')` if the URL cannot be
 * used. The error never repeats the URL, which may contain a password.
 */
export function storeAddress(text: string): StoreAddress {
  const [beginning = '', , servers = ''] = SERVERS.exec(text) ?? [];
  // What stands before a later @ may be a part of a password, and would be shown as a server.
  if (servers.includes(',') && text[beginning.length] === '@') {
    throw unusable(
      'of several servers only the first has a user before it, and in a user or password @ is written %40',
    );
  }
  const urls = servers.split(',').map((server) => parsed(text.replace(SERVERS, `$1${server}`)));
  const [url] = urls as [URL, ...URL[]];
  const isLocal = urls.every(({ hostname }) => LOCAL_HOST.test(url.searchParams.get('host') ?? hostname));
  const mode = url.searchParams.get('sslmode') ?? (isLocal ? 'disable' : 'verify-full');
  if (!['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'].includes(mode)) {
    throw unusable(`its sslmode "${mode.slice(0, 20)}" is not known`);
  }
  // The driver treats the weaker modes as the strict one and warns about that on stderr, so the strict one is set here.
  for (const each of urls)
    each.searchParams.set('sslmode', ['disable', 'no-verify'].includes(mode) ? mode : 'verify-full');
  const configs = urls.map(configOf);
  const [{ password, host: _, port: __, ...config } = {}] = configs;
  return {
    shown: shownUrl(url, servers),
    config: { ...config, ...databaseOf(url) },
    places: configs.map(({ host, port }) => ({ host: host || 'localhost', ...(port ? { port: Number(port) } : {}) })),
    mustTakeWriting: mustTakeWriting(url, urls.length > 1),
    password: typeof password === 'string' && password !== '' ? password : null,
  };
}

/**
 * Tells whether only a server that accepts writes is suitable. This is the default for several servers, unless the URL
 * says that any will do.
 */
function mustTakeWriting({ searchParams }: URL, isList: boolean): boolean {
  const wanted = searchParams.get('target_session_attrs') ?? (isList ? 'read-write' : 'any');
  if (!['any', 'read-write', 'primary'].includes(wanted)) {
    throw unusable(`its target_session_attrs "${wanted.slice(0, 20)}" is not known here: any, read-write or primary`);
  }
  return wanted !== 'any';
}

/** Decodes the name of the database, because the library leaves some characters escaped. */
function databaseOf({ pathname }: URL): Pick<ClientConfig, 'database'> {
  try {
    return pathname.length > 1 ? { database: decodeURIComponent(pathname.slice(1)) } : {};
  } catch {
    throw unusable('the name of its database is not well-formed');
  }
}

/** Parses the URL with the driver's library, which also reads the files that the URL names. */
function configOf(url: URL): ClientConfig {
  try {
    return parseIntoClientConfig(url.href);
  } catch (error) {
    throw unusable(systemCode(error) === '' ? 'it is not well-formed' : `a file that it names (${systemCode(error)})`);
  }
}

function parsed(text: string): URL {
  // A URL must not have a user without a host. Here the host may instead be a parameter that names the folder of a
  // socket.
  const whole = text.replace(/^(postgres(?:ql)?:\/\/[^/?#@]+@)(?=\/)/, '$1localhost');
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (!/^postgres(?:ql)?:/.test(text)) throw unusable('it does not begin with postgres://');
  // An unescaped # or @ in a password would make the rest of the password part of the host or the database.
  if (url === null || url.hash !== '' || url.pathname.includes('@')) {
    throw unusable(
      'it is not well-formed; in a user or password @ is written %40, / is %2F, # is %23, ? is %3F, : is %3A',
    );
  }
  return url;
}

function shownUrl({ protocol, username, host, pathname, searchParams }: URL, servers: string): string {
  const place = searchParams.get('host');
  const user = username === '' ? '' : `${username}@`;
  return `${protocol}//${user}${servers.includes(',') ? servers : host}${pathname}${place === null ? '' : `?host=${place}`}`;
}

function unusable(why: string): SrqError {
  const hint = 'It looks like this: --store postgres://USER@HOST:5432/DATABASE';
  return new SrqError('store.bad-address', `The URL of the store cannot be used: ${why}.`, hint);
}
