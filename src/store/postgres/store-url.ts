import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { SrqError, systemCode } from '../../request/words/errors.ts';

const LOCAL_HOST = /^(?:|localhost|127(?:\.\d+){3}|\[::1\]|::1|%2f.*|\/.*)$/i;

/**
 * Parses `postgres://USER@HOST:PORT/DATABASE`. A connection to another machine is encrypted and the server's certificate is
 * checked, unless the URL says `sslmode=disable` or `no-verify`. Throws `SrqError('settings')` if the URL cannot be
 * used. The error never repeats the URL, which may contain a password.
 */
export function storeAddress(text: string) {
  const url = parsed(text);
  const isLocal = LOCAL_HOST.test(url.searchParams.get('host') ?? url.hostname);
  const mode = url.searchParams.get('sslmode') ?? (isLocal ? 'disable' : 'verify-full');
  // The driver treats the weaker modes as the strict one and warns about that on stderr, so the strict one is set here.
  url.searchParams.set('sslmode', ['disable', 'no-verify'].includes(mode) ? mode : 'verify-full');
  const { password, host, port, ...config } = configOf(url);
  const place = { host: host || 'localhost', ...(port ? { port: Number(port) } : {}) };
  return {
    /** The URL as it may be shown, without password and parameters. */
    shown: shownUrl(url),
    config: { ...config, ...place },
    /** The password in the URL, or null if it has none. */
    password: typeof password === 'string' && password !== '' ? password : null,
  };
}

/** Parses the URL with the driver's library, which also reads the files that the URL names. */
function configOf(url: URL): ClientConfig {
  try {
    // The library leaves some characters of the name escaped.
    const database = decodeURIComponent(url.pathname.slice(1));
    return { ...parseIntoClientConfig(url.href), ...(database === '' ? {} : { database }) };
  } catch (error) {
    throw unusable(systemCode(error) === '' ? 'it is not well-formed' : `a file that it names (${systemCode(error)})`);
  }
}

function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!/^postgres(?:ql)?:/.test(text)) throw unusable('it does not begin with postgres://');
  // An unescaped # or @ in a password would make the rest of the password part of the host or the database.
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
  return new SrqError('store.bad-address', `The URL of the store cannot be used: ${why}.`, hint);
}
