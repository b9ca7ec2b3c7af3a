import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A key and its certificate: as text for a server, as files for srq. */
export interface Pair {
  readonly key: string;
  readonly cert: string;
  readonly keyFile: string;
  readonly certFile: string;
}

export interface CertificateOptions {
  /** Subject alternative names, as openssl writes them: 127.0.0.1 and ::1 if left out. */
  readonly names?: string;
  /** Days from now in which it ends; below 0: it has ended. */
  readonly days?: number;
  /** Who signs it; itself if left out, and then it may sign others. */
  readonly signedBy?: Pair;
  /** With one the key is encrypted. */
  readonly passphrase?: string;
}

const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

/** Makes certificates with the openssl command in a folder that goes with the test; null where there is no such command. */
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

function makePair(folder: string, name: string, { names, days = 30, signedBy, passphrase }: CertificateOptions): Pair {
  const [keyFile = '', certFile = '', request = '', extensions = ''] = ['key', 'cert', 'request', 'extensions'].map(
    (each) => join(folder, `${each}.pem`),
  );
  const secrecy = passphrase === undefined ? ['-nodes'] : ['-passout', `pass:${passphrase}`];
  openssl('req', '-new', ...EC_KEY, ...secrecy, '-subj', `/CN=${name}`, '-keyout', keyFile, '-out', request);
  const authority = signedBy ? '' : 'basicConstraints=CA:TRUE\n';
  writeFileSync(extensions, `${authority}subjectAltName=${names ?? 'IP:127.0.0.1,IP:::1'}\n`);
  const signer = signedBy
    ? ['-CA', signedBy.certFile, '-CAkey', signedBy.keyFile, '-CAcreateserial']
    : ['-signkey', keyFile, ...(passphrase === undefined ? [] : ['-passin', `pass:${passphrase}`])];
  openssl('x509', '-req', '-in', request, '-days', String(days), '-extfile', extensions, ...signer, '-out', certFile);
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8'), keyFile, certFile };
}

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}
