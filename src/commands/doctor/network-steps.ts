import { isIP, type Socket } from 'node:net';
import type { Connection } from '../../cli/connect.ts';
import type { Context } from '../../cli/context.ts';
import { connectTimeoutOf } from '../../service/network/dispatcher.ts';
import {
  hostOf,
  openConnection,
  openTunnel,
  resolveHost,
  type ServiceCertificate,
  tlsHandshake,
} from '../../service/network/probe.ts';
import type { Examination, Found } from './examination.ts';

const DAY_MS = 24 * 3600 * 1000;
const EXPIRY_WARNING_DAYS = 14;

/** Checks the network path to the service: proxy, name, port, certificate. */
export async function takeNetworkSteps(
  context: Context,
  examination: Examination,
  { destination, network }: Connection,
): Promise<void> {
  const url = new URL(destination.baseUrl);
  const { timeout } = context.options;
  const timeoutMs = connectTimeoutOf(timeout === undefined ? null : timeout * 1000);
  const { proxy } = network;
  const tunnel = await examination.runStep('proxy', async (): Promise<Found<Socket | null>> => {
    if (!proxy) return { result: 'ok', message: directly(context, url), value: null };
    const value = await openTunnel(url, { ...network, proxy }, timeoutMs);
    return { result: 'ok', message: `${proxy.url} connects to ${url.host}.`, value };
  });
  await examination.runStep('dns', async () => {
    if (proxy) return BY_PROXY;
    const host = hostOf(url);
    if (isIP(host))
      return { result: 'ok', message: `${host} is an address; there is no name to look up.`, value: null };
    const addresses = await resolveHost(host);
    return { result: 'ok', message: `${host} is at ${addresses.join(', ')}.`, value: null };
  });
  const connection = await examination.runStep('tcp', async () => {
    if (proxy) return BY_PROXY;
    const value = await openConnection(url, timeoutMs);
    return { result: 'ok', message: `Connected to ${value.remoteAddress}, port ${value.remotePort}.`, value };
  });
  const socket = tunnel ?? connection;
  await examination.runStep('tls', async () => {
    if (url.protocol === 'http:' || !socket) {
      return { result: 'skip', message: 'Plain http, which does not leave this machine.', value: null };
    }
    return judgedCertificate(await tlsHandshake(socket, url, network.secureContext, timeoutMs), context.clock.nowMs());
  });
  socket?.destroy();
}

const BY_PROXY: Found<null> = { result: 'skip', message: 'The proxy does that.', value: null };

function directly({ process: { env } }: Context, { protocol }: URL): string {
  if (protocol === 'http:') return 'None: the service is on this machine.';
  return env['HTTPS_PROXY'] || env['https_proxy']
    ? 'None: NO_PROXY lists the service.'
    : 'None: HTTPS_PROXY is not set.';
}

function judgedCertificate({ issuer, expiresAtMs, protocol }: ServiceCertificate, nowMs: number): Found<null> {
  const days = Math.floor((expiresAtMs - nowMs) / DAY_MS);
  const until = new Date(expiresAtMs).toISOString().slice(0, 10);
  const message = `${protocol}, certificate by ${issuer}, good until ${until} (${days} days).`;
  if (days >= EXPIRY_WARNING_DAYS) return { result: 'ok', message, value: null };
  const hint = 'Tell the marketplace that its certificate ends soon; srq sends nothing once it has ended.';
  return { result: 'warn', message, hint, value: null };
}

/** Checks whether the store in PostgreSQL can be reached and used. */
export async function takeStoreStep(context: Context, examination: Examination): Promise<void> {
  await examination.runStep('store', async (): Promise<Found<null>> => {
    const store = await context.postgresStore();
    const { server, role, isBehind, danger } = await store.examine();
    const message = `${store.name} as ${role}: ${server}.`;
    if (danger !== null) {
      const hint = 'Turn both on in postgresql.conf; a request may else be sent twice after a power cut.';
      return { result: 'warn', message: `${message} ${danger}`, hint, value: null };
    }
    if (!isBehind) return { result: 'ok', message, value: null };
    const hint = 'The next command that sends does that, if this role may. By hand: srq store migrate';
    return {
      result: 'warn',
      message: `${message} Its tables are still to be made or brought up to date.`,
      hint,
      value: null,
    };
  });
}
