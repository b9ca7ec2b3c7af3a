import { Counter, Gauge, Registry } from 'prom-client';
import { STATES, type WorkerStats } from './worker-stats.ts';

/** What a scrape tells of a worker. A part is null as long as nobody has looked. */
export type WorkerView = Pick<
  WorkerStats,
  | ('version' | 'state' | 'endedCounts' | 'inHand' | 'reason' | 'refusals' | 'breakerPauses')
  | ('depth' | 'standing' | 'pace')
>;

interface Metric {
  readonly help: string;
  readonly label?: string;
  /** A number, or one for each value of the label. A process may not have it yet. */
  readonly value: (view: WorkerView) => number | Readonly<Record<string, number>> | null | undefined;
}

/** All metrics, by name. They cost nothing per row, because srq keeps these counts anyway. */
const METRICS: Readonly<Record<string, Metric>> = {
  srq_build_info: {
    help: 'The version of srq; always 1.',
    label: 'version',
    value: ({ version }) => ({ [version]: 1 }),
  },
  srq_state: {
    help: 'The state of the process: 1 for the one that it is in, 0 for the others.',
    label: 'state',
    value: ({ state }) => Object.fromEntries(STATES.map((each) => [each, Number(each === state)])),
  },
  srq_rows_total: {
    help: 'Rows that left the queue, by their status.',
    label: 'status',
    value: ({ endedCounts }) => endedCounts,
  },
  srq_rows_in_hand: { help: 'Rows that this worker is working on.', value: ({ inHand }) => inHand },
  srq_queue_oldest_age_seconds: {
    help: 'Age of the oldest row that waits in the queue; 0 if none does.',
    value: ({ depth }) => depth && depth.oldestMs / 1000,
  },
  srq_queue_rows: { help: 'Rows in the queue of the account.', value: ({ depth }) => depth?.total },
  srq_store_unknown_rows: {
    help: 'Rows of the store whose outcome is unknown; srq resolve lists them.',
    value: ({ standing }) => standing?.unknown,
  },
  srq_store_held: {
    help: '1 while nothing is sent before a person says: srq store resume.',
    value: ({ standing }) => standing && Number(standing.held !== null),
  },
  srq_pace_requests_per_second: {
    help: 'Calls a second that the pace of this process allows; +Inf while no limit is known.',
    // Until one is known the rate only doubles, far beyond what is sent.
    value: ({ pace }) => pace && (pace.boundPerSecond === null ? Number.POSITIVE_INFINITY : pace.ratePerSecond),
  },
  srq_pause_remaining_seconds: {
    help: 'Time for which this process sends nothing.',
    value: ({ pace }) => pace && pace.pausedMs / 1000,
  },
  srq_refused_responses_total: {
    help: 'Answers that refused a call because of the rate or the load, by their status.',
    label: 'code',
    value: ({ refusals }) => refusals,
  },
  srq_breaker_pauses_total: {
    help: 'Pauses of all sending that this process has caused after many unknown outcomes.',
    value: ({ breakerPauses }) => breakerPauses,
  },
};

/**
 * Returns what a scrape gets, in the text format of Prometheus. It holds no personal data. A metric that the process does not
 * have is left out: a 0 would say that it stands still.
 */
export async function metricsPage(view: WorkerView): Promise<{ readonly type: string; readonly text: string }> {
  const registry = new Registry();
  for (const [name, { help, label, value }] of Object.entries(METRICS)) {
    const found = value(view);
    if (found == null) continue;
    const Kind = name.endsWith('_total') ? Counter : Gauge;
    const metric = new Kind({ name, help, registers: [registry], labelNames: label ? [label] : [] });
    if (typeof found === 'number') metric.inc(found);
    else for (const [each, count] of Object.entries(found)) metric.inc({ [label ?? '']: each }, count);
  }
  return { type: registry.contentType, text: await registry.metrics() };
}
