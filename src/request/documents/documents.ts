import * as z from 'zod/mini';
import { REFERENCE } from './reference.ts';
import { RUNS, request } from './runs.ts';
import { CONTRACTS, SETUP } from './setup.ts';
import { failure } from './shapes.ts';

/**
 * The JSON documents, by the command line that prints them (without `--json`). If a flag makes a command print another
 * document, that document has its own entry. The types of the program are inferred from these schemas (`types.ts`).
 */
export const DOCUMENTS = { ...SETUP, ...RUNS, ...CONTRACTS, ...REFERENCE } as const;

/**
 * The commands that read a request or an array of them from `--file`, and print an array of their document if several may
 * be meant.
 */
export const TAKES_MANY: ReadonlySet<string> = new Set<keyof typeof DOCUMENTS>(['validate', 'create']);

/** What these commands read. */
export const requests = z.union([request, z.array(request)]);

export const failed = z.object({ error: failure });
