import type { Reporter } from '../report/terminal/reporter.ts';
import type { GlobalOptions } from './table/options.ts';
import type { CommandRow } from './table/row.ts';

/** The part of the context for commands that only print something. It has neither settings nor a service. */
export interface TellingContext {
  readonly process: NodeJS.Process;
  readonly options: GlobalOptions;
  readonly version: string;
  readonly reporter: Reporter;
}

/** Runs one command with the arguments that commander has parsed. */
export type Invoke = (
  globals: GlobalOptions,
  load: NonNullable<CommandRow['run']>,
  args: readonly unknown[],
) => Promise<void>;
