import { systemCode } from '../../request/words/errors.ts';
import type { Answer } from './exchange.ts';

/** Explains to a person why there is no connection, or why it ended. */
export interface NetworkFailure {
  /** The cause, in one sentence. */
  readonly reason: string;
  readonly hint: string;
  /** Whether trying again cannot help. */
  readonly final: boolean;
}

/** Returns the most specific name of a network failure, such as `ECONNREFUSED` or `UND_ERR_HEADERS_TIMEOUT`. */
export function failureName(error: Error): string {
  const inner = error instanceof AggregateError ? error.errors.find((each) => systemCode(each) !== '') : undefined;
  return systemCode(error) || systemCode(inner) || systemCode(error.cause) || error.name;
}

const PROXY_FAILED = 'PROXY_FAILED';

/**
 * Marks an error as a failure on the way to the proxy, because a failure on the way to the service has the same name.
 */
export function proxyFailure(proxyUrl: string, cause: Error): Error {
  return Object.assign(new Error(new URL(proxyUrl).host, { cause }), { code: PROXY_FAILED });
}

/** Explains a failure that came before any answer, and what to do about it. */
export function networkFailure(error: Error): NetworkFailure {
  if (systemCode(error) === PROXY_FAILED && error.cause instanceof Error)
    return proxyUnreached(error.message, error.cause);
  const refused = /^Proxy response \((\d{3})\)/.exec(error.message)?.[1];
  if (refused !== undefined) return refusedByProxy(Number(refused));
  return tlsFailure(error, "The service's") ?? unreached('The service', error);
}

function proxyUnreached(proxy: string, cause: Error): NetworkFailure {
  const hint = 'Check HTTPS_PROXY. Hosts that need no proxy are listed in NO_PROXY.';
  return tlsFailure(cause, `The proxy ${proxy}'s`) ?? { ...unreached(`The proxy ${proxy}`, cause), hint };
}

function refusedByProxy(status: number): NetworkFailure {
  if (status === 407) {
    const hint = 'Put user name and password into HTTPS_PROXY, "%", "@", ":" and "/" in them as %25, %40, %3A and %2F.';
    return { reason: 'The proxy wants to know who you are, or refused it (HTTP 407).', hint, final: true };
  }
  const hint = 'Ask whoever runs the proxy to allow the service. Hosts that need no proxy are listed in NO_PROXY.';
  return { reason: `The proxy did not connect to the service (HTTP ${status}).`, hint, final: status < 500 };
}

/**
 * Recognises the error page of a web server for a missing or unknown client certificate, or returns null for any other
 * answer.
 */
export function clientCertificateFailure({ status, body }: Answer): NetworkFailure | null {
  if (status !== 400 && status !== 403 && status !== 495 && status !== 496) return null;
  const missing = /No required SSL certificate was sent/i.test(body) || status === 496;
  if (!missing && !/The SSL certificate error/i.test(body) && status !== 495) return null;
  const what = missing ? 'asks for a client certificate' : 'refused the client certificate';
  return { reason: `The service ${what} (HTTP ${status}).`, hint: CLIENT_CERTIFICATE, final: true };
}

interface TlsRule {
  readonly name: RegExp;
  readonly says: (whose: string, error: Error) => string;
  readonly hint: string;
}

const CLIENT_CERTIFICATE = 'Name the certificate and the key that the marketplace knows: --cert FILE --key FILE';

/**
 * Explains TLS failures. The first rule that matches the name of the failure applies. None of these failures goes away
 * by itself.
 */
