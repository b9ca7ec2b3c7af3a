import { brotliCompressSync, gzipSync } from 'node:zlib';
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

  test.each(['gzip, br', 'deflate', 'gzip;q=1'])(
    'that is unknown, or put on another, leaves nothing: %s',
    async (encoding) => {
      expect(await read(gzipSync(BYTES), { 'content-encoding': encoding })).toBeNull();
    },
  );
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
