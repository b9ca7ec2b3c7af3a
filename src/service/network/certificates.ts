import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import { SrqError, systemCode } from '../../request/words/errors.ts';

/** Paths of certificate and key files in PEM form. */
export interface CertificateFiles {
  /** Certificate authorities to trust in addition to the default ones. */
  readonly caFile?: string | undefined;
  /** Client certificate by which srq authenticates itself, and its key. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

export interface CertificateSecrets {
  readonly keyPassphrase: string | null;
  /** Value of NODE_EXTRA_CA_CERTS. Node.js reads it only if no authority is named explicitly. */
  readonly extraCaFile: string | null;
}

/**
 * Creates the TLS context for connections to the service. Returns null if no file is named, because the default of
 * Node.js is then right. Throws `SrqError('settings')` for a file that cannot be used.
 */
export function secureContextOf(files: CertificateFiles, secrets: CertificateSecrets): tls.SecureContext | null {
  const { caFile, certFile, keyFile } = files;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    const missing = certFile === undefined ? '--cert FILE' : '--key FILE';
    throw unusable('A client certificate needs its key, and a key its certificate.', `Add ${missing}.`);
  }
  if (caFile === undefined && certFile === undefined) return null;
  const ca = caFile === undefined ? {} : { ca: [...trustedAnyway(secrets), readCertificate(caFile, '--ca-file')] };
  if (certFile === undefined || keyFile === undefined) return tls.createSecureContext(ca);
  const cert = readCertificate(certFile, '--cert');
  const key = readPem(keyFile, '--key FILE');
  const passphrase = secrets.keyPassphrase ?? '';
  try {
    return tls.createSecureContext({ ...ca, cert, key, passphrase });
  } catch (error) {
    const message = `${certFile} and ${keyFile} cannot be used as client certificate and key (${systemCode(error)}).`;
    const hint =
      'Both must be PEM files, and belong together: --cert FILE --key FILE. The passphrase of an encrypted key goes into SRQ_KEY_PASSPHRASE.';
    throw unusable(message, hint, error);
  }
}

function unusable(message: string, hint: string, cause?: unknown): SrqError {
  return new SrqError('certificate.unusable', message, hint, cause);
}

/**
 * Returns the authorities that are trusted by default. They are named explicitly, because naming any authority replaces
 * the default.
 */
function trustedAnyway({ extraCaFile }: CertificateSecrets): readonly string[] {
  // Node.js 22 returns all authorities that it trusts, including those of the system if that is enabled.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] };
  if (getCACertificates) return getCACertificates('default');
  return [...tls.rootCertificates, ...(extraCaFile === null ? [] : [readPem(extraCaFile, 'NODE_EXTRA_CA_CERTS=FILE')])];
}

function readCertificate(path: string, option: string): string {
  const text = readPem(path, `${option} FILE`);
  if (/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/.test(text)) return text;
  const hint = `Convert it, then name the result: openssl x509 -inform der -in FILE -out FILE.pem; ${option} FILE.pem`;
  throw unusable(`${path} holds no certificate in PEM form.`, hint);
}

function readPem(path: string, naming: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unusable(`${path} cannot be read (${systemCode(error)}).`, `Name another file: ${naming}`, error);
  }
}
