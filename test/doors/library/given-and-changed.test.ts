import { describe, expect, test } from 'vitest';
import type { RequestFields } from '../../../src/library/api.ts';
import { SrqError } from '../../../src/request/words/errors.ts';
import { requestAt } from '../../helpers/leads.ts';
import { creates, sandboxWith } from '../../sandbox/sandbox-client.ts';
import { folderOfTest, marketplaceAt, openAt } from '../library.ts';

const texts = (sandbox: Parameters<typeof creates>[0]) =>
  creates(sandbox)
    .map(({ params }) => params['request_text'])
    .toSorted();
const textsUpTo = (count: number) =>
  Array.from({ length: count }, (_, at) => requestAt(at + 1).request_text).toSorted();

describe('What a program changes after a call', () => {
  test('One object that a program fills again after each call does not change what was sent', async () => {
    const { sandbox, marketplace } = await openAt();
    const lead: Record<string, string> = {};
    const asked = [];
    const calls = [];
    for (let at = 1; at <= 10; at++) {
      Object.assign(lead, requestAt(at));
      asked.push(marketplace.validate(lead));
      calls.push(marketplace.create(lead));
    }
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(10).fill('created'));
    expect(new Set((await Promise.all(asked)).map(({ key }) => key)).size).toBe(10);
    expect(texts(sandbox)).toEqual(textsUpTo(10));
  });

  test('What a program changes after a call does not change an import, a settlement or the defaults', async () => {
    const defaults: Record<string, string> = { lang: 'pt' };
    const { sandbox, marketplace } = await openAt({ defaults });
    defaults['lang'] = 'xx';
    const rows = [requestAt(1), requestAt(2)];
    const options: { validate: boolean; signal?: AbortSignal } = { validate: false };
    const importing = marketplace.importRows(rows, options);
    rows.splice(0, 2, requestAt(3));
    options.signal = AbortSignal.abort();
    expect((await importing).counts.created).toBe(2);
    expect(texts(sandbox)).toEqual(textsUpTo(2));
    sandbox.setFaults({ 'reset-after': 1 });
    const { key } = await marketplace.create(requestAt(3), { validate: false });
    const keys = [key ?? ''];
    const settling = marketplace.resolve(keys, 'created');
    keys[0] = 'ffffffffffff';
    expect((await settling).map((entry) => entry.key)).toEqual([key]);
  });
});

describe('A function of the program that takes its time', () => {
  const interrupted = { code: 'interrupted', reason: 'interrupted.signal' };

  test('A function that answers after the signal has fired is waited for, and nothing is sent', async () => {
    const halt = new AbortController();
    const slow = async () => {
      halt.abort();
      await new Promise(setImmediate);
      return sandbox.clientSecret;
    };
    const sandbox = await sandboxWith();
    const marketplace = marketplaceAt(sandbox, { stateFolder: folderOfTest(), clientSecret: slow });
    const { signal } = halt;
    const [created, validated] = await Promise.all([
      marketplace.create(requestAt(1), { signal }),
      marketplace.validate(requestAt(1), { signal }),
    ]);
    const imported = await marketplace.importRows([requestAt(2)], { signal });
    expect(created).toMatchObject({ status: 'failed', error: interrupted, isRecorded: true });
    expect(validated).toMatchObject({ verdict: 'unknown', key: created.key });
    expect(imported).toMatchObject({ rows: 1, counts: { failed: 1 }, stopped: interrupted });
    expect(sandbox.requests().filter(({ operation }) => operation !== 'token')).toEqual([]);
    expect((await marketplace.create(requestAt(1))).status).toBe('created');
  });
});

describe('Every rejection is an SrqError', () => {
  const own = new Error('the program’s own');
  const fail = () => {
    throw own;
  };
  async function* failing(): AsyncGenerator<RequestFields> {
    yield requestAt(1);
    throw own;
  }
  const withGetter = Object.defineProperty({ ...requestAt(1) }, 'email', { get: fail, enumerable: true });

  test.each([
    ['the secret', 'auth', async () => (await openAt({ clientSecret: fail })).marketplace.create(requestAt(1))],
    ['the secret', 'auth', async () => (await openAt({ clientSecret: fail })).marketplace.validate(requestAt(1))],
    ['rows', 'input', async () => (await openAt()).marketplace.importRows(failing())],
    ['rows', 'input', async () => (await openAt()).marketplace.importRows([withGetter])],
    [
      'onResult',
      'interrupted',
      async () => (await openAt()).marketplace.importRows([requestAt(1)], { onResult: fail }),
    ],
    ['a request', 'input', async () => (await openAt()).marketplace.create(withGetter)],
  ])('Every rejection is an SrqError with the error of the program as its cause: %s, as %s', async (_, code, call) => {
    const told = await call().then(
      (result) => ('error' in result ? result.error : null),
      (error: unknown) => error,
    );
    expect(told).toBeInstanceOf(SrqError);
    expect(told).toMatchObject({ code, cause: own });
    expect((told as Error).message).not.toContain('own');
  });
});

test('No error names flags or commands', async () => {
  const sandbox = await sandboxWith();
  const hints: string[] = [];
  const refused = marketplaceAt(sandbox, { stateFolder: folderOfTest(), clientSecret: 'wrong' });
  const away = marketplaceAt(sandbox, { stateFolder: folderOfTest(), baseUrl: 'http://127.0.0.1:1' });
  for (const marketplace of [refused, away]) {
    hints.push((await marketplace.create(requestAt(1))).error?.hint ?? '');
    hints.push((await marketplace.validate(requestAt(1))).error?.hint ?? '');
    hints.push((await marketplace.importRows([requestAt(1)])).stopped?.hint ?? '');
  }
  const stateFolder = folderOfTest();
  const [one, other] = [marketplaceAt(sandbox, { stateFolder }), marketplaceAt(sandbox, { stateFolder })];
  await one.create(requestAt(1));
  const errors = await Promise.allSettled([
    other.create(requestAt(2)),
    marketplaceAt(sandbox, { stateFolder, contractFile: `${stateFolder}/none.json` }).create(requestAt(2)),
    one.resolve('0123456789', 'created'),
  ]);
  for (const each of errors) hints.push(each.status === 'rejected' ? `${each.reason.message} ${each.reason.hint}` : '');
  expect(hints.filter((hint) => /srq (?!library)[a-z]|--[a-z]/.test(hint))).toEqual([]);
  expect(hints).toHaveLength(9);
});
