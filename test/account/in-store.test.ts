import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Account, type AccountOptions, openAccount } from '../../src/account/account.ts';
import { LogKeeper } from '../../src/account/program.ts';
import { systemClock } from '../../src/account/system-clock.ts';
import { type KnownAnswers, NOTHING_KNOWN } from '../../src/request/contract/known-answers.ts';
import { Secret } from '../../src/request/words/secret.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const DESTINATION = { baseUrl: 'https://api.example.com', clientId: '4711' };
const OPTIONS: AccountOptions = {
  ...{ destination: DESTINATION, clientSecret: new Secret('s3cret'), contract: 'c1', rate: 'auto', concurrency: 4 },
};
const knowing = (...digests: readonly string[]): KnownAnswers => ({
  ...NOTHING_KNOWN,
  identifiers: digests.map((digest) => ({ digest, key: digest.repeat(32) })),
});
const known = ({ answers }: Pick<Account, 'answers'>) => answers.identifiers.map(({ digest }) => digest);

describe.skipIf(postgresIsMissing !== null)(`What processes of an account know by their store${why}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  /** A process on a machine of its own, whose log is kept in the store at this address. */
  function processAt(url: string, run: string) {
    const state = mkdtempSync(join(tmpdir(), 'srq-account-'));
    const closers: (() => Promise<void>)[] = [];
    const close = async () => {
      for (const closer of closers.splice(0)) await closer();
    };
    onTestFinished(async () => {
      await close();
      rmSync(state, { recursive: true, force: true });
    });
    const program = {
      ...{ clock: systemClock, run, halt: new AbortController(), uid: null, freshStore: false },
      onClose: (closer: () => Promise<void>) => void closers.unshift(closer),
      holder: (command: string) => `srq ${command}, ${run}`,
      warn: async () => {},
      requireCertificateCheck: () => {},
    };
    const keeper = new LogKeeper(program, async () => ({
      ...{ kind: 'store', url, name: 'the store', isEncrypted: false, password: async () => STORE_PASSWORD },
      file: join(state, 'shop.ndjson'),
    }));
    const host = {
      ...program,
      stateFiles: async () => ({ token: join(state, 'shop.token.json'), learned: join(state, 'shop.learned.json') }),
      trust: async () => ({ uid: null, onDistrusted: () => {} }),
      logPlace: async () => ({ kind: 'store' as const }),
      postgresStore: () => keeper.postgresStore(),
    };
    return {
      host,
      state,
      close,
      open: (changes: Partial<AccountOptions> = {}) => openAccount(host, { ...OPTIONS, ...changes }),
    };
  }

  test('Processes with one store share what answers mean, under the same API description and service', async () => {
    const url = await server.database();
    const [one, other] = [processAt(url, 'one'), processAt(url, 'other')];
    const first = await one.open();
    expect(first.answers).toEqual(NOTHING_KNOWN);
    first.remember(knowing('a'));
    const second = await other.open();
    expect(known(second)).toEqual([]);
    await one.close();
    expect(known(await processAt(url, 'later').open())).toEqual(['a']);
    // What two of them have found is kept of both.
    second.remember(knowing('b'));
    await other.close();
    expect(known(await processAt(url, 'last').open())).toEqual(['a', 'b']);
    for (const apart of [{ contract: 'c2' }, { destination: { ...DESTINATION, clientId: '4712' } }])
      expect(known(await processAt(url, 'apart').open(apart))).toEqual([]);
  });

  test('Processes of an account learn from their store what a machine found out by itself before', async () => {
    const url = await server.database();
    const one = processAt(url, 'one');
    const alone = await one.open({ isAlone: true });
    alone.remember(knowing('a'));
    await new Promise(setImmediate);
    expect(known(await one.open())).toEqual(['a']);
    expect(known(await processAt(url, 'other').open())).toEqual(['a']);
  });
});
