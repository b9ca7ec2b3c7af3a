import { SrqError } from '../model/errors.ts';

/** A proxy on the way to the service. */
export interface ServiceProxy {
  /** Scheme, host and port; never a user name or password. */
  readonly url: string;
  /** What it is told in `proxy-authorization`; null: nothing. */
  readonly authorization: string | null;
}

/** As the environment has them: HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  readonly https: string | null;
  readonly no: string | null;
}

/**
 * The proxy through which the service is reached, or null. Plain http is allowed to loopback alone, and that never goes
 * through one. Throws `SrqError('settings')`, which does not repeat the address: it may hold a password.
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

/** NO_PROXY lists names, which cover what is below them, and addresses, each perhaps with a port; `*` is everything. */
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

/** In lower case, an IPv6 address without its brackets. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}
