import { expect, test } from 'vitest';
import type { Query } from '../../../src/store/postgres/database.ts';
import { migrate, NEWEST_SCHEMA } from '../../doors/store.ts';
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
