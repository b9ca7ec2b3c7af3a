import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { LogPlace } from '../account/host.ts';
import { Program } from '../account/program.ts';
import { SrqError } from '../request/words/errors.ts';
import { Secret } from '../request/words/secret.ts';
import { type CertificateFiles, secureContextOf } from '../service/network/certificates.ts';
import { type Network, proxyFor } from '../service/network/connector.ts';
import { requireCertificateCheck } from '../settings/settings.ts';
import { storeAddress } from '../store/postgres/store-url.ts';
import type { LibrarySettings } from './settings.ts';
import { untilAborted } from './signals.ts';

/**
 * The host for a program that imports the library. The library uses only two things of its process: what identifies it
 * in the log, and the variables that tell Node.js which certificates to trust.
 */
export class LibraryHost extends Program {
  readonly halt = new AbortController();
  readonly #settings: LibrarySettings;
  /** Aborted when the functions of the program that give secrets are not waited for any longer. */
  readonly #asking = new AbortController();

  constructor(settings: LibrarySettings) {
    super(process);
    this.#settings = settings;
    // Every request in flight may listen to this signal.
    setMaxListeners(0, this.halt.signal);
    const { signal } = settings;
    setMaxListeners(0, this.#asking.signal);
    const stop = () => {
      this.halt.abort();
      this.#asking.abort();
    };
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
    this.onClose(async () => signal?.removeEventListener('abort', stop));
  }

  get freshStore(): boolean {
    return this.#settings.freshStore === true;
  }

  holder(command: string): string {
    const since = new Date(this.clock.nowMs()).toISOString();
    return `the srq library (${command}), process ${process.pid} on ${hostname()}, since ${since}`;
  }

  async settings() {
    return { profile: { value: this.#settings.profile } };
  }

  async paths() {
    return { state: this.#settings.stateFolder };
  }

  protected async findLog(): Promise<LogPlace> {
    return placeOf(this.#settings, this.#asking.signal);
  }

  /** Never rejects: an error of the program's function must not end what the warning is about, nor the process. */
  async warn(message: string): Promise<void> {
    try {
      await this.#settings.onWarning?.(message);
    } catch {}
  }

  async readSecret(): Promise<Secret> {
    return new Secret(await given(this.#settings.clientSecret, 'clientSecret', this.#asking.signal));
  }

  /** There is nothing to redact, because the library never shows the text of a fault. */
  addSecret(): void {}

  requireCertificateCheck(authority: string): void {
    requireCertificateCheck(process.env, authority);
  }

  /** Returns the proxy and TLS settings. Throws `SrqError('settings')` if a proxy or a file cannot be used. */
  network(baseUrl: string): Network {
    const { caFile, certFile, keyFile, keyPassphrase = null, proxy = null } = this.#settings;
    this.requireCertificateCheck(' in caFile');
    const files: CertificateFiles = { caFile, certFile, keyFile };
    const extraCaFile = process.env['NODE_EXTRA_CA_CERTS'] || null;
    return {
      proxy: proxyFor(baseUrl, { https: proxy, no: null }),
      secureContext: secureContextOf(files, { keyPassphrase, extraCaFile }),
    };
  }

  override close(): Promise<void> {
    this.#asking.abort();
    return super.close();
  }
}

function placeOf({ stateFolder, profile, store, storePassword }: LibrarySettings, ending: AbortSignal): LogPlace {
  const file = join(stateFolder, `${profile}.ndjson`);
  if (store === undefined) return { kind: 'file', path: file, isGiven: false };
  const { shown, config } = storeAddress(store);
  const password = storePassword === undefined ? null : () => given(storePassword, 'storePassword', ending);
  return { kind: 'store', url: store, name: shown, isEncrypted: config.ssl !== false, password, file };
}

/** Returns what is given as a text or as a function, for which nothing waits once the signal has fired. */
async function given(
  text: string | (() => string | Promise<string>),
  option: 'clientSecret' | 'storePassword',
  ending: AbortSignal,
): Promise<string> {
  if (typeof text === 'string') return text;
  const asked = (async () => text())().catch((error: unknown) => {
    throw new SrqError('auth.no-secret', `The function ${option} failed.`, 'Its error is the cause.', error);
  });
  return untilAborted(asked, ending);
}
