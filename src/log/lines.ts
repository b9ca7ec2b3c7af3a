import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';

const BLOCK_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/** One complete line of the log. */
export interface LogLine {
  /** The line without its line feed, or null if it is not UTF-8. */
  readonly text: string | null;
  /** The offset of its first byte in the file. */
  readonly offset: number;
}

/**
 * Yields the complete lines from the offset `from` to the end of the file, those of one block at a time. Returns the
 * offset behind the last line feed; bytes behind it are an unfinished line. It needs the memory of one block, or of the
 * longest line.
 */
export async function* readLines(file: FileHandle, from: number): AsyncGenerator<LogLine[], number> {
  // Reading ends at the present size of the file, because a torn tail may be cut and written anew in the meantime.
  const { size } = await file.stat();
  let offset = from;
  let rest = Buffer.alloc(0);
  for (;;) {
    const position = offset + rest.length;
    const block = Buffer.allocUnsafe(Math.max(0, Math.min(BLOCK_BYTES, size - position)));
    const { bytesRead } = await file.read(block, 0, block.length, position);
    if (bytesRead === 0) return offset;
    const bytes = rest.length > 0 ? Buffer.concat([rest, block.subarray(0, bytesRead)]) : block.subarray(0, bytesRead);
    const lines: LogLine[] = [];
    const isAllUtf8 = isUtf8(bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1));
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      const text = isAllUtf8 || isUtf8(bytes.subarray(start, end)) ? bytes.toString('utf8', start, end) : null;
      lines.push({ text, offset: offset + start });
      start = end + 1;
    }
    rest = bytes.subarray(start);
    offset += start;
    if (lines.length > 0) yield lines;
  }
}
