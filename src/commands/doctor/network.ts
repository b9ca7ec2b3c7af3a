import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { duration } from '../../report/output.ts';
import { expected, SrqError } from '../../request/words/errors.ts';
import { hostOf, routeTo } from '../../service/network/connector.ts';
import { reached, tlsHandshake } from '../../service/network/probe.ts';
import { type Examination, type Found, skipped } from './examination.ts';

const SKEW_WARNING_MS = 60_000;
const DAY_MS = 24 * 3600 * 1000;
const EXPIRY_WARNING_DAYS = 14;

const addressOf = ({ connection }: Examination) => new URL(connection.destination.baseUrl);

const routeOf = (examination: Examination) =>
  routeTo(examination.connection.proxy, addressOf(examination), examination.timeoutMs);

export async function name(examination: Examination): Promise<Found> {
  if (examination.connection.proxy) return skipped('The proxy does that.');
  const host = hostOf(addressOf(examination));
  if (isIP(host)) return { message: `${host} is an address; there is no name to look up.` };
  const found = await reached(lookup(host, { all: true }));
  return { message: `${host} is at ${found.map(({ address }) => address).join(', ')}.` };
}

export async function port(examination: Examination): Promise<Found> {
  const { proxy } = examination.connection;
  examination.line = await reached(routeOf(examination).begin());
  if (proxy) return { message: `${proxy.url} connects to ${addressOf(examination).host}.` };
  const { remoteAddress, remotePort } = examination.line.tcp;
  return { message: `Connected to ${remoteAddress}, port ${remotePort}.` };
}

export async function certificate(examination: Examination): Promise<Found> {
  const { line, context } = examination;
  try {
    if (addressOf(examination).protocol === 'http:' || !line)
      return skipped('Plain http, which does not leave this machine.');
    const shown = await reached(tlsHandshake(routeOf(examination), line));
    const days = Math.floor((shown.expiresAtMs - context.clock.nowMs()) / DAY_MS);
    const until = new Date(shown.expiresAtMs).toISOString().slice(0, 10);
    const message = `${shown.protocol}, certificate by ${shown.issuer}, valid until ${until} (${days} days).`;
    if (days >= EXPIRY_WARNING_DAYS) return { message };
    const hint = 'Tell the marketplace that its certificate expires soon; srq sends nothing after that.';
    return { message, warning: { reason: 'service.certificate-ends', hint } };
  } finally {
    line?.socket.destroy();
  }
}

/** The clock is read from the answer to the request for a token. The step after this one judges that answer. */
export async function clock(examination: Examination): Promise<Found> {
  const { context, connection } = examination;
  const startedMs = context.clock.monotonicMs();
  examination.proof = await connection.proveCredentials().catch(expected);
  examination.proofMs = Math.round(context.clock.monotonicMs() - startedMs);
  const { skew } = examination;
  if (skew === null) return { ...skipped('The service did not tell its time.'), ms: 0 };
  const away = duration(Math.abs(skew.ms));
  const ms = skew.withinMs;
  if (Math.abs(skew.ms) <= SKEW_WARNING_MS) {
    return { message: `This clock and the service's agree within ${away}.`, ms };
  }
  const hint = 'Set the clock of this machine, preferably by NTP: the log and the lifetime of tokens depend on it.';
  const message = `This clock is ${away} ${skew.ms > 0 ? 'behind' : 'ahead of'} the service's.`;
  return { message, warning: { reason: 'clock.wrong', hint }, ms };
}

export async function token({ proof, proofMs }: Examination): Promise<Found> {
  if (proof instanceof SrqError) throw proof;
  const lifeMs = proof.expiresAtMs === null ? null : proof.expiresAtMs - proof.obtainedAtMs;
  const life = lifeMs === null ? 'the service does not say for how long' : `valid for ${duration(lifeMs)}`;
  return { message: `The credentials work: a token was granted, ${life}.`, ms: proofMs };
}
