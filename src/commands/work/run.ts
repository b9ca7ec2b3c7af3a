import type { Context } from '../../cli/context.ts';
import { codesOfCounts, exitNumber } from '../../cli/exit-codes.ts';
import { finishOnSignal, openSession, recordingsBeside } from '../../cli/session.ts';
import type { WorkOptions } from '../../cli/table/options.ts';
import { runWorker, type WorkerDeps } from '../../delivery/consume.ts';
import type { Paint } from '../../report/output.ts';
import { workText } from '../../report/terminal/queue-text.ts';
import { failureOf } from '../../request/words/errors.ts';
import { openEvents, type RunEvents } from '../../run/events.ts';
import { serveHealth } from './health.ts';
import { workerStats } from './worker-stats.ts';

/** Sends queued requests until the worker is told to end, or until the queue is empty if the user wants that. */
export async function work(context: Context, options: WorkOptions): Promise<number> {
  const events = await openEvents(context, options);
  return events.during(() => sendQueued(context, options, events));
}

async function sendQueued(context: Context, options: WorkOptions, events: RunEvents): Promise<number> {
  const startedMs = context.clock.monotonicMs();
  const { clock, interruption } = context;
  const { halt } = interruption;
  const watch = workerStats(context, events);
  await serveHealth(context, options, () => watch);
  finishOnSignal(context, 'what was sent, giving back the rest');
  const store = await context.log.postgresStore();
  const session = await openSession(context, { audio: recordingsBeside('-'), validate: options.validate });
  const { destination } = session.preparation;
  await context.log.requireKnown();
  const log = await store.open('work', false);
  context.onClose(() => log.close());
  await context.log.noteService(destination.baseUrl);
  const { member, givenUp: giveUp } = log;
  const queue = store.queue(destination, { process: () => member.joined.process, giveUp });
  if (options.healthPort !== undefined) void watch.lookAtQueue(queue, store);
  const { rate = 'auto', onDuplicate, concurrency, untilEmpty = false } = options;
  const connection = await session.connect({ rate, concurrency, refused: watch.refused });
  watch.connection = connection;
  const { api, isFamiliar } = connection;
  context.reporter.say(() => `Working for ${session.destinationText}.`);
  const deps: WorkerDeps = { api, log, queue, clock, halt, watch, isFamiliar };
  const { validates: validate } = session;
  const stop = await runWorker(deps, { validate, onDuplicate, again: false, concurrency, untilEmpty });
  connection.keepRate();
  // Nothing of what remains to be done needs the store.
  halt.abort();
  const seconds = Math.round(clock.monotonicMs() - startedMs) / 1000;
  const figures = { ...watch.endedCounts, again: watch.again, seconds, store: store.name };
  const stopped = stop ? failureOf(stop, (hint) => hint) : interruption.failure(null);
  const ending = stopped === null ? { stopped } : { stopped, error: stopped };
  const hints = [stop?.hint ?? null, figures.unknown > 0 ? LOOK_UP : null].filter((hint) => hint !== null);
  const document = { run: context.run, ...figures, ...ending, hint: hints.length > 0 ? hints.join('    ') : null };
  const text = (paint: Paint) => workText(document, paint);
  if (options.events === '-') context.reporter.say(text);
  else await context.reporter.result('work', document, text);
  if (stop?.code === 'fault') await context.showStack(stop.cause);
  const exitCode = exitNumber([interruption.code, stop?.code, ...codesOfCounts(watch.counts)]);
  events.end({ exitCode, stopped, summary: figures });
  return exitCode;
}

const LOOK_UP = 'Some requests may have been taken. Look them up at the service: srq resolve lists them.';
