import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import type { MarketplaceOptions } from '../../src/library/api.ts';
import type * as Library from '../../src/library/index.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { CANARY } from './canary-secret.ts';
import type { Desk } from './desk.ts';
import { type Running, startProgram } from './run-srq.ts';

/** Returns the path of the built library that `require('srq')` loads. */
const libraryPath = (): string => join(dirname(inject('srqProgram')), 'library.js');

/** Loads the built library into the process of the test. */
export async function loadLibrary(): Promise<typeof Library> {
  return (await import(libraryPath())).default;
}

/** Returns the options of a marketplace that shares the log of the command on this desk. */
export function optionsFor(
  desk: Desk,
  { baseUrl, clientId }: Pick<Sandbox, 'baseUrl' | 'clientId'>,
): MarketplaceOptions {
  return { baseUrl, clientId, clientSecret: CANARY, stateFolder: desk.state, rate: 'max' };
}

/**
 * Starts a process that imports the library. `body` is the body of an async function with the parameters `library` and
 * `given`. The process prints a line of JSON for each call of `say`.
 */
export function startWithLibrary(body: string, given: unknown): Running {
  const program = `
    const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
    const run = async (library, given, say) => {${body}};
    run(require(process.argv[1]), JSON.parse(require('node:fs').readFileSync(0, 'utf8')), say);`;
  return startProgram([process.execPath, '-e', program, libraryPath()], { stdin: JSON.stringify(given) });
}
