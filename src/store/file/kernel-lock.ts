import { SrqError, systemCode } from '../../request/words/errors.ts';

/** The kernel's lock on a range of bytes of an open file. A length of zero bytes means the whole file. */
export type KernelLock = typeof import('fs-native-extensions');

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
      `This srq cannot lock its log, because the library fs-native-extensions cannot be loaded (${systemCode(error) || String(error)}). Nothing was sent.`,
      'Without it two runs could send the same requests. It exists for Linux, macOS and Windows on x64 and arm64: install srq there with all its parts (npm install --global srq), or keep the log in a store (PostgreSQL), which needs no such lock: --store postgres://USER@HOST/DATABASE',
      error,
    );
  }
}
