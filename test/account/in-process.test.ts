import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AccountOptions, openAccount } from '../../src/account/account.ts';
import { type ConnectedAccount, openConnection } from '../../src/account/connection.ts';
import { LogKeeper, type LogPlace } from '../../src/account/program.ts';
import { systemClock } from '../../src/account/system-clock.ts';
import { contractFingerprint } from '../../src/request/contract/contract.ts';
import { type KnownAnswers, NOTHING_KNOWN } from '../../src/request/contract/known-answers.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import { Secret } from '../../src/request/words/secret.ts';
import { encodeRecord } from '../../src/store/file/record.ts';
import { knownFrom } from '../doors/answer.ts';
import { sandboxWith } from '../sandbox/sandbox-client.ts';

const DESTINATION = { baseUrl: 'http://127.0.0.1:9', clientId: '4711' };
const keyOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 32);
/** What a process knows that has found these places to hold no identifiers. */
const knowing = (...shared: string[]): KnownAnswers => ({ ...NOTHING_KNOWN, shared });
/** What a process knows of a service that it has seen take a request. */
const FAMILIAR = knownFrom([
  {
    ...{ operation: 'create', means: 'taken', by: 'experiment' },
    answer: { status: 204, headers: {}, body: '', isCut: false },
  },
]);

/** A program with a state folder of its own. `kind` is where its log is kept. */
function hostOf(kind: 'file' | 'store' = 'file') {
  const state = mkdtempSync(join(tmpdir(), 'srq-account-'));
  const closers: (() => Promise<void>)[] = [];
  const secrets: string[] = [];
  const checked: string[] = [];
  onTestFinished(async () => {
    for (const closer of closers) await closer();
    rmSync(state, { recursive: true, force: true });
  });
  const host = {
    ...{ clock: systemClock, run: 'run', halt: new AbortController(), uid: process.getuid?.() ?? null },
    freshStore: false,
    stateFiles: async () => ({ token: join(state, 'shop.token.json'), learned: join(state, 'shop.learned.json') }),
    trust: async () => ({ uid: null, onDistrusted: () => {} }),
    log: { place: async () => ({ kind }), postgresStore: () => Promise.reject(new Error('no store here')) },
    onClose: (closer: () => Promise<void>) => void closers.unshift(closer),
    addSecret: (secret: string) => void secrets.push(secret),
    holder: (command: string) => `srq ${command}`,
    warn: async () => {},
    requireCertificateCheck: (authority: string) => void checked.push(authority),
  };
  return { host, state, secrets, checked };
}

describe('An account on this machine', () => {
  const options: AccountOptions = {
    ...{ destination: DESTINATION, clientSecret: new Secret('s'), contract: 'c1', rate: 'auto', concurrency: 4 },
  };

  test('An account keeps what it learned for its next command, for the same service and description', async () => {
    const { host } = hostOf();
    const first = await openAccount(host, options);
    expect(first.answers).toEqual(NOTHING_KNOWN);
    first.remember(knowing('a'));
    const again = await openAccount(host, options);
    expect(again.answers.shared).toEqual(['a']);
    again.remember(knowing('b'));
    expect((await openAccount(host, options)).answers.shared.toSorted()).toEqual(['a', 'b']);
    for (const other of [{ contract: 'c2' }, { destination: { ...DESTINATION, clientId: '4712' } }])
      expect((await openAccount(host, { ...options, ...other })).answers).toEqual(NOTHING_KNOWN);
  });

  test('An account is opened without the store where that must not matter, and needs it otherwise', async () => {
    const { host } = hostOf('store');
    expect((await openAccount(host, { ...options, isAlone: true })).token.read()).toBeNull();
    await expect(openAccount(host, options)).rejects.toThrow('no store here');
  });

  test('An account does not remember a rate that a person chose', async () => {
    const { host, state } = hostOf();
    for (const rate of ['max', 2] as const) {
      const account = await openAccount(host, { ...options, rate });
      account.keepRate();
    }
    expect(() => readFileSync(join(state, 'shop.learned.json'))).toThrow('ENOENT');
    (await openAccount(host, options)).keepRate();
    expect(JSON.parse(readFileSync(join(state, 'shop.learned.json'), 'utf8')).pace).toMatchObject({ limited: false });
  });
});

