import { expect, test } from 'vitest';
import { examineStore } from '../../doors/store.ts';
import { type Asked, scriptedDatabase } from '../../helpers/scripted-database.ts';

const SERVER = {
  ...{ version: '15.4', number: 150_004, role: 'sender', standby: false, read_only: false, fsync: 'on' },
  ...{ full_page_writes: 'on', standbys: 0, synchronous: '' },
};

/** A store with the tables of a version, or without any. */
function storeOf(server: object | null, { schema = 1, held = null as string | null, lacking = [] as string[] } = {}) {
  const asked: string[] = [];
  const database = scriptedDatabase(({ text }: Asked) => {
    asked.push(text);
    if (text.includes('pg_stat_replication')) return server === null ? [] : [{ ...SERVER, ...server }];
    if (text.includes('has_table_privilege')) return lacking.map((lacked) => ({ lacked }));
    if (text.includes('coalesce(held')) return [{ unknown: 0, held }];
    if (text.includes('select version')) return [{ version: schema }];
    return schema === 0 ? [] : [{}];
  });
  const looksForRights = () => asked.some((text) => text.includes('has_table_privilege'));
  return { database, examined: () => examineStore(database), looksForRights };
}

test('a store that suits is told with its server, and whoever uses it', async () => {
  expect(await storeOf({}).examined()).toEqual({
    ...{ server: 'PostgreSQL 15.4', role: 'sender', isBehind: false, replication: 'It has no standby.', dangers: [] },
  });
});

test.each([
  [{ version: '12.17', number: 129_999 }, 'is PostgreSQL 12.17; 13 or later is needed.'],
  [null, 'is PostgreSQL of an unknown version; 13 or later is needed.'],
])('%j is refused as too old', async (server, said) => {
  const { database, examined } = storeOf(server);
  await expect(examined()).rejects.toMatchObject({
    reason: 'store.version',
    message: `The store ${database.shown} ${said}`,
    hint: expect.stringContaining('Name a newer server'),
  });
});

test.each([130_000, 130_001, 170_002])('version %s is new enough', async (number) => {
  expect(await storeOf({ number }).examined()).toMatchObject({ dangers: [] });
});

test.each([
  [{ standby: true, read_only: true }, /is a standby and takes no writing\.$/, 'Name the primary server'],
  [
    { read_only: true },
    /takes no writing: its database, or the role sender, is set to read only\.$/,
    'reset default_transaction_read_only',
  ],
])('%j is refused', async (server, message, hint) => {
  await expect(storeOf(server).examined()).rejects.toMatchObject({
    reason: 'store.read-only',
    message: expect.stringMatching(message),
    hint: expect.stringContaining(hint),
  });
});

test('tables of a newer srq are refused', async () => {
  await expect(storeOf({}, { schema: 2 }).examined()).rejects.toMatchObject({
    reason: 'store.version',
    message: expect.stringContaining('tables 2, this one knows 1'),
    hint: expect.stringContaining('Update srq'),
  });
});

test('a store through which nothing is sent before a person says so is told as such', async () => {
  const { dangers } = await storeOf({}, { held: 'lost' }).examined();
  expect(dangers).toEqual([
    { message: expect.stringContaining('Nothing is sent'), hint: expect.stringContaining('resume') },
  ]);
});
