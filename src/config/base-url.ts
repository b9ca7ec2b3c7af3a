import { SrqError } from '../model/errors.ts';

/** Returns true if the URL leads to loopback, in a spelling that cannot lead to another machine. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/**
 * Returns a base URL in its canonical spelling. Throws `SrqError('settings')` if it is not a URL that secrets may be
 * sent to.
 */
export function normalBaseUrl(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  const hint = 'Give it like this: --base-url https://api.example.com';
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new SrqError('settings', `"${text}" is not a base URL.`, hint);
  }
  if (url.username !== '' || url.password !== '') {
    throw new SrqError('settings', 'The base URL must not contain a user name or password.', hint);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new SrqError('settings', 'The base URL must not contain "?" or "#".', hint);
  }
  if (url.protocol === 'http:' && !isLoopback(url.href)) {
    throw new SrqError(
      'settings',
      `http:// would send the client secret and people's data to ${url.host} in the clear; it is refused.`,
      `Use https://${url.host}. Plain http is for this machine (127.0.0.1, localhost) only.`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}
