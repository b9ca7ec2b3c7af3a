import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { bodyText } from '../../src/service/wire/http.ts';

const TEXT = '{"id":"4711","näme":"é"}';
const BYTES = Buffer.from(TEXT);
const MEBIBYTE = 1 << 20;
const read = async (bytes: Buffer, headers: Record<string, string>) => bodyText(bytes, headers);

describe('an encoding that nobody asked for', () => {
  test.each<[string, Buffer]>([
    ['gzip', gzipSync(BYTES)],
    ['x-gzip', gzipSync(BYTES)],
    ['GZip', gzipSync(BYTES)],
    ['br', brotliCompressSync(BYTES)],
    ['identity', BYTES],
    ['', BYTES],
  ])('an encoding of the body that nobody asked for is undone: %s', async (encoding, bytes) => {
    expect(await read(bytes, { 'content-encoding': encoding })).toBe(TEXT);
  });

  test('an encoding of the body is undone where it was put on for the way', async () => {
    expect(await read(gzipSync(BYTES), { 'transfer-encoding': 'gzip, chunked' })).toBe(TEXT);
    expect(await read(BYTES, { 'transfer-encoding': 'Chunked' })).toBe(TEXT);
  });

  test.each<[string, Buffer]>([
    ['zstd', BYTES],
    ['gzip;q=1', gzipSync(BYTES)],
    ['gzip', BYTES],
    ['br', BYTES],
    ['deflate', deflateSync(BYTES)],
    ['gzip, br', brotliCompressSync(gzipSync(BYTES))],
  ])('an encoding that is unknown, or not what it says, leaves nothing: %s', async (encoding, bytes) => {
    expect(await read(bytes, { 'content-encoding': encoding })).toBeNull();
  });

  test.each<[string, Buffer]>([
    ['gzip', gzipSync(BYTES)],
    ['br', brotliCompressSync(BYTES)],
  ])('an encoded body leaves nothing, wherever it was cut: %s', async (encoding, bytes) => {
    for (let end = 1; end < bytes.length; end++) {
      expect([end, await read(bytes.subarray(0, end), { 'content-encoding': encoding })]).toEqual([end, null]);
    }
  });

  test('an encoded body without a byte has no encoding', async () => {
    expect(await read(Buffer.alloc(0), { 'content-encoding': 'gzip' })).toBe('');
  });

  test('an encoded body is undone up to 1 MiB and no further', async () => {
    const full = Buffer.alloc(MEBIBYTE, 'a');
    expect((await read(gzipSync(full), { 'content-encoding': 'gzip' }))?.length).toBe(MEBIBYTE);
    for (const [name, pack] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ] as const) {
      const over = pack(Buffer.concat([full, Buffer.from('a')]));
      expect([name, await read(over, { 'content-encoding': name })]).toEqual([name, null]);
    }
  });

  test('an encoded body that would fill the memory is given up before it does', async () => {
    const member = gzipSync(Buffer.alloc(16 * MEBIBYTE));
    const bomb = Buffer.concat(Array.from({ length: Math.floor(MEBIBYTE / member.length) }, () => member));
    const before = process.resourceUsage().maxRSS;
    expect(await read(bomb, { 'content-encoding': 'gzip' })).toBeNull();
    expect(await read(gzipSync(bomb), { 'content-encoding': 'gzip, gzip' })).toBeNull();
    // Whole, the first would take 1 GiB.
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(128 * 1024);
  });
});

describe('the characters of a body', () => {
  const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

  test.each<[string, Buffer, string]>([
    ['none named', BYTES, 'application/json'],
    ['UTF-8', BYTES, 'application/json; charset=UTF-8'],
    ['an unknown charset', BYTES, 'application/json; charset=klingon'],
    ['Latin-1', Buffer.from(TEXT, 'latin1'), 'application/json; charset=ISO-8859-1'],
    ['quoted', Buffer.from(TEXT, 'latin1'), 'text/plain; format=flowed; charset="latin1"'],
    ['UTF-16', Buffer.from(TEXT, 'utf16le'), 'application/json;charset=utf-16le'],
    ['UTF-16, the other way round', utf16be(TEXT), 'application/json; charset=UTF-16BE'],
  ])('the characters of a body are read as they were written: %s', async (_, bytes, type) => {
    expect(await read(bytes, { 'content-type': type })).toBe(TEXT);
    expect(await read(gzipSync(bytes), { 'content-type': type, 'content-encoding': 'gzip' })).toBe(TEXT);
  });
});
