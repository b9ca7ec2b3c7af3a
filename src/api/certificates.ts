import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import { SrqError, systemCode } from '../model/errors.ts';

/** Files in PEM form, by their paths. */
export interface CertificateFiles {
  /** Authorities to trust besides those that are trusted anyway. */
  readonly caFile?: string | undefined;
  /** The certificate by which this client shows who it is, and its key. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

export interface CertificateSecrets {
  /** For an encrypted key. */
  readonly keyPassphrase: string | null;
  /** NODE_EXTRA_CA_CERTS, which Node.js itself only heeds where no authority is named. */
  readonly extraCaFile: string | null;
}

/**
 * What TLS connections are made with; null if the files say nothing, and Node's own default is right. Throws
 * `SrqError('settings')` for a file that cannot be used.
 */
export function secureContextOf(files: CertificateFiles, secrets: CertificateSecrets): tls.SecureContext | null {
  const { caFile, certFile, keyFile } = files;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    const missing = certFile === undefined ? '--cert FILE' : '--key FILE';
    throw new SrqError('settings', 'A client certificate needs its key, and a key its certificate.', `Add ${missing}.`);
  }
  if (caFile === undefined && certFile === undefined) return null;
  const ca = caFile === undefined ? {} : { ca: [...trustedAnyway(secrets), readCertificate(caFile, '--ca-file')] };
  if (certFile === undefined || keyFile === undefined) return tls.createSecureContext(ca);
  const cert = readCertificate(certFile, '--cert');
  const key = readPem(keyFile, '--key');
  const { keyPassphrase } = secrets;
  if (/ENCRYPTED/.test(key) && keyPassphrase === null) {
    throw new SrqError('settings', `The key ${keyFile} is encrypted.`, 'Give its passphrase in SRQ_KEY_PASSPHRASE.');
  }
  try {
    return tls.createSecureContext({
      ...ca,
      cert,
      key,
      ...(keyPassphrase === null ? {} : { passphrase: keyPassphrase }),
    });
  } catch (error) {
    throw unusablePair(certFile, keyFile, error);
  }
}

function unusablePair(certFile: string, keyFile: string, error: unknown): SrqError {
  const code = systemCode(error);
  if (/DECRYPT/.test(code)) {
    const hint = 'Check SRQ_KEY_PASSPHRASE.';
    return new SrqError('settings', `The passphrase does not open the key ${keyFile}.`, hint, error);
  }
  const message = /MISMATCH/.test(code)
    ? `The key ${keyFile} does not belong to the certificate ${certFile}.`
    : `${certFile} and ${keyFile} cannot be used as client certificate and key (${code}).`;
  return new SrqError('settings', message, 'Both must be PEM files: --cert FILE --key FILE', error);
}

/** Naming authorities replaces the ones that are trusted by default: these are named as well. */
function trustedAnyway({ extraCaFile }: CertificateSecrets): readonly string[] {
  // Node.js 22 tells all that it trusts, the system's authorities included if it was told to.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] };
  if (getCACertificates) return getCACertificates('default');
  return [...tls.rootCertificates, ...(extraCaFile === null ? [] : [textOrNothing(extraCaFile)])];
}

/** Node.js itself passes over a file that it cannot read. */
function textOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readCertificate(path: string, option: string): string {
  const text = readPem(path, option);
  if (/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/.test(text)) return text;
  const hint = `Convert it, then name the result: openssl x509 -inform der -in FILE -out FILE.pem; ${option} FILE.pem`;
  throw new SrqError('settings', `${path} holds no certificate in PEM form.`, hint);
}

function readPem(path: string, option: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const hint = `Name another file: ${option} FILE`;
    throw new SrqError('settings', `${path} cannot be read (${systemCode(error)}).`, hint, error);
  }
}
