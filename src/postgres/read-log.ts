import type { LogReader } from '../model/log-store.ts';
import type { Clock, LogRecord } from '../model/ports.ts';
import type { LoggedState } from '../model/status.ts';
import type { Database, Query } from './database.ts';
import { InGroups } from './in-groups.ts';
import { StateMemory } from './state-memory.ts';

/** Maximum number of keys in one statement. */
const MAX_GROUP_KEYS = 5_000;

/** A row of `srq.record` with its worker's run, as {@link RECORD_COLUMNS} selects it. */
export interface RecordRow {
  readonly id: string;
  readonly key: string;
  readonly event: LogRecord['event'];
  readonly at: string;
  readonly run: string;
  readonly row: number;
  readonly ref: string | null;
  readonly market: string | null;
  readonly ids: LogRecord['ids'] | null;
  readonly http: number | null;
  readonly ms: number | null;
  readonly message: string | null;
  readonly raw: string | null;
  readonly by: LogRecord['by'];
  readonly again: boolean;
}

/** The columns of a {@link RecordRow}, selected from `srq.record r` and `srq.worker w`. */
export const RECORD_COLUMNS = `r.id, r.key, r.event, r."row", r.ref, r.market, r.ids, r.http, r.ms, r.message, r.raw, r.by,
  r.again, w.run, to_char(r.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`;

/** Converts a row of the table to a record of the log. */
export function recordOf(row: RecordRow): LogRecord {
  const { key, event, at, run, ref, market, http, ms, message, raw, by, again } = row;
  return {
    key: key.replaceAll('-', ''),
    event,
    at,
    run,
    row: row.row,
    ref,
    ...(market === null ? {} : { market }),
    ids: row.ids ?? {},
    http,
    ms,
    message,
    raw,
    by,
    again,
  };
}

/** Looks up keys in the store, in groups: keys that are requested while one statement is under way share the next one. */
export class LogLookup {
  readonly states: StateMemory;
  readonly #ask: InGroups<string, null>;
  readonly #records: InGroups<string, LogRecord | null>;

  /** `query` may wait for a server that is away. */
  constructor(query: Query, monotonicMs: () => number) {
    this.states = new StateMemory(monotonicMs);
    const most = MAX_GROUP_KEYS;
    this.#ask = new InGroups(
      async (keys) => {
        const rows = await query<{ key: string; state: LoggedState }>(
          "select replace(key::text, '-', '') as key, state from srq.state where key = any($1::uuid[])",
          [keys],
          'srq-know',
        );
        this.states.setAll(keys, new Map(rows.map(({ key, state }) => [key, state])));
        return keys.map(() => null);
      },
      { most },
    );
    this.#records = new InGroups(
      async (keys) => {
        const rows = await query<RecordRow>(
          `select ${RECORD_COLUMNS} from srq.state s join srq.record r on r.id = s.record
        join srq.worker w on w.id = r.worker where s.key = any($1::uuid[])`,
          [keys],
        );
        const found = new Map(rows.map((row) => [row.key.replaceAll('-', ''), recordOf(row)]));
        return keys.map((key) => found.get(key) ?? null);
      },
      { most },
    );
  }

  async know(keys: readonly string[]): Promise<void> {
    const asked = keys.filter((key) => !this.states.isFresh(key));
    await Promise.all(asked.map((key) => this.#ask.add(key)));
  }

  read(key: string): Promise<LogRecord | null> {
    return this.#records.add(key);
  }
}

/** Opens the log to look up keys only, without taking part in it. `isEmpty` means that the store has no tables yet. */
export function openReader(database: Database, isEmpty: boolean, { monotonicMs }: Clock): LogReader {
  const lookup = new LogLookup(database.query, monotonicMs);
  return {
    lookup: (key) => lookup.states.get(key),
    know: async (keys) => (isEmpty ? undefined : lookup.know(keys)),
    read: (key) => (isEmpty ? null : lookup.read(key)),
    close: async () => {},
  };
}
