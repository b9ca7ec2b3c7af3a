import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const mounted = (source: string, at: string) =>
  spawnSync('sh', ['-c', 'mount --bind "$0" "$1"', source, at]).status === 0;
const unmount = (at: string) => spawnSync('sh', ['-c', 'umount "$0"', at]);

/** The reason why a file cannot get a second name by a mount on this machine, or null if it can. */
export const bindMountIsMissing = tried() ? null : 'needs mount --bind, as root on Linux';

/**
 * Gives the file a second name. The returned function removes the name, and must be called before the file's folder is
 * removed.
 */
export function bindMount(file: string, name: string): () => void {
  writeFileSync(name, '');
  if (!mounted(file, name)) throw new Error(`${file} cannot be mounted.`);
  return () => void unmount(name);
}

function tried(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'srq-mount-'));
  const [file, name] = [join(folder, 'file'), join(folder, 'name')];
  for (const each of [file, name]) writeFileSync(each, '');
  try {
    return mounted(file, name) && statSync(file).ino === statSync(name).ino;
  } finally {
    unmount(name);
    rmSync(folder, { recursive: true });
  }
}
