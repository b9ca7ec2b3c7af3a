import { columnsOf } from '../report/talk.ts';
import type { Context } from './context.ts';

/** How many letters a line of stdout has room for; null where it is no terminal and lines may be of any length. */
export function terminalColumns({ process: { stdout } }: Pick<Context, 'process'>): number | null {
  return columnsOf(stdout);
}
