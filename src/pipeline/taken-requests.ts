import type { Clock } from '../model/ports.ts';
import type { Lane, RequestQueue, TakenRequest } from '../model/request-queue.ts';

/** An empty queue is looked at so often. */
const POLL_MS = 1_000;

export interface TakeOptions {
  readonly lane: Lane;
  /** So many at once; while they are worked off, the next are taken. */
  readonly batch: number;
  /** End when the queue holds nothing any more. */
  readonly untilEmpty: boolean;
  readonly halt: AbortSignal;
}

/** Requests of a lane, one by one, until `halt`. What was taken and not asked for any more is given back. */
export async function* takenRequests(
  queue: Pick<RequestQueue, 'take' | 'dispose' | 'isEmpty'>,
  clock: Clock,
  { lane, batch, untilEmpty, halt }: TakeOptions,
): AsyncGenerator<TakenRequest> {
  let next: Promise<TakenRequest[]> | null = null;
  const inHand: TakenRequest[] = [];
  try {
    while (!halt.aborted) {
      if (inHand.length === 0) {
        inHand.push(...(await (next ?? queue.take(lane, batch))));
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
        next ??= queue.take(lane, batch);
        // Whoever awaits it is told; until then nobody does.
        next.catch(() => {});
      }
      yield taken;
    }
  } finally {
    const late = next ? await next.catch(() => []) : [];
    await Promise.all([...inHand, ...late].map((taken) => queue.dispose(taken, { is: 'back' })));
  }
}
