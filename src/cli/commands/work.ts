import type { Evidence } from '../../model/evidence.ts';
import { AccountBreaker } from '../../pipeline/breaker.ts';
import { contractRefusal } from '../../pipeline/check-queued.ts';
import { runWorker, type WorkerDeps } from '../../pipeline/run-worker.ts';
import { Witness } from '../../pipeline/witness.ts';
import { workText } from '../../report/queue-text.ts';
import { connect, destinationOf } from '../connect.ts';
import type { Context } from '../context.ts';
import { destinationText } from '../destination-text.ts';
import { codesOfCounts, exitNumber } from '../exit-codes.ts';
import { audioReader } from '../request-input.ts';
import { showStack } from '../show-stack.ts';
import { keepHealthFile, serveHealth } from '../work/health.ts';
import type { WorkOptions } from '../work/options.ts';
import { requireStore } from '../work/require-store.ts';
import { WorkerAccount } from '../work/worker-account.ts';

/** After the signal to end, the store is given so long to take what is still to be told. */
const FAREWELL_MS = 10_000;

/** Delivers what is queued until it is told to end, or the queue is empty and that was asked for. */
export async function work(context: Context, options: WorkOptions): Promise<number> {
  const startedMs = context.clock.monotonicMs();
  const { clock, interruption } = context;
  const reporter = await context.reporter();
  const { halt } = interruption;
  const state = () => (halt.signal.aborted ? 'stopping' : context.isStoreAway ? 'waiting-for-database' : null);
  const account = new WorkerAccount(reporter, clock.nowMs, state);
  await watchOver(context, options, account);
  interruption.listen(() =>
    reporter.warn('Finishing what is in flight, giving back the rest; once more to leave now.'),
  );
  const deps = await workerDeps(context, options, account);
  const { validate, onDuplicate, concurrency, untilEmpty = false, inDoubt, settle, missing } = options;
  const { witness, connection, name } = deps;
  reporter.note('started', { store: name, concurrency }, () => `Working for ${deps.destination}.`);
  account.opened();
  const stop = await runWorker(deps, {
    ...{ validate, onDuplicate, again: false, concurrency, untilEmpty },
    settles: inDoubt === 'validate',
    settleMs: settle === undefined ? null : settle * 1000,
    missingMs: missing * 1000,
  });
  await witness.end();
  await connection.keep(witness.evidence).catch(() => {});
  // Nothing that is left to do waits for the store any more.
  halt.abort();
  const { ready: _, invalid: __, ...counts } = account.counts;
  const seconds = Math.round(clock.monotonicMs() - startedMs) / 1000;
  const stopped = stop ? stop.message : interruption.code ? 'Interrupted.' : null;
  const document = { ...counts, again: account.again, seconds, store: name, stopped, hint: stop?.hint ?? null };
  await reporter.result(document, (paint) => workText(document, paint));
  if (stop?.code === 'fault') await showStack(context, stop.cause);
  const codes = untilEmpty ? codesOfCounts(account.counts) : [];
  return exitNumber([...(interruption.code ? [interruption.code] : []), ...(stop ? [stop.code] : []), ...codes]);
}

async function watchOver(context: Context, options: WorkOptions, account: WorkerAccount): Promise<void> {
  const { healthFile, healthPort, healthHost } = options;
  const health = () => account.health;
  if (healthFile !== undefined) context.onClose(keepHealthFile(healthFile, health, context.clock));
  if (healthPort !== undefined) context.onClose(await serveHealth(healthPort, healthHost, health));
}

async function workerDeps(context: Context, { rate, concurrency, validate }: WorkOptions, watch: WorkerAccount) {
  const { clock } = context;
  const { halt } = context.interruption;
  const { signal: stopping } = halt;
  const store = await requireStore(context, 'work');
  const destination = destinationOf(await context.settings());
  const log = await store.open('work', false);
  context.onClose(() => log.close());
  const { openQueue } = await import('../../postgres/postgres-queue.ts');
  const giveUp = new AbortController();
  const later = () => void clock.sleep(FAREWELL_MS, giveUp.signal).then(() => giveUp.abort());
  stopping.addEventListener('abort', later, { once: true });
  context.onClose(async () => giveUp.abort());
  const worker = log.worker.id;
  const queue = await openQueue({ database: store.database, destination, worker, stopping, giveUp: giveUp.signal });
  context.onClose(() => queue.close());
  const refused = (http: number, pauseMs: number) => watch.refused(http, pauseMs);
  const connection = await connect(context, { rate: rate ?? 'auto', concurrency, audio: audioReader('.'), refused });
  const { api, shared } = connection;
  if (!shared) throw new Error('a worker without a store');
  const dated = { ...clock, nowMs: () => log.nowMs() };
  const keep = (evidence: Evidence) => void connection.keep(evidence).catch(() => {});
  const witness = new Witness(api, dated, stopping, connection.evidence, keep);
  const contract = await context.contract();
  const operations = validate ? (['create', 'validate'] as const) : (['create'] as const);
  const deps: WorkerDeps = {
    ...{ api, log, queue, clock, witness, halt, watch },
    evidence: () => connection.keep(witness.evidence),
    isProxied: connection.network.proxy !== null,
    breaker: new AccountBreaker(shared, clock),
    hold: connection.hold,
    refusal: (queued) => contractRefusal(queued, contract, operations, destination),
  };
  return { ...deps, connection, name: store.name, destination: await destinationText(context, destination) };
}
