import type { ErrorCode, ErrorReason } from '../../request/words/error-codes.ts';
import type { Flags } from './flags.ts';

/** A command, as a row of data. Parser, help, `help --json`, completion and hints follow from it. */
export interface CommandRow {
  readonly words: string;
  readonly about: string;
  readonly args?: readonly ArgumentRow[];
  readonly flags?: Flags;
  readonly examples?: readonly string[];
  /** The list of commands does not show it, because few need it. */
  readonly isHidden?: true;
  /** What its result depends on. Hints that suggest the command name the profile and the log in use. */
  readonly uses?: 'profile' | 'log';
  /** Why it takes no --sandbox. */
  readonly noSandbox?: NoSandbox;
  /** `creates`: requests may be created. `asks`: the service is called and nothing is created. */
  readonly sends?: 'creates' | 'asks';
  /** Its errors, besides those of all commands and those that come with what it sends. */
  readonly fails?: readonly ErrorCode[];
  /** Loads its code. Words without it only stand above others. */
  readonly run?: () => Promise<(context: never, ...args: never[]) => Promise<number>>;
}

export interface ArgumentRow {
  /** `<file>`, `[file]` if it may be left out, `<files...>` if there may be several. */
  readonly name: string;
  readonly about?: string;
  readonly choices?: readonly string[];
  readonly isProfile?: true;
}

interface NoSandbox {
  readonly reason: ErrorReason;
  readonly why: string;
  readonly hint: string;
}

export const NO_PROFILE: NoSandbox = {
  reason: 'flags.contradict',
  why: 'the sandbox has no profile, and nothing of it is stored.',
  hint: 'Leave --sandbox out.',
};
export const OTHER_PROCESSES: NoSandbox = {
  reason: 'sandbox.own-process',
  why: 'other processes could not reach it.',
  hint: 'Start one of its own: srq sandbox',
};
