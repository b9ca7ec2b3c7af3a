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
}

/** A database without a server: a function answers each statement. */
export interface ScriptedDatabase extends Database {
  /** All statements, in their order. */
  readonly asked: readonly Asked[];
  readonly sessions: readonly ScriptedSession[];
}

/** Creates a database that answers with `answer`. Work is not tried again, unless `parts` has a way to do so. */
export function scriptedDatabase(answer: Answer, parts: Partial<Database> = {}): ScriptedDatabase {
  const asked: Asked[] = [];
  const sessions: ScriptedSession[] = [];
  const queryOf = (session: ScriptedSession | null, also: Asked[]): Query =>
    (async (text: string, values: readonly unknown[] = []) => {
      asked.push({ text, values });
      also.push({ text, values });
      return answer({ text, values }, session);
    }) as Query;
  const database: ScriptedDatabase = {
    ...{ asked, sessions, shown: 'postgres://db.example/leads' },
    query: queryOf(null, []),
    transaction: (work) => work(database.query),
    retryWhileAway: (work) => work(),
    connect: async () => {
      const ofSession: Asked[] = [];
      let isClosed = false;
      const session: ScriptedSession = {
        asked: ofSession,
        query: (...statement) => queryOf(session, ofSession)(...statement),
        close: async () => {
          isClosed = true;
        },
        isClosed: () => isClosed,
      };
      sessions.push(session);
      return session;
    },
    close: async () => {},
    ...parts,
  };
  return database;
}
