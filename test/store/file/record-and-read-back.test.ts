import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/request/outcome.ts';
import { readLog } from '../../../src/store/file/file-store.ts';
import { CREATED, failureOf, keyOf, openLog, openLogIndex, readAll, subjectOf } from '../../helpers/log-subjects.ts';
import { longLog } from '../../helpers/long-log.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'srq-log-'));
  path = join(directory, 'new', 'deeper', 'partner.ndjson');
});
afterEach(() => rmSync(directory, { recursive: true }));

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

test('what is recorded is read back as it was: 20 digits, quotes, line breaks, emoji and half an emoji', async () => {
  const ref = 'a "quoted" \\ ref,\r\nover\u2028two lines 🧳 \ud83e \u0000 {"key":1}\n';
  const outcome: Outcome = {
    status: 'created',
    ids: { request_id: '12345678901234567890', 'odd "name"\n': '00017' },
    http: 201,
    ms: 1234,
    message: 'Größe “ok”',
    raw: '{"id":12345678901234567890}\n',
  };
  const log = await openLog(path);
  expect(await log.sending({ ...subjectOf(1), ref }, 'none')).toBe(true);
  await log.outcome({ ...subjectOf(1), ref }, outcome);
  await log.outcome(subjectOf(2), { status: 'failed', ids: {}, http: null, ms: null, message: null, raw: null });
  const { status, ...details } = outcome;
  const recorded = { ...subjectOf(1), ref, event: status, run: 'test', ...details };
  expect(log.read(keyOf(1))).toMatchObject(recorded);
  await log.close();

  const [first, second, ...none] = await readAll(path);
  expect(first).toMatchObject(recorded);
  expect(Date.now() - Date.parse(first?.at ?? '')).toBeLessThan(60_000);
  expect(second).toMatchObject({ ...subjectOf(2), event: 'failed', ids: {}, http: null, ms: null, raw: null });
  expect(none).toEqual([]);
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(4);
});

test('records are read back in any order, long ones and those that are added meanwhile among them', async () => {
  const log = await openLog(path);
  const refs = new Map<number, string>();
  const add = async (row: number, letters: number) => {
    refs.set(row, `${row} `.padEnd(letters, 'x'));
    await log.sending({ ...subjectOf(row), ref: refs.get(row) ?? '' }, 'none');
  };
  for (let row = 1; row <= 100; row++) await add(row, row % 10 === 0 ? 20_000 : 200);
  expect(log.read(keyOf(100))?.ref).toBe(refs.get(100));
  await add(101, 100_000);
  await add(102, 10);
  const rows = [...refs.keys()];
  for (const row of [...rows, ...rows.toReversed(), 102, 1, 50, 2, 101, 102]) {
    expect([row, log.read(keyOf(row))?.ref]).toEqual([row, refs.get(row)]);
  }
  await log.close();
});

test.skipIf(process.platform !== 'linux')(
  'to read one record costs some of those around it, however long the log',
  async () => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, longLog(20_000));
    const log = await openLog(path);
    const bytesRead = () => Number(/^rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
    const before = bytesRead();
    for (const row of [2_000, 100, 10_000]) expect(log.read(row.toString(16).padStart(32, '0'))?.ref).toBe(`L-${row}`);
    expect(bytesRead() - before).toBeLessThan(1 << 20);
    await log.close();
  },
);

test('a log that is opened again knows every key as it was left', async () => {
  const log = await openLog(path);
  await Promise.all([1, 2, 3].map((row) => log.sending(subjectOf(row), 'none')));
  await log.outcome(subjectOf(2), CREATED);
  await log.outcome(subjectOf(3), { ...CREATED, status: 'rejected' });
  await log.close();
  const again = await openLog(path);
  expect([0, 1, 2, 3].map((row) => again.lookup(keyOf(row)))).toEqual(['none', 'sending', 'created', 'rejected']);
  expect(again.read(keyOf(0))).toBeNull();
  expect(again.read(keyOf(3))?.event).toBe('rejected');
  await again.close();
  const index = await openLogIndex(path);
  expect([0, 1, 2, 3].map((row) => index.lookup(keyOf(row)))).toEqual(['none', 'sending', 'created', 'rejected']);
});

