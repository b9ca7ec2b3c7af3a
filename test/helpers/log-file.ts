import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A record of a log. What a test does not say of it is usual. */
export interface WrittenRecord {
  /** One hex digit or more, with which the key begins. Its last one fills the rest. */
  readonly key: string;
  readonly event?: string;
  readonly at?: string;
  readonly run?: string;
  readonly row?: number;
  readonly ref?: string | null;
  readonly ids?: Readonly<Record<string, string>>;
  readonly http?: number;
  readonly ms?: number;
  readonly message?: string;
}

export const AT = '2026-11-20T10:00:00.000Z';

export const fullKey = (start: string): string => start.padEnd(32, start.at(-1));

/** Writes a log as a file, without sending anything. */
export function writeLog(path: string, records: readonly WrittenRecord[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lines = records.map(({ key, ...record }) =>
    JSON.stringify({ key: fullKey(key), event: 'created', at: AT, run: 'r', row: 1, ref: null, ...record }),
  );
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
}

/** Writes notes on the runs of a log: the beginning of an import for each name of a file, by the run. */
export function writeNotes(path: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const begun = { event: 'begin', version: '0', profile: 'default', live: false, service: 'here', rows: 1 };
  const lines = Object.entries(files).map(([run, file]) =>
    JSON.stringify({ run, at: AT, ...begun, file, counts: {}, settings: {} }),
  );
  writeFileSync(`${path}.runs`, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
}
