import { closeSync, constants, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, resolve } from 'node:path';
import { requireRegularFile } from './regular-file.ts';

/** Opens or makes the file, readable by its owner alone; a new one's name is on the disk when this resolves. */
export async function openForAppending(path: string): Promise<FileHandle> {
  requireRegularFile(path);
  const directory = dirname(resolve(path));
  const firstMade = mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    // A name is durable only once the directory that holds it is; this goes for the directories made here, too.
    const top = firstMade === undefined ? directory : dirname(firstMade);
    if ((await file.stat()).size === 0) syncDirectories(directory, top);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Near a full disk a write may take only part of the bytes and report no error. */
export function writeFully(fd: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written);
}

/** From `directory` up to `top`. Windows has no such call and needs none. */
function syncDirectories(directory: string, top: string): void {
  if (platform() === 'win32') return;
  for (let each = directory; ; each = dirname(each)) {
    const fd = openSync(each, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    if (each === top || each === dirname(each)) return;
  }
}
