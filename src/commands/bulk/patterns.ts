import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Returns the files that a name with `*` or `?` in its last part means, in the order of their names. The shells of Windows leave
 * that to the program; elsewhere such a name is that of a file. A pattern of no file stays as it is.
 */
export async function filesOfPattern(name: string, system: string): Promise<readonly string[]> {
  if (system !== 'win32' || !/[*?]/.test(basename(name))) return [name];
  const plain = basename(name).replace(/[\\^$.+()[\]{}|]/g, '\\$&');
  const pattern = new RegExp(`^${plain.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i');
  const entries = await readdir(dirname(name), { withFileTypes: true }).catch(() => []);
  const found = entries.filter((entry) => entry.isFile() && pattern.test(entry.name));
  return found.length === 0 ? [name] : found.map((entry) => join(dirname(name), entry.name)).sort();
}
