import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LOG_EVENTS } from '../../../src/request/log/status.ts';
import { decodeRecord, encodeRecord, isNewer, type LogLine, readLines } from '../../../src/store/file/record.ts';

const BLOCK_BYTES = 1 << 20;

/** What is found in a file with these bytes, and where the last line ends. */
async function linesOf(bytes: Buffer) {
  const folder = mkdtempSync(join(tmpdir(), 'srq-lines-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'log.ndjson');
  writeFileSync(path, bytes);
  const file = await open(path, 'r');
  onTestFinished(() => file.close());
  const found: LogLine[] = [];
  const blocks = readLines(file, 0);
  let block = await blocks.next();
  for (; !block.done; block = await blocks.next()) found.push(...block.value);
  return { found, end: block.value };
}

/** What there is to find, by the plainest of means. */
function expectedOf(texts: readonly string[]): LogLine[] {
  let offset = 0;
  return texts.map((text) => {
    const line = { text, offset };
    offset += Buffer.byteLength(text) + 1;
    return line;
  });
}

// A record that is lost where two blocks meet is a request that is sent twice.
test.each([-3, -2, -1, 0, 1, 2])(
  'lines of a log are read whole where one ends %i bytes beside the end of a block',
  async (by) => {
    const ends = [BLOCK_BYTES, 2 * BLOCK_BYTES];
    let offset = 0;
    const texts = ends.flatMap((blockEnd) => {
      const bytes = blockEnd - offset + by - 1;
      offset += bytes + 1 + 2;
      return ['é'.repeat(bytes >> 1) + 'x'.repeat(bytes & 1), 'a'];
    });
    const { found, end } = await linesOf(Buffer.from(`${texts.join('\n')}\n{"torn`));
    expect(end).toBe(offset);
    expect(isSame(found, expectedOf(texts))).toBe(true);
  },
);

/** The lines are too long to be shown. */
const isSame = (found: readonly LogLine[], expected: readonly LogLine[]) =>
  JSON.stringify(found) === JSON.stringify(expected);

test('empty lines of a log are lines, and one that is not UTF-8 costs only itself', async () => {
  const bytes = Buffer.concat([Buffer.from('\n\na\n'), Buffer.from([0xff, 0x0a]), Buffer.from('ü\n\n')]);
  const found = [
    { text: '', offset: 0 },
    { text: '', offset: 1 },
    { text: 'a', offset: 2 },
    { text: null, offset: 4 },
    { text: 'ü', offset: 6 },
    { text: '', offset: 9 },
  ];
  expect(await linesOf(bytes)).toEqual({ found, end: 10 });
  expect(await linesOf(Buffer.alloc(0))).toEqual({ found: [], end: 0 });
});

const SUBJECT = { key: 'a'.repeat(32), row: 7, ref: 'L-7', market: 'PT' };
const AT = '2026-11-21T00:00:00.000Z';

// A request that was settled by validate and is read as settled by nobody is taken for proof that validate is right.
test.each(['validate', 'person', 'idempotency', null] as const)('a record is read as it was written, by %s', (by) => {
  for (const event of LOG_EVENTS) {
    const details = { ids: { id: '1' }, http: 201, ms: 3, message: 'ok', raw: '{}', by, again: true };
    const line = encodeRecord(SUBJECT, event, AT, 'run', details).toString();
    expect(line.endsWith('}\n')).toBe(true);
    expect(decodeRecord(line.slice(0, -1))).toEqual({ ...SUBJECT, event, at: AT, run: 'run', ...details });
  }
});

test('a record of a later version is told apart from one that is damaged', () => {
  const line = (more: object) => JSON.stringify({ key: SUBJECT.key, event: 'created', at: AT, ...more });
  const bare = { ...{ run: '', row: 0, ref: null, ids: {}, http: null, ms: null }, message: null, raw: null, by: null };
  expect(decodeRecord(line({}))).toEqual({ key: SUBJECT.key, event: 'created', at: AT, ...bare, again: false });
  for (const [by, how] of [
    ['form 0123456789abcdef', { wireForm: '0123456789abcdef' }],
    ['clear', { wasClear: true }],
    ['looked', { looked: true }],
    ['clear looked form 3f9a', { wasClear: true, looked: true, wireForm: '3f9a' }],
  ] as const)
    expect(decodeRecord(line({ by }))).toMatchObject({ by: null, ...how });
  for (const by of ['', 'clear ', 'looked clear', 'clearlooked', 'form ', 'clear unheard'])
    expect(decodeRecord(line({ by }))).toEqual(decodeRecord(line({})));
  expect(decodeRecord(line({ by: 'somebody', again: 'yes', ids: null, row: '7', http: '201' }))).toEqual(
    decodeRecord(line({})),
  );
  const reasonOf = (more: object) => String(decodeRecord(line(more)));
  expect([reasonOf({ event: 'refunded' }), reasonOf({ recipe: 99 })].map(isNewer)).toEqual([true, true]);
  expect([reasonOf({ key: 'abc' }), reasonOf({ at: 'yesterday' }), String(decodeRecord(null))].map(isNewer)).toEqual([
    false,
    false,
    false,
  ]);
});
