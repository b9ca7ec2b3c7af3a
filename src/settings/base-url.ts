import { isLoopback } from '../request/small.ts';
import { SrqError } from '../request/words/errors.ts';

/**
 * Returns a base URL in its canonical spelling. Throws `SrqError('settings')` if it is not a URL that secrets may be
 * sent to.
 */
export function normalBaseUrl(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  const hint = 'For example: https://api.example.com';
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new SrqError('address.invalid', `"${text}" is not a base URL.`, hint);
  }
  if (url.username !== '' || url.password !== '') {
    throw new SrqError('address.invalid', 'The base URL must not contain a user name or password.', hint);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new SrqError('address.invalid', 'The base URL must not contain "?" or "#".', hint);
  }
  if (url.protocol === 'http:' && !isLoopback(url.href)) {
    throw new SrqError(
      'address.unencrypted',
      `http:// would send the client secret and personal data to ${url.host} unencrypted, so it is refused.`,
      `Use https://${url.host}. Plain http works only for this machine (127.0.0.1, localhost).`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Returns a base URL in its canonical spelling, or null if it is not one that secrets may be sent to. */
export function usableBaseUrl(text: string): string | null {
  try {
    return normalBaseUrl(text);
  } catch {
    return null;
  }
}
