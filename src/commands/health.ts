import { createServer, type Server } from 'node:http';
import type { Connection } from '../account/connection.ts';
import type { Context } from '../cli/context.ts';
import type { Metrics, ProcessState, ProcessView } from '../report/metrics.ts';
import type { ImportPlan } from '../request/log/import-plan.ts';
import { type RunNotes, withListener } from '../request/log/log-store.ts';
import { sumOfCounts } from '../request/log/status.ts';
import type { Clock, DeliveryLog } from '../request/ports.ts';
import { SrqError, systemCode } from '../request/words/errors.ts';
import { replaceFile, replaceFileOrThrow } from '../settings/own-file.ts';

/** Interval at which the health file is written. */
const WRITE_MS = 2_000;

/** The health of a process that sends, for monitoring. */
export interface Health {
  readonly state: ProcessState;
  readonly at: string;
  readonly since: string;
  readonly inFlight: number;
  /** The reason why the process ends by itself, or null. */
  readonly reason: string | null;
}

/**
 * Writes the health to a file every few seconds, as JSON. If the file is older, the process hangs or has ended without a
 * trace. The file is kept when the process ends. Throws `SrqError('usage')` if the file cannot be written. Returns
 * the function that stops the writing.
 */
export function keepHealthFile(path: string, health: () => Health, clock: Clock): () => Promise<void> {
  const over = new AbortController();
  const text = () => `${JSON.stringify(health())}\n`;
  const write = () => replaceFile(path, text());
  try {
    replaceFileOrThrow(path, text());
  } catch (error) {
    const message = `The health file ${path} cannot be written (${systemCode(error)}).`;
    throw new SrqError('output.unwritable', message, 'Name another one: --health-file FILE', error);
  }
  const keeping = (async () => {
    while (!over.signal.aborted) {
      await clock.sleep(WRITE_MS, over.signal);
      write();
    }
  })();
  return async () => {
    over.abort();
    await keeping;
  };
}

/** The flags for serving the health of a process. Without a port it is not served. */
export interface HealthOptions {
  readonly healthPort?: number;
  readonly healthHost: string;
}

/** What a process tells of itself. */
export interface WatchedProcess {
  readonly health: Health;
  readonly view: ProcessView;
}

/**
 * Serves `/livez` (200 as long as the process is not stuck), `/healthz` (200 while it can work, 503 while it waits for the
 * database or is stopping) and `/metrics` until the command ends. Returns the metrics, or null without a port. Throws
 * `SrqError('usage')` if the port cannot be used.
 */
export async function serveHealth(
  context: Context,
  { healthPort, healthHost }: HealthOptions,
  watched: WatchedProcess,
): Promise<Metrics | null> {
  if (healthPort === undefined) return null;
  const { Metrics } = await import('../report/metrics.ts');
  const metrics = new Metrics(() => watched.view, context.clock);
  const server = createServer((request, response) => {
    const send = ({ status, type, text }: HealthAnswer) =>
      response.writeHead(status, { 'content-type': type }).end(text);
    const { url } = request;
    if (url !== '/metrics') return send(healthAnswer(url, watched));
    // A worker goes on, even if its metrics cannot be told.
    const failed = { status: 500, type: 'text/plain', text: '' };
    return metrics.page().then(
      (page) => send({ status: 200, ...page }),
      () => send(failed),
    );
  });
  await listening(server, healthPort, healthHost);
  context.onClose(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return metrics;
}

/** The methods of a log that are timed, by what is asked of it. */
export const LOG_OPERATIONS = { sending: 'intent', licence: 'intent', outcome: 'outcome' } as const;

interface HealthAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function healthAnswer(url: string | undefined, { health }: WatchedProcess): HealthAnswer {
  const isKnown = url === '/healthz' || url === '/livez';
  const isWell = url === '/livez' || health.state === 'working' || health.state === 'idle';
  const text = `${JSON.stringify(isKnown ? health : {})}\n`;
  return { status: isKnown ? (isWell ? 200 : 503) : 404, type: 'application/json', text };
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Each further error, such as that no file can be opened, is one of a call that nobody answers.
    server.on('error', (error) => {
      const message = `Cannot listen on ${host}, port ${port} (${systemCode(error)}).`;
      reject(new SrqError('port.unavailable', message, 'Choose another one: --health-port PORT', error));
    });
    server.listen(port, host, resolve);
  });
}

/** The health of a run and its metrics, for `--health-port`. Rows are counted from the plans when somebody asks. */
export class RunHealth implements WatchedProcess {
  /** The plans of the run's files, once they are known. */
  plans: readonly ImportPlan[] = [];
  connection: Connection | null = null;
  #metrics: Metrics | null = null;
  readonly #context: Context;
  readonly #since: string;

  private constructor(context: Context) {
    this.#context = context;
    this.#since = new Date(context.clock.nowMs()).toISOString();
  }

  /** Throws `SrqError('usage')` if the port cannot be used. */
  static async open(context: Context, options: HealthOptions): Promise<RunHealth> {
    const health = new RunHealth(context);
    health.#metrics = await serveHealth(context, options, health);
    return health;
  }

  /** Returns the same log, which is timed if anybody can ask for metrics. */
  timed(log: DeliveryLog): DeliveryLog {
    return this.#metrics?.timed(log, LOG_OPERATIONS) ?? log;
  }

  /** Returns notes of which the metrics count the refusals and pauses, if anybody can ask for them. */
  counted(notes: RunNotes): RunNotes {
    return this.#metrics === null ? notes : withListener(notes, this.#metrics);
  }

  get health(): Health {
    return {
      state: this.#state,
      at: new Date(this.#context.clock.nowMs()).toISOString(),
      since: this.#since,
      inFlight: this.connection?.view().inFlight ?? 0,
      reason: null,
    };
  }

  get view(): ProcessView {
    return {
      version: this.#context.version,
      state: this.#state,
      worker: null,
      imported: sumOfCounts(this.plans.map(({ ledger }) => ledger.counts())),
      connection: this.connection?.view() ?? null,
    };
  }

  get #state(): ProcessState {
    const { halt, isStoreAway } = this.#context;
    if (halt.signal.aborted) return 'stopping';
    if (isStoreAway) return 'waiting-for-database';
    return this.connection === null ? 'starting' : 'working';
  }
}
