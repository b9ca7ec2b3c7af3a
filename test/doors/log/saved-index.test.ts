import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { logFolder } from '../../helpers/log-process.ts';
import { keyOf, lieInIndex, openLog, openLogIndex, openLogReader, subjectOf } from '../log.ts';

/** Enough records for an index to be saved, of some 180 bytes each. */
const REQUESTS = 30_000;
const HEADER_BYTES = 1 << 14;
const AT = '2026-03-01T09:15:00.000Z';

const { path } = logFolder();

const line = (row: number, event: string) =>
  `${JSON.stringify({ key: keyOf(row), event, at: AT, run: 'r', row, ref: `lead ${row}`, ...filler(row) })}\n`;
const filler = (row: number) => ({ message: 'x'.repeat(40 + (row % 7)) });

/** A log as long runs leave it: all were sent, and most were created. */
function writeLog(requests = REQUESTS): void {
  const rows = Array.from({ length: requests }, (_, row) => row);
  const ended = rows.filter((row) => row % 10 !== 3).map((row) => line(row, row % 10 === 5 ? 'rejected' : 'created'));
  writeFileSync(path, [...rows.map((row) => line(row, 'sending')), ...ended].join(''), { mode: 0o600 });
}

async function openAndClose(): Promise<void> {
  const log = await openLog(path);
  await log.close();
}

async function statesOf(rows: readonly number[]): Promise<string[]> {
  const { lookup } = await openLogIndex(path);
  return rows.map((row) => lookup(keyOf(row)));
}

const lie = (row: number) => lieInIndex(path, keyOf(row));

test('a log that has grown leaves its index beside it, for its owner alone; a small log leaves none', async () => {
  writeLog(100);
  await openAndClose();
  expect(existsSync(`${path}.index`)).toBe(false);
  writeLog();
  await openAndClose();
  expect(statSync(`${path}.index`).mode & 0o777).toBe(0o600);
  const { mtimeNs, ino } = statSync(`${path}.index`, { bigint: true });
  await openAndClose();
  expect(statSync(`${path}.index`, { bigint: true })).toMatchObject({ mtimeNs, ino });
});

test('the saved index knows what the log knows, and what was added since is read from the log', async () => {
  writeLog();
  const rows = Array.from({ length: REQUESTS }, (_, row) => row);
  const before = await statesOf(rows);
  await openAndClose();
  expect(await statesOf(rows)).toEqual(before);
  lie(3);
  expect(await statesOf([3])).toEqual(['created']);
  appendFileSync(path, line(3, 'rejected') + line(REQUESTS, 'sending'));
  expect(await statesOf([3, 4, 5, REQUESTS])).toEqual(['rejected', 'created', 'rejected', 'sending']);
  const log = await openLog(path);
  expect(log.lookup(keyOf(3))).toBe('rejected');
  expect(await log.sending(subjectOf(4), 'none')).toBe(false);
  expect(await log.sending(subjectOf(REQUESTS + 1), 'none')).toBe(true);
  await log.close();
  const reader = await openLogReader(path);
  expect(reader.read(keyOf(8))).toMatchObject({ row: 8, event: 'created' });
  await reader.close();
});

const broken: Record<string, () => void> = {
  'its index is cut': () => truncateSync(`${path}.index`, statSync(`${path}.index`).size - 4096),
  'a byte of its index is another': () => {
    const bytes = readFileSync(`${path}.index`);
    bytes[500_000] = (bytes[500_000] ?? 0) ^ 1;
    writeFileSync(`${path}.index`, bytes);
  },
  'its index was made by an srq that numbers the states otherwise': () => {
    const bytes = readFileSync(`${path}.index`);
    const header = bytes.toString('latin1', 0, HEADER_BYTES);
    const other = header.replace('created duplicate', 'duplicate created');
    expect(other).not.toBe(header);
    writeFileSync(`${path}.index`, Buffer.concat([Buffer.from(other, 'latin1'), bytes.subarray(HEADER_BYTES)]));
  },
  'its last records were written over': () => {
    const bytes = readFileSync(path);
    const fd = openSync(path, 'r+');
    writeSync(
      fd,
      line(REQUESTS - 1, 'created').replace('created', 'unknown'),
      bytes.length - line(REQUESTS - 1, 'created').length,
    );
    closeSync(fd);
  },
  'a line in its midst was deleted': () => {
    const lines = readFileSync(path, 'utf8').split('\n');
    lines.splice(REQUESTS / 2, 1);
    writeFileSync(path, lines.join('\n'));
  },
};

test.each(Object.keys(broken))('the log alone counts if the saved index %s', async (name) => {
  writeLog();
  await openAndClose();
  lie(3);
  broken[name]?.();
  const user = { uid: process.getuid?.() ?? null, isInStateFolder: false };
  const reader = await openLogReader(path, user);
  expect(reader.lookup(keyOf(3))).toBe('sending');
  expect(reader.lookup(keyOf(4))).toBe('created');
  await reader.close();
});

test('a draft of the index that was left by a process that died is replaced', async () => {
  writeLog();
  writeFileSync(`${path}.index.test`, 'an older draft');
  rmSync(`${path}.index`, { force: true });
  await openAndClose();
  expect(existsSync(`${path}.index`)).toBe(true);
  expect(existsSync(`${path}.index.test`)).toBe(false);
});
