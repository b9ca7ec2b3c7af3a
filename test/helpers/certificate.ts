import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { onTestFinished } from 'vitest';

/** A key and its certificate, as text for a server and as files for srq. */
export interface Pair {
  readonly key: string;
  readonly cert: string;
  readonly keyFile: string;
  readonly certFile: string;
}

export interface CertificateOptions {
  /** Subject alternative names in the notation of openssl. Default: 127.0.0.1 and ::1. */
  readonly names?: string;
  /** Number of days until it expires. It has expired already if the number is negative. */
  readonly days?: number;
  /** The issuer. By default the certificate is self-signed, and can then sign others. */
  readonly signedBy?: Pair;
}

const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

/**
 * Returns a function that makes certificates with the openssl command, in a folder that is removed with the test.
 * Returns null if there is no such command.
 */
export function certificateMaker(): ((name: string, options?: CertificateOptions) => Pair) | null {
  try {
    execFileSync('openssl', ['version'], { stdio: 'pipe' });
  } catch {
    return null;
  }
  return (name, options = {}) => {
    const folder = mkdtempSync(join(tmpdir(), 'srq-certificate-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return makePair(folder, name, options);
  };
}

/** Has this process trust an authority until the test ends. A process of its own gets it by NODE_EXTRA_CA_CERTS. */
export function trusted({ cert }: Pair): void {
  const { createSecureContext } = tls;
  tls.createSecureContext = (options) => createSecureContext({ ca: [...tls.rootCertificates, cert], ...options });
  onTestFinished(() => {
    tls.createSecureContext = createSecureContext;
  });
}

function makePair(folder: string, name: string, { names, days = 30, signedBy }: CertificateOptions): Pair {
  const [keyFile = '', certFile = '', request = '', extensions = ''] = ['key', 'cert', 'request', 'extensions'].map(
    (each) => join(folder, `${each}.pem`),
  );
  openssl('req', '-new', ...EC_KEY, '-nodes', '-subj', `/CN=${name}`, '-keyout', keyFile, '-out', request);
  const authority = signedBy ? '' : 'basicConstraints=CA:TRUE\n';
  writeFileSync(extensions, `${authority}subjectAltName=${names ?? 'IP:127.0.0.1,IP:::1'}\n`);
  const signer = signedBy
    ? ['-CA', signedBy.certFile, '-CAkey', signedBy.keyFile, '-CAcreateserial']
    : ['-signkey', keyFile];
  openssl('x509', '-req', '-in', request, '-days', String(days), '-extfile', extensions, ...signer, '-out', certFile);
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8'), keyFile, certFile };
}

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}
