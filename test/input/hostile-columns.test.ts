import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { mapRow } from '../../src/delivery/prepare.ts';
import { sampleOf } from '../../src/input/columns/sample.ts';
import { understandColumns } from '../../src/input/columns/understand.ts';
import { mappingToRemember } from '../../src/input/kept-mapping.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { Mapping, MappingOptions } from '../../src/request/lead/table.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { mappingStore } from '../../src/settings/mapping-store.ts';
import { ANY_OWNER } from '../../src/settings/own-file.ts';
import { cpuMs } from '../helpers/cpu-time.ts';
import fc from '../helpers/fast-check.ts';

const folder = mkdtempSync(join(tmpdir(), 'srq-columns-'));
afterAll(() => rmSync(folder, { recursive: true }));

let stores = 0;

const PIECES = [
  'Tel',
  'Phone',
  'Nome',
  'E-Mail',
  'Owner',
  'Agent',
  'Kunden',
  'PLZ',
  'Ort',
  'Text',
  'Notes',
  'column 2',
];
const ODD = [
  '__proto__',
  'constructor',
  '1',
  '0',
  '#',
  'n°',
  '{{x}}',
  '\u202etel',
  'a\u0000b',
  'tel\u200b',
  'Имя',
  '電話',
  '-',
];
const header = fc.oneof(
  fc.constantFrom(...PIECES, ...ODD, ''),
  fc.array(fc.constantFrom(...PIECES, ' ', '_', '1', '2', ' 3'), { maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const CELLS = [
  '+351912345678',
  '912 345 678',
  'a@example.com',
  '1000-001',
  'Lisboa',
  'PT',
  'Ana Lima',
  'x',
  '2026-01-02',
  '12',
];
const cell = fc.oneof(
  fc.constantFrom(...CELLS, '', 'Pintar a parede da sala toda de branco', 'Rua das Flores 12'),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
/** A table: its header, and its columns with as many cells each. */
const table = fc
  .record({ width: fc.integer({ min: 1, max: 9 }), rows: fc.integer({ min: 0, max: 8 }) })
  .chain(({ width, rows }) =>
    fc.record({
      columns: fc.array(header, { minLength: width, maxLength: width }).map((all) => all.map((name) => name.trim())),
      cells: fc.array(fc.array(cell, { minLength: rows, maxLength: rows }), { minLength: width, maxLength: width }),
    }),
  );

/** The mapping, or null where the file or the options are refused with words. */
function planned(columns: readonly string[], options: MappingOptions, sample: readonly (readonly string[])[]) {
  try {
    return planMapping(columns, options, { sample, parameters: new Set() });
  } catch (error) {
    if (error instanceof SrqError) return null;
    throw error;
  }
}

const NOTHING: MappingOptions = { map: {}, set: {} };

/** What each row of the sample gives. */
function drafts(mapping: Mapping, cells: readonly (readonly string[])[]): unknown[] {
  return (cells[0] ?? []).map((_, at) =>
    mapRow({ number: at + 1, line: null, cells: cells.map((column) => column[at] ?? ''), problem: null }, mapping),
  );
}

describe('columns of any name and content', () => {
  test('columns of any name and content are understood without a fault, each at most once', () => {
    fc.assert(
      fc.property(table, ({ columns, cells }) => {
        const view = { columns, cells, market: undefined };
        const { readings, plain, profiles } = understandColumns(view);
        const read = readings.map(({ index }) => index);
        expect(new Set(read).size).toBe(read.length);
        for (const index of [...read, ...plain.map((each) => each.index)]) expect(columns[index]).toBeDefined();
        for (const { index } of plain) expect(read).not.toContain(index);
        expect(understandColumns(view)).toEqual({ readings, plain, profiles });
      }),
      { numRuns: 100 },
    );
  });

  test('columns of any name and content are kept and read back to the same requests, or not kept at all', () => {
    let count = 0;
    let keptCount = 0;
    fc.assert(
      fc.property(table, fc.nat(8), fc.nat(8), ({ columns, cells }, mapped, leftOut) => {
        const said = { [columns[mapped] ?? '']: 'phone', [columns[leftOut] ?? '']: '-' };
        for (const options of [NOTHING, { ...NOTHING, map: said }]) {
          const mapping = planned(columns, options, cells);
          if (mapping === null) continue;
          count += 1;
          const kept = mappingToRemember(mapping, { sample: cells, parameters: new Set() });
          if (kept === null) continue;
          keptCount += 1;
          const store = mappingStore(join(folder, `${stores++}.json`), ANY_OWNER);
          store.keep(columns, kept, '2026-11-22');
          const remembered = store.find(columns);
          if (remembered === null) continue;
          const again = planned(columns, { ...NOTHING, remembered }, cells);
          expect(again && drafts(again, cells)).toEqual(drafts(mapping, cells));
        }
      }),
      { numRuns: 100 },
    );
    // Hardly any is not kept: those with a column that is called as one without a name would be.
    expect(keptCount / count).toBeGreaterThan(0.9);
  });

  test('columns of any name, in another order and case, give the same requests by what was kept', () => {
    fc.assert(
      fc.property(table, fc.infiniteStream(fc.nat()), ({ columns, cells }, order) => {
        const mapping = planned(columns, NOTHING, cells);
        if (mapping === null || columns.includes('')) return;
        const store = mappingStore(join(folder, `${stores++}.json`), ANY_OWNER);
        const kept = mappingToRemember(mapping, { sample: cells, parameters: new Set() });
        if (kept) store.keep(columns, kept, '2026-11-22');
        const places = columns.map((_, at) => ({ at, by: order.next().value })).sort((a, b) => a.by - b.by);
        const moved = places.map(({ at }) => (columns[at] ?? '').toUpperCase().trim());
        const remembered = store.find(moved);
        const movedCells = places.map(({ at }) => cells[at] ?? []);
        const again = remembered && planned(moved, { ...NOTHING, remembered }, movedCells);
        if (!again) return;
        const fields = (each: Mapping, of: typeof cells) =>
          drafts(each, of).map((draft) => (draft as { fields: object }).fields);
        expect(fields(again, movedCells)).toEqual(fields(mapping, cells));
      }),
      { numRuns: 100 },
    );
  });
});

describe('time', () => {
  const wide = Array.from({ length: 5_000 }, (_, at) => `${PIECES[at % PIECES.length]} ${at}`);

  test('5,000 columns of telephone numbers are understood in a short time by the rows that a sample has of them', () => {
    const cells = wide.map((_, column) =>
      Array.from({ length: 20 }, (_, row) => `+35191${1_000_000 + column * 20 + row}`),
    );
    const view = { columns: wide, cells, market: undefined };
    expect(cpuMs(() => understandColumns(view), 3_000)).toBeLessThan(6_000);
    const store = mappingStore(join(folder, 'wide.json'), ANY_OWNER);
    const names = wide.map((name) => name.slice(-9));
    const map = Object.fromEntries(names.map((name) => [name, 'phone']));
    store.keep(names, { map, set: {}, unused: [] }, '2026-11-22');
    const upper = names.map((name) => name.toUpperCase());
    const find = () => {
      const remembered = store.find(upper);
      expect(Object.keys(remembered?.map ?? {})).toHaveLength(5_000);
      if (remembered) planned(upper, { ...NOTHING, remembered }, cells);
    };
    expect(cpuMs(find, 4_000)).toBeLessThan(8_000);
  });

  test.each(['a', '{', 'Aa', "a'", 'a ', ' n', 'é', '1', '\u202e', 'handynummern', '@a', 'n°', '(', '{{'])(
    'names and cells made of %j are understood in a short time',
    (piece) => {
      const text = piece.repeat(10_000 / piece.length);
      for (const long of [text, `${text}!`]) {
        const view = { columns: [long], cells: [[long.repeat(20)]], market: undefined };
        expect(cpuMs(() => understandColumns(view), 1_000)).toBeLessThan(2_000);
      }
    },
  );
});

describe('a sample', () => {
  const rowsOf = (width: number, count: number, text: string) => ({
    columns: Array.from({ length: width }, (_, at) => `c${at}`),
    async *rows() {
      for (let number = 1; number <= count; number++) {
        yield [{ number, line: null, cells: Array.from({ length: width }, () => text), problem: null }];
      }
    },
  });

  test('a sample of rows holds the beginning of huge cells', async () => {
    const [cells] = await sampleOf(rowsOf(1, 300, 'x'.repeat(1_000_000)));
    expect(cells).toHaveLength(300);
    expect(Math.max(...(cells ?? []).map(({ length }) => length))).toBe(1_000);
  });

  test('a sample of rows ends where the table cannot be read further', async () => {
    const rows = rowsOf(1, 3, 'x');
    const damaged = {
      ...rows,
      async *rows() {
        yield* rows.rows();
        throw new SrqError('file.changed', 'a quote that is not closed');
      },
    };
    expect(await sampleOf(damaged)).toEqual([['x', 'x', 'x']]);
  });

  test('a sample of rows is smaller with more columns, and at most 500 rows', async () => {
    for (const width of [5_000, 100_000]) {
      const cells = await sampleOf(rowsOf(width, 500, ''));
      expect((cells[0]?.length ?? 0) * width).toBeLessThanOrEqual(Math.max(100_000, 20 * width));
      expect(cells[0]?.length).toBeGreaterThanOrEqual(20);
    }
    const [cells] = await sampleOf(rowsOf(2, 5_000, ''));
    expect(cells).toHaveLength(500);
  });

  test('the samples of a file and of its results are the same', () => {
    const store = mappingStore(join(folder, 'results.json'), ANY_OWNER);
    store.keep(['Wer', 'Was'], { map: { Wer: 'fullname' }, set: {}, unused: ['Was'] }, '2026-11-22');
    const back = store.find(['Wer', 'Was', 'SRQ_STATUS', 'Srq Id', 'srq_message', 'srq_row', 'srq_key']);
    expect(back).toMatchObject({ map: { Wer: 'fullname' }, changes: null });
  });
});