test('the log and all beside it are for their owner alone', async () => {
  const log = await openLog(path);
  await log.close();
  expect([modeOf(join(directory, 'new')), modeOf(join(directory, 'new', 'deeper'))]).toEqual(['700', '700']);
  const files = readdirSync(join(directory, 'new', 'deeper'));
  expect(files.sort()).toEqual(['partner.ndjson', 'partner.ndjson.append-lock', 'partner.ndjson.lock']);
  for (const file of files) expect(modeOf(join(directory, 'new', 'deeper', file)), file).toBe('600');
});

test('a request is recorded as being sent once, also when it is asked for twice in the same moment', async () => {
  const log = await openLog(path);
  const both = await Promise.all([log.sending(subjectOf(1), 'none'), log.sending(subjectOf(1), 'none')]);
  expect(both).toEqual([true, false]);
  expect(await log.sending(subjectOf(1), 'none')).toBe(false);
  expect(await log.sending(subjectOf(1), 'sending')).toBe(true);
  await log.close();
  expect(readFileSync(path, 'utf8').match(/sending/g)).toHaveLength(2);
});

test('closing waits for what was asked for before it, and nothing is taken after it', async () => {
  const log = await openLog(path);
  const asked = Array.from({ length: 50 }, (_, row) => log.sending(subjectOf(row), 'none'));
  await Promise.all([log.close(), log.close()]);
  expect(await Promise.all(asked)).toEqual(asked.map(() => true));
  await failureOf(log.sending(subjectOf(99), 'none'));
  await log.close();
  expect(await readAll(path)).toHaveLength(50);
});

describe('A log that is taken away while it is in use stops its run', () => {
  test.each([
    ['deleted', () => rmSync(path)],
    ['shortened', () => truncateSync(path, 10)],
  ])('when it is %s', async (_, takeAway) => {
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

test('a log refuses a second run also by another name of the same file', async () => {
  const log = await openLog(path);
  const link = join(directory, 'link.ndjson');
  symlinkSync(path, link);
  const failure = await failureOf(openLog(link));
  expect(failure).toMatchObject({ code: 'log', message: expect.stringContaining(`process ${process.pid}`) });
  await log.close();
});

describe('Reading a log', () => {
  test('finds nothing in one that does not exist, and does not make it', async () => {
    expect(await readAll(path)).toEqual([]);
    expect((await openLogIndex(path)).lookup(keyOf(1))).toBe('none');
    expect(readdirSync(directory)).toEqual([]);
  });

  test('gives the last record of each request, in the order in which they were written', async () => {
    const log = await openLog(path);
    for (const row of [1, 2, 3]) await log.sending(subjectOf(row), 'none');
    await log.outcome(subjectOf(3), CREATED);
    await log.outcome(subjectOf(1), CREATED);
    await log.close();
    const told = (await readAll(path)).map(({ row, event }) => `${row} ${event}`);
    expect(told).toEqual(['2 sending', '3 created', '1 created']);
  });

  test('passes over the line that another process has not finished, and changes nothing', async () => {
    const log = await openLog(path);
    await log.sending(subjectOf(1), 'none');
    appendFileSync(path, `{"key":"${keyOf(2)}","event":"sen`);
    const before = readFileSync(path);
    expect((await readAll(path)).map(({ row }) => row)).toEqual([1]);
    expect((await openLogIndex(path)).lookup(keyOf(2))).toBe('none');
    expect(readFileSync(path).equals(before)).toBe(true);
    await log.close();
  });

  test('streams while a writer is at work, and sees what there was when it began', async () => {
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
