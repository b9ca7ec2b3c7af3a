import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { holds, ticked, visible } from './table.ts';
import { bodyText, deadLine, lineTo } from './wire.ts';

const head = (length: number) => `HTTP/1.1 201 Created\r\ncontent-length: ${length}\r\n\r\n`;
const BODY = '{"id":"R-1"}';

const PACKED = { gzip: gzipSync, br: brotliCompressSync } as const;

/** The bytes of a piece of `wire.md`. */
function bytesOf(piece: string): Buffer {
  const [, part, how = 'utf8', text = ''] = /^(?:(cut-|chunk-)?(gzip|br|latin1|utf-16[lb]e):)?(.*)$/s.exec(piece) ?? [];
  const packed = PACKED[how as 'gzip']?.(text) ?? iconv.encode(text, how, { addBOM: false });
  if (part === 'cut-') return packed.subarray(0, -1);
  const [before, after] = part === 'chunk-' ? [`${packed.length.toString(16)}\r\n`, '\r\n0\r\n\r\n'] : ['', ''];
  return Buffer.concat([Buffer.from(before), packed, Buffer.from(after)]);
}

holds(join(import.meta.dirname, 'wire.md'), 2, async ([pieces = '', then = '']) => {
  const line = await lineTo(
    pieces.split(' · ').map((piece) => bytesOf(ticked(piece))),
    then as 'stays',
  );
  const told = visible(await line.call());
  return [line.requests() === 1 ? told : `${told}, sent ${line.requests()} times`];
});

test('an encoded answer is undone up to 1 MiB and no further', async () => {
  const full = Buffer.alloc(1 << 20, 'a');
  const over = Buffer.concat([full, Buffer.from('a')]);
  expect((await bodyText(gzipSync(full), { 'content-encoding': 'gzip' }))?.length).toBe(1 << 20);
  expect(await bodyText(gzipSync(over), { 'content-encoding': 'gzip' })).toBeNull();
  expect(await bodyText(brotliCompressSync(over), { 'content-encoding': 'br' })).toBeNull();
});

test('nothing is written where nobody listens on the port', async () => {
  expect(await (await deadLine()).call()).toBe('nothing, not written');
});

test('calls share a connection as long as its answers are whole', async () => {
  const [kept, left] = [await lineTo([head(12) + BODY]), await lineTo([`${head(12) + BODY}and more`])];
  for (const line of [kept, left]) for (const _ of [1, 2, 3]) await line.call();
  expect([kept.connections(), left.connections()]).toEqual([1, 3]);
});
