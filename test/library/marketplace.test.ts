import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, vi } from 'vitest';
import type { CreateResult, Marketplace, MarketplaceOptions, RequestFields } from '../../src/library/api.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { CANARY } from '../helpers/canary-secret.ts';
import { answersFor, contractFile, contractOf } from '../helpers/contracts.ts';
import { createdThere, faultOnRow, requestOfRow } from '../helpers/delivery.ts';
import { test as deskTest } from '../helpers/desk.ts';
import { leadsCsv, requestAt } from '../helpers/leads.ts';
import { loadLibrary, optionsFor, startWithLibrary } from '../helpers/library.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';
import { setLatency, statsOf } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

type Open = (changes?: Partial<MarketplaceOptions>) => Promise<Marketplace>;

/** With a function that opens marketplaces of the built library by the log of `partner`; they end with the test. */
const test = deskTest.extend<{ readonly open: Open }>({
  open: async ({ partner, sandbox }, use) => {
    const { openMarketplace } = await loadLibrary();
    const opened: Marketplace[] = [];
    await use(async (changes = {}) => {
      const marketplace = await openMarketplace({ ...optionsFor(partner, sandbox), ...changes });
      opened.push(marketplace);
      return marketplace;
    });
    await Promise.all(opened.map((each) => each.close()));
  },
});

const untilCreated = (sandbox: Sandbox, count: number) =>
  vi.waitFor(() => expect(creates(sandbox).length).toBeGreaterThanOrEqual(count), { timeout: 60_000, interval: 20 });

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test('what the library creates is known to the command, and what the command creates to the library', async ({
  partner,
  open,
}) => {
  const marketplace = await open();
  const created = await marketplace.create(requestAt(1));
  expect(created).toMatchObject({ status: 'created', ref: 'L-1', http: 201, error: null, isRecorded: true });
  expect(Object.keys(created.ids)).toEqual(['request_id', 'reference']);
  expect(await marketplace.create(requestAt(1))).toMatchObject({ status: 'repeated', ids: created.ids });
  await marketplace.close();

  expect(documentOf(await partner.call('create', ...requestOfRow(1), '--json'))).toMatchObject({
    ...{ status: 'repeated', key: created.key },
  });
  expect(documentOf(await partner.call('create', ...requestOfRow(2), '--json'))).toMatchObject({ status: 'created' });
  expect(await (await open()).create(requestAt(2))).toMatchObject({ status: 'repeated' });
});

test('an invalid request is a value that says why, and nothing is sent for it', async ({ sandbox, open }) => {
  const marketplace = await open({ defaults: { country: 'PT' } });
  const wrong = await marketplace.create({ request_text: 'Tap', phone: '12', ref: 'A' });
  expect(wrong).toMatchObject({ status: 'invalid', ref: 'A', key: null, error: null });
  expect(wrong.problems).toContainEqual(expect.objectContaining({ severity: 'error', field: 'phone' }));
  expect(wrong.message).toContain('phone number');
  // A warning that comes first is not why.
  const both = await marketplace.create({ request_text: 'Tap', phone: '12', location: 'Lisboa', lang: 'xx' });
  expect(both.problems.some(({ severity }) => severity === 'warning')).toBe(true);
  expect([both.status, both.reason]).toEqual(['invalid', 'phone.too-short']);
  const number = { ...requestAt(1), phone: 351912345678 } as unknown as RequestFields;
  expect(await marketplace.create(number)).toMatchObject({
    ...{ status: 'invalid', message: expect.stringContaining('phone is no text') },
  });
  expect(await marketplace.validate({})).toMatchObject({ verdict: 'unknown', key: null, http: null });
  expect(sandbox.requests()).toEqual([]);
});

test('validate says what the service knows, and leaves no log behind', async ({ partner, open }) => {
  const marketplace = await open();
  expect(await marketplace.validate(requestAt(1))).toMatchObject({ verdict: 'clear', http: 200, error: null });
  expect(partner.files().filter((file) => file.endsWith('.ndjson'))).toEqual([]);
  await marketplace.create(requestAt(1));
  expect(await marketplace.validate(requestAt(1))).toMatchObject({ verdict: 'duplicate' });
});

