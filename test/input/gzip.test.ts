import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import { filesOpenHere } from '../helpers/open-files.ts';
import { openFile, readTable, scratchFile } from '../helpers/read-table.ts';

const csv = `country,phone\n${'PT,912345678\n'.repeat(50_000)}`;

it('a file packed with gzip is known by its first bytes and read as what is in it, as often as asked', async () => {
  const packed = scratchFile(gzipSync(csv));
  const { table, rows } = await readTable(packed);
  expect(rows).toHaveLength(50_000);
  expect(table).toMatchObject({ format: 'csv', encoding: 'UTF-8', notes: ['Unpacked while reading (gzip).'] });
  let again = 0;
  for await (const batch of table.rows()) again += batch.length;
  expect(again).toBe(50_000);
  expect(table.readBytes()).toBe(table.sizeBytes);
});

it('several members of a gzip file are one file', async () => {
  const { cells } = await readTable(scratchFile(Buffer.concat([gzipSync('a,b\n1,2\n'), gzipSync('3,4\n')])));
  expect(cells).toEqual([
    ['1', '2'],
    ['3', '4'],
  ]);
});

it('a gzip file that is cut off, damaged, empty or packed twice is refused', async () => {
  const whole = gzipSync(csv);
  const broken = Buffer.from(whole);
  broken.fill(0xff, 20, 60);
  for (const content of [whole.subarray(0, -6), whole.subarray(0, 15), broken]) {
    await expect(readTable(scratchFile(content))).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining('cut off or damaged'),
      hint: expect.stringContaining('gzip -t'),
    });
  }
  await expect(openFile(scratchFile(gzipSync('')))).rejects.toThrow('empty');
  await expect(openFile(scratchFile(gzipSync(whole)))).rejects.toThrow('packed twice');
});

it('a gzip file that changes between two passes is refused', async () => {
  const path = scratchFile(gzipSync(csv));
  const table = await openFile(path);
  appendFileSync(path, gzipSync('more,1\n'));
  await expect(table.rows()[Symbol.asyncIterator]().next()).rejects.toThrow('changed while it was read');
});

it.skipIf(process.platform !== 'linux')('a gzip file that is not read to its end is closed', async () => {
  const noise = randomBytes(3_000_000).toString('hex').replace(/.{60}/g, '$&\n');
  const path = scratchFile(gzipSync(`a\n${noise}`));
  for await (const _ of (await openFile(path)).rows()) break;
  await vi.waitFor(() => expect(filesOpenHere()).not.toContain(path), 60_000);
});

it('a gzip bomb is refused in bounded memory', async () => {
  const line = Buffer.from('PT,912345678\n'.repeat(1024 * 1024));
  const bomb = gzipSync(Buffer.concat([Buffer.from('country,phone\n'), ...Array<Buffer>(12).fill(line)]), { level: 9 });
  expect(bomb.length * 100).toBeLessThan(12 * line.length);
  const path = scratchFile(bomb, 'csv.gz');
  const before = process.memoryUsage().rss;
  await expect(openFile(path)).rejects.toThrow('more than 100 times its size');
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
});
