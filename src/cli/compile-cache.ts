import { lstatSync, mkdirSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { fileFlaw } from '../request/log/ownership.ts';
import { directories } from '../settings/paths.ts';

/** The name of the folder with compiled code. It is within the folder of the logs. */
const FOLDER = 'compile-cache';

type EnableCompileCache = (folder: string) => unknown;

const enableCompileCache: EnableCompileCache | undefined = Reflect.get(nodeModule, 'enableCompileCache');

type Surroundings = Pick<NodeJS.Process, 'env' | 'platform' | 'getuid'>;

/**
 * Makes Node.js store the compiled code of this program, so that the next start need not parse it. Anybody who could
 * write to that folder could run code as the user. It is therefore used only if it and its parent folder belong to the
 * user and no other user can write to them. Nothing is stored before the parent folder exists, with a Node.js that
 * cannot store code (before 22.1), or if `NODE_DISABLE_COMPILE_CACHE` is set.
 */
export function keepCompiledCode({ env, platform, getuid }: Surroundings, enable = enableCompileCache): void {
  if (!enable) return;
  const user = getuid?.() ?? null;
  try {
    const { state } = directories(env, platform);
    const folder = join(state, FOLDER);
    if (!isOwnFolder(state, user)) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isOwnFolder(folder, user)) enable(folder);
  } catch {
    // Without the folder, the code is compiled at each start.
  }
}

/**
 * Tells whether a path is a folder to which only the user can write. Throws the system's error if there is no such
 * folder.
 */
function isOwnFolder(path: string, user: number | null): boolean {
  const found = lstatSync(path);
  return found.isDirectory() && fileFlaw(path, found, user, 'writers') === null;
}