test('of equal requests at a time one is created, and the others wait for it', async ({ sandbox, open }) => {
  const marketplace = await open();
  const results = await Promise.all(Array.from({ length: 5 }, () => marketplace.create(requestAt(1))));
  expect(results.map(({ status }) => status).sort()).toEqual(['created', ...Array(4).fill('repeated')]);
  expect(await statsOf(sandbox)).toMatchObject({ created: 1, doubled: 0 });
});

test('an import accounts for every row in its order, and the command reports it', async ({ partner, open }) => {
  const marketplace = await open();
  await marketplace.create(requestAt(3));
  const told: string[] = [];
  const rows = async function* () {
    yield* [requestAt(1), requestAt(2), { ...requestAt(4), phone: '12' }, requestAt(3), requestAt(1)];
    yield null as unknown as RequestFields;
  };
  const imported = await marketplace.importRows(rows(), {
    name: 'nightly',
    onResult: ({ status, ref }) => told.push(`${status} ${ref}`),
  });
  const statuses = ['created', 'created', 'invalid', 'repeated', 'repeated', 'invalid'];
  expect(imported.results.map(({ status }) => status)).toEqual(statuses);
  expect(imported.results.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(imported.results[2]?.problems).toContainEqual(expect.objectContaining({ field: 'phone' }));
  expect(imported).toMatchObject({
    rows: 6,
    stopped: null,
    counts: { created: 2, repeated: 2, invalid: 2, failed: 0 },
  });
  expect(told.sort()).toEqual(['created L-1', 'created L-2']);
  expect(await marketplace.importRows([])).toMatchObject({ rows: 0, results: [], stopped: null });

  const page = partner.write('run.html', '');
  expect(await partner.call('report', '--run', marketplace.run, '--output', `${page}.new`)).toMatchObject({ code: 0 });
  expect(partner.read('run.html.new')).toContain('nightly');
  const logged = documentsOf(await partner.call('log', '--json', '--run', marketplace.run));
  expect(logged.map(({ ref }) => ref)).toEqual(['L-3', 'L-1', 'L-2']);
});

test('an import ends at a limit of refused rows, and the next one sends what is left', async ({ sandbox, open }) => {
  const marketplace = await open();
  const rows = Array.from({ length: 40 }, (_, at) => requestAt(at));
  const wrong = rows.map((row, at) => (at < 5 ? { ...row, phone: '12' } : row));
  const stopped = await marketplace.importRows(wrong, { maxErrors: '10%' });
  expect(stopped).toMatchObject({ stopped: { code: 'stopped' }, counts: { invalid: 5, failed: 35, created: 0 } });
  expect(creates(sandbox)).toEqual([]);
  expect(await marketplace.importRows(wrong)).toMatchObject({ stopped: null, counts: { invalid: 5, created: 35 } });
});

test('the log is held by one process of either kind at a time, and others are told by whom', async ({
  partner,
  open,
}) => {
  const marketplace = await open();
  await marketplace.create(requestAt(1));
  const other = await open();
  await expect(other.create(requestAt(2))).rejects.toMatchObject({
    ...{ name: 'SrqError', code: 'log', message: expect.stringContaining('the srq library (creating and importing)') },
  });
  await expect(other.importRows([requestAt(2)])).rejects.toMatchObject({ code: 'log' });
  const leads = partner.write('leads.csv', leadsCsv(3));
  const refused = await partner.call('bulk', leads, '--yes', '--json');
  expect([refused.code, JSON.stringify(documentOf(refused))]).toEqual([9, expect.stringContaining('srq library')]);
  // What needs no lock goes on, and so does a single request by the command.
  expect((await allOf(other.log())).map(({ ref }) => ref)).toEqual(['L-1']);
  expect(await other.validate(requestAt(1))).toMatchObject({ verdict: 'duplicate' });
  expect(await partner.call('create', ...requestOfRow(5))).toMatchObject({ code: 0 });
  await marketplace.close();
  expect(await other.create(requestAt(5))).toMatchObject({ status: 'repeated' });
  await other.close();
  expect(documentOf(await partner.call('bulk', leads, '--yes', '--json'))).toMatchObject({ created: 2, repeated: 1 });
});

test('a doubt is not sent again before it is settled by word', async ({ sandbox, open }) => {
  const marketplace = await open();
  sandbox.setInstructions([faultOnRow(1, 'reset-after'), faultOnRow(2, 'reset-before'), faultOnRow(3, '500-after')]);
  const doubts = [1, 2, 3].map(requestAt);
  for (const each of doubts) {
    expect(await marketplace.create(each, { validate: false })).toMatchObject({ status: 'unknown' });
    expect(await marketplace.create(each, { validate: false, again: true })).toMatchObject({ status: 'unknown' });
  }
  const listed = await allOf(marketplace.log({ status: 'unknown' }));
  expect(listed.map(({ ref }) => ref)).toEqual(['L-1', 'L-2', 'L-3']);
  expect(await allOf(marketplace.log({ until: new Date(Date.now() - 60_000) }))).toEqual([]);
  expect(await allOf(marketplace.log({ ref: 'L-2', since: new Date(Date.now() - 60_000) }))).toHaveLength(1);
  const [taken = '', lost = '', more = ''] = listed.map(({ key }) => key);
  await expect(marketplace.resolve(['0123456789'], 'created')).rejects.toMatchObject({ code: 'usage' });
  await expect(marketplace.resolve([taken, lost], { created: 'X' })).rejects.toMatchObject({ code: 'usage' });
  expect(await marketplace.resolve(taken, { created: 'X-1' })).toMatchObject([
    { ref: 'L-1', status: 'created', ids: { id: 'X-1' }, by: 'person' },
  ]);
  expect(await marketplace.resolve([lost], 'not-created')).toMatchObject([{ ref: 'L-2', status: 'failed' }]);
  expect(await marketplace.resolve([more], 'created')).toMatchObject([{ ref: 'L-3', status: 'created', ids: {} }]);
  sandbox.setInstructions([]);
  const again = await marketplace.importRows(doubts, { validate: false });
  expect(again.results.map(({ status, ids }) => [status, ids['id'] ?? null])).toEqual([
    ['repeated', 'X-1'],
    ['created', null],
    ['repeated', null],
  ]);
  expect(await statsOf(sandbox)).toMatchObject({ created: 3, doubled: 0 });
});

test('a signal ends a wait at once, as a failure that was certainly not taken', async ({ partner, sandbox, open }) => {
  const marketplace = await open();
  const halt = new AbortController();
  sandbox.setFaults({ '429': 1 });
  const creating = marketplace.create(requestAt(1), { validate: false, signal: halt.signal });
  await untilCreated(sandbox, 1);
  halt.abort();
  expect(await creating).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
  const late = await marketplace.create(requestAt(2), { signal: halt.signal });
  // What a fired signal forbids is not even begun.
  await (await open({ profile: 'late' })).create(requestAt(2), { signal: halt.signal });
  expect(partner.files().filter((file) => file.includes('late.ndjson'))).toEqual([]);
  expect(late).toMatchObject({ status: 'failed', http: null, error: { code: 'interrupted' } });
  sandbox.setFaults({});
  // The signal of one call ends that call alone.
  expect(await marketplace.create(requestAt(1))).toMatchObject({ status: 'created', error: null });
});

test('a signal that has fired does not make a failure of what the log knows', async ({ sandbox, open }) => {
  const options = { signal: AbortSignal.abort() };
  const marketplace = await open();
  sandbox.setInstructions([faultOnRow(1, 'reset-after')]);
  await marketplace.create(requestAt(1), { validate: false });
  const { ids } = await marketplace.create(requestAt(2), { validate: false });
  const tellsAll = async (by: Marketplace) => {
    expect(await by.create(requestAt(1), options)).toMatchObject({
      ...{ status: 'unknown', reason: 'request.in-doubt', error: { code: 'interrupted' }, isRecorded: true },
    });
    expect(await by.create(requestAt(2), options)).toMatchObject({ status: 'repeated', ids, error: null });
    expect(await by.create(requestAt(2), { ...options, again: true })).toMatchObject({ status: 'failed' });
    expect(await by.create(requestAt(3), options)).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
  };
  await tellsAll(marketplace);
  await marketplace.close();
  // Of a log that is not open yet it is read, too.
  await tellsAll(await open());
  expect(creates(sandbox)).toHaveLength(2);
});

test('a signal ends an import in order: what is in flight is finished and recorded', async ({ sandbox, open }) => {
  const marketplace = await open();
  const rows = Array.from({ length: 60 }, (_, at) => requestAt(at));
  const halt = new AbortController();
  let seen = 0;
  const onResult = () => {
    seen += 1;
    if (seen === 6) halt.abort();
  };
  const options = { validate: false, signal: halt.signal, onResult };
  await setLatency(sandbox, 20);
  const ended = await marketplace.importRows(rows, options);
  const { created, failed, unknown } = ended.counts;
  expect({ sum: created + failed, unknown, why: ended.stopped?.code }).toEqual({
    sum: 60,
    unknown: 0,
    why: 'interrupted',
  });
  expect(created).toBeGreaterThanOrEqual(6);
  expect(failed).toBeGreaterThan(0);
  expect(createdThere(sandbox)).toHaveLength(created);
  await setLatency(sandbox, 0);
  const rest = await marketplace.importRows(rows, { validate: false });
  expect(rest).toMatchObject({ stopped: null, counts: { created: failed, repeated: created } });
  expect(await statsOf(sandbox)).toMatchObject({ created: 60, doubled: 0 });
});

test.for<[string, (error: Error) => void]>([
  [
    'throws',
    (error) => {
      throw error;
    },
  ],
  ['is rejected', (error) => Promise.reject(error)],
])('a function for results that %s ends an import in order, with its error', async ([, fail], { sandbox, open }) => {
  const marketplace = await open();
  const rows = Array.from({ length: 60 }, (_, at) => requestAt(at));
  const own = new Error('the program’s own');
  let seen = 0;
  const onResult = () => {
    seen += 1;
    return seen === 6 ? fail(own) : undefined;
  };
  await setLatency(sandbox, 100);
  await expect(marketplace.importRows(rows, { validate: false, onResult })).rejects.toBe(own);
  const there = createdThere(sandbox).length;
  expect(there).toBeLessThan(60);
  // Nothing is in flight any more, so that nothing is cut off.
  await marketplace.close();
  const logged = await allOf((await open()).log());
  expect([logged.length, new Set(logged.map(({ status }) => status))]).toEqual([there, new Set(['created'])]);
  expect(seen).toBe(6);
});

test('while an import runs, a create waits for it or for its signal', async ({ sandbox, open }) => {
  const marketplace = await open();
  await setLatency(sandbox, 50);
  const order: string[] = [];
  const rows = Array.from({ length: 8 }, (_, at) => requestAt(at));
  const importing = marketplace.importRows(rows, { validate: false }).then(() => order.push('import'));
  await untilCreated(sandbox, 1);
  const giveUp = new AbortController();
  const creating = marketplace.create(requestAt(3), { validate: false }).then(({ status }) => order.push(status));
  const impatient = marketplace.create(requestAt(20), { signal: giveUp.signal });
  giveUp.abort();
  expect(await impatient).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
  expect(order).toEqual([]);
  await Promise.all([importing, creating]);
  expect(order).toEqual(['import', 'repeated']);
  expect(createdThere(sandbox)).toHaveLength(8);
});

test('a word or an option of a wrong kind is refused, and nothing is noted or sent', async ({ sandbox, open }) => {
  const marketplace = await open();
  sandbox.setInstructions([faultOnRow(1, 'reset-before')]);
  const { key } = await marketplace.create(requestAt(1), { validate: false });
  const usage = expect.objectContaining({ code: 'usage', reason: 'arguments.invalid' });
  for (const word of ['not_created', 'Not-created', undefined, null, { id: '5' }, { created: 5 }, { created: ' ' }]) {
    await expect(marketplace.resolve(String(key), word as never), JSON.stringify(word)).rejects.toEqual(usage);
  }
  expect(await allOf(marketplace.log())).toMatchObject([{ key, status: 'unknown' }]);

  await marketplace.create(requestAt(2), { validate: false });
  for (const wrong of [
    { again: 'false' },
    { onDuplicate: 'Skip' },
    { validate: 0 },
    { agian: false },
    { signal: {} },
  ]) {
    await expect(marketplace.create(requestAt(2), wrong as never), JSON.stringify(wrong)).rejects.toEqual(usage);
    await expect(marketplace.importRows([requestAt(2)], wrong as never)).rejects.toEqual(usage);
  }
  for (const maxErrors of ['5', '0%', '101%', 'abc', 0, -1, 1.5, Number.NaN]) {
    await expect(marketplace.importRows([requestAt(3)], { maxErrors } as never), `${maxErrors}`).rejects.toEqual(usage);
  }
  await expect(marketplace.validate(requestAt(3), { signal: 1 } as never)).rejects.toEqual(usage);
  for (const filter of [{ status: 'unkown' }, { since: '2026-01-01' }, { until: new Date('never') }]) {
    await expect(allOf(marketplace.log(filter as never)), JSON.stringify(filter)).rejects.toEqual(usage);
  }
  expect(creates(sandbox)).toHaveLength(2);
  expect(await marketplace.importRows([], { maxErrors: '0.5%' })).toMatchObject({ rows: 0, stopped: null });
});

test('the signal of a create also ends its wait for an equal one, which stays alone', async ({ sandbox, open }) => {
  const marketplace = await open();
  sandbox.setInstructions([faultOnRow(1, 'slow', 1_500)]);
  const ended: string[] = [];
  const create = async (name: string, signal?: AbortSignal) => {
    const result = await marketplace.create(requestAt(1), { validate: false, ...(signal && { signal }) });
    ended.push(name);
    return result.status;
  };
  const first = create('first');
  await untilCreated(sandbox, 1);
  const halt = new AbortController();
  const second = create('second', halt.signal);
  const third = create('third');
  halt.abort();
  // The first one may be taken, so nothing else is certain of the second.
  expect(await Promise.all([first, second, third])).toEqual(['created', 'unknown', 'repeated']);
  expect(ended).toEqual(['second', 'first', 'third']);
  expect(creates(sandbox)).toHaveLength(1);
});

test.skipIf(process.platform !== 'linux')('a reading of the log that ends early closes the file', async ({ open }) => {
  const marketplace = await open();
  await marketplace.importRows([requestAt(1), requestAt(2)]);
  const opened = () => readdirSync('/proc/self/fd').length;
  const before = opened();
  for (let times = 0; times < 50; times++) for await (const _ of marketplace.log()) break;
  expect(opened()).toBeLessThan(before + 25);
});

test('close waits for calls that were just begun, and leaves the log to others', async ({ sandbox, open }) => {
  const marketplace = await open();
  const begun = [
    marketplace.create(requestAt(1)),
    marketplace.importRows([requestAt(2)]),
    marketplace.validate(requestAt(3)),
  ];
  let ended = 0;
  for (const each of begun) void each.finally(() => ended++);
  await marketplace.close();
  expect(ended).toBe(3);
  expect(await Promise.all(begun)).toMatchObject([
    { status: 'created' },
    { counts: { created: 1 } },
    { verdict: 'clear' },
  ]);
  expect(await (await open()).create(requestAt(1))).toMatchObject({ status: 'repeated' });
  expect(creates(sandbox)).toHaveLength(2);
});

test('a signal ends an import whose rows never end', async ({ sandbox, open }) => {
  const marketplace = await open();
  for (const count of [0, 2]) {
    const halt = new AbortController();
    async function* endless() {
      for (let at = 1; at <= count; at++) yield requestAt(at);
      halt.abort();
      await new Promise(() => {});
    }
    const imported = await marketplace.importRows(endless(), { signal: halt.signal });
    expect(imported).toMatchObject({
      rows: count,
      counts: { failed: count },
      stopped: { reason: 'interrupted.signal' },
    });
  }
  expect(creates(sandbox)).toHaveLength(0);
});

test('the signal of the marketplace ends all calls; a closed one refuses more', async ({ sandbox, open }) => {
  const halt = new AbortController();
  const marketplace = await open({ signal: halt.signal });
  sandbox.setInstructions([faultOnRow(1, 'slow', 1_000)]);
  const creating = marketplace.create(requestAt(1), { validate: false });
  await untilCreated(sandbox, 1);
  halt.abort();
  expect(await creating).toMatchObject({ status: 'created', error: null, isRecorded: true });
  expect(await marketplace.create(requestAt(2))).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
  await marketplace.close();
  await expect(marketplace.create(requestAt(2))).rejects.toMatchObject({ code: 'usage' });
  await expect(marketplace.importRows([])).rejects.toMatchObject({ code: 'usage' });
});

test('credentials that are refused, and a service out of reach, are errors beside the result', async ({ open }) => {
  const refused: CreateResult = await (await open({ clientSecret: async () => 'wrong' })).create(requestAt(1));
  expect(refused).toMatchObject({ status: 'failed', error: { name: 'SrqError', code: 'auth' } });
  expect(JSON.stringify(refused.error)).not.toContain('wrong');
  const away = await open({ baseUrl: 'http://127.0.0.1:1', profile: 'away' });
  expect(await away.create(requestAt(1))).toMatchObject({ status: 'failed', error: { code: 'unreachable' } });
  expect(await away.validate(requestAt(1))).toMatchObject({ verdict: 'unknown', error: { code: 'unreachable' } });
});

deskTest('options that cannot be used are refused by name, without a value', async ({ desk, sandbox }) => {
  const { openMarketplace, SrqError } = await loadLibrary();
  const right = optionsFor(desk, sandbox);
  const refusedFor = async (changes: object) => {
    const error = await openMarketplace({ ...right, ...changes }).catch((thrown: unknown) => thrown);
    if (!(error instanceof SrqError)) throw new Error(`Not refused: ${JSON.stringify(changes)}`);
    expect(error.message).not.toContain(CANARY);
    return `${error.code}: ${error.message}`;
  };
  expect(await refusedFor({ baseURL: 'x' })).toBe('usage: The option baseURL does not exist.');
  expect(await refusedFor({ clientSecret: '' })).toBe('usage: The option clientSecret is missing or of a wrong kind.');
  expect(await refusedFor({ rate: 0 })).toContain('usage: The option rate');
  expect(await refusedFor({ baseUrl: 'http://api.example.com' })).toContain('settings: ');
  expect(await refusedFor({ profile: '../x' })).toContain('usage: ');
  expect(await refusedFor({ defaults: { country: 1 } })).toContain('usage: The option defaults.country');
  const contractFile = join(desk.folder, 'none.json');
  const marketplace = await openMarketplace({ ...right, contractFile });
  await expect(marketplace.create(requestAt(1))).rejects.toMatchObject({ code: 'settings' });
});

deskTest('a contract that the command has learned is used from its file', async ({ desk, openSandbox }) => {
  const described = 'idempotency-openapi31.yaml';
  const sandbox = await openSandbox({ contract: contractOf(described) });
  desk.use(sandbox);
  const learned = await desk.call('contract', 'learn', contractFile(described), '--yes', ...answersFor(described));
  expect(learned, learned.stderr).toMatchObject({ code: 0 });
  const { openMarketplace } = await loadLibrary();
  const options = optionsFor(desk, sandbox);
  const without = await openMarketplace({ ...options, profile: 'without' });
  expect((await without.create(requestAt(1))).status).not.toBe('created');
  await without.close();
  const contract = join(desk.config, 'contracts', 'default.json');
  const marketplace = await openMarketplace({ ...options, contractFile: contract });
  // The answer is lost, but the service recognises the repetition by its key.
  sandbox.setInstructions([{ on: 'create', fault: 'reset-after', match: {} }]);
  expect(await marketplace.create(requestAt(2))).toMatchObject({ status: 'created' });
  await marketplace.close();
  expect(await statsOf(sandbox)).toMatchObject({ doubled: 0 });
  expect(desk.files()).toContain('state/default.observed.json');
});

deskTest('each deliberate second send has an idempotency key of its own', async ({ desk, openSandbox }) => {
  const described = 'idempotency-openapi31.yaml';
  // The service knows a repetition by its key alone.
  const { create, ...rest } = contractOf(described);
  const sandbox = await openSandbox({ contract: { ...rest, create: { ...create, duplicate: [] } } });
  desk.use(sandbox);
  const learned = await desk.call('contract', 'learn', contractFile(described), '--yes', ...answersFor(described));
  expect(learned, learned.stderr).toMatchObject({ code: 0 });
  const { openMarketplace } = await loadLibrary();
  const contract = join(desk.config, 'contracts', 'default.json');
  const marketplace = await openMarketplace({ ...optionsFor(desk, sandbox), contractFile: contract });
  const again = { again: true, validate: false };
  const sent = [
    await marketplace.create(requestAt(1), { validate: false }),
    await marketplace.create(requestAt(1), again),
    await marketplace.create(requestAt(1), again),
    ...(await marketplace.importRows([requestAt(1)], again)).results,
    ...(await marketplace.importRows([requestAt(1)], again)).results,
  ];
  await marketplace.close();
  const file = desk.write('twice.json', JSON.stringify([requestAt(1), requestAt(1)]));
  const called = documentsOf(await desk.call('create', '--file', file, '--again', '--no-validate', '--json'));
  const all = [...sent, ...called].map(({ status, ids }) => ({ status, ids: JSON.stringify(ids) }));
  expect(all.map(({ status }) => status)).toEqual(Array(7).fill('created'));
  expect(new Set(all.map(({ ids }) => ids)).size).toBe(7);
  expect(await statsOf(sandbox)).toMatchObject({ created: 7 });
});

deskTest('recordings are read from the folder that is named for them, and from no other', async ({ desk, sandbox }) => {
  const { openMarketplace } = await loadLibrary();
  const { request_text: _, ...request } = requestAt(1);
  desk.write('need.ogg', Buffer.from('OggS of a recording'));
  const audioFolder = desk.work;
  const marketplace = await openMarketplace({ ...optionsFor(desk, sandbox), audioFolder });
  const outside = await marketplace.create({ ...request, audio_file: '../secret.ogg' });
  expect([outside.status, outside.problems[0]?.code]).toEqual(['invalid', 'audio_file.unusable']);
  expect(await marketplace.create({ ...request, audio_file: 'need.ogg' })).toMatchObject({ status: 'created' });
  await marketplace.close();
  const none = await openMarketplace(optionsFor(desk, sandbox));
  expect(await none.create({ ...request, audio_file: join(desk.work, 'need.ogg') })).toMatchObject({
    status: 'invalid',
  });
  await none.close();
});

deskTest('the library prints nothing, handles no signal, and lets the process end', async ({ desk, sandbox }) => {
  const body = `
    const before = process.eventNames().join();
    const marketplace = await library.openMarketplace(given.options);
    await marketplace.create(given.requests[0]);
    await marketplace.importRows(given.requests);
    say({ same: before === process.eventNames().join(), exitCode: process.exitCode ?? null });
    await marketplace.close();`;
  const requests = Array.from({ length: 30 }, (_, at) => requestAt(at));
  const { ended } = startWithLibrary(body, { options: optionsFor(desk, sandbox), requests });
  expect(await ended).toEqual({
    ...{ code: 0, signal: null, stderr: '', stdout: '{"same":true,"exitCode":null}\n' },
  });
});

deskTest('no code of the command line is in the library', async () => {
  const folder = dirname(inject('srqProgram'));
  const files = new Set([join(folder, 'library.js')]);
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const named = text.matchAll(/require\("(\.[^"]+\.js)"\)|import\("(\.[^"]+\.js)"\)/g);
    for (const [, one, other] of named) files.add(join(dirname(file), one ?? other ?? ''));
  }
  const code = [...files].map((file) => readFileSync(file, 'utf8'));
  expect(files.size).toBeGreaterThan(5);
  const marks = [/commander\.unknownOption/, /bouncingBar/, /CSV_RECORD_INCONSISTENT_COLUMNS/, /--no-input/, /isTTY/];
  expect(marks.filter((mark) => code.some((text) => mark.test(text)))).toEqual([]);
});
