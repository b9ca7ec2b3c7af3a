declare module 'fs-native-extensions' {
  /** Locks a byte range of an open file in the kernel. Returns false if another open file holds a lock that excludes it. */
  export function tryLock(fd: number, offset: number, length: number, options?: { readonly shared?: boolean }): boolean;
  export function unlock(fd: number, offset: number, length: number): void;
}
