import type { Connection } from '../../account/connection.ts';
import type { Context } from '../../cli/context.ts';
import type { WorkerWatch } from '../../delivery/consume.ts';
import { shown } from '../../delivery/submit.ts';
import { MIN_ANNOUNCED_MS, printable } from '../../report/output.ts';
import type { QueueDepth, RequestQueue, TakenRequest } from '../../request/log/request-queue.ts';
import { noCounts, type WorkedStatus } from '../../request/log/status.ts';
import type { SrqError } from '../../request/words/errors.ts';
import type { RunEvents } from '../../run/events.ts';
import type { Standing } from '../../store/postgres/figures.ts';
import type { PostgresStore } from '../../store/postgres/postgres-store.ts';

/** Interval at which the metrics look at the queue. */
const LOOK_MS = 10_000;

/** The states of a worker, for monitoring. */
export const STATES = ['starting', 'working', 'idle', 'waiting-for-database', 'stopping'] as const;

export type WorkerStats = ReturnType<typeof workerStats>;

/** Counts what a worker does, and tells it to people, to `--events` and to monitoring. */
export function workerStats(context: Context, events: RunEvents) {
  const { reporter, version } = context;
  const stats = {
    version,
    connection: null as Connection | null,
    /** The depth of the queue, with the age of its oldest row, at the last look. */
    depth: null as QueueDepth | null,
    standing: null as Standing | null,
    counts: noCounts(),
    /** Number of requests that were put back for later or for other workers. */
    again: 0,
    /** Number of requests that were begun and have neither ended nor been given back. */
    inHand: 0,
    /** Why the worker ends by itself. */
    reason: null as string | null,
    /** Answers that refused a call, by their status. Each series begins with 0: `rate()` does not see its first event. */
    refusals: { 429: 0, 503: 0 } as Record<string, number>,
    /** Number of pauses after many unknown outcomes. */
    breakerPauses: 0,

    /** Number of requests that have left the queue, by their status. */
    get endedCounts(): Readonly<Record<WorkedStatus, number>> {
      const { ready: _, invalid: __, ...ended } = stats.counts;
      return ended;
    },

    get pace() {
      return stats.connection?.pace() ?? null;
    },

    get state(): (typeof STATES)[number] {
      if (stats.connection === null) return 'starting';
      if (context.halt.signal.aborted) return 'stopping';
      if (context.log.isStoreAway) return 'waiting-for-database';
      return stats.inHand > 0 ? 'working' : 'idle';
    },

    /** Looks every few seconds at the queue and the store, so that no scrape waits for them. */
    async lookAtQueue(queue: Pick<RequestQueue, 'depth'>, store: Pick<PostgresStore, 'standing'>): Promise<void> {
      const { clock, halt } = context;
      while (!halt.signal.aborted) {
        try {
          stats.depth = await queue.depth();
          stats.standing = await store.standing();
        } catch {
          // The last look stands.
        }
        await clock.sleep(LOOK_MS, halt.signal);
      }
    },

    began(): void {
      stats.inHand += 1;
    },

    ended(...[taken, sent, next]: Parameters<WorkerWatch['ended']>): void {
      const { key } = taken;
      const { status, message: said, alsoUnknown, unrecorded } = sent;
      const result = shown(sent);
      stats.inHand -= 1;
      if (next === 'done') stats.counts[status] += 1;
      else stats.again += 1;
      // The result and its identifiers are stored nowhere else.
      if (unrecorded) reporter.warn(`Not in the log: ${JSON.stringify(result)}`);
      events.row(null, result);
      if (alsoUnknown) {
        // It was told as created, perhaps by another worker.
        events.row(null, alsoUnknown);
        const { row, key, message } = alsoUnknown;
        reporter.warn(`Row ${row} (key ${key}) is unknown now. ${message ?? ''}`);
      }
      const why = (status === 'failed' || status === 'rejected') && said !== null ? `: ${printable(said)}` : '';
      reporter.say((paint) => `${paint.dim(key.slice(0, 12))} ${status}${NEXT[next]}${why}`);
    },

    gaveBack({ key }: TakenRequest): void {
      stats.inHand -= 1;
      stats.again += 1;
      reporter.say((paint) => paint.dim(`${key.slice(0, 12)} given back`));
    },

    ending({ message }: SrqError): void {
      stats.reason = message;
      reporter.say(() => `Ending: ${printable(message)}`);
    },

    refused(http: number, pauseMs: number): void {
      events.noted({ event: 'refused', http, count: 1, pauseMs });
      stats.refusals[http] = (stats.refusals[http] ?? 0) + 1;
      const pause = pauseMs > 0 ? `; nobody sends for ${Math.ceil(pauseMs / 1000)} s` : '';
      // The connection tells of longer ones, each once.
      if (pauseMs < MIN_ANNOUNCED_MS) reporter.say(() => `The service answered ${http}${pause}.`);
    },

    breakerOpened(pauseMs: number): void {
      events.noted({ event: 'breaker', pauseMs });
      stats.breakerPauses += 1;
      reporter.say(() => `Too many unknown outcomes: nobody sends for ${Math.round(pauseMs / 1000)} s.`);
    },
  };
  return stats;
}

const NEXT = { done: '', back: ', given back', later: ', again later' } as const;
