import { expect, test, vi } from 'vitest';
import { enqueue } from '../../src/commands/enqueue/run.ts';
import { contextOf, type Typed } from '../helpers/command-context.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { User } from '../helpers/user.ts';

/** The store of the tests: what is done with it, and what it knows of the account and the queue. */
const store = vi.hoisted(() => ({ steps: [] as string[], ratePerSecond: null as number | null, waiting: 0 }));

vi.mock('../../src/store/postgres/postgres-queue.ts', () => ({
  openQueue: async () => {
    store.steps.push('queue opened');
    return {
      depth: async () => ({ total: store.waiting }),
      add: async (batch: readonly unknown[]) => {
        store.steps.push(`${batch.length} added`);
        return batch.length;
      },
      close: async () => void store.steps.push('queue closed'),
    };
  },
}));
vi.mock('../../src/store/postgres/account.ts', () => ({
  accountId: () => 'account',
  openAccountState: () => ({
    look: async () => (store.ratePerSecond === null ? null : { ratePerSecond: store.ratePerSecond }),
    close: async () => void store.steps.push('account closed'),
  }),
}));

interface Scene {
  readonly flags?: object;
  readonly typed?: readonly Typed[];
  readonly baseUrl?: string;
  readonly ratePerSecond?: number;
  readonly waiting?: number;
  /** Why the store may not be used. */
  readonly isUnknownLog?: boolean;
}

const FLAGS = { skipLines: 0, map: [], set: [], skip: 0, validate: true, onDuplicate: 'skip' };

/** Queues a file of two leads, and returns what was done with the store, before and after the end of the command. */
async function enqueued({ flags = {}, typed, isUnknownLog = false, ...scene }: Scene) {
  const { baseUrl = 'http://127.0.0.1:9', ratePerSecond = null, waiting = 0 } = scene;
  Object.assign(store, { steps: [], ratePerSecond, waiting });
  const user = new User({ baseUrl, clientId: '4711' });
  const file = user.write('leads.csv', leadsCsv(2));
  const { context, stderr } = contextOf({ argv: ['enqueue', file], env: user.env, ...(typed ? { typed } : {}) });
  Object.assign(context, {
    requireStore: async () => ({
      ...{ name: 'postgres://here/leads', database: {} },
      migrate: async () => void store.steps.push('tables made'),
    }),
    requireKnownFileLog: async () => {
      if (isUnknownLog) throw new Error('unknown log');
    },
  });
  const ended = await enqueue(context, file, { ...FLAGS, ...flags } as never).then(
    (code) => code,
    ({ reason, message }) => reason ?? message,
  );
  const steps = [...store.steps];
  const isRemembered = (await context.mappings())?.all().length === 1;
  await context.close();
  const closed = store.steps.slice(steps.length);
  return { ended, steps, closed, isRemembered, told: stderr().replace(/\s+/g, ' ') };
}

const OPENED = ['tables made', 'queue opened', 'account closed'];

test('a plan is queued once the store has its tables, and its columns are remembered', async () => {
  const { ended, steps, closed, isRemembered, told } = await enqueued({});
  expect([ended, steps, closed, isRemembered]).toEqual([0, [...OPENED, '2 added'], ['queue closed'], true]);
  expect(told).toContain('To the queue for http://127.0.0.1:9 as client 4711 (profile default, test)');
  expect(told).not.toContain('expires');
});

test.each([
  // Two rows and those that wait, each a validate and a create, in 30 days of 86,400 seconds.
  ['', 8, {}, false],
  ['', 9, {}, true],
  ['without validate, ', 18, { validate: false }, false],
  ['without validate, ', 19, { validate: false }, true],
])('%sof %i that wait beside two new ones it is told whether they expire', async (_, waiting, flags, isTold) => {
  const { ended, told } = await enqueued({ waiting, flags, ratePerSecond: 20 / (30 * 86_400) });
  expect([ended, told.includes('expires')]).toEqual([0, isTold]);
});

test('another plan than the one that is named is not queued', async () => {
  const { ended, steps, isRemembered } = await enqueued({ flags: { plan: 'a1' } });
  expect([ended, steps, isRemembered]).toEqual(['plan.differs', ['tables made'], false]);
});

test('a live service is asked about, and nothing is queued or remembered without a yes', async () => {
  const live = { baseUrl: 'https://api.example.com' };
  const columns: Typed = [/\? for help[^?]*q to quit: /, '\r'];
  const left = await enqueued({ ...live, typed: [columns, [/Type 2 to send/, 'q\r']] });
  expect([left.ended, left.steps, left.isRemembered]).toEqual(['prompt.declined', OPENED, false]);
  const agreed = await enqueued({ ...live, typed: [columns, [/Type 2 to send/, '2\r']] });
  expect([agreed.ended, agreed.steps, agreed.isRemembered]).toEqual([0, [...OPENED, '2 added'], true]);
});

test('a store that does not know what the log in the file has is left alone', async () => {
  expect(await enqueued({ isUnknownLog: true })).toMatchObject({ ended: 'unknown log', steps: [] });
});
