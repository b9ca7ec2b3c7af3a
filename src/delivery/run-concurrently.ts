/**
 * Runs `work` on each item with at most `limit()` at once, and yields the results in the order in which they become
 * ready. `limit` is asked again before each start, and no item is taken before there is room for it.
 *
 * `work` may call `makeRoom` when it is nearly done. It then no longer counts towards the limit.
 *
 * If `items` or `work` throws, nothing new is started, and the error is thrown after the results of all running work
 * have been yielded. If the consumer leaves early, running work is awaited.
 */
export async function* runConcurrently<Item, Result>(
  items: AsyncIterator<Item>,
  limit: () => number,
  work: (item: Item, makeRoom: () => void) => Promise<Result>,
): AsyncGenerator<Result> {
  const ready: Result[] = [];
  const failures: unknown[] = [];
  let underWay = 0;
  let takingRoom = 0;
  let exhausted = false;
  let wake = () => {};
  const start = (item: Item) => {
    let takesRoom = true;
    const makeRoom = () => {
      if (takesRoom) takingRoom -= 1;
      takesRoom = false;
      wake();
    };
    const settle = <Value>(values: Value[], value: Value) => {
      values.push(value);
      underWay -= 1;
      makeRoom();
    };
    const running = work(item, makeRoom);
    underWay += 1;
    takingRoom += 1;
    running.then(
      (result) => settle(ready, result),
      (error) => settle(failures, error),
    );
  };
  const mayStart = () => !exhausted && failures.length === 0 && takingRoom < limit();
  const somethingSettles = () => new Promise<void>((resolve) => (wake = resolve));

  try {
    for (;;) {
      // Results are yielded first, because the consumer may not want another start after seeing them.
      while (ready.length > 0) yield* ready.splice(0);
      while (mayStart() && ready.length === 0) {
        const next = await items.next().catch((error: unknown) => {
          failures.push(error);
          return END;
        });
        if (next.done) exhausted = true;
        else if (failures.length === 0) start(next.value);
      }
      if (ready.length > 0) continue;
      if (underWay > 0) await somethingSettles();
      else if (failures.length > 0) throw failures[0];
      else return;
    }
  } finally {
    while (underWay > 0) await somethingSettles();
    await items.return?.();
  }
}

const END = { done: true, value: undefined } as const;
