import { describe, expect, it } from 'vitest';
import { csvRecords } from '../../src/input/csv-records.ts';
import fc from '../helpers/fast-check.ts';

/** Cuts bytes at these places, wherever those are: within a line break, a quote or a letter. */
function pieces(text: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b);
  return places.slice(1).map((to, at) => text.subarray(places[at], to));
}

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
  it.each([',', ';', '€'])('a file read as bytes has the same records (delimiter %s)', async (sign) => {
    await fc.assert(
      fc.asyncProperty(signs, cuts, async (text, at) => {
        const bytes = Buffer.from(text.join(''));
        const asBytes = await recordsOf(inOneBuffer(pieces(bytes, at)), sign);
        expect(asBytes).toEqual(await recordsOf(only(bytes.toString()), sign));
      }),
      { numRuns: 500 },
    );
  });

  it('a file that is read as bytes ends at a line that is no row of anybody’s', async () => {
    const commas = Buffer.alloc(1 << 18, ',');
    const [message] = await recordsOf(only(commas, commas, commas, commas, commas), ',');
    expect(message).toContain('A line is longer than 1 MiB');
  });
});
