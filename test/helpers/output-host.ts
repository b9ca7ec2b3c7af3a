import { join } from 'node:path';
import type { openOutput } from '../../src/run/outputs.ts';
import { ANY_OWNER, writtenFiles } from '../doors/kept.ts';

/** What an output needs of a command, with the state in a folder of the test. `told` are the warnings. */
export function outputHost(folder: string) {
  const told: string[] = [];
  const host = {
    writtenFiles: async (name = 'written') => writtenFiles(join(folder, name), ANY_OWNER),
    reporter: { warn: (message: string) => told.push(message) },
    outputs: new Map<string, object>(),
  };
  return { told, host: host as unknown as Parameters<typeof openOutput>[0] };
}
