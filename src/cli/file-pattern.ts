import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Returns the files that match a word with `*` or `?` in its last part, in the order of their names: the shells of Windows
 * leave this to the program. A word without a match is returned unchanged.
 */
export async function filesOfPattern(word: string): Promise<readonly string[]> {
  if (!/[*?]/.test(basename(word))) return [word];
  const plain = basename(word).replace(/[\\^$.+()[\]{}|]/g, '\\$&');
  const pattern = new RegExp(`^${plain.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i');
  const entries = await readdir(dirname(word), { withFileTypes: true }).catch(() => []);
  const found = entries.filter((entry) => entry.isFile() && pattern.test(entry.name));
  return found.length === 0 ? [word] : found.map((entry) => join(dirname(word), entry.name)).sort();
}
