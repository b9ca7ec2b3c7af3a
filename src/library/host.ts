import { join } from 'node:path';
import { type Connection, openConnection } from '../account/connection.ts';
import { type LogPlace, Program } from '../account/program.ts';
import { describeAudio } from '../input/audio.ts';
import { type Contract, contractAt, withJudges } from '../request/contract/contract.ts';
import type { RequestOperationName } from '../request/contract/operations.ts';
import { documentedContract } from '../request/contract/public-api.ts';
import type { DescribeAudio } from '../request/lead/service-request.ts';
import { type TakenRecord, takenAt } from '../request/log/log-store.ts';
import { SrqError } from '../request/words/errors.ts';
import { Secret } from '../request/words/secret.ts';
import type { Refused } from '../service/pacing/rate-limiter.ts';
import { contractStore } from '../settings/contract-store.ts';
import { type StateFiles, stateFiles } from '../settings/paths.ts';
import { storeAddress } from '../store/postgres/store-url.ts';
import type { LibrarySettings } from './settings.ts';
import { haltWith } from './signals.ts';

/**
 * The host for a program that imports the library. The library uses only two things of its process: what identifies it
 * in the log, and whether Node.js checks certificates.
 */
export class LibraryHost extends Program {
  readonly halt: AbortController;
  readonly settings: LibrarySettings;
  /** The version of srq. */
  readonly version: string;
  // The log is opened exclusively. A request of an earlier process without an outcome is then certainly in doubt, because
  // that process has ended.
  readonly openLog = onceOpened(async () => {
    const log = await this.log.open(OPENED_FOR, true);
    await this.log.noteService(this.settings.baseUrl);
    return log;
  });
  readonly contract = onceOpened(() => this.#contractInUse());
  readonly connection = onceOpened(() => this.#connect());
  /** Called when the service refuses because of the rate. Each import has its own. */
  refused: Refused = () => {};

  constructor(settings: LibrarySettings, version: string) {
    super(process);
    this.settings = settings;
    this.version = version;
    this.halt = haltWith(settings.signal);
    // The signal of the program may live longer, and does not hold on to what is closed.
    this.onClose(async () => this.halt.abort());
  }

  get freshStore(): boolean {
    return this.settings.freshStore === true;
  }

  protected named(command: string): string {
    return `the srq library (${command})`;
  }

  async stateFiles(): Promise<StateFiles> {
    return stateFiles(this.settings.stateFolder, this.settings.profile);
  }

  protected async findLog(): Promise<LogPlace> {
    const { stateFolder, profile, store, storePassword } = this.settings;
    const file = join(stateFolder, `${profile}.ndjson`);
    if (store === undefined) return { kind: 'file', path: file, isGiven: false };
    const { shown, config } = storeAddress(store);
    const password = storePassword === undefined ? null : () => given(storePassword, 'storePassword');
    return { kind: 'store', url: store, name: shown, isEncrypted: config.ssl !== false, password, file };
  }

  /** Never rejects: an error of the program's function must not end what the warning is about, nor the process. */
  async warn(message: string): Promise<void> {
    try {
      await this.settings.onWarning?.(message);
    } catch {}
  }

  /** There is nothing to redact, because the library never shows the text of a fault. */
  addSecret(): void {}

  /** Yields what was sent to this service before, or only that with a reference. */
  async *takenBefore(ref?: string): AsyncGenerator<TakenRecord> {
    yield* takenAt(await this.log.store(), this.settings, ref);
  }

  async preparation(operation: RequestOperationName) {
    const { baseUrl, clientId, audioFolder: folder } = this.settings;
    const audio: DescribeAudio = async (path) => {
      if (folder !== undefined) return describeAudio(path, folder);
      throw new SrqError('recording.unusable', 'Recordings are read from the audioFolder, and none is given.');
    };
    return { destination: { baseUrl, clientId }, contract: await this.contract(), operation, audio };
  }

  async #contractInUse(): Promise<Contract> {
    const { baseUrl, encoding, contractFile, profile } = this.settings;
    if (contractFile === undefined) return documentedContract(encoding);
    const learned = await contractStore(profile, contractFile, this.uid).read();
    if (learned) return withJudges(contractAt(learned, baseUrl));
    throw new SrqError('contract.unusable', `There is no API description ${contractFile}.`, NO_CONTRACT);
  }

  async #connect(): Promise<Connection> {
    const { baseUrl, clientId, clientSecret, rate, concurrency, timeoutMs, proxy = null } = this.settings;
    const account = {
      destination: { baseUrl, clientId },
      contract: await this.contract(),
      readSecret: async () => new Secret(await given(clientSecret, 'clientSecret')),
      proxies: { https: proxy, no: null },
      timeoutMs: timeoutMs ?? null,
      traces: [],
    };
    const refused: Refused = (http, pauseMs) => this.refused(http, pauseMs);
    const connection = await openConnection(this, account, { rate, concurrency, refused });
    this.onClose(async () => connection.keepRate());
    return connection;
  }
}

/**
 * Returns a function that opens something on its first call and then returns the same. After a failure the next call
 * tries again.
 */
function onceOpened<Opened>(open: () => Promise<Opened>): () => Promise<Opened> {
  let opened: Promise<Opened> | null = null;
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
}

const NO_CONTRACT = 'Give contractFile the file that was learned for a profile.';

/** What this process does, for others that find the log in use. */
const OPENED_FOR = 'creating and importing';

/** Returns what is given as a text or as a function. */
async function given(
  text: string | (() => string | Promise<string>),
  option: 'clientSecret' | 'storePassword',
): Promise<string> {
  try {
    const found = typeof text === 'string' ? text : await text();
    if (typeof found === 'string') return found;
    throw new TypeError('It gave no text.');
  } catch (error) {
    throw new SrqError('auth.no-secret', `The function ${option} failed.`, 'Its error is the cause.', error);
  }
}
