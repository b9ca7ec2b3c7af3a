import { filledIn } from '../../request/words/characters.ts';
import { systemCode } from '../../request/words/errors.ts';

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

/**
 * The error of a write that was given up because too much time had passed since the intent to send was logged.
 * Certainly nothing was sent.
 */
export class LeaseExpired extends Error {
  constructor() {
    super('This machine or the log was too slow to write the request in time, so it was not sent.');
  }
}

/** Explains a failure that came before any answer, and what to do about it. */
export function networkFailure(error: Error): NetworkFailure {
  if (systemCode(error) === PROXY_FAILED && error.cause instanceof Error)
    return proxyUnreached(error.message, error.cause);
  if (error instanceof LeaseExpired) return { reason: error.message, hint: '', final: false };
  if (error instanceof RangeError)
    return { reason: 'This process gets too little memory.', hint: MORE_MEMORY, final: true };
  const refused = /^Proxy response \((\d{3})\)/.exec(error.message)?.[1];
  if (refused !== undefined) return refusedByProxy(Number(refused));
  return failureOf('The service', error);
}

function proxyUnreached(proxy: string, cause: Error): NetworkFailure {
  const failure = failureOf(`The proxy ${proxy}`, cause);
  const hint = 'Check HTTPS_PROXY. Hosts that need no proxy are listed in NO_PROXY.';
  return failure.final ? failure : { ...failure, hint };
}

function refusedByProxy(status: number): NetworkFailure {
  if (status === 407) {
    const hint = 'Put user name and password into HTTPS_PROXY, "%", "@", ":" and "/" in them as %25, %40, %3A and %2F.';
    return { reason: 'The proxy wants to know who you are, or refused it (HTTP 407).', hint, final: true };
  }
  const hint = 'Ask whoever runs the proxy to allow the service. Hosts that need no proxy are listed in NO_PROXY.';
  return { reason: `The proxy did not connect to the service (HTTP ${status}).`, hint, final: status < 500 };
}

const MORE_MEMORY = 'Allow it more: ulimit -v unlimited, or a larger limit of its container.';
const CLIENT_CERTIFICATE =
  'Check the base URL, then ask the marketplace. A program on this machine can show such a certificate, for example stunnel.';
const NO_AUTHORITY =
  'Check the base URL. If a private authority or a company proxy has signed it, name its certificate: NODE_EXTRA_CA_CERTS=FILE. srq never sends without checking the certificate.';
const CUT_BY =
  'A firewall or proxy may have cut it, or the service because it needs a client certificate, which srq does not have.';
const RENEW = 'If the clock of this machine is right, its owner must renew it: tell the marketplace.';
export const CHECK_BASE_URL = 'Check the base URL with: srq status. Change it with: srq login --base-url URL';
const DROPPED = 'A firewall may drop the connection. If this network needs a proxy, name it in HTTPS_PROXY.';

/**
 * A rule for a failure. `is` matches its name followed by its message; `says` and `hint` are the sentence and the
 * advice.
 */
type Rule = readonly [is: RegExp, says: string, hint: string];

/** Failures of TLS. None of them goes away by itself. */
const TLS_RULES: readonly Rule[] = [
  [/CERT_HAS_EXPIRED/, "{who}'s certificate has expired", RENEW],
  [/CERT_NOT_YET_VALID/, "{who}'s certificate is not valid yet", 'Check the clock of this machine.'],
  [/ALTNAME|HOSTNAME_MISMATCH/, "{who}'s certificate is for another name than {name}", CHECK_BASE_URL],
  [
    /ALERT_(?:HANDSHAKE_FAILURE|BAD_CERTIFICATE|CERTIFICATE_|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/,
    'The service ended the TLS handshake, perhaps because it needs a client certificate, which srq does not have',
    CLIENT_CERTIFICATE,
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|CERT/,
    "{who}'s certificate is not signed by an authority that this machine trusts",
    NO_AUTHORITY,
  ],
  [
    /WRONG_VERSION_NUMBER|wrong version number|packet length too long/i,
    'No TLS connection could be made',
    'The port does not speak TLS: check scheme and port of the base URL.',
  ],
];

/** Failures of connections: what follows "could not be reached". */
const CONNECTION_RULES: readonly Rule[] = [
  [
    /^(?:ENOTFOUND|EAI_AGAIN)\b/,
    ': no name server says where {host} is',
    'Check the spelling of the name (srq status), and the network and the name servers of this machine.',
  ],
  [
    /^ECONNREFUSED\b/,
    ': nothing listens {address}',
    'Check host and port (srq status). A firewall may also refuse the connection.',
  ],
  [/^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)\b/, ': no connection was made in time', DROPPED],
  [/^PROXY_TIMEOUT\b/, ': the proxy did not answer in time', 'The proxy may be overloaded: try again later.'],
  [
    /^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)\b/,
    ': there is no route to it from this network',
    'Check the network of this machine, and its IPv6 if the address is an IPv6 address.',
  ],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)\b/, ': the connection was cut', CUT_BY],
  [/^/, '', 'Check the base URL (srq status), the network and, if there is one, the proxy.'],
];

type NetworkFailure = ReturnType<typeof failureOf>;

/**
 * Explains to a person why there is no connection, or why it ended: the cause in one sentence, what to do about it, and whether
 * trying again cannot help.
 */
function failureOf(who: string, error: Error) {
  const name = failureName(error);
  const matching = ([is]: Rule) => is.test(`${name} ${error.message}`);
  const ofTls = TLS_RULES.find(matching);
  const [, says = '', hint = ''] = ofTls ?? CONNECTION_RULES.find(matching) ?? [];
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const [address, port] = [textOf(first, 'address'), textOf(first, 'port')];
  const parts = {
    who,
    name: textOf(error, 'host') || 'that of the base URL',
    host: textOf(first, 'hostname') || 'its name',
    address: address === '' ? 'there' : `at ${address.includes(':') ? `[${address}]` : address}:${port}`,
  };
  const told = filledIn(ofTls ? says : `{who} could not be reached${says}`, parts);
  return { reason: `${told} (${name}).`, hint, final: ofTls !== undefined };
}

/** Returns a member of a system error as text, or an empty text if it is missing. */
function textOf(error: unknown, name: 'host' | 'hostname' | 'address' | 'port'): string {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
