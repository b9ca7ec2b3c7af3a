import { lstatSync, mkdirSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileFlaw } from '../request/ownership.ts';
import { directories } from '../settings/paths.ts';

/** The folder of compiled code, in that of the logs. */
const FOLDER = 'compile-cache';

type EnableCompileCache = (folder: string) => unknown;

const enableCompileCache: EnableCompileCache | undefined = Reflect.get(nodeModule, 'enableCompileCache');

type Surroundings = Pick<NodeJS.Process, 'env' | 'platform' | 'getuid'>;

/**
 * Has Node.js keep the compiled code of this program for the next start, which then parses nothing. Whoever could write
 * that folder could have any code run, so there is none unless it and the folder that holds it are the user's own and
 * no other user can write them. Nothing is kept before that folder exists, nor by a Node.js that cannot do it (before
 * 22.1), nor where `NODE_DISABLE_COMPILE_CACHE` is set.
 */
export function keepCompiledCode({ env, platform, getuid }: Surroundings, enable = enableCompileCache): void {
  if (!enable) return;
  const user = getuid?.() ?? null;
  const { state } = directories(env, homedir(), platform);
  const folder = join(state, FOLDER);
  try {
    if (!isOwnFolder(state, user)) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isOwnFolder(folder, user)) enable(folder);
  } catch {
    // Without the folder, the code is compiled at each start.
  }
}

/** Throws if there is no such folder. */
function isOwnFolder(path: string, user: number | null): boolean {
  const found = lstatSync(path);
  return found.isDirectory() && fileFlaw(path, found, user, 'writers') === null;
}
