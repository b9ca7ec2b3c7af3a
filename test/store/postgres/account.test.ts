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
  tokenKey,
} from '../../doors/store.ts';
import { PostgresServer, postgresIsMissing } from '../../helpers/postgres.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const ACCOUNT = accountId({ baseUrl: 'https://api.example.com', clientId: 'partner' });
const KEY = tokenKey({ clientSecret: new Secret('a client secret') }, ACCOUNT);
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
    const account = openAccountState(database, ACCOUNT, new AbortController().signal);
    open.push(account);
    return account;
  };
  const countUp = (account: PostgresAccountState) =>
    account.change('count', (kept) => ({ keep: Number(kept ?? 0) + 1, result: kept }));

  test('What an account shares in PostgreSQL is changed by one at a time, and no change is lost', async () => {
    const url = await server.database();
    const members = await Promise.all(['a', 'b', 'c'].map((run) => join(url, run)));
    await Promise.all(members.flatMap((member) => Array.from({ length: 40 }, () => countUp(member))));
    expect(await members[0]?.look('count', (kept) => kept)).toBe(120);
  });

  describe('the token', () => {
    test('the token of an account is looked for in the store before a new one is asked for', async () => {
      const url = await server.database();
      const open = async (run: string) => AccountToken.open((await joined(url, run)).database, ACCOUNT, KEY);
      const [first, second] = [await open('a'), await open('b')];
      await first.write(tokenNamed('fresh'));
      expect(second.read()).toBeNull();
      await second.refresh();
      expect(second.read()?.accessToken).toBe('fresh');
    });

    test('a refused token of an account is forgotten by all, unless there is a newer one', async () => {
      const url = await server.database();
      const { database } = await joined(url, 'a');
      const first = await AccountToken.open(database, ACCOUNT, KEY);
      await first.write(tokenNamed('old'));
      const second = await AccountToken.open(database, ACCOUNT, KEY);
      first.forget('old');
      await first.refresh();
      expect(first.read()).toBeNull();
      await first.write(tokenNamed('new'));
      second.forget('old');
      await second.refresh();
      expect(second.read()).toEqual(tokenNamed('new'));
    });
  });
});
