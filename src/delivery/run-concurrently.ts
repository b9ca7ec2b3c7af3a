/**
 * Runs `work` on each item, up to `limit()` at once (asked again before each start), and yields the results in the order
 * in which they become ready. No item is taken before there is room for it. Work that is nearly done may make room for the
 * next item before it ends; `limit` leaves it out from then on. When `items` or `work` throws, nothing new is
 * started, and the error is thrown once the results of all that was under way are yielded. When the consumer leaves, what is
 * under way is waited for.
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
      // Results go out first: the consumer may want no further start because of them.
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
