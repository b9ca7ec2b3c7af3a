import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decodedText, findEncoding, isWholeUtf8, utf8Bytes } from '../../src/input/decode.ts';
import type { PartnerFile } from '../../src/input/partner-file.ts';

/** A file whose bytes come in these chunks, all in one buffer as they do from a disk. */
function fileOf(...chunks: readonly (Buffer | string)[]): PartnerFile {
  const all = chunks.map((chunk) => Buffer.from(chunk));
  return {
    path: 'f.csv',
    sizeBytes: all.reduce((sum, { length }) => sum + length, 0),
    async *chunks(onRead = () => {}) {
      const buffer = Buffer.alloc(Math.max(1, ...all.map(({ length }) => length)));
      for (const chunk of all) {
        onRead(chunk.length);
        yield buffer.subarray(0, chunk.copy(buffer));
        buffer.fill('!');
      }
    },
  };
}
const byte = (...bytes: readonly number[]) => Buffer.from(bytes);
const found = async (file: PartnerFile, declared: string | null = null) => {
  const { name, label, isWrong, note, unexplained } = await findEncoding(file, declared);
  return { name, label, isWrong, note, isWhole: unexplained === null };
};
const WHOLE = { isWrong: false, note: null, isWhole: true };

describe('the encoding of a file', () => {
  it.each([
    ['UTF-8', 'utf-8', byte(0xef, 0xbb, 0xbf, 0x61)],
    ['UTF-16LE', 'utf-16le', byte(0xff, 0xfe, 0x61, 0x00)],
    ['UTF-16BE', 'utf-16be', byte(0xfe, 0xff, 0x00, 0x61)],
  ])('is told by its mark: %s', async (label, name, bytes) => {
    expect(await found(fileOf(bytes))).toEqual({ name, label, ...WHOLE });
  });

  it.each([0, 1, 2])('is not told by a mark whose byte %d is another', async (at) => {
    // Each such mark is a mistake in UTF-8, so that what is left to find is Windows-1252.
    const mark = byte(0xef, 0xbb, 0xbf);
    mark[at] = 0x41;
    expect((await found(fileOf(mark, 'a,b'))).name).toBe('windows-1252');
  });

  it.each(['utf8', 'UTF-8', 'utf_8'])('may be declared: %s', async (declared) => {
    expect(await found(fileOf('é'), declared)).toEqual({ name: 'utf-8', label: 'UTF-8', ...WHOLE });
  });

  it.each([
    ['utf16', 'utf-16le'],
    ['UTF-16LE', 'utf-16le'],
    ['utf-16be', 'utf-16be'],
    ['macintosh', 'macintosh'],
    ['CP850', 'CP850'],
  ])('is called by its usual name if it is declared as %s: %s', async (declared, name) => {
    expect(await found(fileOf(iconv.encode('ab', declared)), declared)).toMatchObject({ name, ...WHOLE });
  });

  it('may be declared as what Windows calls Unicode', async () => {
    expect(await found(fileOf(iconv.encode('ab', 'utf-16le')), 'Unicode')).toMatchObject({
      name: 'utf-16le',
      ...WHOLE,
    });
  });

  it('that is declared is called as it was declared, unless it has a usual name', async () => {
    const labels = await Promise.all(
      ['macintosh', 'windows-1252', 'utf16'].map(
        async (name) => (await found(fileOf(iconv.encode('ab', name)), name)).label,
      ),
    );
    expect(labels).toEqual(['macintosh', 'Windows-1252', 'UTF-16LE']);
    await expect(found(fileOf('a'), 'klingon')).rejects.toThrow('There is no encoding "klingon".');
  });

  /** Ten pairs of bytes, of which so many have a NUL in their first and in their second byte. */
  const pairs = (first: number, second: number, count = 40) =>
    Buffer.from(Array.from({ length: count }, (_, at) => [at < first ? 0 : 0x61, at < second ? 0 : 0x62]).flat());

  it.each([
    [0, 17, 'utf-16le'],
    [0, 16, 'utf-8'],
    [1, 40, 'utf-16le'],
    [2, 40, 'utf-8'],
    [17, 0, 'utf-16be'],
    [16, 0, 'utf-8'],
    [40, 1, 'utf-16be'],
    [40, 2, 'utf-8'],
    [0, 0, 'utf-8'],
  ])('is told by the NULs of 40 pairs of bytes: %d first and %d second ones are %s', async (first, second, name) => {
    expect((await found(fileOf(pairs(first, second)))).name).toBe(name);
  });

  it('is told by the NULs of its first 4096 bytes', async () => {
    const utf16 = pairs(0, 820, 2048);
    expect((await found(fileOf(Buffer.concat([utf16, pairs(0, 0, 2048)])))).name).toBe('utf-16le');
    expect((await found(fileOf(Buffer.concat([pairs(0, 819, 2048), pairs(0, 2048, 2048)])))).name).toBe('utf-8');
  });
});

