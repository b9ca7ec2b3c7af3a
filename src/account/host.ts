import type { Clock } from '../request/ports.ts';
import type { Trust } from '../settings/own-file.ts';
import type { StateFiles } from '../settings/paths.ts';
import type { PostgresStore } from '../store/postgres/postgres-store.ts';

/** The place of the log: a file on this machine, or a store that several machines share. */
export type LogPlace =
  | {
      readonly kind: 'file';
      readonly path: string;
      /** True if --log names it; otherwise it is in srq's own folder. */
      readonly isGiven: boolean;
    }
  | {
      readonly kind: 'store';
      readonly url: string;
      /** The address without its password, for messages. */
      readonly name: string;
      readonly isEncrypted: boolean;
      /** Reads the password. Null if no password is known; `.pgpass` may still contain one. */
      readonly password: (() => Promise<string>) | null;
      /** The file in which the log would be kept without the store. */
      readonly file: string;
    };

/** What an account needs from the program that uses it, which is a command or a program that imports the library. */
export interface Host {
  readonly clock: Clock;
  /** Identifies the records of this process in the log. */
  readonly run: string;
  /** Aborted when nothing more is to be sent. */
  readonly halt: AbortController;
  /** Returns the paths of the token and of what was learned about the service. */
  stateFiles(): Promise<StateFiles>;
  trust(): Promise<Trust>;
  logPlace(): Promise<Pick<LogPlace, 'kind'>>;
  /** Returns the store in use. Throws `SrqError('usage')` if the log is kept in a file. */
  postgresStore(): Promise<PostgresStore>;
  /** Registers a function to run when the program has finished. The function registered last runs first. */
  onClose(closer: () => Promise<void>): void;
}
