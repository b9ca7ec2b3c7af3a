import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decodedText, findEncoding } from '../../src/input/decode.ts';
import type { PartnerFile } from '../../src/input/partner-file.ts';

/** A file whose bytes come in these chunks, all in one buffer as they do from a disk. */
function fileOf(...chunks: readonly (Buffer | string)[]): PartnerFile {
  const all = chunks.map((chunk) => Buffer.from(chunk));
  return {
    path: 'f.csv',
    sizeBytes: all.reduce((sum, { length }) => sum + length, 0),
    async *chunks() {
      const buffer = Buffer.alloc(Math.max(1, ...all.map(({ length }) => length)));
      for (const chunk of all) {
        yield buffer.subarray(0, chunk.copy(buffer));
        buffer.fill('!');
      }
    },
  };
}
const byte = (...bytes: readonly number[]) => Buffer.from(bytes);
const found = async (file: PartnerFile, declared: string | null = null) => {
  const { name, label, note, unexplained } = await findEncoding(file, declared);
  return { name, label, note, isWhole: unexplained === null };
};
const WHOLE = { note: null, isWhole: true };

describe('what an encoding does not explain', () => {
  const NOTE = (places: string) => `Read as UTF-8, but ${places}: such rows are invalid.`;
  it('bytes outside the encoding make single rows invalid; too many make the file Windows-1252', async () => {
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
      note: expect.not.stringContaining('Rows that look'),
    });
  });

  it('bytes that no encoding explains are not read as text', async () => {
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
  ])('bytes outside a declared encoding make it wrong from ten places on: %d of %d', async (...row) => {
    const [unknown, known, isWrong] = row;
    const encoding = found(fileOf('é'.repeat(known), Buffer.from('\xe9 '.repeat(unknown), 'latin1')), 'utf-8');
    if (isWrong) await expect(encoding).rejects.toThrow('f.csv holds bytes that are not UTF-8.');
    else await expect(encoding).resolves.toMatchObject({ isWhole: false, note: NOTE(`${unknown} places are not`) });
  });
});

describe('characters of two, three and four bytes', () => {
  const bytes = Buffer.from('aé€😀z');
  it('characters of several bytes are UTF-8 wherever the chunks end, unless cut at the end', async () => {
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

  it('characters of UTF-16 are never cut by the end of a piece', async () => {
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
