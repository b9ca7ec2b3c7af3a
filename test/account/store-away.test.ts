import { describe, expect, test, vi } from 'vitest';
import { LogKeeper } from '../../src/account/log-keeper.ts';
import { systemClock } from '../../src/account/system-clock.ts';

interface Opened {
  readonly url: string;
  readonly run: string;
  readonly password: unknown;
  readonly stopping: AbortSignal;
  holder(command: string): string;
  away(message: string | null): void;
  warn(message: string): void;
}

const opened: Opened[] = [];
let closed = 0;
vi.mock('../../src/store/postgres/postgres-store.ts', () => ({
  openPostgresStore: (options: Opened) => {
    opened.push(options);
    const close = async () => {
      closed += 1;
    };
    return { close };
  },
}));

/** A program whose log is kept in a store, and what it was told. */
async function keeperOf() {
  const closers: (() => Promise<void>)[] = [];
  const warned: string[] = [];
  const host = {
    ...{ clock: systemClock, run: 'run', halt: new AbortController(), uid: null, freshStore: false },
    onClose: (closer: () => Promise<void>) => void closers.push(closer),
    holder: (command: string) => `srq ${command}, process 1`,
    warn: async (message: string) => void warned.push(message),
    requireCertificateCheck: () => {},
  };
  const password = async () => 'word';
  const place = { url: 'postgres://leads@db.example/leads', name: 'leads at db.example', isEncrypted: false, password };
  const keeper = new LogKeeper(host, async () => ({ kind: 'store', file: '/none', ...place }));
  await keeper.postgresStore();
  const [store] = opened.splice(0);
  if (store === undefined) throw new Error('No store was opened.');
  return { host, keeper, store, place, warned, closers };
}

describe('A store that is away', () => {
  test('is told as often as it says so, and once that it is back', async () => {
    const { keeper, store, warned } = await keeperOf();
    store.away(null);
    expect([keeper.isStoreAway, warned]).toEqual([false, []]);
    store.away('The store is out of reach (ECONNREFUSED).');
    expect([keeper.isStoreAway, warned.splice(0)]).toEqual([
      true,
      ['The store is out of reach (ECONNREFUSED). Nothing is sent until it is back.'],
    ]);
    for (let times = 0; times < 2; times++) store.away(null);
    expect([keeper.isStoreAway, warned.splice(0)]).toEqual([false, ['The store leads at db.example is back.']]);
    store.away('Away again.');
    expect([keeper.isStoreAway, warned.length]).toEqual([true, 1]);
  });

  test('warns of other things as often as they come', async () => {
    const { store, warned } = await keeperOf();
    for (let times = 0; times < 2; times++) store.warn('The clock of the store differs.');
    expect(warned).toHaveLength(2);
  });
});

test('a store is opened as the program says, once, and closed with it', async () => {
  const { host, keeper, store, place, closers } = await keeperOf();
  expect(store).toMatchObject({ url: place.url, run: 'run', password: place.password });
  expect([store.holder('bulk'), store.stopping === host.halt.signal]).toEqual(['srq bulk, process 1', true]);
  await keeper.store();
  expect([opened.length, closers.length, closed]).toEqual([0, 1, 0]);
  await closers[0]?.();
  expect(closed).toBe(1);
});
