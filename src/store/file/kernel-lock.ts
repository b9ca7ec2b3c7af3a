import { arch, platform } from 'node:os';
import { SrqError, systemCode } from '../../request/words/errors.ts';

/** The kernel's lock on a range of bytes of an open file. A length of zero bytes means the whole file. */
export interface KernelLock {
  /** Takes the lock. Returns false if another open file holds it. */
  tryLock(fd: number, offset: number, bytes: number, options?: { readonly shared?: boolean }): boolean;
  unlock(fd: number, offset: number, bytes: number): void;
}

/**
 * Loads the lock. Node.js has none, so a native library (`fs-native-extensions`) provides it for the usual systems
 * (docs/decisions/39-the-lock-stays-native.md). Throws `SrqError('platform.no-lock')` if there is no binary for this
 * system or it cannot be loaded.
 */
export async function loadKernelLock(load: () => Promise<KernelLock> = () => import('fs-native-extensions')) {
  try {
    return await load();
  } catch (error) {
    throw new SrqError(
      'platform.no-lock',
      `This srq cannot lock its log, because the library fs-native-extensions ${whyMissing(error)}. Nothing was sent.`,
      'Without it two runs could send the same requests. It exists for Linux, macOS and Windows on x64 and arm64: install srq there with all its parts (npm install --global srq), or keep the log in a store (PostgreSQL), which needs no such lock: --store postgres://USER@HOST/DATABASE',
      error,
    );
  }
}

/** The name of this system, as Node.js and the library's folders write it. */
const SYSTEM = `${platform()}-${arch()}`;

function whyMissing(error: unknown): string {
  if (systemCode(error) === 'MODULE_NOT_FOUND') return `has no part for ${SYSTEM} here`;
  return `cannot be loaded on ${SYSTEM} (${systemCode(error) || String(error)})`;
}

const KERNEL_CALLS: Readonly<Record<string, string>> = { win32: 'LockFileEx', darwin: 'flock' };

/** Returns the name of the system's lock for people: `fcntl(F_OFD_SETLK)`. */
export function kernelLockName(system: string = platform()): string {
  return KERNEL_CALLS[system] ?? 'fcntl(F_OFD_SETLK)';
}
