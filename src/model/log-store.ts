import type { DeliveryLog, LogRecord } from './ports.ts';
import type { RecordedNote, RunNote } from './run-note.ts';

/** A record among all of its log's. */
export interface ReadRecord {
  readonly record: LogRecord;
  /** Its request, by the order in which requests first came, from 0. */
  readonly request: number;
  /** Whether it is the last one of its request. */
  readonly isLast: boolean;
}

/** How far a log was read: only the store that gave it can make use of it. */
export interface LogPosition {
  readonly end: number;
  /** What was missing before the end and may still come. */
  readonly missing?: readonly number[];
}

/** A log open for sending. */
export interface OpenLog extends DeliveryLog {
  /** Waits for what is being recorded. Takes nothing from then on. */
  close(): Promise<void>;
}

/** What a log knows, without taking part in it. */
export interface LogReader extends Pick<DeliveryLog, 'lookup' | 'prefetch' | 'read'> {
  close(): Promise<void>;
}

/** Opens the notes on one run for adding. Notes only inform, so an error while writing one is ignored. */
export interface RunNotes {
  note(note: RunNote): void;
  /** An answer 429 or 503. Those of one second become one note, written before the next note of any kind. */
  refused(http: number, pauseMs: number): void;
  /** Resolves when all notes are kept, or given up. */
  flush(): Promise<void>;
}

/** A log and the notes on its runs, wherever they are kept. Methods throw `SrqError('log')`. */
export interface LogStore {
  /** The log's name for people: a path, or a URL without its password. */
  readonly name: string;
  /** For sending. `command` and the process are named to whoever is in each other's way. `exclusive`: a bulk run. */
  open(command: string, exclusive: boolean): Promise<OpenLog>;
  openReader(): Promise<LogReader>;
  /** The last record of every request, oldest first, as of the moment when it begins. A log that does not exist is empty. */
  latest(): AsyncGenerator<LogRecord, LogPosition>;
  /** Every record, in order; else as `latest`. */
  records(): AsyncGenerator<ReadRecord, LogPosition>;
  /** Every record that is added behind a position, as it comes, until `stop` fires. */
  follow(from: LogPosition, stop: AbortSignal): AsyncGenerator<LogRecord, void>;
  /** All notes, oldest first. What cannot be read is passed over. */
  notes(): AsyncGenerator<RecordedNote>;
  openNotes(run: string): RunNotes;
}
