import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { runConcurrently } from '../../src/delivery/run-concurrently.ts';
import fc from '../helpers/fast-check.ts';

/** Work that ends when it is told to. */
class Workshop {
  readonly started: number[] = [];
  readonly #open = new Map<number, { resolve: (value: string) => void; reject: (error: Error) => void }>();
  work = (item: number) => {
    this.started.push(item);
    return new Promise<string>((resolve, reject) => this.#open.set(item, { resolve, reject }));
  };
  get underWay(): number[] {
    return [...this.#open.keys()];
  }
  async finish(item: number): Promise<void> {
    this.#open.get(item)?.resolve(`done ${item}`);
    this.#open.delete(item);
    await setImmediate();
  }
  async fail(item: number): Promise<void> {
    this.#open.get(item)?.reject(new Error(`failed ${item}`));
    this.#open.delete(item);
    await setImmediate();
  }
}

/** 1, 2, … up to `last`; remembers how many were taken and whether it was let go. */
function source(last: number) {
  const state = { taken: 0, closed: false };
  async function* items() {
    try {
      while (state.taken < last) yield ++state.taken;
    } finally {
      state.closed = true;
    }
  }
  return { state, items: items() };
}

/** Consumes at once, as a reporter does. */
function consume(results: AsyncGenerator<string>) {
  const seen: string[] = [];
  const end = (async () => {
    for await (const each of results) seen.push(each);
  })();
  const failure = end.then(
    () => null,
    (error) => error,
  );
  return { seen, failure };
}

test('concurrent work asks for the limit again before each start', async () => {
  const shop = new Workshop();
  let limit = 1;
  const { seen, failure } = consume(runConcurrently(source(6).items, () => limit, shop.work));
  await setImmediate();
  expect(shop.started).toEqual([1]);
  limit = 4;
  await shop.finish(1);
  expect(shop.started).toEqual([1, 2, 3, 4, 5]);
  limit = 2;
  await shop.finish(2);
  await shop.finish(3);
  expect(shop.started).toEqual([1, 2, 3, 4, 5]);
  await shop.finish(4);
  expect(shop.started).toEqual([1, 2, 3, 4, 5, 6]);
  await shop.finish(5);
  await shop.finish(6);
  expect(await failure).toBeNull();
  expect(seen).toHaveLength(6);
});

test('concurrent work starts nothing while its consumer is busy with a result', async () => {
  const shop = new Workshop();
  const { state, items } = source(9);
  const results = runConcurrently(items, () => 1, shop.work);
  const first = results.next();
  await setImmediate();
  await shop.finish(1);
  expect((await first).value).toBe('done 1');
  await setImmediate();
  expect([state.taken, shop.underWay]).toEqual([1, []]);
  await results.return(undefined);
  expect(state.closed).toBe(true);
});

test('concurrent work that has made room lets the next item start, and is waited for all the same', async () => {
  const shop = new Workshop();
  const work = (item: number, makeRoom: () => void) => {
    if (item === 2) makeRoom();
    return shop.work(item);
  };
  const { seen } = consume(runConcurrently(source(4).items, () => 1, work));
  await setImmediate();
  expect(shop.underWay).toEqual([1]);
  await shop.finish(1);
  expect(shop.underWay).toEqual([2, 3]);
  await shop.finish(3);
  await shop.finish(4);
  expect(shop.underWay).toEqual([2]);
  await shop.finish(2);
  expect(seen).toEqual(['done 1', 'done 3', 'done 4', 'done 2']);
});

describe('starts nothing new, and ends only when what is under way has ended,', () => {
  test('concurrent work that fails starts nothing new, and waits for what is under way', async () => {
    const shop = new Workshop();
    const { state, items } = source(9);
    const { seen, failure } = consume(runConcurrently(items, () => 3, shop.work));
    let ended = false;
    failure.then(() => (ended = true));
    await setImmediate();
    await shop.fail(2);
    await shop.finish(1);
    expect([ended, shop.started]).toEqual([false, [1, 2, 3]]);
    await shop.finish(3);
    expect(await failure).toMatchObject({ message: 'failed 2' });
    expect(seen).toEqual(['done 1', 'done 3']);
    expect(state.closed).toBe(true);
  });

  test('concurrent work that fails while the next item is fetched waits for what is under way', async () => {
    const shop = new Workshop();
    let give = (_: IteratorResult<number>) => {};
    let asked = 0;
    const next = () => {
      asked += 1;
      if (asked < 2) return Promise.resolve({ done: false as const, value: 1 });
      return new Promise<IteratorResult<number>>((resolve) => (give = resolve));
    };
    const { failure } = consume(runConcurrently({ next }, () => 2, shop.work));
    await setImmediate();
    await shop.fail(1);
    give({ done: false, value: 2 });
    expect(await failure).toMatchObject({ message: 'failed 1' });
    expect(shop.started).toEqual([1]);
  });

  test('concurrent work whose consumer leaves starts nothing new, and waits for what is under way', async () => {
    const shop = new Workshop();
    const { state, items } = source(9);
    const results = runConcurrently(items, () => 3, shop.work);
    const first = results.next();
    await setImmediate();
    await shop.finish(1);
    await first;
    let left = false;
    const leaving = results.return(undefined).then(() => (left = true));
    await shop.finish(3);
    expect(left).toBe(false);
    await shop.finish(2);
    await leaving;
    expect([state.taken, state.closed]).toEqual([3, true]);
  });
});

test('concurrent work never loses or repeats an item, nor exceeds its limit', async () => {
  const schedules = fc.record({
    items: fc.nat({ max: 30 }),
    limits: fc.infiniteStream(fc.integer({ min: 1, max: 8 })),
    picks: fc.infiniteStream(fc.nat()),
  });
  await fc.assert(
    fc.asyncProperty(schedules, async ({ items, limits, picks }) => {
      const shop = new Workshop();
      const limit = () => limits.next().value ?? 1;
      const { seen, failure } = consume(runConcurrently(source(items).items, limit, shop.work));
      const order: string[] = [];
      for (await setImmediate(); shop.underWay.length > 0; await setImmediate()) {
        expect(shop.underWay.length).toBeLessThanOrEqual(8);
        const item = shop.underWay[(picks.next().value ?? 0) % shop.underWay.length] ?? 0;
        order.push(`done ${item}`);
        await shop.finish(item);
      }
      expect(await failure).toBeNull();
      expect(seen).toEqual(order);
      expect(seen).toHaveLength(items);
    }),
    { numRuns: 60 },
  );
});
