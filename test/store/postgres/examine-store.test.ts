import { describe, expect, test } from 'vitest';
import { examineStore } from '../../../src/store/postgres/examine-store.ts';
import { NEWEST_SCHEMA } from '../../../src/store/postgres/migrations.ts';
import { type Asked, scriptedDatabase } from '../../helpers/scripted-database.ts';

const SERVER = {
  ...{ version: '15.4', number: 150_004, role: 'sender', standby: false, read_only: false, fsync: 'on' },
  ...{ full_page_writes: 'on', standbys: 0, synchronous: '', unlogged: null },
};

/** A store with the tables of a version, or without any. */
function storeOf(server: object | null, { schema = NEWEST_SCHEMA, lacking = [] as string[] } = {}) {
  const asked: string[] = [];
  const database = scriptedDatabase(({ text }: Asked) => {
    asked.push(text);
    if (text.includes('pg_stat_replication')) return server === null ? [] : [{ ...SERVER, ...server }];
    if (text.includes('has_table_privilege')) return lacking.map((lacked) => ({ lacked }));
    if (text.includes('max(number)')) return [{ number: schema }];
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

test.each([
  [0, true],
  [1, true],
  [NEWEST_SCHEMA - 1, true],
  [NEWEST_SCHEMA, false],
])('with tables of version %s it is behind: %s', async (schema, isBehind) => {
  expect(await storeOf({}, { schema }).examined()).toMatchObject({ isBehind });
});

test('tables of a newer srq are refused', async () => {
  await expect(storeOf({}, { schema: NEWEST_SCHEMA + 1 }).examined()).rejects.toMatchObject({
    reason: 'store.version',
    message: expect.stringContaining(`tables ${NEWEST_SCHEMA + 1}, this one knows ${NEWEST_SCHEMA}`),
    hint: expect.stringContaining('Update srq'),
  });
});

describe('Rights that the role lacks', () => {
  const lacking = ['INSERT on srq.state', 'USAGE on srq.record_id'];

  test('are named, where there are tables', async () => {
    const { database, examined } = storeOf({}, { lacking });
    await expect(examined()).rejects.toMatchObject({
      reason: 'store.not-ready',
      message: `The role sender lacks rights in the store ${database.shown}: INSERT on srq.state, USAGE on srq.record_id.`,
      hint: expect.stringContaining('docs/scale.md'),
    });
    await expect(storeOf({}, { schema: 1, lacking: ['INSERT on srq.state'] }).examined()).rejects.toMatchObject({
      reason: 'store.not-ready',
    });
  });

  test('are not looked for where there are none yet', async () => {
    const { examined, looksForRights } = storeOf({}, { schema: 0, lacking });
    expect(await examined()).toMatchObject({ isBehind: true });
    expect(looksForRights()).toBe(false);
  });
});

test.each([
  [0, '', 'It has no standby.', false],
  [1, '', 'It has 1 standby, which commits do not wait for.', true],
  [2, '', 'It has 2 standbys, which commits do not wait for.', true],
  [10, '', 'It has 10 standbys, which commits do not wait for.', true],
  [0, 'a', 'Each commit waits for a standby (a).', false],
  [1, 'FIRST 1 (a, b)', 'Each commit waits for a standby (FIRST 1 (a, b)).', false],
])('%s standbys of which commits wait for "%s": %s', async (standbys, synchronous, replication, isDangerous) => {
  const { dangers, ...found } = await storeOf({ standbys, synchronous }).examined();
  expect(found).toMatchObject({ replication });
  expect(dangers).toEqual(
    isDangerous
      ? [
          {
            message: expect.stringContaining('If one of them takes over, the last commits can be missing there'),
            hint: expect.stringContaining('Set synchronous_standby_names'),
          },
        ]
      : [],
  );
});

test.each([
  [{ fsync: 'off' }, 'The server runs with fsync off: a power cut can lose records.'],
  [{ full_page_writes: 'off' }, 'The server runs with full_page_writes off: a power cut can lose records.'],
  [
    { fsync: 'off', full_page_writes: 'off' },
    'The server runs with fsync and full_page_writes off: a power cut can lose records.',
  ],
])('%j is dangerous', async (server, message) => {
  const { dangers } = await storeOf(server).examined();
  expect(dangers).toEqual([{ message, hint: expect.stringContaining('Turn both on in postgresql.conf') }]);
});

test('tables that a crash empties are dangerous, also beside all other dangers', async () => {
  const unlogged = ['srq.account', 'srq.state'];
  const { dangers } = await storeOf({ unlogged, fsync: 'off', standbys: 1 }).examined();
  expect(dangers).toHaveLength(3);
  expect(dangers[1]).toEqual({
    message: 'These tables are unlogged, and empty after a crash of the server: srq.account, srq.state.',
    hint: 'Let their owner do, for each: alter table srq.account set logged',
  });
});
