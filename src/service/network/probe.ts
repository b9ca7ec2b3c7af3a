import { lookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { SrqError } from '../../request/words/errors.ts';
import { lineOpener, type Network, openTunnel, targetOf } from './connector.ts';
import { networkFailure } from './network-failure.ts';

/** Time that a service has for refusing the client's certificate, if it sends no session ticket. */
const REFUSAL_MS = 500;

/** Describes the certificate of a service and the TLS connection that showed it. */
export interface ServiceCertificate {
  readonly issuer: string;
  readonly expiresAtMs: number;
  /** TLS version of the connection, such as `TLSv1.3`. */
  readonly protocol: string;
}

/** Looks up the addresses of a name. Throws `SrqError('unreachable')` if that fails. */
export async function resolveHost(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true }).catch(unreachable);
  return found.map(({ address }) => address);
}

/** Opens a TCP connection to the service. Throws `SrqError('unreachable')` if that fails. */
export async function openConnection(url: URL, timeoutMs: number): Promise<Socket> {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const target = { ...targetOf(url), protocol: 'http:', port };
  return (await lineOpener(null, timeoutMs)(target).catch(unreachable)).socket;
}

/** Opens a connection to the service through the proxy. Throws `SrqError('unreachable')` if that fails. */
export async function openProxied(
  { hostname, port }: URL,
  { proxy, secureContext }: Network & { readonly proxy: NonNullable<Network['proxy']> },
  timeoutMs: number,
): Promise<Socket> {
  const open = lineOpener(secureContext, timeoutMs);
  return (await openTunnel(proxy, `${hostname}:${port || 443}`, open, timeoutMs).catch(unreachable)).socket;
}

/**
 * Makes the TLS handshake with the service and returns its certificate. Throws `SrqError('unreachable')` if that fails.
 */
export async function tlsHandshake(
  below: Socket,
  url: URL,
  secureContext: SecureContext | null,
  timeoutMs: number,
): Promise<ServiceCertificate> {
  const open = lineOpener(secureContext, timeoutMs);
  const line = await open(targetOf(url), { socket: below, tcp: below }).catch(unreachable);
  const tls = line.socket as TLSSocket;
  await accepted(tls).catch(unreachable);
  const { issuer, valid_to } = tls.getPeerCertificate();
  const protocol = tls.getProtocol() ?? '';
  tls.destroy();
  return { issuer: [issuer.O ?? issuer.CN].flat().join(', '), expiresAtMs: Date.parse(valid_to), protocol };
}

/**
 * Waits until the service has accepted the client's certificate. In TLS 1.3 the handshake is complete before the
 * service has checked it: the service then refuses it, or sends a session ticket.
 */
function accepted(tls: TLSSocket): Promise<void> {
  if (tls.getProtocol() !== 'TLSv1.3') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, REFUSAL_MS);
    tls.once('error', reject).once('session', () => resolve());
    tls.once('close', () => {
      clearTimeout(timer);
      reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    });
  });
}

function unreachable(error: unknown): never {
  const { reason, hint } = networkFailure(error instanceof Error ? error : new Error(String(error)));
  throw new SrqError('service.unreachable', reason, hint, error);
}
