import type { Database, Query, Session } from '../../src/store/postgres/database.ts';

/** A statement as it was asked. */
export interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Answers a statement with rows, or throws. `session` is null where the statement belongs to none. */
type Answer = (asked: Asked, session: ScriptedSession | null) => readonly object[] | Promise<readonly object[]>;

/** A session of a {@link ScriptedDatabase}, and what a test does with it. */
interface ScriptedSession extends Session {
  readonly asked: readonly Asked[];
  readonly isClosed: () => boolean;
  /** Ends it as a broken connection does. */
  readonly cut: () => void;
  readonly notify: (payload: string) => void;
}

/** A database without a server: a function answers each statement. */
export interface ScriptedDatabase extends Database {
  /** All statements, in their order. */
  readonly asked: readonly Asked[];
  readonly sessions: readonly ScriptedSession[];
  /** The timelines that were joined, in their order. */
  readonly joined: readonly (number | null)[];
  /** The timeline of the next session. */
  timeline: number | null;
}

/** Creates a database that answers with `answer`. Work is not tried again, unless `parts` has a way to do so. */
export function scriptedDatabase(answer: Answer, parts: Partial<Database> = {}): ScriptedDatabase {
  const asked: Asked[] = [];
  const sessions: ScriptedSession[] = [];
  const joined: (number | null)[] = [];
  const queryOf = (session: ScriptedSession | null, also: Asked[]): Query =>
    (async (text: string, values: readonly unknown[] = []) => {
      asked.push({ text, values });
      also.push({ text, values });
      return answer({ text, values }, session);
    }) as Query;
  const database: ScriptedDatabase = {
    ...{ asked, sessions, joined, timeline: 1, shown: 'postgres://db.example/leads' },
    query: queryOf(null, []),
    transaction: (work) => work(database.query),
    retryWhileAway: (work) => work(),
    connect: async () => {
      const gone = new AbortController();
      const ofSession: Asked[] = [];
      const listeners: ((payload: string) => void)[] = [];
      let isClosed = false;
      const session: ScriptedSession = {
        ...{ asked: ofSession, gone: gone.signal, timeline: database.timeline },
        query: (...statement) => queryOf(session, ofSession)(...statement),
        onNotification: (listen) => listeners.push(listen),
        close: async () => {
          isClosed = true;
          gone.abort();
        },
        isClosed: () => isClosed,
        cut: () => gone.abort(),
        notify: (payload) => {
          for (const listen of listeners) listen(payload);
        },
      };
      sessions.push(session);
      return session;
    },
    join: (timeline) => joined.push(timeline),
    close: async () => {},
    ...parts,
  };
  return database;
}
