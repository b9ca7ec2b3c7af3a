import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ImportOptions, RequestFields } from '../../src/library/api.ts';
import type { RowResult } from '../../src/request/log/outcome.ts';
import { folderOfTest, marketplaceAt, openAt } from '../doors/library.ts';
import { requestAt } from '../helpers/leads.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';
import { creates, sandboxWith } from '../sandbox/sandbox-client.ts';

const rowsUpTo = (count: number) => Array.from({ length: count }, (_, at) => requestAt(at + 1));

/** The notes of the runs of a marketplace with this state folder. */
function notesIn(stateFolder: string): Record<string, unknown>[] {
  const text = readFileSync(join(stateFolder, 'default.ndjson.runs'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('An import by a program', () => {
  test('An import by a program accounts for every row in its order, and gives each result as it comes', async () => {
    const { sandbox, marketplace } = await openAt({ defaults: { lang: 'pt' } });
    await marketplace.create(requestAt(3));
    const told: RowResult[] = [];
    const rows = async function* () {
      yield* [requestAt(1), requestAt(2), { ...requestAt(4), phone: '12' }, requestAt(3), requestAt(1)];
      yield null as unknown as RequestFields;
    };
    const imported = await marketplace.importRows(rows(), { onResult: (result) => told.push(result) });
    expect(imported.results.map(({ row, status, ref }) => [row, status, ref])).toEqual([
      [1, 'created', 'L-1'],
      [2, 'created', 'L-2'],
      [3, 'invalid', 'L-4'],
      [4, 'repeated', 'L-3'],
      [5, 'repeated', 'L-1'],
      [6, 'invalid', null],
    ]);
    expect(imported).toMatchObject({ rows: 6, stopped: null });
    expect(imported.counts).toEqual({
      ...{ created: 2, repeated: 2, invalid: 2, duplicate: 0, rejected: 0, failed: 0, unknown: 0 },
    });
    const [first, , third, , , last] = imported.results;
    expect(Object.keys(first ?? {}).toSorted()).toEqual(
      ['http', 'ids', 'key', 'message', 'problems', 'reason', 'ref', 'row', 'status'].toSorted(),
    );
    expect([third?.problems[0]?.field, last?.message]).toEqual(['phone', expect.stringContaining('not an object')]);
    expect(told.map(({ row, status }) => [row, status]).toSorted()).toEqual([
      [1, 'created'],
      [2, 'created'],
    ]);
    expect(creates(sandbox).map(({ params }) => params['lang'])).toEqual(['pt', 'pt', 'pt']);
  });

  test('An import by a program of other leads with old references is refused, and one such lead says why', async () => {
    const { sandbox, marketplace } = await openAt();
    const first = await marketplace.importRows(rowsUpTo(5));
    const others = rowsUpTo(5).map((row) => ({ ...row, request_text: `${row.request_text}, other` }));
    await expect(marketplace.importRows(others)).rejects.toMatchObject({ reason: 'rows.sent-before' });
    const held = { status: 'repeated', reason: 'row.created-before', ids: first.results[0]?.ids };
    expect(
      (await marketplace.importRows([...others.slice(0, 1), requestAt(6), requestAt(7)])).results[0],
    ).toMatchObject(held);
    expect(await marketplace.create(others[0] ?? {})).toMatchObject(held);
    expect(creates(sandbox)).toHaveLength(7);
    expect((await marketplace.importRows(others, { again: true })).counts.created).toBe(5);
  });

  test.each([
    [undefined, 'importRows'],
    ['nightly', 'nightly'],
  ] as const)('An import called %j begins with a note, which calls it %s', async (name, file) => {
    const stateFolder = folderOfTest();
    const { sandbox, marketplace } = await openAt({ stateFolder });
    await marketplace.create(requestAt(1));
    await marketplace.importRows([...rowsUpTo(2), { ...requestAt(3), phone: '1' }], { name });
    const [to, begin] = notesIn(stateFolder);
    expect(to).toMatchObject({ event: 'to', run: marketplace.run, service: new URL(sandbox.baseUrl).host });
    expect(begin).toMatchObject({
      ...{ event: 'begin', run: marketplace.run, version: 'of a test', file, profile: 'default', live: false },
      ...{ service: new URL(sandbox.baseUrl).host, rows: 3, counts: { ready: 1, repeated: 1, invalid: 1 } },
    });
  });

  test.each<[ImportOptions['maxErrors'], boolean]>([
    ['10%', true],
    ['11%', false],
    ['100%', false],
    [4, true],
    [5, false],
    [undefined, false],
  ])('An import with a limit of %j for 4 wrong rows of 40 is stopped: %j', async (maxErrors, isStopped) => {
    const { sandbox, marketplace } = await openAt();
    const rows = rowsUpTo(40).map((row, at) => (at < 4 ? { ...row, phone: '12' } : row));
    const ended = await marketplace.importRows(rows, { maxErrors, validate: false });
    expect([ended.stopped?.code, ended.counts.invalid]).toEqual([isStopped ? 'stopped' : undefined, 4]);
    expect([ended.counts.created, ended.counts.failed]).toEqual(isStopped ? [0, 36] : [36, 0]);
    expect(creates(sandbox)).toHaveLength(ended.counts.created);
  });

  test('An import by a program takes a row with a warning', async () => {
    const { marketplace } = await openAt();
    expect((await marketplace.importRows([{ ...requestAt(1), lang: 'xx' }])).counts.created).toBe(1);
  });

  test('An import by a program sends again what was created only if it is told to', async () => {
    const { sandbox, marketplace } = await openAt();
    const rows = rowsUpTo(2);
    const created = [];
    for (const again of [false, true, true, undefined])
      created.push((await marketplace.importRows(rows, { again, validate: false })).counts.created);
    expect([created, creates(sandbox).length]).toEqual([[2, 2, 2, 0], 6]);
  });

  test('An import by a program gives each deliberate second send a key of its own', async () => {
    const idempotency = { header: 'Idempotency-Key', format: 'text', windowSeconds: 600 } as const;
    const fields = ['country', 'fullname', 'phone', 'request_text', 'location', 'email', 'lang'];
    const parameters = fields.map((field) => parameter(field, { required: field === 'phone' }));
    // The sandbox knows a repetition by its key alone.
    const contract = contractWith({ create: { idempotency, parameters } });
    const sandbox = await sandboxWith({ contract });
    const stateFolder = folderOfTest();
    const contractFile = join(stateFolder, 'contract.json');
    writeFileSync(contractFile, JSON.stringify(contract), { mode: 0o600 });
    const marketplace = marketplaceAt(sandbox, { stateFolder, contractFile });
    const again = { validate: false, again: true };
    const sent = [
      await marketplace.create(requestAt(1), { validate: false }),
      await marketplace.create(requestAt(1), again),
      ...(await marketplace.importRows([requestAt(1)], again)).results,
      ...(await marketplace.importRows([requestAt(1)], again)).results,
    ];
    expect(sent.map(({ status }) => status)).toEqual(Array(4).fill('created'));
    expect(new Set(sent.map(({ ids }) => JSON.stringify(ids))).size).toBe(4);
  });

  test.each([
    ['park', 'unknown'],
    ['validate', 'created'],
    [undefined, 'created'],
  ] as const)('An import by a program that is told %j about unknown rows leaves them %s', async (inDoubt, status) => {
    const sandbox = await sandboxWith();
    const marketplace = marketplaceAt(sandbox, { stateFolder: folderOfTest() });
    const match = { request_text: requestAt(2).request_text };
    sandbox.setInstructions([{ on: 'create', fault: 'reset-after', match }]);
    const options: ImportOptions = { ...(inDoubt === undefined ? {} : { inDoubt }), settleMs: 500 };
    // The twelve others, of other customers, show that validate sees what was created.
    const rows = rowsUpTo(13).map((row, at) => ({ ...row, phone: `+3519123456${10 + at}` }));
    const imported = await marketplace.importRows(rows, options);
    expect(imported.results[1]?.status).toBe(status);
    expect(creates(sandbox)).toHaveLength(13);
  });

  test('An import by a program ends in order with its signal, and the next one sends what is left', async () => {
    const { sandbox, marketplace } = await openAt({ concurrency: 2 });
    const halt = new AbortController();
    let seen = 0;
    const onResult = () => {
      seen += 1;
      if (seen === 4) halt.abort();
    };
    const ended = await marketplace.importRows(rowsUpTo(40), { validate: false, signal: halt.signal, onResult });
    const { created, failed } = ended.counts;
    expect([created + failed, ended.rows, ended.stopped?.reason]).toEqual([40, 40, 'interrupted.signal']);
    expect([created >= 4, created < 40, creates(sandbox).length]).toEqual([true, true, created]);
    const rest = await marketplace.importRows(rowsUpTo(40), { validate: false });
    expect([rest.stopped, rest.counts.created, rest.counts.repeated]).toEqual([null, failed, created]);
  });

  test.each<[string, (error: Error) => unknown]>([
    [
      'throws',
      (error) => {
        throw error;
      },
    ],
    ['is rejected', (error) => Promise.reject(error)],
  ])('An import whose function for results %s ends in order with that error', async (_, fail) => {
    const { sandbox, marketplace } = await openAt({ concurrency: 2 });
    const own = new Error('the program’s own');
    let seen = 0;
    const onResult = () => {
      seen += 1;
      return seen === 4 ? (fail(own) as never) : undefined;
    };
    await expect(marketplace.importRows(rowsUpTo(40), { validate: false, onResult })).rejects.toMatchObject({
      ...{ code: 'interrupted', cause: own },
    });
    const there = creates(sandbox).length;
    expect([seen, there >= 4, there < 40]).toEqual([4, true, true]);
    const logged: string[] = [];
    for await (const { status } of marketplace.log()) logged.push(status);
    expect(logged).toEqual(Array(there).fill('created'));
  });

  test('An import by a program runs alone: other calls are refused meanwhile, and work afterwards', async () => {
    const { sandbox, marketplace } = await openAt();
    const refused = { code: 'usage', message: 'Another call is under way.', hint: 'Await it first.' };
    const creating = marketplace.create(requestAt(3));
    await expect(marketplace.importRows(rowsUpTo(4))).rejects.toMatchObject(refused);
    await creating;
    const importing = marketplace.importRows(rowsUpTo(4));
    await expect(marketplace.create(requestAt(20))).rejects.toMatchObject(refused);
    await expect(marketplace.resolve('abcdef', 'created')).rejects.toMatchObject(refused);
    expect(await marketplace.validate(requestAt(21))).toMatchObject({ verdict: 'clear' });
    expect((await importing).counts).toMatchObject({ repeated: 1, created: 3 });
    expect((await marketplace.create(requestAt(20))).status).toBe('created');
    expect(creates(sandbox)).toHaveLength(5);
  });

  test('An import by a program takes no further row once its signal has fired, and sends none', async () => {
    const { sandbox, marketplace } = await openAt();
    const halt = new AbortController();
    let given = 0;
    async function* rows() {
      for (const row of rowsUpTo(9)) {
        given += 1;
        if (given === 3) halt.abort();
        yield row;
      }
    }
    expect(await marketplace.importRows(rows(), { signal: halt.signal })).toMatchObject({
      ...{ rows: 3, counts: { failed: 3 }, stopped: { reason: 'interrupted.signal' } },
    });
    expect([given, creates(sandbox)]).toEqual([3, []]);
  });
});
