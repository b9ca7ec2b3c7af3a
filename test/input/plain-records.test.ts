import { Parser } from 'csv-parse';
import { describe, expect, it } from 'vitest';
import { csvRecords } from '../../src/input/csv-records.ts';
import { utf8Bytes } from '../../src/input/decode.ts';
import { PlainRecords } from '../../src/input/plain-records.ts';
import fc from '../helpers/fast-check.ts';

interface Found {
  readonly cells: readonly string[];
  readonly emptyLines: number;
  readonly spansLines: boolean;
}

/** What csv-parse finds, or null if it refuses the text. */
async function parsed(text: Buffer, delimiter: string): Promise<Found[] | null> {
  const found: Found[] = [];
  let lines = 0;
  let empty = 0;
  class Records extends Parser {
    override push(cells: string[] | null): boolean {
      if (cells === null) return super.push(null);
      const { info } = this;
      const emptyLines = info.empty_lines - empty;
      found.push({ cells, emptyLines, spansLines: info.lines - lines !== emptyLines + 1 });
      [lines, empty] = [info.lines, info.empty_lines];
      return true;
    }
  }
  const parser = new Records({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    relax_quotes: true,
  });
  parser.resume();
  const failure = await new Promise((resolve) => {
    parser.on('error', resolve);
    parser.end(text, () => resolve(null));
  });
  return failure === null ? found : null;
}

/** What is split of the pieces, and the bytes that are left to csv-parse, or null if there are none. */
function split(pieces: readonly Buffer[], delimiter: string): { found: Found[]; left: Buffer | null } {
  const found: Found[] = [];
  const records = new PlainRecords(delimiter, (cells, emptyLines, spansLines) =>
    found.push({ cells, emptyLines, spansLines }),
  );
  for (const [at, piece] of pieces.entries()) {
    const left = records.split(piece, false);
    if (left !== null) return { found, left: Buffer.concat([left, ...pieces.slice(at + 1)]) };
  }
  return { found, left: records.split(Buffer.alloc(0), true) };
}

/** Cuts bytes at these places, wherever those are: within a line break, a quote or a letter. */
function pieces(text: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b);
  return places.slice(1).map((to, at) => text.subarray(places[at], to));
}

const delimiter = fc.constantFrom(',', ';', '\t', '|');
const cuts = fc.array(fc.nat(2_000), { maxLength: 8 });
/** Everything that means something in CSV, and letters of one to four bytes. */
const signs = fc.array(
  fc.constantFrom(
    '"',
    '""',
    ',',
    ';',
    '\t',
    '|',
    '\n',
    '\r\n',
    '\r',
    ' ',
    'a',
    'é',
    '€',
    '🙂',
    '\0',
    '\uFFFD',
    '6" pipe',
  ),
  { maxLength: 40 },
);
const cell = fc.array(fc.constantFrom('a', 'b c', '"', ',', ';', '\n', '\r\n', '\r', 'é', '🙂', ''), { maxLength: 6 });
const wellFormed = fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 12 });

