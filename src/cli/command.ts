import type { Reporter } from '../report/reporter.ts';
import { columnsOf } from '../report/terminal/talk.ts';

/** The flags that all commands have, as commander hands them over. */
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
  /** URL of a store; for `srq sandbox` the file of its own flag `--store`. */
  readonly store?: string;
  /** Of commands that run for long: how they talk on stderr. */
  readonly logFormat?: 'text' | 'json';
  readonly caFile?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The part of the context that a command needs which only tells something; it knows neither settings nor service. */
export interface TellingContext {
  readonly process: NodeJS.Process;
  readonly options: GlobalOptions;
  reporter(): Promise<Reporter>;
}

/** Runs one command with what commander made of its arguments; resolves to its exit code. */
export type Invoke = (
  globals: GlobalOptions,
  load: () => Promise<(context: never, ...args: never[]) => Promise<number>>,
  args: readonly unknown[],
) => Promise<void>;

/** Makes of a command's code what commander calls. */
export type RunCommand = (load: Parameters<Invoke>[1]) => (...args: unknown[]) => Promise<void>;

/** How many letters a line of stdout has room for; null where it is no terminal and lines may be of any length. */
export function terminalColumns({ process: { stdout } }: Pick<TellingContext, 'process'>): number | null {
  return columnsOf(stdout);
}
