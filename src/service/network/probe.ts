import type { TLSSocket } from 'node:tls';
import { SrqError } from '../../request/words/errors.ts';
import type { Line, Route } from './connector.ts';
import { networkFailure } from './network-failure.ts';

/** Makes an error of what is a failure of the network. */
export function reached<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error) => {
    const { reason, hint } = networkFailure(error);
    throw new SrqError('service.unreachable', reason, hint, error);
  });
}

/**
 * Makes the TLS handshake with the service over a connection that is open. Describes its certificate, and the TLS version of
 * the connection, such as `TLSv1.3`.
 */
export async function tlsHandshake(route: Route, below: Line) {
  const tls = (await route.complete(below)).socket as TLSSocket;
  const { issuer, valid_to } = tls.getPeerCertificate();
  const protocol = tls.getProtocol() ?? '';
  tls.destroy();
  return { issuer: [issuer.O ?? issuer.CN].flat().join(', '), expiresAtMs: Date.parse(valid_to), protocol };
}
