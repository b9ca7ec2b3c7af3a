import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { LogEntry } from '../../src/request/log/log-store.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import type { FaultKind } from '../../src/sandbox/service/faults.ts';
import { diskIsFullFor, folderOfTest, marketplaceAt, openAt } from '../doors/library.ts';
import { requestAt } from '../helpers/leads.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { contractWith } from '../sandbox/contract-client.ts';
import { creates, sandboxWith } from '../sandbox/sandbox-client.ts';

afterEach(() => vi.restoreAllMocks());

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const untilOneIsSent = (sandbox: Sandbox) =>
  vi.waitFor(() => expect(creates(sandbox)).toHaveLength(1), { timeout: 60_000 });
const operationsAt = (sandbox: Sandbox) => sandbox.requests().map(({ operation }) => operation);
const strike = (sandbox: Sandbox, at: number, fault: FaultKind, ms?: number) =>
  sandbox.setInstructions([
    { on: 'create', fault, match: { request_text: requestAt(at).request_text }, ...(ms === undefined ? {} : { ms }) },
  ]);

describe('What validate says of a request', () => {
  test('A validate call returns what the service knows of a request, in its words, and makes no log', async () => {
    const stateFolder = folderOfTest();
    const { sandbox, marketplace } = await openAt({ stateFolder });
    const clear = await marketplace.validate(requestAt(1));
    expect(clear).toMatchObject({ verdict: 'clear', http: 200, problems: [], error: null });
    expect(readdirSync(stateFolder).filter((name) => name.includes('.ndjson'))).toEqual([]);
    const { key, ids } = await marketplace.create(requestAt(1));
    const there = await marketplace.validate(requestAt(1));
    expect(there).toMatchObject({ verdict: 'duplicate', key, error: null });
    expect([clear.key, Object.values(there.ids)]).toEqual([key, expect.arrayContaining([Object.values(ids)[0]])]);
    expect(creates(sandbox)).toHaveLength(1);
  });

  test('A validate call does not ask about an invalid request, and says why it is invalid', async () => {
    const { sandbox, marketplace } = await openAt();
    const wrong = await marketplace.validate({ ...requestAt(1), phone: '12' });
    expect(wrong).toMatchObject({ verdict: 'unknown', ids: {}, http: null, key: null, error: null });
    expect([wrong.message, wrong.problems[0]?.field]).toEqual([expect.stringContaining('phone number'), 'phone']);
    expect(await marketplace.validate(null as never)).toMatchObject({
      key: null,
      message: 'It is not an object.',
    });
    expect(sandbox.requests()).toEqual([]);
  });

  test('A validate call gives an error and no verdict where credentials are refused or nobody answers', async () => {
    const { marketplace } = await openAt({ clientSecret: async () => 'wrong' });
    const refused = await marketplace.validate(requestAt(1));
    expect(refused).toMatchObject({ verdict: 'unknown', ids: {}, http: null, error: { code: 'auth' } });
    expect([refused.message, refused.key]).toEqual([refused.error?.message, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    const away = await openAt({ baseUrl: 'http://127.0.0.1:1' });
    expect(await away.marketplace.validate(requestAt(1))).toMatchObject({ error: { code: 'unreachable' } });
  });
});

test("A person's word waits for the creates under way, and later ones wait for it", async () => {
  const { sandbox, marketplace } = await openAt();
  strike(sandbox, 1, 'reset-after');
  const { key } = await marketplace.create(requestAt(1), { validate: false });
  const order: string[] = [];
  const noted = async (name: string, call: Promise<unknown>) => {
    await call;
    order.push(name);
  };
  const before = noted('before', marketplace.create(requestAt(2)));
  const word = noted('word', marketplace.resolve(key ?? '', 'not-created'));
  const after = noted('after', marketplace.create(requestAt(1)));
  await Promise.all([before, word, after]);
  expect(order).toEqual(['before', 'word', 'after']);
});

describe('A secret from a function', () => {
  test('A secret from a function is read again once the service has refused it', async () => {
    const sandbox = await sandboxWith();
    const secrets = ['old', sandbox.clientSecret];
    const marketplace = marketplaceAt(sandbox, {
      stateFolder: folderOfTest(),
      clientSecret: async () => secrets.shift() ?? expect.fail('It was read a third time.'),
    });
    expect(await marketplace.create(requestAt(1))).toMatchObject({
      status: 'failed',
      error: { reason: 'auth.refused' },
    });
    expect((await marketplace.create(requestAt(1))).status).toBe('created');
    expect((await marketplace.create(requestAt(2))).status).toBe('created');
  });

  test('A secret from a function is hidden in what a service says, also once it was read again', async () => {
    const secrets = ['9f86d081884c7d65', 'c0ffee4481652aad'];
    const service = await startScriptedService({
      token: ({ number }) => (number === 1 ? { status: 401, body: {} } : { status: 200, body: { access_token: 't' } }),
      create: () => ({ status: 422, body: { message: 'The secret c0ffee4481652aad may not do that' } }),
    });
    const marketplace = marketplaceAt({ baseUrl: service.baseUrl, clientId: 'c' } as Sandbox, {
      stateFolder: folderOfTest(),
      clientSecret: async () => secrets.shift() ?? expect.fail('It was read a third time.'),
    });
    await marketplace.create(requestAt(1), { validate: false });
    const { message } = await marketplace.create(requestAt(1), { validate: false });
    expect(message).toContain('The secret *** may not do that');
  });

  test('A secret from a function that gives no text is an error of that function', async () => {
    const { marketplace } = await openAt({ clientSecret: async () => undefined as never });
    await expect(marketplace.create(requestAt(1))).rejects.toMatchObject({ reason: 'auth.no-secret' });
  });
});

describe('A created request', () => {
  test('A created request has its outcome as a value, and is known afterwards, also to later processes', async () => {
    const stateFolder = folderOfTest();
    const { sandbox, marketplace } = await openAt({ stateFolder });
    const created = await marketplace.create(requestAt(1));
    expect(Object.keys(created).toSorted()).toEqual(
      ['error', 'http', 'ids', 'isRecorded', 'key', 'message', 'problems', 'reason', 'ref', 'status'].toSorted(),
    );
    expect(created).toMatchObject({ status: 'created', ref: 'L-1', http: 201, error: null, isRecorded: true });
    const known = { status: 'repeated', ids: created.ids, key: created.key, error: null, isRecorded: true };
    expect(await marketplace.create(requestAt(1))).toMatchObject(known);
    await marketplace.close();
    expect(await marketplaceAt(sandbox, { stateFolder }).create(requestAt(1))).toMatchObject(known);
    expect(creates(sandbox)).toHaveLength(1);
  });

  test('A created request has the fields of the marketplace that it lacks itself', async () => {
    const { sandbox, marketplace } = await openAt({ defaults: { country: 'ES', lang: 'pt' } });
    const { country: _, ...placeless } = requestAt(1);
    expect((await marketplace.create({ ...placeless, country: 'PT' })).status).toBe('created');
    expect(creates(sandbox)[0]?.params).toMatchObject({ country: 'PT', lang: 'pt' });
  });

  test.each([
    [{}, 'duplicate', ['validate', 'validate', 'validate']],
    [{ onDuplicate: 'skip' }, 'duplicate', ['validate', 'validate', 'validate']],
    [{ onDuplicate: 'create' }, 'created', ['validate', 'validate', 'validate', 'create']],
    [{ validate: false }, 'created', ['create']],
    [{ validate: true }, 'duplicate', ['validate', 'validate', 'validate']],
  ] as const)('A request that the service has from elsewhere, with %j, is %s', async (options, status, operations) => {
    const sandbox = await sandboxWith();
    await marketplaceAt(sandbox, { stateFolder: folderOfTest() }).create(requestAt(1));
    const other = marketplaceAt(sandbox, { stateFolder: folderOfTest() });
    // How validate speaks of a duplicate is learned by the first request. Then it is also asked about two controls.
    await other.create(requestAt(2));
    const before = sandbox.requests().length;
    expect((await other.create(requestAt(1), options)).status).toBe(status);
    expect(operationsAt(sandbox).slice(before)).toEqual(operations);
  });

  test.each([
    [false, undefined, ['create']],
    [false, true, ['create']],
    [true, undefined, ['validate', 'create']],
    [true, false, ['create']],
    [null, undefined, ['validate', 'create']],
  ])(
    'A create under an API description that says %j of validate, with validate: %j, asks for %j',
    async (hasValidate, validate, asked) => {
      const sandbox = await sandboxWith();
      const stateFolder = folderOfTest();
      const contractFile = join(stateFolder, 'contract.json');
      writeFileSync(contractFile, JSON.stringify(contractWith({ hasValidate })), { mode: 0o600 });
      const marketplace = marketplaceAt(sandbox, { stateFolder, contractFile });
      const { status } = await marketplace.create(requestAt(1), { validate });
      const operations = new Set(operationsAt(sandbox));
      expect([status, [...operations]]).toEqual(['created', ['token', ...asked]]);
    },
  );

  test('A create of an invalid request gives an error as the reason, not a warning that came before it', async () => {
    const { sandbox, marketplace } = await openAt();
    const wrong = await marketplace.create({ ...requestAt(1), lang: 'xx', phone: '12' });
    expect(wrong).toMatchObject({
      ...{ status: 'invalid', reason: 'phone.too-short', ids: {}, http: null, key: null, ref: 'L-1' },
      ...{ error: null, isRecorded: true },
    });
    expect(wrong.problems.map(({ severity }) => severity)).toEqual(expect.arrayContaining(['warning', 'error']));
    expect([wrong.message?.includes('phone number'), wrong.message?.includes('xx')]).toEqual([true, false]);
    expect(await marketplace.create('Ana Exemplo' as never)).toMatchObject({
      ...{ status: 'invalid', reason: 'row.unreadable', ref: null, key: null },
    });
    expect(sandbox.requests()).toEqual([]);
  });

  test('A create waits for an equal one under way, which is sent once', async () => {
    const { sandbox, marketplace } = await openAt();
    const results = await Promise.all(Array.from({ length: 5 }, () => marketplace.create(requestAt(1))));
    expect(results.map(({ status }) => status)).toEqual(['created', ...Array(4).fill('repeated')]);
    expect(creates(sandbox)).toHaveLength(1);
  });

  test('A create waits for one under way with its reference and other content, and is then not sent', async () => {
    const { sandbox, marketplace } = await openAt();
    const other = { ...requestAt(1), request_text: 'Pintar a cozinha' };
    const told = await Promise.all([marketplace.create(requestAt(1)), marketplace.create(other)]);
    expect(told.map(({ status }) => status)).toEqual(['created', 'repeated']);
    expect(told[1]?.message).toContain('with other content');
    expect(operationsAt(sandbox).filter((operation) => operation === 'create')).toHaveLength(1);
  });

  test("A create with a signal of its own ends with it: nothing is sent, and the log's word is returned", async () => {
    const stateFolder = folderOfTest();
    const { sandbox, marketplace } = await openAt({ stateFolder });
    strike(sandbox, 1, 'reset-after');
    await marketplace.create(requestAt(1), { validate: false });
    const { ids } = await marketplace.create(requestAt(2), { validate: false });
    const options = { signal: AbortSignal.abort() };
    const tellsAll = async (by: typeof marketplace) => {
      expect(await by.create(requestAt(1), options)).toMatchObject({
        ...{ status: 'unknown', reason: 'request.in-doubt', error: null, isRecorded: true },
      });
      expect(await by.create(requestAt(2), options)).toMatchObject({ status: 'repeated', ids, error: null });
      expect(await by.create(requestAt(3), options)).toMatchObject({
        ...{ status: 'failed', error: { code: 'interrupted' }, reason: 'request.not-sent', isRecorded: true },
      });
    };
    await tellsAll(marketplace);
    await marketplace.close();
    await tellsAll(marketplaceAt(sandbox, { stateFolder }));
    expect(creates(sandbox)).toHaveLength(2);
  });

  test('A create is given up with its signal while it waits, and other calls are not', async () => {
    const { sandbox, marketplace } = await openAt();
    const halt = new AbortController();
    sandbox.setFaults({ '429': 1 });
    const creating = marketplace.create(requestAt(1), { validate: false, signal: halt.signal });
    await untilOneIsSent(sandbox);
    halt.abort();
    expect(await creating).toMatchObject({ status: 'failed', error: { reason: 'interrupted.signal' } });
    sandbox.setFaults({});
    expect(await marketplace.create(requestAt(1))).toMatchObject({ status: 'created', error: null });
  });

  test('A create that its signal could not stop any more is no error', async () => {
    const { sandbox, marketplace } = await openAt();
    const halt = new AbortController();
    strike(sandbox, 1, 'slow', 300);
    const creating = marketplace.create(requestAt(1), { validate: false, signal: halt.signal });
    await untilOneIsSent(sandbox);
    halt.abort();
    expect(await creating).toMatchObject({ status: 'created', error: null, isRecorded: true });
  });

  test('A create whose signal fires while it waits for an equal one tells what became of that', async () => {
    const { sandbox, marketplace } = await openAt();
    strike(sandbox, 1, 'slow', 1_500);
    const ended: string[] = [];
    const create = async (name: string, options: object = {}) => {
      const { status } = await marketplace.create(requestAt(1), { validate: false, ...options });
      ended.push(name);
      return status;
    };
    const first = create('first');
    await untilOneIsSent(sandbox);
    const halt = new AbortController();
    const [second, third] = [create('second', { signal: halt.signal }), create('third')];
    halt.abort();
    expect(await Promise.all([first, second, third])).toEqual(['created', 'repeated', 'repeated']);
    expect([ended, creates(sandbox).length]).toEqual([['first', 'second', 'third'], 1]);
  });

  test('A request whose intent cannot be recorded was certainly not sent', async () => {
    diskIsFullFor('sending');
    const { sandbox, marketplace } = await openAt();
    expect(await marketplace.create(requestAt(1))).toMatchObject({
      ...{ status: 'failed', http: null, ids: {}, ref: 'L-1', isRecorded: true, reason: 'log.unwritable' },
      ...{
        message: 'The log cannot be written.',
        error: { code: 'log' },
        key: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    });
    expect(creates(sandbox)).toEqual([]);
  });

  test('The outcome of a create that the log cannot record is returned with the error', async () => {
    diskIsFullFor('outcome');
    const { sandbox, marketplace } = await openAt();
    const created = await marketplace.create(requestAt(1), { validate: false });
    expect([created.status, created.isRecorded, creates(sandbox).length]).toEqual(['created', false, 1]);
  });
});

describe('A marketplace', () => {
  test('A marketplace that is closed refuses every call', async () => {
    const { marketplace } = await openAt();
    await marketplace.close();
    const closed = { code: 'usage', message: 'The marketplace is closed.', hint: 'Open it again.' };
    for (const call of [
      () => marketplace.validate(requestAt(1)),
      () => marketplace.create(requestAt(1)),
      () => marketplace.importRows([]),
      () => marketplace.resolve([], 'created'),
      () => allOf(marketplace.log()),
    ])
      await expect(call()).rejects.toMatchObject(closed);
  });

  test('A marketplace is closed once the calls that were begun have ended', async () => {
    const stateFolder = folderOfTest();
    const { sandbox, marketplace } = await openAt({ stateFolder });
    const begun = [
      marketplace.create(requestAt(1)),
      marketplace.create(requestAt(2)),
      marketplace.validate(requestAt(3)),
    ];
    let ended = 0;
    for (const each of begun) void each.finally(() => ended++);
    await marketplace.close();
    expect([ended, creates(sandbox).length]).toEqual([3, 2]);
    expect((await marketplaceAt(sandbox, { stateFolder }).create(requestAt(1))).status).toBe('repeated');
  });

  test('A marketplace gives up a call after the time that was given', async () => {
    const sandbox = await sandboxWith({ latencyMs: 700 });
    const hasty = marketplaceAt(sandbox, { stateFolder: folderOfTest(), timeoutMs: 100 });
    expect(await hasty.validate(requestAt(1))).toMatchObject({ error: { code: 'unreachable' } });
    const patient = marketplaceAt(sandbox, { stateFolder: folderOfTest() });
    expect((await patient.validate(requestAt(1))).verdict).toBe('clear');
  });

  test('A marketplace reads recordings only from the folder that is named for them', async () => {
    const audioFolder = folderOfTest();
    writeFileSync(join(audioFolder, 'need.ogg'), 'OggS of a recording');
    const { request_text: _, ...request } = requestAt(1);
    const { sandbox, marketplace } = await openAt({ audioFolder });
    expect(await marketplace.create({ ...request, audio_file: '../need.ogg' })).toMatchObject({ status: 'invalid' });
    expect(await marketplace.create({ ...request, audio_file: 'need.ogg' })).toMatchObject({ status: 'created' });
    const without = marketplaceAt(sandbox, { stateFolder: folderOfTest() });
    const refused = await without.create({ ...request, audio_file: join(audioFolder, 'need.ogg') });
    expect([refused.status, refused.message]).toEqual(['invalid', expect.stringContaining('none is given')]);
  });

  test('A marketplace needs the API description that the profile was given', async () => {
    const contractFile = join(folderOfTest(), 'none.json');
    const { sandbox, marketplace } = await openAt({ contractFile });
    for (const call of [marketplace.create(requestAt(1)), marketplace.validate(requestAt(1))])
      await expect(call).rejects.toMatchObject({
        ...{ reason: 'contract.unusable', message: `There is no API description ${contractFile}.` },
        hint: 'Give contractFile the file that was learned for a profile.',
      });
    expect(sandbox.requests()).toEqual([]);
  });
});

describe('What a person says of requests that are unknown', () => {
  async function leftUnknown(...places: number[]) {
    const { sandbox, marketplace } = await openAt();
    sandbox.setFaults({ 'reset-after': 1 });
    const keys: string[] = [];
    for (const at of places) keys.push((await marketplace.create(requestAt(at), { validate: false })).key ?? '');
    sandbox.setFaults({});
    return { sandbox, marketplace, keys };
  }
  const told = (entries: readonly LogEntry[]) => entries.map(({ ref, status, ids, by }) => [ref, status, ids, by]);

  test("A person's word settles the unknown requests that it names, by the beginnings of their keys", async () => {
    const { sandbox, marketplace, keys } = await leftUnknown(1, 2, 3);
    const [one = '', two = '', three = ''] = keys;
    expect(told(await marketplace.resolve(one.slice(0, 8), { created: '77' }))).toEqual([
      ['L-1', 'created', { id: '77' }, 'person'],
    ]);
    expect(told(await marketplace.resolve([two], 'not-created'))).toEqual([['L-2', 'failed', {}, 'person']]);
    expect(told(await marketplace.resolve([three], 'created'))).toEqual([['L-3', 'created', {}, 'person']]);
    const before = creates(sandbox).length;
    const { results } = await marketplace.importRows([1, 2, 3].map(requestAt), { validate: false });
    expect(results.map(({ status }) => status)).toEqual(['repeated', 'created', 'repeated']);
    expect(creates(sandbox)).toHaveLength(before + 1);
  });

  test("A person's word names only unknown requests, and gives one identifier to one request alone", async () => {
    const { marketplace, keys } = await leftUnknown(1, 2);
    const [one = '', two = ''] = keys;
    await expect(marketplace.resolve([one, '0123456789', 'abcdef0123'], 'created')).rejects.toMatchObject({
      ...{
        code: 'usage',
        message: 'No request with an unknown outcome has the key "0123456789". Nothing was recorded.',
      },
    });
    await expect(marketplace.resolve(keys, { created: '77' })).rejects.toMatchObject({
      ...{ reason: 'doubt.several', message: '2 requests are meant; they cannot share one identifier.' },
    });
    expect((await allOf(marketplace.log())).map(({ status }) => status)).toEqual(['unknown', 'unknown']);
    expect(told(await marketplace.resolve([one, two], 'created'))).toHaveLength(2);
    expect(await marketplace.resolve([], { created: '77' })).toEqual([]);
  });
});

test('the log gives the requests that a filter selects, oldest first', async () => {
  const stateFolder = folderOfTest();
  const { sandbox, marketplace } = await openAt({ stateFolder });
  const { ids } = await marketplace.create(requestAt(1));
  await marketplace.close();
  const other = marketplaceAt(sandbox, { stateFolder });
  strike(sandbox, 2, 'reset-after');
  await other.create(requestAt(2), { validate: false });
  await other.create(requestAt(3), { validate: false });
  const refsOf = async (filter?: object) => (await allOf(other.log(filter))).map(({ ref }) => ref);
  const [hour, id] = [3_600_000, Object.values(ids)[0]];
  const [past, future] = [new Date(Date.now() - hour), new Date(Date.now() + hour)];
  expect(await refsOf()).toEqual(['L-1', 'L-2', 'L-3']);
  expect(await refsOf({ run: marketplace.run })).toEqual(['L-1']);
  expect(await refsOf({ run: other.run })).toEqual(['L-2', 'L-3']);
  expect(await refsOf({ run: 'another' })).toEqual([]);
  expect(await refsOf({ status: 'unknown' })).toEqual(['L-2']);
  expect(await refsOf({ ref: 'L-3' })).toEqual(['L-3']);
  expect(await refsOf({ id })).toEqual(['L-1']);
  expect([await refsOf({ since: past }), await refsOf({ since: future })]).toEqual([['L-1', 'L-2', 'L-3'], []]);
});
