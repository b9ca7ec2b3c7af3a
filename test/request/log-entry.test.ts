import { expect, test } from 'vitest';
import { isSelected } from '../../src/request/log-store.ts';
import type { LogRecord } from '../../src/request/ports.ts';

const AT = '2026-11-22T10:00:00.000Z';
const atMs = Date.parse(AT);
const RECORD: LogRecord = {
  ...{ key: '00ff', event: 'created', at: AT, run: 'abcd1234', row: 7, ref: 'L-7', ids: { request_id: '4711' } },
  ...{ http: 201, message: null, ms: 5, raw: null, by: null, again: false },
};

test.each([
  [{}, true],
  [{ ref: 'L-7', id: '4711', status: 'created', run: 'abcd' }, true],
  [{ ref: 'L-8' }, false],
  [{ id: '47' }, false],
  [{ status: 'rejected' }, false],
  [{ run: 'bcd' }, false],
] as const)('a record is selected by all that is asked of it: %j, %s', (selection, isMeant) => {
  expect(isSelected(RECORD, selection)).toBe(isMeant);
});

test('a record of the first moment is in a span of time, and one of the last is not', () => {
  expect(isSelected(RECORD, {}, atMs, atMs + 1)).toBe(true);
  expect(isSelected(RECORD, {}, atMs + 1)).toBe(false);
  expect(isSelected(RECORD, {}, undefined, atMs)).toBe(false);
});
