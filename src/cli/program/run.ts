import type { GlobalOptions } from '../context.ts';

/** Runs one command with what commander made of its arguments; resolves to its exit code. */
export type Invoke = (
  globals: GlobalOptions,
  load: () => Promise<(context: never, ...args: never[]) => Promise<number>>,
  args: readonly unknown[],
) => Promise<void>;

/** Makes of a command's code what commander calls. */
export type Run = (load: Parameters<Invoke>[1]) => (...args: unknown[]) => Promise<void>;
