import type { Clock } from '../request/ports.ts';

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

/** What the log needs from the program that uses it, which is a command or a program that imports the library. */
export interface LogHost {
  readonly clock: Clock;
  /** Identifies the records of this process in the log. */
  readonly run: string;
  /** The numeric user id, or null where files have no owners and modes (Windows). */
  readonly uid: number | null;
  /** Aborted when nothing more is to be sent. */
  readonly halt: AbortController;
  /** Whether the store may begin without what the log in the profile's file has. */
  readonly freshStore: boolean;
  /** Describes this process to others that find the log in use. `command` says what it does. */
  holder(command: string): string;
  warn(message: string): Promise<void>;
  /**
   * Throws `SrqError('settings')` if the environment turns off Node.js's certificate checks. `authority` says how to
   * name a private certificate authority instead.
   */
  requireCertificateCheck(authority: string): void;
  /** Registers a function to run when the program has finished. The function registered last runs first. */
  onClose(closer: () => Promise<void>): void;
}
