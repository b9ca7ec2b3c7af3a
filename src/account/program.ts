import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../request/ports.ts';
import type { Trust } from '../settings/own-file.ts';
import type { StateFiles } from '../settings/paths.ts';
import { requireCertificateCheck } from '../settings/settings.ts';
import type { PostgresStore } from '../store/postgres/postgres-store.ts';
import type { LogHost, LogPlace } from './host.ts';
import { LogKeeper } from './log-keeper.ts';
import { systemClock } from './system-clock.ts';

/**
 * What a command and a program that imports the library have in common: both open their log and their connections in the
 * same way, when these are first needed, and close them at the end.
 */
export abstract class Program implements LogHost {
  readonly clock: Clock = systemClock;
  /** Identifies the records of this process in the log. */
  run: string = randomUUID();
  /** The log in use. */
  log = this.#newLog();
  readonly uid: number | null;
  readonly #closers: (() => Promise<void>)[] = [];
  /** Files that have been reported and are not reported again. */
  readonly #distrusted = new Set<string>();
  readonly #own: Pick<NodeJS.Process, 'env' | 'pid'>;

  constructor(own: Pick<NodeJS.Process, 'getuid' | 'env' | 'pid'>) {
    this.uid = own.getuid?.() ?? null;
    this.#own = own;
  }

  abstract get halt(): AbortController;
  abstract get freshStore(): boolean;
  /** Names this process by what it does. */
  protected abstract named(command: string): string;
  /** Returns the paths of the token and of what was learned about the service. */
  abstract stateFiles(): Promise<StateFiles>;
  abstract warn(message: string): Promise<void>;
  /** Removes this text from error reports from now on. */
  abstract addSecret(secret: string): void;
  /** Finds out where the log is kept. */
  protected abstract findLog(): Promise<LogPlace>;

  /** Describes this process to others that find the log in use. */
  holder(command: string): string {
    const since = new Date(this.clock.nowMs()).toISOString();
    return `${this.named(command)}, process ${this.#own.pid} on ${hostname()}, since ${since}`;
  }

  /** Throws `SrqError('settings')` if the environment turns off Node.js's certificate checks. */
  requireCertificateCheck(authority: string): void {
    requireCertificateCheck(this.#own.env, authority);
  }

  logPlace(): Promise<LogPlace> {
    return this.log.place();
  }

  /** Returns the store in use. Throws `SrqError('usage')` if the log is kept in a file. */
  postgresStore(): Promise<PostgresStore> {
    return this.log.postgresStore();
  }

  /** Begins another run in this process. The log is opened anew, because its records name the run. */
  beginRun(): void {
    this.run = randomUUID();
    this.log = this.#newLog();
  }

  /** Returns the rules for trusting the small files that srq keeps. A file that cannot be trusted is not used. */
  async trust(): Promise<Trust> {
    const onDistrusted = (message: string) => {
      if (!this.#distrusted.has(message)) void this.warn(message);
      this.#distrusted.add(message);
    };
    return { uid: this.uid, onDistrusted };
  }

  /** Registers a function to run at the end. The function registered last runs first. */
  onClose(closer: () => Promise<void>): void {
    this.#closers.push(closer);
  }

  /** Runs what was registered by `onClose`, also what that registers. Throws the first error, once all of it has run. */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (let closer = this.#closers.pop(); closer !== undefined; closer = this.#closers.pop())
      await Promise.resolve()
        .then(closer)
        .catch((error) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }

  #newLog(): LogKeeper {
    return new LogKeeper(this, () => this.findLog());
  }
}
