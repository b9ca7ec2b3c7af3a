import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { SrqError, systemCode } from '../model/errors.ts';
import type { ReceivedRequest } from './received-request.ts';

/** The file of received requests: one JSON document a line, to which lines are only ever appended. */
export interface StoreFile {
  append(request: ReceivedRequest): void;
  clear(): void;
  close(): void;
}

const READ_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Opens or creates the file (mode 0600) and passes the requests of earlier runs to `recall`, one by one. A last line
 * that was cut short is dropped. Throws `SrqError('usage')` if the file cannot be used or holds something else.
 */
export function openStoreFile(path: string, recall: (earlier: ReceivedRequest) => void): StoreFile {
  const file = openForAppending(path);
  try {
    let wholeBytes = 0;
    let lineNumber = 0;
    for (const line of wholeLines(file)) {
      wholeBytes += line.length + 1;
      lineNumber += 1;
      recall(parseLine(line, `${path}, line ${lineNumber}`));
    }
    ftruncateSync(file, wholeBytes);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return {
    append: (request) => writeWhole(file, Buffer.from(`${JSON.stringify(request)}\n`)),
    clear: () => ftruncateSync(file, 0),
    close: () => closeSync(file),
  };
}

function openForAppending(path: string): number {
  try {
    return openSync(path, 'a+', 0o600);
  } catch (error) {
    const hint = 'Name a file in a directory that exists and can be written to: srq sandbox --store FILE.';
    throw new SrqError('usage', `Cannot open the store ${path} (${systemCode(error)}).`, hint, error);
  }
}

/**
 * Yields the complete lines of the file. `node:readline` is not used, because it also breaks lines at U+2028, which
 * JSON may hold unescaped.
 */
function* wholeLines(file: number): Generator<Buffer> {
  const piece = Buffer.allocUnsafe(READ_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  for (let position = 0; ; ) {
    const bytes = readSync(file, piece, 0, piece.length, position);
    if (bytes === 0) return;
    position += bytes;
    const text: Buffer = Buffer.concat([rest, piece.subarray(0, bytes)]);
    let start = 0;
    for (let end = text.indexOf(LINE_FEED); end >= 0; end = text.indexOf(LINE_FEED, start)) {
      yield text.subarray(start, end);
      start = end + 1;
    }
    rest = text.subarray(start);
  }
}

function parseLine(line: Buffer, place: string): ReceivedRequest {
  try {
    const value: ReceivedRequest = JSON.parse(line.toString('utf8'));
    if (typeof value.receivedAt === 'string' && typeof value.params === 'object') return value;
  } catch {
    // The error below is the same for a line that is not JSON and for one that is not a request.
  }
  throw new SrqError('usage', `${place} is not a request the sandbox has received.`, 'Name another file with --store.');
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}
