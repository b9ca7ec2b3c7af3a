import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject } from 'vitest';
import type { Marketplace, MarketplaceOptions } from '../../src/library/api.ts';
import { answersFor, contractFile, contractOf, withKey } from '../helpers/contracts.ts';
import { requestOfRow } from '../helpers/delivery.ts';
import { test as deskTest } from '../helpers/desk.ts';
import { leadsCsv, requestAt } from '../helpers/leads.ts';
import { loadLibrary, optionsFor, startWithLibrary } from '../helpers/library.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';

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

test('the log is held by one process at a time, library or command, and others are told which', async ({
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

test.skipIf(process.platform !== 'linux')('a reading of the log that ends early closes the file', async ({ open }) => {
  const marketplace = await open();
  await marketplace.importRows([requestAt(1), requestAt(2)]);
  const opened = () => readdirSync('/proc/self/fd').length;
  const before = opened();
  for (let times = 0; times < 50; times++) for await (const _ of marketplace.log()) break;
  expect(opened()).toBeLessThan(before + 25);
});

deskTest('a contract that the command has learned is used from its file', async ({ desk, openSandbox }) => {
  const described = 'idempotency-openapi31.yaml';
  const sandbox = await openSandbox({ contract: withKey(await contractOf(described)) });
  desk.use(sandbox);
  const said = [...answersFor(described), '--set', 'Idempotency-Key=24h'];
  const learned = await desk.call('contract', 'learn', contractFile(described), '--yes', ...said);
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