describe('A connection', () => {
  const OPTIONS = { rate: 'max', concurrency: 2 } as const;

  /** A connection under a contract that differs from the documented one, with what it asked of its program. */
  async function connected(changes: object = {}, at: Partial<ConnectedAccount> = {}) {
    const of = hostOf();
    const asked: string[] = [];
    const account: ConnectedAccount = {
      ...{ destination: DESTINATION, contract: { ...DOCUMENTED_CONTRACT, ...changes }, timeoutMs: null, traces: [] },
      readSecret: async () => {
        asked.push('secret');
        return new Secret('s3cret');
      },
      proxies: { https: null, no: null },
      ...at,
    };
    return { ...of, asked, account, connection: await openConnection(of.host, account, OPTIONS) };
  }

  test('A connection reads the secret, and keeps it out of reports', async () => {
    const { asked, secrets, connection } = await connected();
    expect([asked, secrets]).toEqual([['secret'], ['s3cret']]);
    expect(connection).toMatchObject({ isProxied: false, isFamiliar: false, mayValidate: true });
  });

  test('A connection is familiar with a service whose answers an earlier run has understood', async () => {
    const { host, account } = await connected();
    const contract = contractFingerprint(account.contract);
    const earlier = await openAccount(host, {
      ...{ destination: DESTINATION, clientSecret: new Secret('s3cret'), contract, rate: 'auto', concurrency: 2 },
    });
    earlier.remember(FAMILIAR);
    expect((await openConnection(host, account, OPTIONS)).isFamiliar).toBe(true);
  });

  test('A connection begins with the rate that an earlier run arrived at', async () => {
    const ratesOf = async (pace: object | null) => {
      const { host, account, state } = await connected();
      const learned = { ...DESTINATION, contract: contractFingerprint(account.contract), pace };
      writeFileSync(join(state, 'shop.learned.json'), JSON.stringify(learned), { mode: 0o600 });
      const connection = await openConnection(host, account, { ...OPTIONS, rate: 'auto' });
      return connection.pace()?.ratePerSecond;
    };
    const [fresh, slow] = [await ratesOf(null), await ratesOf({ ratePerSecond: 1.5, concurrency: 1, limited: true })];
    expect([fresh === slow, (slow ?? 0) > 0]).toEqual([false, true]);
  });

  test('A connection asks another host for tokens, if the contract names one, by the proxy for that host', async () => {
    const origin = 'https://login.example.com';
    const token = { ...DOCUMENTED_CONTRACT.token, origin };
    const at = { proxies: { https: 'ftp://127.0.0.1', no: null } };
    await expect(connected({ token }, at)).rejects.toMatchObject({ reason: 'proxy.unusable' });
  });

  test('A connection proves the credentials with a new token each time, and keeps it', async () => {
    const sandbox = await sandboxWith();
    const destination = { baseUrl: sandbox.baseUrl, clientId: sandbox.clientId };
    const { connection, state } = await connected(
      {},
      { destination, readSecret: async () => new Secret(sandbox.clientSecret) },
    );
    const [one, other] = [await connection.proveCredentials(), await connection.proveCredentials()];
    expect(one?.accessToken === other?.accessToken).toBe(false);
    expect(JSON.parse(readFileSync(join(state, 'shop.token.json'), 'utf8'))).toMatchObject({ ...other });
    const wrong = await connected({}, { destination, readSecret: async () => new Secret('wrong') });
    await expect(wrong.connection.proveCredentials()).rejects.toMatchObject({ code: 'auth' });
  });
});

describe('The keeper of the log', () => {
  const line = (key: string) =>
    encodeRecord({ key, row: 1, ref: null }, 'created', '2026-11-21T03:39:00.123Z', 'run', {}).toString('utf8');

  function keeperOf(place: (state: string) => object) {
    const of = hostOf();
    const keeper = new LogKeeper(of.host, async () => place(of.state) as LogPlace);
    const store = { knowsFileLog: async () => false, identity: async () => 'a-store', has: async () => true };
    const withStore = () => Object.assign(keeper, { postgresStore: async () => store });
    return { ...of, keeper, withStore };
  }

  const inStore = (state: string) => ({
    ...{ kind: 'store', url: 'postgres://leads@127.0.0.1:9/leads', name: 'postgres://leads@127.0.0.1:9/leads' },
    ...{ isEncrypted: false, password: null, file: join(state, 'shop.ndjson') },
  });

  test('The log keeper opens one store, and has certificates checked where the connection is encrypted', async () => {
    const open = keeperOf(inStore);
    expect(await open.keeper.store()).toBe(await open.keeper.postgresStore());
    const encrypted = keeperOf((state) => ({ ...inStore(state), isEncrypted: true }));
    await encrypted.keeper.postgresStore();
    expect([open.checked, encrypted.checked.length]).toEqual([[], 1]);
  });

  test.each<[string, string | null]>([
    ['no file', null],
    ['an empty file', ''],
    ['a file with an unfinished record', line(keyOf('a')).slice(0, 40)],
  ])('The keeper of the log finds nothing unknown to the store in %s', async (_, text) => {
    const { keeper, state, withStore } = keeperOf(inStore);
    withStore();
    if (text !== null) writeFileSync(join(state, 'shop.ndjson'), text);
    expect(await keeper.unknown()).toBeNull();
  });

  test('The keeper of the log does not take a log that it cannot read for a missing one', async () => {
    const { keeper, state, withStore } = keeperOf(inStore);
    withStore();
    symlinkSync('shop.ndjson', join(state, 'shop.ndjson'));
    await expect(keeper.unknown()).rejects.toMatchObject({
      code: 'log',
      message: expect.stringContaining('ELOOP'),
    });
  });
});
