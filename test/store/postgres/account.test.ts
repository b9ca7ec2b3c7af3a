import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { CachedToken } from '../../../src/request/ports.ts';
import { storeAt } from '../../doors/log.ts';
import {
  AccountToken,
  accountId,
  openAccountState,
  type PostgresAccountState,
  Secret,
  type Store,
  systemClock,
  tokenKey,
} from '../../doors/store.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../../helpers/postgres.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const ACCOUNT = accountId({ baseUrl: 'https://api.example.com', clientId: 'partner' });
const KEY = tokenKey({ clientSecret: new Secret('a client secret') }, ACCOUNT);
/** A program that ends when no transaction waits for its client any more. */
const UNTIL_NONE_IS_OPEN = `
import pg from 'pg';
const client = new pg.Client({ connectionString: process.env.STORE, password: process.env.PGPASSWORD });
await client.connect();
const open = "select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'";
while ((await client.query(open)).rowCount > 0) await new Promise((resolve) => setTimeout(resolve, 100));
await client.end();
`;
const tokenNamed = (accessToken: string): CachedToken => ({ accessToken, obtainedAtMs: 1, expiresAtMs: 2 });

describe.skipIf(postgresIsMissing !== null)(`What processes of an account share in PostgreSQL${why}`, () => {
  let server: PostgresServer;
  const open: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  // The server takes sixty connections, and processes of earlier tests would keep theirs.
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });
  afterAll(() => server?.end());

  const joined = async (url: string, run: string): Promise<Store> => {
    const store = storeAt(url, run);
    open.push(store);
    await store.migrate();
    return store;
  };
  const join = async (url: string, run: string): Promise<PostgresAccountState> => {
    const { database } = await joined(url, run);
    const account = openAccountState(database, ACCOUNT, run, new AbortController().signal, systemClock);
    open.push(account);
    return account;
  };
  const countUp = (account: PostgresAccountState) =>
    account.change('count', (kept) => ({ keep: Number(kept ?? 0) + 1, result: kept }));

  test('is changed by one at a time, and no change is lost', async () => {
    const url = await server.database();
    const members = await Promise.all(['a', 'b', 'c'].map((run) => join(url, run)));
    await Promise.all(members.flatMap((member) => Array.from({ length: 40 }, () => countUp(member))));
    expect(await members[0]?.look('count', (kept) => kept)).toBe(120);
  });

  test('outlives a restart of the server', async () => {
    const url = await server.database();
    const member = await join(url, 'a');
    await countUp(member);
    server.down();
    const waiting = countUp(member);
    server.up();
    await waiting;
    expect(await member.look('count', (kept) => kept)).toBe(2);
  });

  test('is free again when its holder is stopped in the middle of a change', async () => {
    const url = await server.database();
    const [stopped, other] = [await join(url, 'a'), await join(url, 'b')];
    await countUp(stopped);
    // As long as this process does nothing, its transaction is open, until the server ends it.
    let attempts = 0;
    const held = stopped.change('count', (kept) => {
      attempts += 1;
      if (attempts > 1) return { keep: Number(kept) + 10, result: kept };
      spawnSync(process.execPath, ['--input-type=module', '-e', UNTIL_NONE_IS_OPEN], {
        env: { ...process.env, STORE: url, PGPASSWORD: STORE_PASSWORD },
      });
      return { keep: Number(kept) + 10, result: kept };
    });
    await Promise.all([held, countUp(other)]);
    // Its change was undone, and done again.
    expect(await other.look('count', (kept) => kept)).toBe(12);
    expect(attempts).toBeGreaterThan(1);
  });

  test('wakes the others, and not who gave the alarm, nor another account or name', async () => {
    const url = await server.database();
    const [first, second] = [await join(url, 'a'), await join(url, 'b')];
    const heard: string[] = [];
    first.onAlarm('pace', () => heard.push('first'));
    second.onAlarm('breaker', () => heard.push('another name'));
    await countUp(first);
    await countUp(second);
    const woken = new Promise<void>((resolve) =>
      second.onAlarm('pace', () => {
        heard.push('second');
        resolve();
      }),
    );
    // The first look says only what there is.
    await systemClock.sleep(600);
    await first.change('pace', () => ({ keep: 1, result: null, alarm: true }));
    await woken;
    await countUp(first);
    expect(heard).toEqual(['second']);
  });

  describe('the token', () => {
    test('is looked for before a new one is asked for', async () => {
      const url = await server.database();
      const open = async (run: string) => AccountToken.open((await joined(url, run)).database, ACCOUNT, KEY);
      const [first, second] = [await open('a'), await open('b')];
      await first.alone(() => first.write(tokenNamed('fresh')));
      expect(second.read()).toBeNull();
      expect(await second.alone(async () => second.read()?.accessToken)).toBe('fresh');
    });

    test('that was refused is forgotten by all, unless there is a newer one', async () => {
      const url = await server.database();
      const { database } = await joined(url, 'a');
      const first = await AccountToken.open(database, ACCOUNT, KEY);
      await first.write(tokenNamed('old'));
      const second = await AccountToken.open(database, ACCOUNT, KEY);
      first.forget('old');
      expect(await first.alone(async () => first.read())).toBeNull();
      await first.write(tokenNamed('new'));
      second.forget('old');
      expect(await second.alone(async () => second.read())).toEqual(tokenNamed('new'));
    });
  });
});