describe('what an encoding does not explain', () => {
  const NOTE = (places: string) => `Read as UTF-8, but ${places}: such rows are invalid.`;
  it('is said with its count', async () => {
    expect(await found(fileOf('éé', byte(0xe9)))).toMatchObject({ name: 'utf-8', note: NOTE('one place is not') });
    expect(await found(fileOf('éé', byte(0xe9, 0x20, 0xe9)))).toMatchObject({ note: NOTE('2 places are not') });
  });

  it('is of single rows up to as many places as are explained; with more it is Windows-1252', async () => {
    expect((await found(fileOf('é', byte(0xe9)))).name).toBe('utf-8');
    expect(await found(fileOf('é', byte(0xe9, 0x20, 0xe9)))).toMatchObject({
      name: 'windows-1252',
      isWhole: false,
      note: expect.stringContaining('Rows that look like UTF-8 are invalid.'),
    });
    expect(await found(fileOf(byte(0xe9)))).toMatchObject({
      name: 'windows-1252',
      label: 'Windows-1252',
      isWhole: true,
      isWrong: false,
      note: expect.not.stringContaining('Rows that look'),
    });
  });

  it('is no text at all where neither explains it', async () => {
    // 0x81 is nothing in Windows-1252, and continues no character in UTF-8.
    await expect(found(fileOf(byte(0x81)))).rejects.toThrow('f.csv is neither UTF-8 nor Windows-1252 text.');
    await expect(found(fileOf('é', byte(0x81, 0x81)))).rejects.toThrow('neither');
    expect((await found(fileOf('é', byte(0x81, 0x20, 0xe9)))).name).toBe('windows-1252');
  });

  it.each([
    [10, 0, false],
    [11, 0, true],
    [11, 10, true],
    [11, 11, false],
  ])(
    'in a declared encoding makes it wrong from ten places on, and more than are explained: %d of %d',
    async (...row) => {
      const [unknown, known, isWrong] = row;
      const encoding = await found(fileOf('é'.repeat(known), Buffer.from('\xe9 '.repeat(unknown), 'latin1')), 'utf-8');
      expect(encoding).toMatchObject({
        isWrong,
        isWhole: false,
        note: isWrong ? null : NOTE(`${unknown} places are not`),
      });
    },
  );

  it('in UTF-16 is half a pair, and half a character at the end', async () => {
    const text = iconv.encode('aé\uFFFD', 'utf-16le');
    expect(await found(fileOf(text), 'utf-16le')).toMatchObject(WHOLE);
    const places = async (...chunks: Buffer[]) => (await found(fileOf(text, ...chunks), 'utf-16le')).note;
    expect(await places(byte(0x61))).toContain('one place is not');
    expect(await places(byte(0x00, 0xd8, 0x61, 0x00))).toContain('one place is not');
    expect(await places(byte(0x61), byte(0x00))).toBeNull();
  });

  it('is not told of a file that is whole', async () => {
    const whole = async (file: PartnerFile, declared: string | null) => isWholeUtf8(await findEncoding(file, declared));
    expect(await whole(fileOf('é'), null)).toBe(true);
    expect(await whole(fileOf('éé', byte(0xe9)), null)).toBe(false);
    expect(await whole(fileOf('a'), 'macintosh')).toBe(false);
  });
});

describe('characters of two, three and four bytes', () => {
  const bytes = Buffer.from('aé€😀z');
  it('are UTF-8 wherever the chunks end, and not where one is cut off at the end', async () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const file = fileOf(bytes.subarray(0, cut), bytes.subarray(cut));
      expect(await found(file)).toEqual({ name: 'utf-8', label: 'UTF-8', ...WHOLE });
      let text = '';
      for await (const piece of decodedText(file, 'utf-8')) text += piece;
      expect(text).toBe('aé€😀z');
    }
    for (const at of [2, 4, 5, 7, 8, 9])
      expect(await found(fileOf(bytes.subarray(0, at))), `${at} bytes`).not.toMatchObject(WHOLE);
    for (const at of [0, 1, 3, 6, 10]) expect(await found(fileOf(bytes.subarray(0, at)))).toMatchObject(WHOLE);
  });

  it('of UTF-16 never end a piece in their middle', async () => {
    const utf16 = iconv.encode('a😀z\ud83d', 'utf-16le');
    for (let cut = 0; cut <= utf16.length; cut++) {
      const pieces: string[] = [];
      for await (const piece of decodedText(fileOf(utf16.subarray(0, cut), utf16.subarray(cut)), 'utf-16le'))
        pieces.push(piece);
      expect(pieces.join('')).toBe('a😀z\ud83d');
      for (const piece of pieces.slice(0, -1)) expect(piece).not.toMatch(/[\ud800-\udbff]$/);
    }
  });
});

it('a mark is taken off the beginning alone, of text and of bytes, and how much was read is told', async () => {
  for (const chunks of [
    ['\uFEFF', 'a\uFEFFb'],
    ['', '\uFEFFa\uFEFFb'],
    ['\uFEFFa', '\uFEFFb'],
  ]) {
    const [text, bytes, read]: [string[], string[], number[]] = [[], [], []];
    for await (const piece of decodedText(fileOf(...chunks), 'utf-8', (count) => read.push(count))) text.push(piece);
    for await (const piece of utf8Bytes(fileOf(...chunks), (count) => read.push(count))) bytes.push(piece.toString());
    expect([text.join(''), bytes.join('')]).toEqual(['a\uFEFFb', 'a\uFEFFb']);
    const size = Buffer.byteLength(chunks.join(''));
    expect(read.reduce((sum, count) => sum + count, 0)).toBe(2 * size);
  }
});
