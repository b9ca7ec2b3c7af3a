declare module 'fs-native-extensions' {
  /** Takes a kernel lock on a byte range of an open file; false if another open file holds it. */
  export function tryLock(fd: number, offset: number, length: number): boolean;
  export function unlock(fd: number, offset: number, length: number): void;
}
