import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Account, type AccountOptions, openAccount } from '../../src/account/account.ts';
import { Program } from '../../src/account/program.ts';
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
  class Machine extends Program {
    readonly halt = new AbortController();
    readonly freshStore = false;
    readonly state = mkdtempSync(join(tmpdir(), 'srq-account-'));
    readonly #url: string;

    constructor(url: string, run: string) {
      super({ env: {}, pid: 1 });
      this.#url = url;
      this.run = run;
      onTestFinished(async () => {
        await this.close();
        rmSync(this.state, { recursive: true, force: true });
      });
    }

    open(changes: Partial<AccountOptions> = {}) {
      return openAccount(this, { ...OPTIONS, ...changes });
    }

    async stateFiles() {
      return { token: join(this.state, 'shop.token.json'), learned: join(this.state, 'shop.learned.json') };
    }

    protected async findLog() {
      const store = { kind: 'store', url: this.#url, name: 'the store', isEncrypted: false } as const;
      return { ...store, password: async () => STORE_PASSWORD, file: join(this.state, 'shop.ndjson') };
    }

    protected named = (command: string) => `srq ${command}, ${this.run}`;
    warn = async () => {};
    addSecret = () => {};
  }
  const processAt = (url: string, run: string) => new Machine(url, run);

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

  test('A process ends soon after its run, although its store is away and what it has learned cannot be kept', async () => {
    const url = await server.database();
    const [one, other] = [processAt(url, 'one'), processAt(url, 'other')];
    const first = await one.open();
    expect(await first.limiter.acquire('create', new AbortController().signal)).not.toBeNull();
    first.remember(knowing('a'));
    server.down();
    const startedMs = performance.now();
    await one.close().finally(() => server.up());
    const waitedMs = performance.now() - startedMs;
    expect(waitedMs).toBeLessThan(30_000);
    expect(known(await other.open())).toEqual([]);
  });

  test('A process that waits a moment for its store at its end keeps what it has learned', async () => {
    const url = await server.database();
    const one = processAt(url, 'one');
    (await one.open()).remember(knowing('a'));
    server.down();
    const closing = one.close();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    server.up();
    await closing;
    expect(known(await processAt(url, 'other').open())).toEqual(['a']);
  });
});
