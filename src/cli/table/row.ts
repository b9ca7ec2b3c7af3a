import type { Flags } from './flags.ts';

/** A command, as a row of data. Parser, help, `help --json`, completion and hints follow from it. */
export interface CommandRow {
  readonly about: string;
  readonly args?: readonly ArgumentRow[];
  readonly flags?: Flags;
  readonly examples?: readonly string[];
  /** The list of commands does not show it, because few need it. */
  readonly isHidden?: true;
  /**
   * What its result depends on: the profile, also its log, or the store that keeps it. Hints that suggest the command name
   * those in use.
   */
  readonly uses?: 'profile' | 'log' | 'store';
  /** It is refused with --sandbox, like all that uses the store. */
  readonly noSandbox?: true;
  /** `creates`: requests may be created. `asks`: the service is called and nothing is created. */
  readonly sends?: 'creates' | 'asks';
  /** Loads its code. Words without it only stand above others. */
  readonly run?: () => Promise<(context: never, ...args: never[]) => Promise<number>>;
}

/** Commands by their words. */
export type CommandTable = Readonly<Record<string, CommandRow>>;

export interface ArgumentRow {
  /** `<file>`, `[file]` if it may be left out, `<files...>` if there may be several. */
  readonly name: string;
  readonly about?: string;
  readonly choices?: readonly string[];
  readonly isProfile?: true;
}
