import { SrqError } from '../model/errors.ts';

/** A proxy on the way to the service. */
export interface ServiceProxy {
  /** Scheme, host and port of the proxy, never with a user name or password. */
  readonly url: string;
  /** Value of the header `proxy-authorization`, or null if none is sent. */
  readonly authorization: string | null;
}

/** The proxy settings of the environment: HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  readonly https: string | null;
  readonly no: string | null;
}

/**
 * Returns the proxy through which the service is reached, or null. Plain HTTP is allowed to loopback addresses only,
 * which are never reached through a proxy. Throws `SrqError('settings')` without repeating the address of the proxy,
 * which may hold a password.
 */
export function proxyFor(baseUrl: string, { https, no }: ProxySettings): ServiceProxy | null {
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' || https === null || isExempt(url, no ?? '')) return null;
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(https) ? https : `http://${https}`;
  const proxy = URL.canParse(address) ? new URL(address) : null;
  if (!proxy || !/^https?:$/.test(proxy.protocol)) throw unusable('is not the address of an http or https proxy');
  return { url: proxy.origin, authorization: authorizationOf(proxy) };
}

function authorizationOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(credentials).toString('base64')}`;
  } catch {
    throw unusable('holds a user name or password with a "%" that is not written as %25');
  }
}

function unusable(why: string): SrqError {
  return new SrqError(
    'settings',
    `What HTTPS_PROXY says ${why}.`,
    'Set it like this: HTTPS_PROXY=http://user:password@proxy.example.com:3128',
  );
}

/**
 * Tells whether NO_PROXY lists the host of a URL. It lists names, which cover their subdomains, and addresses, each
 * optionally with a port. `*` stands for every host.
 */
function isExempt(url: URL, noProxy: string): boolean {
  const host = bare(url.hostname);
  const port = url.port || '443';
  return noProxy.split(/[,\s]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = entry, itsPort = port] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(entry) ?? [];
    const domain = bare(name).replace(/^\*?\./, '');
    return domain !== '' && itsPort === port && (host === domain || host.endsWith(`.${domain}`));
  });
}

/** Returns a host in lower case, and an IPv6 address without its brackets. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}
