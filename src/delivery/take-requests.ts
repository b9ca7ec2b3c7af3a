import type { RequestQueue, TakenRequest } from '../request/log/request-queue.ts';
import type { Clock } from '../request/ports.ts';

/** Interval at which an empty queue is checked. */
const POLL_MS = 1_000;

/** Options for taking requests off the queue. */
export interface TakeOptions {
  /** Number of requests taken at once. The next batch is taken while this one is worked on. */
  readonly batch: number;
  /** Whether to end when the queue is empty. */
  readonly untilEmpty: boolean;
  readonly halt: AbortSignal;
}

/**
 * Takes requests one by one until `halt` is aborted. Requests that were taken but not consumed are given
 * back.
 */
export async function* takenRequests(
  queue: Pick<RequestQueue, 'take' | 'dispose' | 'isEmpty'>,
  clock: Clock,
  { batch, untilEmpty, halt }: TakeOptions,
): AsyncGenerator<TakenRequest> {
  let next: Promise<TakenRequest[]> | null = null;
  const inHand: TakenRequest[] = [];
  try {
    while (!halt.aborted) {
      if (inHand.length === 0) {
        inHand.push(...(await (next ?? queue.take(batch))));
        next = null;
      }
      const taken = inHand[0];
      if (!taken) {
        if (untilEmpty && (await queue.isEmpty())) return;
        await clock.sleep(POLL_MS, halt);
        continue;
      }
      if (halt.aborted) return;
      inHand.shift();
      if (inHand.length <= batch / 2) {
        next ??= queue.take(batch);
        // Avoids an unhandled rejection; the error is thrown where `next` is awaited.
        next.catch(() => {});
      }
      yield taken;
    }
  } finally {
    const late = next ? await next.catch(() => []) : [];
    await Promise.all([...inHand, ...late].map((taken) => queue.dispose(taken, { is: 'back' })));
  }
}
