import { resolve } from 'node:path';
import { type CertificateFiles, secureContextOf } from '../api/certificates.ts';
import type { Network } from '../api/dispatcher.ts';
import { type ProxySettings, proxyFor } from '../api/proxy.ts';
import { requireCertificateCheck } from '../config/settings.ts';
import type { GlobalOptions } from './command.ts';
import type { Context } from './context.ts';

/**
 * The way to the service, from flags, environment and the profile's certificates. Throws `SrqError('settings')` for a proxy
 * or a file that cannot be used, or if certificates are not to be checked.
 */
export function networkOf(context: Context, baseUrl: string, stored: CertificateFiles): Network {
  const { env } = context.process;
  requireCertificateCheck(env, ': --ca-file FILE');
  const keyPassphrase = env['SRQ_KEY_PASSPHRASE'] || null;
  if (keyPassphrase !== null) context.hide(keyPassphrase);
  const files = { ...stored, ...certificateFiles(context.options) };
  return {
    proxy: proxyFor(baseUrl, proxySettings(env)),
    secureContext: secureContextOf(files, { keyPassphrase, extraCaFile: env['NODE_EXTRA_CA_CERTS'] || null }),
  };
}

function proxySettings(env: NodeJS.ProcessEnv): ProxySettings {
  return { https: env['https_proxy'] || env['HTTPS_PROXY'] || null, no: env['no_proxy'] || env['NO_PROXY'] || null };
}

/** The files that the flags name, as a profile keeps them: it is used from other folders, too. */
export function certificateFiles({ caFile, cert, key }: GlobalOptions): CertificateFiles {
  return {
    ...(caFile === undefined ? {} : { caFile: resolve(caFile) }),
    ...(cert === undefined ? {} : { certFile: resolve(cert) }),
    ...(key === undefined ? {} : { keyFile: resolve(key) }),
  };
}
