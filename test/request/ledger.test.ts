import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Ledger } from '../../src/request/log/ledger.ts';
import { noCounts, STATUSES, type Status } from '../../src/request/log/status.ts';
import fc from '../helpers/fast-check.ts';

// Keys are SHA-256 output; the index relies on it for its speed.
const keyOf = (content: number) => createHash('sha256').update(`${content}`).digest('hex').slice(0, 32);

interface Noted {
  readonly key: string | null;
  status: Status;
  readonly firstRow: number;
}

/** The same in the simplest way: a list of objects. */
function note(rows: Map<number, Noted>, row: number, content: number | null, status: Status): number {
  const key = content === null ? null : keyOf(content);
  const same = key === null ? [] : [...rows].filter(([, each]) => each.key === key);
  const firstRow = same[0]?.[0] ?? row;
  const now = key === null ? 'invalid' : firstRow === row ? status : 'repeated';
  rows.set(row, { key, status: now, firstRow });
  return firstRow;
}

test('the ledger knows of each row what was noted, for any file, first row and changes of status', () => {
  const content = fc.option(fc.integer({ min: 0, max: 20 }));
  const status = fc.constantFrom(...STATUSES);
  const line = fc.record({ content, status });
  const change = fc.record({ at: fc.nat(), status });
  const file = fc.array(line, { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), file, fc.array(change), (start, lines, changes) => {
      const ledger = new Ledger();
      const model = new Map<number, Noted>();
      lines.forEach(({ content, status }, index) => {
        const row = start + index;
        const firstRow = note(model, row, content, status);
        if (content === null) ledger.addWithoutKey(row, 'invalid');
        else expect(ledger.add(row, keyOf(content), status)).toBe(firstRow);
      });
      for (const { at, status } of changes) {
        const row = start + (at % lines.length);
        ledger.setStatus(row, status);
        const noted = model.get(row);
        if (noted) noted.status = status;
      }
      const counts = noCounts();
      for (const [row, noted] of model) {
        counts[noted.status] += 1;
        const told = { key: ledger.key(row), status: ledger.status(row), firstRow: ledger.firstRow(row) };
        expect({ row, ...told }).toEqual({ row, ...noted });
        expect(ledger.has(row)).toBe(true);
      }
      expect(ledger.counts()).toEqual(counts);
      expect(ledger.rows).toBe(lines.length);
      expect([ledger.has(start - 1), ledger.has(start + lines.length)]).toEqual([false, false]);
      expect([ledger.key(start - 1), ledger.key(start + lines.length)]).toEqual([null, null]);
    }),
  );
});

test('an empty ledger has no rows and counts nothing', () => {
  const ledger = new Ledger();
  expect([ledger.rows, ledger.has(0), ledger.has(1)]).toEqual([0, false, false]);
  expect(ledger.counts()).toEqual(noCounts());
});

test('keeps 60,000 rows, every third of them repeated, through all its growth', () => {
  const ledger = new Ledger();
  const rows = Array.from({ length: 60_000 }, (_, index) => index + 7);
  const repeats = (row: number) => row % 3 === 0 && row > 8;
  for (const row of rows) ledger.add(row, keyOf(repeats(row) ? row - 2 : row), 'ready');
  const right = rows.every((row) =>
    repeats(row)
      ? ledger.firstRow(row) === row - 2 && ledger.status(row) === 'repeated'
      : ledger.firstRow(row) === row && ledger.status(row) === 'ready' && ledger.key(row) === keyOf(row),
  );
  expect(right).toBe(true);
  expect(ledger.counts()).toMatchObject({ ready: rows.length - rows.filter(repeats).length });
});
