import type { DocumentOf } from '../../request/documents/types.ts';
import { STATUS, WORKED_STATUSES } from '../../request/log/status.ts';
import { aligned, duration, type Paint, printable, rowsText, thousands } from '../output.ts';

/** Formats the result of `srq enqueue`. */
export function enqueueText(summary: Omit<DocumentOf<'enqueue'>, 'run' | 'error'>, paint: Paint): string {
  const { rows, stopped, seconds, store, advice, next } = summary;
  const kinds = [
    [summary.queued, 'queued', 'new in the queue'],
    [summary.alreadyQueued, 'queued before', 'in the queue already'],
    [summary.notQueued, 'not queued', 'not reached; the same command again goes on with them'],
    [summary.repeated, 'repeated', STATUS.repeated.meaning],
    [summary.duplicate, 'duplicate', STATUS.duplicate.meaning],
    [summary.invalid, 'invalid', `${STATUS.invalid.meaning}: srq enqueue --dry-run says why`],
    [summary.unknown, 'unknown', 'may have been taken; not queued before that is settled'],
  ] as const;
  const shown = kinds.filter(([count]) => count > 0);
  return [
    `${stopped === null ? paint.bold('Done') : paint.yellow('Stopped')}: ${rowsText(rows)} in ${duration(seconds * 1000)}`,
    ...aligned(shown.map(([count, name, what]) => [`${thousands(count)} ${name}`, paint.dim(what)])),
    ...aligned([['store', printable(store)]]),
    ...(advice === null ? [] : [`${paint.bold('To do')}: ${printable(advice)}`]),
    ...(next === null ? [] : [`${paint.bold('Next')}: ${printable(next)}`]),
  ].join('\n');
}

/** Formats the result of a worker. */
export function workText(summary: Omit<DocumentOf<'work'>, 'run' | 'error'>, paint: Paint): string {
  const { stopped, hint, seconds, store } = summary;
  const shown = [...WORKED_STATUSES, 'again' as const].filter((name) => summary[name] > 0);
  return [
    `${stopped === null ? paint.bold('Done') : paint.yellow('Stopped')} after ${duration(seconds * 1000)}`,
    ...(stopped === null ? [] : [`  ${printable(stopped.message)}`]),
    ...aligned([...shown.map((name) => [name, thousands(summary[name])] as const), ['store', printable(store)]]),
    ...(hint === null ? [] : [`${paint.bold('To do')}: ${printable(hint)}`]),
  ].join('\n');
}

/** Formats the queue of an account. */
export function queueText(view: DocumentOf<'queue'>, paint: Paint): string {
  const { queue, oldestSeconds, unknown, isHeld, workers, store } = view;
  return [
    paint.bold('Queue'),
    ...aligned([
      [
        'requests',
        `${thousands(queue.ready)} ready, ${thousands(queue.inWork)} in progress, ${thousands(queue.waiting)} later`,
      ],
      ...(queue.total > 0 ? [['oldest', duration(oldestSeconds * 1000)] as const] : []),
      ...(unknown > 0 ? [['unknown', `${thousands(unknown)}; srq resolve lists them`] as const] : []),
      ['store', printable(store)],
    ]),
    ...(isHeld ? [paint.yellow('Nothing is sent before a person says so: srq store resume')] : []),
    paint.bold(`Workers (${workers.length})`),
    ...workers.map(({ name, seen, inHand }) => `  ${printable(name)}  ${inHand} in hand, seen ${seen.slice(11, 19)}`),
  ].join('\n');
}