describe('plain records', () => {
  it('are the records of csv-parse, wherever the bytes are cut, and the rest is left to it from a record on', async () => {
    await fc.assert(
      fc.asyncProperty(signs, delimiter, cuts, async (text, sign, at) => {
        const bytes = Buffer.from(text.join(''));
        const { found, left } = split(pieces(bytes, at), sign);
        const whole = await parsed(bytes, sign);
        if (left === null) expect(found).toEqual(whole);
        else {
          const rest = await parsed(left, sign);
          expect(rest === null ? null : [...found, ...rest]).toEqual(whole);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('are all records of a file whose cells are quoted as they should be', async () => {
    await fc.assert(
      fc.asyncProperty(wellFormed, delimiter, cuts, async (rows, sign, at) => {
        const quoted = (text: string) => (/["\r\n,;\t|]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
        const lines = rows.map((cells) => cells.map((parts) => quoted(parts.join(''))).join(sign));
        const bytes = Buffer.from(lines.join('\r\n'));
        const { found, left } = split(pieces(bytes, at), sign);
        expect(left).toBeNull();
        expect(found).toEqual(await parsed(bytes, sign));
      }),
      { numRuns: 300 },
    );
  });

  it('end before a record that is too long to wait for', () => {
    const long = `"${'a'.repeat(200_000)}`;
    const { found, left } = split([Buffer.from(`a,b\n\n${long}`), Buffer.from('more')], ',');
    expect(found).toEqual([{ cells: ['a', 'b'], emptyLines: 0, spansLines: false }]);
    expect(left?.toString()).toBe(`\n${long}more`);
  });
});

/** All records of the pieces, and the message of the error that ends them. */
async function recordsOf(text: AsyncIterable<string | Buffer>, sign: string): Promise<unknown[]> {
  const records: unknown[] = [];
  try {
    for await (const batch of csvRecords(text, { delimiter: sign, linesBeforeHeader: 0 })) records.push(...batch);
  } catch (error) {
    records.push(String(error));
  }
  return records;
}

async function* only<Piece>(...all: Piece[]): AsyncGenerator<Piece> {
  yield* all;
}

/** Yields the pieces as a file is read: in one buffer, whose bytes are others once the next piece is asked for. */
async function* inOneBuffer(all: readonly Buffer[]): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(Math.max(0, ...all.map(({ length }) => length)));
  for (const piece of all) {
    yield buffer.subarray(0, piece.copy(buffer));
    buffer.fill('!');
  }
}

describe('a file that is read as bytes', () => {
  it.each([',', ';', '€'])('has the records of its text, wherever the bytes are cut (delimiter %s)', async (sign) => {
    await fc.assert(
      fc.asyncProperty(signs, cuts, async (text, at) => {
        const bytes = Buffer.from(text.join(''));
        const asBytes = await recordsOf(inOneBuffer(pieces(bytes, at)), sign);
        expect(asBytes).toEqual(await recordsOf(only(bytes.toString()), sign));
      }),
      { numRuns: 500 },
    );
  });

  it('has no byte order mark, wherever that is cut', async () => {
    for (const [text, left] of [
      ['\uFEFFname', 'name'],
      ['\uFEFF', ''],
      ['\uFEFF\uFEFFa', '\uFEFFa'],
      ['ï»', 'ï»'],
      ['a', 'a'],
    ] as const) {
      const bytes = Buffer.from(text);
      for (let cut = 0; cut <= bytes.length; cut++) {
        const file = { path: 'f', sizeBytes: bytes.length, chunks: () => inOneBuffer(pieces(bytes, [cut])) };
        const read: Buffer[] = [];
        for await (const piece of utf8Bytes(file)) read.push(Buffer.from(piece));
        expect(Buffer.concat(read).toString()).toBe(left);
      }
    }
  });

  it('ends at a line that is no row of anybody’s', async () => {
    const commas = Buffer.alloc(1 << 18, ',');
    const [message] = await recordsOf(only(commas, commas, commas, commas, commas), ',');
    expect(message).toContain('A line is longer than 1 MiB');
  });
});

describe('a file that is plain in its beginning alone', () => {
  it('is read to its end, with the right lines', async () => {
    async function* text() {
      yield 'a,b\n1,"x\ny"\n\n2,6" pipe\n3,"q" r\n4,';
      yield 'z\n\n"5"';
    }
    const records = [];
    for await (const batch of csvRecords(text(), { delimiter: ',', linesBeforeHeader: 0 })) records.push(...batch);
    expect(records.map(({ line, cells, afterEmptyLine }) => [line, cells, afterEmptyLine])).toEqual([
      [1, ['a', 'b'], false],
      [2, ['1', 'x\ny'], false],
      [5, ['2', '6" pipe'], true],
      [6, ['3', '"q" r'], false],
      [7, ['4', 'z'], false],
      [9, ['5'], true],
    ]);
  });
});

describe('a plain record', () => {
  const LONGEST = 128 * 1024;
  it('has at most 128 KiB, whether it ends or not', () => {
    for (const end of ['\n', '\r\n', '']) {
      const of = (length: number) => split([Buffer.from(`${'a'.repeat(length)}${end}b`)], ',');
      if (end !== '') expect(of(LONGEST).left).toBeNull();
      expect(of(LONGEST + 1).left?.length).toBe(LONGEST + 1 + end.length + 1);
    }
    expect(split([Buffer.from('a'.repeat(LONGEST))], ',').left).toBeNull();
  });

  it('has a delimiter of one byte', () => {
    expect([',', '\x7f', '\x80', 'é', '', ',,'].map((sign) => PlainRecords.canSplitAt(sign))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
