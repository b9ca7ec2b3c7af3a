import type { Client, ClientConfig } from 'pg';
import { SrqError } from '../../request/words/errors.ts';
import { StoreClient, type StoreClientConfig } from './connection.ts';
import { isReadOnly, isTransient } from './failures.ts';
import type { ServerPlace, StoreAddress } from './store-url.ts';

/** Time limits for asking one of several servers, before another one is used. */
const BRIEFLY = { connectionTimeoutMillis: 3_000, query_timeout: 3_000 };
/** Number of rounds in which two statements show whether a pooler changes the connection between them. */
const POOLER_ROUNDS = 3;
/**
 * Time after which the server ends a connection without a sign of life from the other machine, and releases its locks.
 * Its own default is more than two hours.
 */
const SILENCE_S = { idle: 10, interval: 5, count: 4, answerMs: 30_000 };

/** The properties of a server that a new connection reads. A standby has no timeline of its own. */
interface Greeting {
  readonly pid: number;
  readonly read_only: boolean;
  readonly timeline: number | null;
}

/**
 * This query reads the timeline from the name of a segment of the server's log, whose first half is the timeline's
 * number.
 */
const GREETING = `select pg_backend_pid() as pid, current_setting('transaction_read_only')::boolean as read_only,
  case when pg_is_in_recovery() then null
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline`;

/**
 * The settings of a session. They are not set at the start of the connection, because poolers refuse most of them
 * there. Among them is that a commit returns only once it is on the server's disk, whatever the server's default is.
 */
const SETTINGS = `select set_config('statement_timeout', $1, false), set_config('datestyle', 'ISO', false),
  set_config('tcp_keepalives_idle', '${SILENCE_S.idle}', false),
  set_config('tcp_keepalives_interval', '${SILENCE_S.interval}', false),
  set_config('tcp_keepalives_count', '${SILENCE_S.count}', false),
  set_config('tcp_user_timeout', '${SILENCE_S.answerMs}', false),
  set_config('synchronous_commit', case when current_setting('synchronous_commit') in ('off', 'local', 'remote_write')
    then 'on' else current_setting('synchronous_commit') end, false)`;

export interface PrepareOptions {
  /** The time limit of a statement at the server in milliseconds. 0 means no limit. */
  readonly statementMs: number;
  /** Whether this connection may be the first one to a server that has taken over. */
  readonly joins?: boolean;
}

/**
 * The servers of a store, one of which is in use. Every connection is checked here before it is used. It must lead to a
 * suitable server and be a complete session.
 */
export class Servers {
  readonly shown: string;
  readonly #places: readonly ServerPlace[];
  readonly #mustTakeWriting: boolean;
  readonly #settings: ClientConfig;
  readonly #clients = new Set<StoreClient>();
  #place: ServerPlace;
  #choice: Promise<void> | null = null;
  #sessions: Promise<void> | null = null;
  #joined: number | null = null;
  #hasTakenWriting = false;

  constructor({ shown, places, mustTakeWriting }: StoreAddress, settings: ClientConfig) {
    this.shown = shown;
    this.#places = places;
    this.#mustTakeWriting = mustTakeWriting;
    this.#settings = settings;
    this.#place = places[0] ?? { host: 'localhost' };
  }

