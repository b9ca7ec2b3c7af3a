import * as z from 'zod/mini';
import { REFERENCE } from './reference.ts';
import { RUNS } from './runs.ts';
import { CONTRACTS, SETUP } from './setup.ts';
import { failure } from './shapes.ts';

/**
 * The JSON documents, by the command line that prints them (without `--json`). If a flag makes a command print another
 * document, that document has its own entry. The types of the program are inferred from these schemas (`types.ts`).
 */
export const DOCUMENTS = { ...SETUP, ...RUNS, ...CONTRACTS, ...REFERENCE } as const;

export const failed = z.object({ error: failure });
