import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { logFolder } from '../../helpers/log-process.ts';
import { CREATED, failureOf, keyOf, openLog, openLogIndex, readAll, readLog, subjectOf } from '../log.ts';

const { directory } = logFolder();
const path = join(directory, 'new', 'deeper', 'partner.ndjson');

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

test('records can be read back in any order, long ones and those added meanwhile among them', async () => {
  const log = await openLog(path);
  const refs = new Map<number, string>();
  const add = async (row: number, letters: number) => {
    refs.set(row, `${row} `.padEnd(letters, 'x'));
    await log.sending({ ...subjectOf(row), ref: refs.get(row) ?? '' }, 'none');
  };
  for (let row = 1; row <= 100; row++) await add(row, row % 10 === 0 ? 20_000 : 200);
  expect((await log.read(keyOf(100)))?.ref).toBe(refs.get(100));
  await add(101, 100_000);
  await add(102, 10);
  const rows = [...refs.keys()];
  for (const row of [...rows, ...rows.toReversed(), 102, 1, 50, 2, 101, 102]) {
    expect([row, (await log.read(keyOf(row)))?.ref]).toEqual([row, refs.get(row)]);
  }
  await log.close();
});

test('the log and all beside it are for their owner alone', async () => {
  const log = await openLog(path);
  await log.close();
  expect([modeOf(join(directory, 'new')), modeOf(join(directory, 'new', 'deeper'))]).toEqual(['700', '700']);
  const files = readdirSync(join(directory, 'new', 'deeper'));
  expect(files.sort()).toEqual(['partner.ndjson', 'partner.ndjson.lock']);
  for (const file of files) expect(modeOf(join(directory, 'new', 'deeper', file)), file).toBe('600');
});

describe('A log that is taken away while it is in use stops its run', () => {
  test.each([
    ['deleted', () => rmSync(path)],
    ['shortened', () => truncateSync(path, 10)],
  ])('A log that is taken away while it is in use stops its run: %s', async (_, takeAway) => {
    const log = await openLog(path);
    await log.sending(subjectOf(1), 'none');
    takeAway();
    const failure = await failureOf(log.sending(subjectOf(2), 'none'));
    expect(failure).toMatchObject({ code: 'log', message: expect.stringContaining('was deleted or shortened') });
    await failureOf(log.outcome(subjectOf(1), CREATED));
    await log.close();
  });
});

test('a log that cannot be opened, for whatever reason, leaves no file open', async () => {
  const log = await openLog(path);
  const damaged = join(directory, 'damaged.ndjson');
  writeFileSync(damaged, 'no record\n');
  const lockedOut = join(directory, 'locked-out.ndjson');
  mkdirSync(`${lockedOut}.lock`);
  const openFiles = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);
  const before = openFiles();
  for (const bad of [directory, join(path, 'below'), path, damaged, lockedOut]) {
    expect((await failureOf(openLog(bad))).code).toBe('log');
    expect(openFiles(), bad).toBe(before);
  }
  await log.close();
});

describe('Reading a log', () => {
  test('Reading a log passes over the line that another process has not finished, and changes nothing', async () => {
    const log = await openLog(path);
    await log.sending(subjectOf(1), 'none');
    appendFileSync(path, `{"key":"${keyOf(2)}","event":"sen`);
    const before = readFileSync(path);
    expect((await readAll(path)).map(({ row }) => row)).toEqual([1]);
    expect((await openLogIndex(path)).lookup(keyOf(2))).toBe('none');
    expect(readFileSync(path).equals(before)).toBe(true);
    await log.close();
  });

  test('Reading a log while a writer is at work gives what there was when it began', async () => {
    const log = await openLog(path);
    await Promise.all(Array.from({ length: 20_000 }, (_, row) => log.sending(subjectOf(row), 'none')));
    const rows: number[] = [];
    for await (const { row } of readLog(path)) {
      rows.push(row);
      if (rows.length % 5_000 === 0) await log.sending(subjectOf(100_000 + rows.length), 'none');
    }
    expect(rows).toEqual(Array.from({ length: 20_000 }, (_, row) => row));
    await log.close();
  });
});