const TLS_RULES: readonly TlsRule[] = [
  {
    name: /CERT_HAS_EXPIRED/,
    says: (whose) => `${whose} certificate has expired`,
    hint: 'If the clock of this machine is right, its owner must renew it: tell the marketplace.',
  },
  {
    name: /CERT_NOT_YET_VALID/,
    says: (whose) => `${whose} certificate is not valid yet`,
    hint: 'Check the clock of this machine.',
  },
  {
    name: /ALTNAME|HOSTNAME_MISMATCH/,
    says: (whose, error) =>
      `${whose} certificate is for another name than ${textOf(error, 'host') || 'that of the base URL'}`,
    hint: 'Check the base URL with: srq status. Change it with: srq login --base-url URL',
  },
  {
    name: /TLSV13_ALERT_CERTIFICATE_REQUIRED/,
    says: () => 'The service asks for a client certificate',
    hint: CLIENT_CERTIFICATE,
  },
  {
    name: /ALERT_(?:BAD_CERTIFICATE|CERTIFICATE_|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/,
    says: () => 'The service refused the client certificate',
    hint: CLIENT_CERTIFICATE,
  },
  {
    name: /ALERT_HANDSHAKE_FAILURE/,
    says: () => 'The service ended the TLS handshake, perhaps because it needs a client certificate',
    hint: CLIENT_CERTIFICATE,
  },
  {
    name: /SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|CERT/,
    says: (whose) => `${whose} certificate is not signed by an authority that this machine trusts`,
    hint: 'Check the base URL. If a private authority or a company proxy has signed it, name its certificate: --ca-file FILE. srq never sends without checking the certificate.',
  },
  {
    name: /WRONG_VERSION_NUMBER|wrong version number|packet length too long/i,
    says: () => 'No TLS connection could be made',
    hint: 'The port does not speak TLS: check scheme and port of the base URL.',
  },
];

function tlsFailure(error: Error, whose: string): NetworkFailure | null {
  const name = failureName(error);
  const rule = TLS_RULES.find((each) => each.name.test(`${name} ${error.message}`));
  return rule ? { reason: `${rule.says(whose, error)} (${name}).`, hint: rule.hint, final: true } : null;
}

function unreached(who: string, error: Error): NetworkFailure {
  const name = failureName(error);
  const rule = CONNECTION_RULES.find((each) => each.name.test(name));
  const told = rule ? `: ${rule.says(placeOf(error))}` : '';
  const hint = rule?.hint ?? 'Check the base URL (srq status), the network and, if there is one, the proxy.';
  return { reason: `${who} could not be reached${told} (${name}).`, hint, final: false };
}

interface ConnectionRule {
  readonly name: RegExp;
  readonly says: (place: { readonly host: string; readonly address: string }) => string;
  readonly hint: string;
}

const CONNECTION_RULES: readonly ConnectionRule[] = [
  {
    name: /^ENOTFOUND$/,
    says: ({ host }) => `no name server knows ${host}`,
    hint: 'Check the spelling of the name (srq status) and the network of this machine.',
  },
  {
    name: /^EAI_AGAIN$/,
    says: ({ host }) => `the name server gave no answer about ${host}`,
    hint: 'Check the network and the name servers of this machine.',
  },
  {
    name: /^ECONNREFUSED$/,
    says: ({ address }) => `nothing listens ${address}`,
    hint: 'Check host and port (srq status). A firewall may also refuse the connection.',
  },
  {
    name: /^(?:UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
    says: () => 'no connection was made in time',
    hint: 'A firewall may drop the connection. If this network needs a proxy, name it in HTTPS_PROXY.',
  },
  {
    // Before anything was written, only a proxy can have been waited for.
    name: /^UND_ERR_HEADERS_TIMEOUT$/,
    says: () => 'the proxy did not answer in time',
    hint: 'The proxy may be overloaded: try again later.',
  },
  {
    name: /^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/,
    says: () => 'there is no route to it from this network',
    hint: 'Check the network of this machine, and its IPv6 if the address is an IPv6 address.',
  },
  {
    name: /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    says: () => 'the connection was cut',
    hint: 'A firewall or proxy may have cut it, or the service because it needs a client certificate (--cert FILE --key FILE).',
  },
];

/** Returns the host and address that a system error names. */
function placeOf(error: Error): { host: string; address: string } {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const [address, port] = [textOf(first, 'address'), textOf(first, 'port')];
  const shown = address.includes(':') ? `[${address}]` : address;
  return { host: textOf(first, 'hostname') || 'its name', address: address === '' ? 'there' : `at ${shown}:${port}` };
}

/** Returns a member of a system error as text, or an empty text if it is missing. */
function textOf(error: unknown, name: 'host' | 'hostname' | 'address' | 'port'): string {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
