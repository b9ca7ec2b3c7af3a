import { describe, expect, test } from 'vitest';
import type { Query } from '../../../src/store/postgres/database.ts';
import { migrate, NEWEST_SCHEMA, requireKnownSchema, schemaVersion } from '../../../src/store/postgres/migrations.ts';
import { type Asked, scriptedDatabase } from '../../helpers/scripted-database.ts';

/** A database with the tables of a version, and what else happens there. */
function tablesOf(version: number, answer: (asked: Asked) => void = () => {}) {
  const scene = { version };
  const database = scriptedDatabase((asked) => {
    answer(asked);
    if (asked.text.includes("c.relname = 'migration'")) return scene.version === 0 ? [] : [{}];
    if (asked.text.includes('max(number)')) return [{ number: scene.version }];
    if (asked.text.startsWith('insert into srq.migration')) scene.version = Number(asked.values[0]);
    return [];
  });
  let transactions: string[][] = [];
  const counted = {
    ...database,
    transaction: async <Result>(work: (query: Query) => Promise<Result>) => {
      const from = database.asked.length;
      const result = await database.transaction(work);
      transactions = [...transactions, database.asked.slice(from).map(({ text }) => text.trim())];
      return result;
    },
  };
  return { database: counted, scene, transactions: () => transactions };
}

test('each step is numbered, the next after the one before, and has a name', async () => {
  const { database } = tablesOf(0);
  const names = await migrate(database);
  const made = database.asked.filter(({ text }) => text.startsWith('insert into srq.migration'));
  expect(made.map(({ values }) => values)).toEqual(names.map((name, at) => [at + 1, name]));
  expect(names).toHaveLength(NEWEST_SCHEMA);
  expect(new Set(names).size).toBe(NEWEST_SCHEMA);
});

test('a step waits for whoever takes one, however long that is, then looks what there is, and is taken and noted at once', async () => {
  const { database, transactions } = tablesOf(NEWEST_SCHEMA - 1);
  expect(await migrate(database)).toHaveLength(1);
  expect(transactions()).toHaveLength(NEWEST_SCHEMA);
  for (const texts of transactions()) {
    expect(texts.slice(0, 2)).toEqual(['set local statement_timeout = 0', 'select pg_advisory_xact_lock($1, $2)']);
    expect(texts[3]).toContain('max(number)');
  }
  const last = transactions().at(-1) ?? [];
  expect(last.slice(4)).toEqual([expect.stringContaining('create function'), expect.stringContaining('insert into')]);
  // The number of the lock is the same for all versions: "srq", and 1.
  const locks = database.asked.filter(({ text }) => text.includes('pg_advisory'));
  expect(new Set(locks.map(({ values }) => JSON.stringify(values)))).toEqual(new Set(['[7565937,1]']));
});

test('nothing is done where all steps are taken, and of those that another takes meanwhile none again', async () => {
  const done = tablesOf(NEWEST_SCHEMA);
  expect(await migrate(done.database)).toEqual([]);
  expect(done.transactions()).toEqual([]);
  const raced = tablesOf(2, ({ text }) => {
    if (text.includes('pg_advisory')) raced.scene.version = NEWEST_SCHEMA;
  });
  expect(await migrate(raced.database)).toEqual([]);
  expect(raced.database.asked.filter(({ text }) => text.startsWith('insert'))).toEqual([]);
});

test('tables of a newer srq are left as they are, also where they come while this one waits', async () => {
  const newer = { reason: 'store.version', message: expect.stringContaining('was set up by a newer srq') };
  const there = tablesOf(NEWEST_SCHEMA + 1);
  await expect(migrate(there.database)).rejects.toMatchObject(newer);
  expect(there.transactions()).toEqual([]);
  const coming = tablesOf(NEWEST_SCHEMA - 1, ({ text }) => {
    if (text.includes('pg_advisory')) coming.scene.version = NEWEST_SCHEMA + 1;
  });
  await expect(migrate(coming.database)).rejects.toMatchObject(newer);
  expect(coming.database.asked.filter(({ text }) => text.startsWith('insert'))).toEqual([]);
});

test.each([
  [0, true],
  [NEWEST_SCHEMA, true],
  [NEWEST_SCHEMA + 1, false],
])('tables of version %s are known: %s', (number, isKnown) => {
  const known = () => requireKnownSchema(number, 'postgres://db.example/leads');
  if (isKnown) expect(known).not.toThrow();
  else expect(known).toThrow(`(tables ${number}, this one knows ${NEWEST_SCHEMA}). Nothing was sent.`);
});

describe('The version of the tables', () => {
  test.each([
    ['none', [], [], 0],
    ['those without a step', [{}], [{ number: null }], 0],
    ['those that tell nothing', [{}], [], 0],
    ['those of step 3', [{}], [{ number: 3 }], 3],
  ])('of %s', async (_, found, last, version) => {
    const { query } = scriptedDatabase(({ text }) => (text.includes('max(number)') ? last : found));
    expect(await schemaVersion(query)).toBe(version);
  });
});

test.each([
  [0, 'has no tables of srq yet, and this role may not create them. Nothing was sent.'],
  [3, `has tables of an older srq (3, needed: ${NEWEST_SCHEMA}), and this role may not create them. Nothing was sent.`],
])('a role that may take no step from version %s is told who may', async (version, said) => {
  const denied = Object.assign(new Error('permission denied'), { code: '42501' });
  const { database } = tablesOf(version, ({ text }) => {
    if (/^\s*(create|drop|do)/.test(text)) throw denied;
  });
  await expect(migrate(database)).rejects.toMatchObject({
    reason: 'store.not-ready',
    message: `The store ${database.shown} ${said}`,
    hint: expect.stringContaining('srq store migrate --store postgres://OWNER@HOST/DATABASE'),
    cause: denied,
  });
});

test('another failure of a step is told as it is', async () => {
  const broken = Object.assign(new Error('no room'), { code: '53100' });
  const { database } = tablesOf(3, ({ text }) => {
    if (text.includes('create table')) throw broken;
  });
  await expect(migrate(database)).rejects.toBe(broken);
});