  /** The settings of a connection to the server in use. */
  get config(): StoreClientConfig {
    return { ...this.#settings, place: () => this.#place };
  }

  /** Finds the server to use, if there are several and none was found since the last failure. */
  async choose(): Promise<void> {
    if (this.#places.length === 1) return;
    this.#choice ??= this.#findServer();
    await this.#choice;
  }

  /**
   * Records a failure. Returns true if the same operation may succeed later. That includes a read-only server if
   * writing was possible before, because no server accepts writes while a standby takes over.
   */
  failed(error: unknown): boolean {
    const isPassing = isTransient(error) || (isReadOnly(error) && this.#hasTakenWriting);
    if (isPassing || isReadOnly(error)) this.#choice = null;
    return isPassing;
  }

  /** Prepares a new connection for use. Throws if it must not be used. */
  async prepare(client: StoreClient, { statementMs, joins = false }: PrepareOptions): Promise<void> {
    this.#clients.add(client);
    client.once('end', () => this.#clients.delete(client));
    const greeting = await greetingOf(client);
    if (greeting.read_only && this.#mustTakeWriting) throw takesNoWriting();
    if (greeting.pid !== client.announcedPid) await this.#requireSessions();
    this.#admit(client, greeting.timeline, joins);
    this.#hasTakenWriting ||= !greeting.read_only;
    await client.query(SETTINGS, [String(statementMs)]);
  }

  /** From now on only connections to a server on this timeline are used. */
  join(timeline: number | null): void {
    this.#joined = timeline;
    this.#abandonOthers(timeline);
  }

  /**
   * Refuses a connection to another timeline than the one that this process has joined. Before it is known which
   * records a newer server has, nothing may be written there. On an older timeline nothing may ever be written. A
   * standby may take over at any moment and would then take writing on a timeline that nobody has joined, so it is
   * refused to a process that joins one or has joined one.
   */
  #admit(client: StoreClient, timeline: number | null, joins: boolean): void {
    const joined = this.#joined;
    client.timeline = timeline;
    if (timeline === null && (joins || joined !== null)) throw takesNoWriting();
    if (timeline === null || joined === null || timeline === joined) return;
    if (timeline > joined) this.#abandonOthers(timeline);
    if (timeline < joined || !joins) throw anotherTimeline();
  }

  #abandonOthers(timeline: number | null): void {
    for (const each of this.#clients) if (each.timeline !== null && each.timeline !== timeline) each.abandon();
  }

  /**
   * Finds the suitable server on the newest timeline, which is the primary. A server on an older timeline does not know
   * that it was replaced.
   */
  async #findServer(): Promise<void> {
    const asked = this.#places.map(async (place) => ({ place, greeting: await this.#ask(place) }));
    const answers = await Promise.allSettled(asked);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const fitting = found.filter(({ greeting }) => !this.#mustTakeWriting || !greeting.read_only);
    const [best] = fitting.sort((a, b) => (b.greeting.timeline ?? 0) - (a.greeting.timeline ?? 0));
    if (best) {
      this.#place = best.place;
      return;
    }
    this.#choice = null;
    if (found.length > 0) throw takesNoWriting();
    throw new AggregateError(answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : [])));
  }

  async #ask(place: ServerPlace): Promise<Greeting> {
    const client = new StoreClient({ ...this.#settings, ...BRIEFLY, place: () => place });
    client.on('error', () => {});
    try {
      await client.connect();
      return await greetingOf(client);
    } finally {
      client.end().catch(() => {});
    }
  }

  async #requireSessions(): Promise<void> {
    this.#sessions ??= requireSessions(this.config, this.shown).catch((error: unknown) => {
      this.#sessions = null;
      throw error;
    });
    await this.#sessions;
  }
}

async function greetingOf(client: Client): Promise<Greeting> {
  const { rows } = await client.query<Greeting>(GREETING);
  return rows[0] ?? { pid: 0, read_only: false, timeline: null };
}

/**
 * Throws `SrqError('log')` if a pooler between us and the server lends connections for one transaction only. Locks and
 * settings belong to a session, so other clients would get them. Two clients detect it: in complete sessions each has
 * its own process of the server.
 */
async function requireSessions(config: StoreClientConfig, shown: string): Promise<void> {
  const [one, two] = [new StoreClient({ ...config, ...BRIEFLY }), new StoreClient({ ...config, ...BRIEFLY })];
  for (const each of [one, two]) each.on('error', () => {});
  try {
    await one.connect();
    await two.connect();
    for (let round = 0; round < POOLER_ROUNDS; round += 1) {
      const { pid } = await greetingOf(one);
      await two.query('begin');
      const other = await greetingOf(two);
      // If both already share a process, another query of the first client would wait for the end of the transaction.
      if (other.pid === pid || (await greetingOf(one)).pid !== pid) throw lendsConnections(shown, 'transaction');
      await two.query('rollback');
    }
  } catch (error) {
    throw /statement pooling mode/i.test(String(error)) ? lendsConnections(shown, 'statement') : error;
  } finally {
    for (const each of [one, two]) each.end().catch(() => {});
  }
}

function lendsConnections(shown: string, mode: 'transaction' | 'statement'): SrqError {
  return new SrqError(
    'store.not-ready',
    `The store ${shown} is behind a pooler in ${mode} mode, which lends a connection for one ${mode}. The locks that show which process is alive belong to a whole session.`,
    'Set the pooler to session mode for this database (pgbouncer: pool_mode=session), or name the server itself.',
  );
}

function takesNoWriting(): Error {
  return Object.assign(new Error('none of the servers takes writing'), { code: '25006' });
}

function anotherTimeline(): Error {
  return Object.assign(new Error('another server has taken over'), { code: '08006' });
}
