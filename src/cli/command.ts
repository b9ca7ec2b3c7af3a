import { columnsOf } from '../report/output.ts';
import type { Reporter } from '../report/reporter.ts';

/** The flags that all commands have, as commander parses them. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly sandbox?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color?: boolean;
  readonly input?: boolean;
  readonly timeout?: number;
  readonly log?: string;
  /** URL of a store. */
  readonly store?: string;
  /** Uses a store although it does not know what the log in the profile's file has. */
  readonly freshStore?: boolean;
  /** Whether the inbox of the sandbox stays open after the command, for `srq bulk`. */
  readonly keep?: boolean;
  readonly caFile?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The part of the context for commands that only print something. It has neither settings nor a service. */
export interface TellingContext {
  readonly process: NodeJS.Process;
  readonly options: GlobalOptions;
  reporter(): Promise<Reporter>;
}

/** Runs one command with the arguments that commander has parsed. */
export type Invoke = (
  globals: GlobalOptions,
  load: () => Promise<(context: never, ...args: never[]) => Promise<number>>,
  args: readonly unknown[],
) => Promise<void>;

/** Wraps the code of a command in a function that commander calls. */
export type RunCommand = (load: Parameters<Invoke>[1]) => (...args: unknown[]) => Promise<void>;

/** Returns the number of columns of stdout, or null if it is not a terminal and lines may have any length. */
export function terminalColumns({ process: { stdout } }: Pick<TellingContext, 'process'>): number | null {
  return columnsOf(stdout);
}
