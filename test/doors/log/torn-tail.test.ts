import { appendFileSync, copyFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { logFolder } from '../../helpers/log-process.ts';
import { CREATED, failureOf, keyOf, linesOf, openLog, openLogIndex, readAll, subjectOf } from '../log.ts';

const fixtures = new URL('../../../fixtures/log/', import.meta.url).pathname;
const { directory, path } = logFolder();

const tornFiles = () => readdirSync(directory).filter((name) => name.includes('.torn-'));

/** Opens what is at `path`, records one more request, and says what the log then holds. */
async function goOn(): Promise<string[]> {
  const log = await openLog(path);
  expect(await log.sending(subjectOf(99), 'none')).toBe(true);
  await log.close();
  return (await readAll(path)).map(({ row, event }) => `${row} ${event}`);
}

async function writeWholeLog(at = path): Promise<Buffer> {
  const log = await openLog(at);
  for (const row of [1, 2, 3]) {
    await log.sending({ ...subjectOf(row), ref: `größer ${row} 🧳` }, 'none');
    await log.outcome(subjectOf(row), CREATED);
  }
  await log.close();
  return readFileSync(at);
}

test('a log cut at any byte of its last three records opens with every whole record', async () => {
  const whole = await writeWholeLog();
  const lines = whole.toString().split('\n').slice(0, 6);
  const from = Buffer.byteLength(`${lines.slice(0, 3).join('\n')}\n`);
  for (let cut = from; cut < whole.length; cut++) {
    writeFileSync(path, whole.subarray(0, cut));
    // As if what is cut had never been synced.
    rmSync(`${path}.lock`, { force: true });
    const left = whole.subarray(0, cut).lastIndexOf('\n') + 1;
    expect((await openLogIndex(path)).lookup(keyOf(1)), `read at byte ${cut}`).toBe('created');
    await goOn();
    const now = readFileSync(path);
    expect(now.subarray(0, left).equals(whole.subarray(0, left)), `whole records at byte ${cut}`).toBe(true);
    expect(now.subarray(left).toString().split('\n')).toEqual([expect.stringContaining(keyOf(99)), '']);
    const kept = tornFiles().map((name) => readFileSync(join(directory, name)));
    expect(Buffer.concat(kept).equals(whole.subarray(left, cut)), `kept aside at byte ${cut}`).toBe(true);
    for (const name of tornFiles()) rmSync(join(directory, name));
  }
});

test.each([1, 3_000_000])('a tail of %i zeros, as a power cut leaves, is cut and kept aside', async (zeros) => {
  const whole = await writeWholeLog();
  appendFileSync(path, Buffer.alloc(zeros));
  expect(await goOn()).toEqual(['1 created', '2 created', '3 created', '99 sending']);
  expect(readFileSync(path).subarray(0, whole.length).equals(whole)).toBe(true);
  const [kept = ''] = tornFiles();
  expect(readFileSync(join(directory, kept)).equals(Buffer.alloc(zeros))).toBe(true);
});

test('a torn tail that cannot be kept aside is not cut', async () => {
  // Long enough that the names of the locks can be, and that of the copy cannot.
  const path = join(directory, 'x'.repeat(242));
  const whole = await writeWholeLog(path);
  const torn = '{"key":"a';
  appendFileSync(path, torn);
  await failureOf(openLog(path));
  expect(readFileSync(path, 'utf8')).toBe(whole + torn);
  expect(tornFiles()).toEqual([]);
});

test('a tail that another process tore while this one had the log open is cut before the next record', async () => {
  const log = await openLog(path);
  await log.sending(subjectOf(1), 'none');
  appendFileSync(path, `{"key":"${keyOf(2)}","event":"sen`);
  expect(await log.sending(subjectOf(3), 'none')).toBe(true);
  await log.close();
  expect((await readAll(path)).map(({ row }) => row)).toEqual([1, 3]);
  expect(tornFiles()).toHaveLength(1);
});

// A record that is lost where two blocks of the file meet is a request that is sent twice.
test.each([-3, -2, -1, 0, 1, 2])('a line is read whole that ends %i bytes beside the end of a block', async (by) => {
  const blockBytes = 1 << 20;
  let end = 0;
  const texts = [1, 2].flatMap((blocks) => {
    const bytes = blocks * blockBytes - end + by - 1;
    end += bytes + 3;
    return ['é'.repeat(bytes >> 1) + 'x'.repeat(bytes & 1), 'a'];
  });
  writeFileSync(path, `${texts.join('\n')}\n{"torn`);
  const read = await linesOf(path, () => {});
  // The lines are too long to be shown.
  expect([read.end, read.texts.join('\n') === texts.join('\n')]).toEqual([end, true]);
});

test('a tail that another process cuts and writes over while the file is being read is no damage', async () => {
  writeFileSync(path, '{"a":1}\n{"torn":');
  const read = await linesOf(path, () => {
    truncateSync(path, 8);
    appendFileSync(path, '{"written":"by another process"}\n');
  });
  expect(read).toEqual({ texts: ['{"a":1}'], end: 8 });
});

describe('A line that is damaged before the end refuses the log, names the line and leaves the file alone', () => {
  const line = (change: object) =>
    JSON.stringify({ key: keyOf(7), event: 'sending', at: '', run: '', row: 7, ...change });
  const kinds: [string, Buffer | string][] = [
    ['broken JSON', `${line({}).slice(0, 60)}`],
    ['JSON cut in front', line({}).slice(9)],
    ['a key too short', line({ key: 'abc' })],
    ['a key of other letters', line({ key: keyOf(7).toUpperCase().replace(/^./, 'X') })],
    ['a key that is a number', line({ key: 7 })],
    ['an event of another version', line({ event: 'refunded' })],
    ['zeros', Buffer.alloc(100)],
    ['zeros before a record', Buffer.concat([Buffer.alloc(10), Buffer.from(line({}))])],
    ['a byte that is not UTF-8', Buffer.from(line({ ref: 'M\u00fcller' }), 'latin1')],
  ];
  test.each(kinds)('A log with a damaged line before the end is refused, and left alone: %s', async (_, damage) => {
    const whole = await writeWholeLog();
    const middle = whole.indexOf('\n', whole.indexOf('\n') + 1) + 1;
    const parts = [whole.subarray(0, middle), Buffer.from(damage), Buffer.from('\n'), whole.subarray(middle)];
    const damaged = Buffer.concat(parts);
    writeFileSync(path, damaged);
    const refusals = [
      await failureOf(openLog(path)),
      await failureOf(readAll(path)),
      await failureOf(openLogIndex(path)),
    ];
    for (const { code, message, hint } of refusals) {
      expect(code).toBe('log');
      expect(message).toContain('line 3 ');
      expect(hint).toContain('Delete the line only if it is certainly not a record');
    }
    expect(readFileSync(path).equals(damaged)).toBe(true);
    expect(tornFiles()).toEqual([]);
  });

  test('A run stops at a damaged line that it finds while it has the log open', async () => {
    const log = await openLog(path);
    await log.sending(subjectOf(1), 'none');
    appendFileSync(path, 'someone was here\n');
    expect((await failureOf(log.sending(subjectOf(2), 'none'))).message).toContain('line 2 ');
    await failureOf(log.sending(subjectOf(3), 'none'));
    await log.close();
  });
});

describe('fixtures/log', () => {
  const rows = readFileSync(`${fixtures}README.md`, 'utf8')
    .split('\n')
    .filter((row) => row.startsWith('| `'))
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );

  test.each(rows)('The log fixtures/log/%s: %s', async (file = '', expected = '') => {
    copyFileSync(fixtures + file, path);
    if (expected.startsWith('line ')) {
      expect((await failureOf(openLog(path))).message).toContain(`${expected} cannot be read`);
      return;
    }
    const log = await openLog(path);
    await log.close();
    const told = (await readAll(path)).map(({ row, event }) => `${row} ${event}`);
    expect(told.join(', ')).toBe(expected);
    expect(tornFiles()).toHaveLength(file.startsWith('whole') ? 0 : 1);
  });

  test('The README of fixtures/log describes every file', () => {
    const files = readdirSync(fixtures).filter((name) => name.endsWith('.ndjson'));
    expect(rows.map(([file]) => file).sort()).toEqual(files.sort());
  });
});
