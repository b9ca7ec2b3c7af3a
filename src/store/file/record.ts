import { isUtf8 } from 'node:buffer';
import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { jsonIn } from '../../request/contract/json.ts';
import { KEY_RECIPE } from '../../request/lead/service-request.ts';
import { LOG_EVENTS, type LogEvent, type LoggedState, nextState } from '../../request/log/status.ts';
import type { LogRecord, LogSubject } from '../../request/ports.ts';
import { detailsOf, recordFrom, someIds } from '../stored-record.ts';

/**
 * The events that a record may have. FORMAT.md documents the format of the lines and must change together with this
 * file.
 */
const EVENTS: ReadonlySet<string> = new Set(LOG_EVENTS);
const KEY = /^[0-9a-f]{32}$/;
const UNKNOWN = 'is not known to this version of srq';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Encodes one record as a line of the log, including its line feed. */
export function encodeRecord(subject: LogSubject, event: LogEvent, at: string, run: string, details: object): Buffer {
  const { key, row, ref, market } = subject;
  return Buffer.from(`${JSON.stringify({ key, event, at, run, row, ref, market, ...details })}\n`);
}

/**
 * Encodes what is known of a request so that a log in a file has it in the same state: by its last record, and where that
 * alone would not do, by a licence before it.
 */
export function encodeRequest(record: LogRecord, state: LoggedState): string {
  const { event, at, run, by } = record;
  const details = { recipe: KEY_RECIPE, ids: someIds(record.ids), ...detailsOf(record) };
  const line = encodeRecord(record, event, at, run, details).toString();
  if (nextState('none', event, by) === state) return line;
  return encodeRecord(record, 'licence', at, run, { by: 'person' }).toString() + line;
}

/** Returns true if the reason of {@link decodeRecord} suggests that a newer srq wrote the line. */
export const isNewer = (reason: string) => reason.endsWith(UNKNOWN);

/** Decodes one line of the log. Null means a line that is not UTF-8. Returns the reason if the line is not a record. */
export function decodeRecord(line: string | null): LogRecord | string {
  if (line === null) return 'it is not UTF-8';
  const value: unknown = jsonIn(line);
  if (value === undefined) return 'it is not JSON';
  if (typeof value !== 'object' || value === null || !('key' in value) || !('event' in value)) return 'it has no key';
  const record = value as Partial<Record<keyof LogRecord, unknown>>;
  if (typeof record.key !== 'string' || !KEY.test(record.key)) return 'its key is not 32 hex digits';
  if (typeof record.event !== 'string' || !EVENTS.has(record.event)) {
    return `its event "${String(record.event).slice(0, 20)}" ${UNKNOWN}`;
  }
  // Another key algorithm gives other keys, so every lead would look new.
  if ('recipe' in value && value.recipe !== KEY_RECIPE) {
    return `recipe ${JSON.stringify(value.recipe)?.slice(0, 20)} of its keys ${UNKNOWN}`;
  }
  if (typeof record.at !== 'string' || !TIME.test(record.at)) return 'it does not say when';
  return recordFrom({ key: record.key, event: record.event as LogEvent, at: record.at }, record);
}

const BLOCK_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/**
 * Yields the complete lines from the offset `from` to the end of the file, all lines of one block at a time: each without its
 * line feed, or null if it is not UTF-8, with the offsets of its first byte and after its line feed. Bytes after the last line
 * feed are an unfinished line. It needs the memory of one block, or of the longest line. Blocks without `wanted` are passed
 * over.
 */
export async function* readLines(file: FileHandle, from: number, wanted = '') {
  // Reading ends at the present size of the file, because a torn tail may be cut and rewritten in the meantime.
  const { size } = await file.stat();
  let offset = from;
  let rest = Buffer.alloc(0);
  for (;;) {
    const position = offset + rest.length;
    const block = Buffer.allocUnsafe(Math.max(0, Math.min(BLOCK_BYTES, size - position)));
    const { bytesRead } = await file.read(block, 0, block.length, position);
    if (bytesRead === 0) return;
    const bytes = rest.length > 0 ? Buffer.concat([rest, block.subarray(0, bytesRead)]) : block.subarray(0, bytesRead);
    const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1);
    if (!whole.includes(wanted)) {
      rest = bytes.subarray(whole.length);
      offset += whole.length;
      continue;
    }
    const lines: { text: string | null; offset: number; end: number }[] = [];
    const isAllUtf8 = isUtf8(whole);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      const text = isAllUtf8 || isUtf8(bytes.subarray(start, end)) ? bytes.toString('utf8', start, end) : null;
      lines.push({ text, offset: offset + start, end: offset + end + 1 });
      start = end + 1;
    }
    rest = bytes.subarray(start);
    offset += start;
    if (lines.length > 0) yield lines;
  }
}

/** Most records are shorter. */
const RECORD_BYTES = 1 << 10;

/** Reads the record at an offset of a log. Null means that there is none. */
export function readRecordAt(fd: number, offset: number): LogRecord | null {
  for (let size = RECORD_BYTES; ; size *= 4) {
    const bytes = Buffer.allocUnsafe(size);
    const found = bytes.subarray(0, readSync(fd, bytes, 0, size, offset));
    const end = found.indexOf(LINE_FEED);
    if (end < 0 && found.length === size) continue;
    const record = decodeRecord(found.toString('utf8', 0, Math.max(0, end)));
    return typeof record === 'string' ? null : record;
  }
}
