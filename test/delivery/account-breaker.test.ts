import { expect, test } from 'vitest';
import { AccountBreaker } from '../../src/delivery/breaker.ts';
import { MemoryStore } from '../helpers/memory-account.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

function workers(count: number) {
  const clock = new VirtualClock();
  const store = new MemoryStore(clock);
  const join = (name: string) => new AccountBreaker(store.member(name), clock);
  const breakers = Array.from({ length: count }, (_, at) => join(`run ${at}`));
  const see = (breaker: AccountBreaker | undefined, isDoubtful: boolean) =>
    clock.until(breaker?.observe(isDoubtful) ?? Promise.reject(new Error('no worker')));
  return { clock, store, join, breakers, see };
}

test('three doubts in a row are too many, whichever workers see them', async () => {
  const { breakers, see } = workers(3);
  expect(await see(breakers[0], true)).toEqual({ stop: null, pauseMs: 0 });
  expect(await see(breakers[1], true)).toEqual({ stop: null, pauseMs: 0 });
  expect(await see(breakers[2], true)).toEqual({ stop: null, pauseMs: 2_000 });
});

test('a good result of another worker in between counts', async () => {
  const { clock, breakers, see } = workers(2);
  await see(breakers[0], true);
  await see(breakers[0], true);
  await clock.until(clock.sleep(1_000));
  await see(breakers[1], false);
  expect(await see(breakers[0], true)).toEqual({ stop: null, pauseMs: 0 });
});

test('the third break ends all workers, and who begins after it begins anew', async () => {
  const { clock, join, breakers, see } = workers(2);
  await clock.until(clock.sleep(1_000));
  await see(breakers[1], false);
  const advice = [];
  for (let at = 0; at < 9; at += 1) advice.push(await see(breakers[0], true));
  expect(advice.map(({ pauseMs }) => pauseMs)).toEqual([0, 0, 2_000, 0, 0, 6_000, 0, 0, 0]);
  expect(advice.at(-1)?.stop).toMatchObject({ code: 'stopped' });
  await clock.until(clock.sleep(1_000));
  expect((await see(breakers[1], false)).stop).toMatchObject({ code: 'stopped' });
  const fresh = join('a new one');
  for (const isDoubtful of [true, true]) expect(await see(fresh, isDoubtful)).toEqual({ stop: null, pauseMs: 0 });
  expect(await see(fresh, true)).toEqual({ stop: null, pauseMs: 2_000 });
});
