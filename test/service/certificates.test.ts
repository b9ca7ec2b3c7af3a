import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SrqError } from '../../src/request/words/errors.ts';
import {
  type CertificateFiles,
  type CertificateSecrets,
  secureContextOf,
} from '../../src/service/network/certificates.ts';
import { httpTo } from '../doors/client.ts';
import { certificateMaker } from '../helpers/certificate.ts';
import { rawAnswer, startRawService } from '../helpers/raw-service.ts';
import { startTlsFront } from '../helpers/tls-front.ts';

const SECRETS: CertificateSecrets = { keyPassphrase: null, extraCaFile: null };

function refusal(files: CertificateFiles, secrets: Partial<CertificateSecrets> = {}): SrqError {
  try {
    secureContextOf(files, { ...SECRETS, ...secrets });
  } catch (error) {
    if (error instanceof SrqError) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}

test("without files for certificates, Node's own default holds", () => {
  expect(secureContextOf({}, SECRETS)).toBeNull();
});

test('a certificate without its key, and a key without its certificate, are refused', () => {
  expect(refusal({ certFile: 'c.pem' })).toMatchObject({ code: 'settings', hint: 'Add --key FILE.' });
  expect(refusal({ keyFile: 'k.pem' })).toMatchObject({ code: 'settings', hint: 'Add --cert FILE.' });
});

test('a missing file for certificates is named, with its option', () => {
  const caFile = join(tmpdir(), 'srq-no-such-folder', 'ca.pem');
  const { message, hint } = refusal({ caFile });
  expect([message, hint]).toEqual([`${caFile} cannot be read (ENOENT).`, 'Name another file: --ca-file FILE']);
});

const make = certificateMaker();

describe.skipIf(!make)('files in PEM form (need openssl)', () => {
  test('a certificate in another form than PEM comes with the command that converts it', () => {
    const pair = make?.('der');
    const derFile = `${pair?.certFile}.der`;
    writeFileSync(derFile, Buffer.from((pair?.cert ?? '').replace(/-----.*-----/g, ''), 'base64'));
    expect(refusal({ caFile: derFile })).toMatchObject({ hint: expect.stringContaining('openssl x509 -inform der') });
  });

  test('an encrypted key needs its passphrase, and the right one', () => {
    const { certFile, keyFile } = make?.('locked', { passphrase: 'open sesame' }) ?? {};
    const files = { certFile, keyFile };
    expect(refusal(files).hint).toContain('SRQ_KEY_PASSPHRASE');
    const wrong = refusal(files, { keyPassphrase: 'open barley' });
    expect([wrong.message, wrong.hint]).toEqual([
      expect.stringContaining(`${keyFile}`),
      expect.stringContaining('SRQ_KEY_PASSPHRASE'),
    ]);
    expect(wrong.message + wrong.hint).not.toContain('barley');
    expect(secureContextOf(files, { ...SECRETS, keyPassphrase: 'open sesame' })).not.toBeNull();
  });

  test('a key of another certificate, and one that is none, are refused with their names', () => {
    const [one, two] = [make?.('one'), make?.('two')];
    for (const keyFile of [two?.keyFile, one?.certFile])
      expect(refusal({ certFile: one?.certFile, keyFile }).message).toContain(`${keyFile}`);
  });

  test('a named authority comes beside those of NODE_EXTRA_CA_CERTS, not in their place', async () => {
    const [named, extra] = [make?.('Named CA'), make?.('Extra CA')];
    const service = await startRawService((socket) => socket.write(rawAnswer('200 OK', '{}')));
    const secrets = { ...SECRETS, extraCaFile: extra?.certFile ?? null };
    const secureContext = secureContextOf({ caFile: named?.certFile }, secrets);
    for (const ca of [named, extra]) {
      const pair = make?.('service', ca ? { signedBy: ca } : {});
      const baseUrl = await startTlsFront(`http://127.0.0.1:${service.port}`, { ...pair });
      const http = httpTo(baseUrl, { network: { proxy: null, secureContext } });
      expect((await http.send('POST', '/', {}, '')).answer?.status).toBe(200);
    }
  });
});
